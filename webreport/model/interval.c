/* Interval sets: see interval.h. */
#include "webreport/model/interval.h"

#include <stdlib.h>
#include <string.h>

static int by_start(const void *x, const void *y)
{
    const struct tp_interval *p = x, *q = y;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

static bool is_sorted(const struct tp_interval *items, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (items[i].a < items[i - 1].a)
            return false;
    return true;
}

/* Merge sort: qsort's worst case must not depend on a trace. glibc's qsort is one, but may call malloc. */
static void sort_by_start(struct tp_arena *arena, struct tp_interval *items, size_t count)
{
    struct tp_interval *from = items, *to = tp_arena_array(arena, count, sizeof *to), *scratch = to;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t lo = 0; lo < count; lo += 2 * width) {
            size_t mid = lo + width < count ? lo + width : count, hi = mid + width < count ? mid + width : count;
            size_t i = lo, j = mid, k = lo;
            while (i < mid && j < hi)
                to[k++] = by_start(&from[j], &from[i]) < 0 ? from[j++] : from[i++];
            while (i < mid)
                to[k++] = from[i++];
            while (j < hi)
                to[k++] = from[j++];
        }
        struct tp_interval *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
    tp_arena_drop(arena, scratch, count * sizeof *scratch);
}

struct tp_intervals tp_intervals_union(struct tp_arena *arena, struct tp_interval *items, size_t count)
{
    size_t kept = 0;
    if (!is_sorted(items, count))
        sort_by_start(arena, items, count);
    for (size_t i = 0; i < count; i++) {
        struct tp_interval x = items[i];
        if (x.b <= x.a)
            continue;
        if (kept && x.a <= items[kept - 1].b) {
            if (x.b > items[kept - 1].b)
                items[kept - 1].b = x.b;
        } else {
            items[kept++] = x;
        }
    }
    return (struct tp_intervals){items, kept};
}

struct tp_intervals tp_intervals_meet(struct tp_arena *arena, struct tp_intervals x, struct tp_intervals y)
{
    struct tp_vec out = TP_VEC(arena, struct tp_interval);
    for (size_t i = 0, j = 0; i < x.count && j < y.count;) {
        int64_t a = x.items[i].a > y.items[j].a ? x.items[i].a : y.items[j].a;
        int64_t b = x.items[i].b < y.items[j].b ? x.items[i].b : y.items[j].b;
        if (a < b)
            *(struct tp_interval *)tp_vec_push(&out) = (struct tp_interval){a, b};
        if (y.items[j].b < x.items[i].b)
            j++;
        else
            i++;
    }
    return (struct tp_intervals){out.data, out.count};
}

struct tp_intervals tp_intervals_minus(struct tp_arena *arena, struct tp_intervals x, struct tp_intervals y)
{
    struct tp_vec out = TP_VEC(arena, struct tp_interval);
    for (size_t i = 0, j = 0; i < x.count; i++) {
        int64_t a = x.items[i].a, b = x.items[i].b;
        while (j < y.count && y.items[j].b <= a)
            j++;
        for (size_t k = j; k < y.count && y.items[k].a < b; k++) {
            if (y.items[k].a > a)
                *(struct tp_interval *)tp_vec_push(&out) = (struct tp_interval){a, y.items[k].a};
            if (y.items[k].b > a)
                a = y.items[k].b;
        }
        if (a < b)
            *(struct tp_interval *)tp_vec_push(&out) = (struct tp_interval){a, b};
    }
    return (struct tp_intervals){out.data, out.count};
}

struct tp_intervals tp_intervals_prefix(struct tp_arena *arena, struct tp_intervals x, int64_t ns)
{
    struct tp_vec out = TP_VEC(arena, struct tp_interval);
    for (size_t i = 0; i < x.count && ns > 0; i++) {
        struct tp_interval piece = x.items[i];
        if (piece.b - piece.a > ns)
            piece.b = piece.a + ns;
        *(struct tp_interval *)tp_vec_push(&out) = piece;
        ns -= piece.b - piece.a;
    }
    return (struct tp_intervals){out.data, out.count};
}

int64_t tp_intervals_length(struct tp_intervals x)
{
    int64_t sum = 0;
    for (size_t i = 0; i < x.count; i++)
        sum += x.items[i].b - x.items[i].a;
    return sum;
}

/* Index of the first interval that ends after `at`. */
static size_t first_ending_after(struct tp_intervals x, int64_t at)
{
    size_t lo = 0, hi = x.count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (x.items[mid].b <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

int64_t tp_intervals_length_within(struct tp_intervals x, int64_t a, int64_t b)
{
    int64_t sum = 0;
    for (size_t i = first_ending_after(x, a); i < x.count && x.items[i].a < b; i++) {
        int64_t lo = x.items[i].a > a ? x.items[i].a : a, hi = x.items[i].b < b ? x.items[i].b : b;
        if (hi > lo)
            sum += hi - lo;
    }
    return sum;
}

int64_t tp_intervals_meet_length(struct tp_intervals x, struct tp_intervals y)
{
    int64_t sum = 0;
    for (size_t i = 0, j = 0; i < x.count && j < y.count;) {
        int64_t a = x.items[i].a > y.items[j].a ? x.items[i].a : y.items[j].a;
        int64_t b = x.items[i].b < y.items[j].b ? x.items[i].b : y.items[j].b;
        if (a < b)
            sum += b - a;
        if (y.items[j].b < x.items[i].b)
            j++;
        else
            i++;
    }
    return sum;
}

bool tp_intervals_contain(struct tp_intervals x, int64_t at)
{
    size_t i = first_ending_after(x, at);
    return i < x.count && x.items[i].a <= at;
}
