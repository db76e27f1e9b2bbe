/* Stores sets of ranks: see number_set.h. */
#include "writer/base/number_set.h"

#include <stdio.h>

void tp_rank_set_init(struct tp_rank_set *set, struct tp_arena *arena)
{
    *set = (struct tp_rank_set){.runs = TP_VEC(arena, struct tp_rank_run)};
}

static struct tp_rank_run *last_range_of_ranks(const struct tp_rank_set *set)
{
    return set->runs.count ? TP_AT(&set->runs, struct tp_rank_run, set->runs.count - 1) : NULL;
}

void tp_rank_set_add_range(struct tp_rank_set *set, int64_t first, int64_t last)
{
    struct tp_rank_run *run = last_range_of_ranks(set);
    if (run && first <= run->last)
        first = run->last + 1;
    if (first > last)
        return;
    set->count += last - first + 1;
    if (run && first == run->last + 1)
        run->last = last;
    else
        *(struct tp_rank_run *)tp_vec_push(&set->runs) = (struct tp_rank_run){first, last};
}

void tp_rank_set_add(struct tp_rank_set *set, int64_t rank)
{
    tp_rank_set_add_range(set, rank, rank);
}

bool tp_rank_set_has(const struct tp_rank_set *set, int64_t rank)
{
    size_t lo = 0, hi = set->runs.count;
    while (lo < hi) { /* binary search for the first run that ends at `rank` or later */
        size_t mid = lo + (hi - lo) / 2;
        if (TP_AT(&set->runs, struct tp_rank_run, mid)->last < rank)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < set->runs.count && TP_AT(&set->runs, struct tp_rank_run, lo)->first <= rank;
}

static void add_int(struct tp_vec *text, int64_t value)
{
    char digits[24];
    int size = snprintf(digits, sizeof digits, "%lld", (long long)value);
    for (int i = 0; i < size; i++)
        *(char *)tp_vec_push(text) = digits[i];
}

static void add_text(struct tp_vec *text, const char *words)
{
    for (; *words; words++)
        *(char *)tp_vec_push(text) = *words;
}

const char *tp_rank_set_text(struct tp_arena *arena, const struct tp_rank_set *set, size_t max_runs)
{
    struct tp_vec text = TP_VEC(arena, char);
    for (size_t i = 0; i < set->runs.count; i++) {
        const struct tp_rank_run *run = TP_AT(&set->runs, struct tp_rank_run, i);
        if (max_runs && i == max_runs) {
            add_text(&text, ", \xe2\x80\xa6 (");
            add_int(&text, set->count);
            add_text(&text, " in all)");
            break;
        }
        if (i)
            add_text(&text, max_runs ? ", " : ",");
        add_int(&text, run->first);
        if (run->last == run->first)
            continue;
        add_text(&text, "-");
        add_int(&text, run->last);
    }
    *(char *)tp_vec_push(&text) = '\0';
    return text.data;
}
