/* Subjects and the verdict on all of them: see check.h. */
#include "webreport/check/check.h"

#include <math.h>

#include "webreport/check/check_parts.h"
#include "webreport/model/merge_sort.h"
#include "webreport/render/format.h"

const char *tp_check_status_text(enum tp_check_status status)
{
    static const char *const texts[] = {"pass", "warn", "inconclusive", "fail"};
    return texts[status];
}

const char *tp_check_cause_text(enum tp_check_cause cause)
{
    static const char *const texts[] = {"within",  "beyond",      "noise",         "missing",
                                        "skipped", "no_baseline", "not_comparable"};
    return texts[cause];
}

/* ---- subjects ---- */

static int64_t rank_of(const struct tp_summary *summary)
{
    return summary->key.rank;
}

/* Ranks of a side, ascending, each once; none when fewer than two are known: then all runs are one subject. */
static size_t find_ranks(const struct tp_check_side *side, int64_t *ranks)
{
    size_t count = 0;
    for (size_t i = 0; i < side->count; i++) {
        size_t at = count;
        if (rank_of(&side->items[i]) == TP_NULL_INT)
            return 0;
        while (at > 0 && ranks[at - 1] > rank_of(&side->items[i]))
            at--;
        if (at > 0 && ranks[at - 1] == rank_of(&side->items[i]))
            continue;
        memmove(ranks + at + 1, ranks + at, (count - at) * sizeof *ranks);
        ranks[at] = rank_of(&side->items[i]);
        count++;
    }
    return count > 1 ? count : 0;
}

/* The runs of a rank (TP_NULL_INT: all), at most the `most` newest. */
static size_t take(const struct tp_check_side *side, int64_t rank, size_t most, const struct tp_summary **out,
                   struct tp_arena *arena)
{
    struct tp_vec taken = TP_VEC(arena, struct tp_summary);
    for (size_t i = 0; i < side->count; i++)
        if (rank == TP_NULL_INT || rank_of(&side->items[i]) == rank)
            *(struct tp_summary *)tp_vec_push(&taken) = side->items[i];
    size_t skipped = taken.count > most ? taken.count - most : 0;
    *out = TP_AT(&taken, struct tp_summary, skipped);
    return taken.count - skipped;
}

/* The baseline of a rank: that rank's runs, or all where the baseline does not tell ranks apart. */
static void take_base(struct tp_check_subject *s, const struct tp_check_side *base, size_t base_ranks,
                      struct tp_arena *arena)
{
    s->base_count = take(base, base_ranks ? s->rank : TP_NULL_INT, TP_CHECK_BASELINE_RUNS, &s->base, arena);
    if (s->base_count == 0)
        return;
    const struct tp_side_input sides[TP_SIDES] = {
        {"base", s->base, (uint32_t)s->base_count},
        {"new", s->runs, (uint32_t)s->run_count},
    };
    struct tp_side_input *kept = tp_arena_array(arena, TP_SIDES, sizeof *kept);
    memcpy(kept, sides, sizeof sides);
    tp_sides_build(&s->sides, kept, arena);
    tp_comparability_build(&s->comparability, &s->sides);
}

static struct tp_check_subject *find_subjects(const struct tp_check_input *input, size_t *count, struct tp_arena *arena)
{
    int64_t *ranks = tp_arena_array(arena, input->run.count + 1, sizeof *ranks);
    int64_t *base_ranks = tp_arena_array(arena, input->base.count + 1, sizeof *base_ranks);
    size_t rank_count = find_ranks(&input->run, ranks), base_count = find_ranks(&input->base, base_ranks);
    *count = rank_count ? rank_count : 1;
    struct tp_check_subject *subjects = tp_arena_array(arena, *count, sizeof *subjects);
    for (size_t i = 0; i < *count; i++) {
        struct tp_check_subject *s = &subjects[i];
        int64_t rank = rank_count ? ranks[i] : TP_NULL_INT;
        s->run_count = take(&input->run, rank, SIZE_MAX, &s->runs, arena);
        s->rank = rank_of(&s->runs[0]);
        s->worker = s->runs[0].key.worker;
        s->name = rank_count ? tp_str_of(tp_text_printf(arena, "rank %lld", (long long)rank)) : TP_STR("");
        take_base(s, &input->base, s->rank == TP_NULL_INT ? 0 : base_count, arena);
    }
    return subjects;
}

/* ---- items ---- */

static bool is_for(const struct tp_budget_line *line, const struct tp_check_subject *s)
{
    return (line->rank == TP_NULL_INT || line->rank == s->rank) &&
           (!line->worker.ptr || tp_str_equal(line->worker, s->worker));
}

/* A line for a worker or rank that no run has. */
static void add_unmet(struct tp_vec *items, const struct tp_budget_line *line)
{
    struct tp_check_item *item = tp_vec_push(items);
    bool is_warning = line->is_warning || line->is_optional;
    *item = (struct tp_check_item){.line = line,
                                   .subject = TP_STR(""),
                                   .status = line->is_optional ? TP_CHECK_PASS
                                             : is_warning      ? TP_CHECK_WARN
                                                               : TP_CHECK_FAIL,
                                   .cause = line->is_optional ? TP_CAUSE_SKIPPED : TP_CAUSE_MISSING,
                                   .value = NAN,
                                   .base_value = NAN,
                                   .change = NAN,
                                   .low = NAN,
                                   .high = NAN,
                                   .floor = NAN,
                                   .reason = "missing: no run is of this worker or rank"};
}

static int by_status(const void *x, const void *y, const void *context)
{
    const struct tp_check_item *a = x, *b = y;
    (void)context;
    return (int)b->status - (int)a->status;
}

void tp_check_build(struct tp_check *check, const struct tp_check_input *input, struct tp_arena *arena)
{
    size_t subject_count;
    struct tp_check_subject *subjects = find_subjects(input, &subject_count, arena);
    struct tp_vec items = TP_VEC(arena, struct tp_check_item);
    *check = (struct tp_check){.input = input, .score = 100};
    for (size_t l = 0; l < input->budget->count; l++) {
        const struct tp_budget_line *line = &input->budget->lines[l];
        size_t before = items.count;
        for (size_t i = 0; i < subject_count; i++) {
            if (!is_for(line, &subjects[i]))
                continue;
            struct tp_check_item *item = tp_vec_push(&items);
            *item = (struct tp_check_item){.line = line, .subject = subjects[i].name};
            tp_check_judge(item, &subjects[i], arena);
            if (item->cause == TP_CAUSE_BEYOND)
                tp_check_find_places(item, &subjects[i], arena);
        }
        if (items.count == before)
            add_unmet(&items, line);
    }
    for (size_t i = 0; i < subject_count; i++)
        if (subjects[i].base_count && subjects[i].comparability.score < check->score)
            check->score = subjects[i].comparability.score;
    tp_merge_sort(arena, items.data, items.count, sizeof(struct tp_check_item), by_status, NULL);
    check->items = items.data;
    check->count = items.count;
    for (size_t i = 0; i < items.count; i++)
        check->counts[check->items[i].status]++;
    check->verdict = items.count ? check->items[0].status : TP_CHECK_PASS;
}
