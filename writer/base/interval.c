/* Implements interval sets: see interval.h. */
#include "writer/base/interval.h"

#include "writer/base/sort.h"

static int compare_by_start(const void *x, const void *y, const void *context)
{
    const struct tp_interval *p = x, *q = y;
    (void)context;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

struct tp_intervals tp_intervals_union(struct tp_arena *arena, struct tp_interval *items, size_t count)
{
    size_t kept = 0;
    tp_merge_sort(arena, items, count, sizeof *items, compare_by_start, NULL);
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

struct tp_intervals tp_intervals_intersection(struct tp_arena *arena, struct tp_intervals x, struct tp_intervals y)
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

struct tp_intervals tp_intervals_difference(struct tp_arena *arena, struct tp_intervals x, struct tp_intervals y)
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

/* Returns the index of the first interval that ends after `at`. */
static size_t first_interval_ending_after(struct tp_intervals x, int64_t at)
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
    for (size_t i = first_interval_ending_after(x, a); i < x.count && x.items[i].a < b; i++) {
        int64_t lo = x.items[i].a > a ? x.items[i].a : a, hi = x.items[i].b < b ? x.items[i].b : b;
        if (hi > lo)
            sum += hi - lo;
    }
    return sum;
}

int64_t tp_intervals_intersection_length(struct tp_intervals x, struct tp_intervals y)
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

/* Returns whether the set contains `at`. *near: result of the previous call, index of the first interval that ended
 * after its time. */
bool tp_intervals_contain_near(struct tp_intervals x, int64_t at, size_t *near)
{
    if (*near < x.count && x.items[*near].b <= at)
        ++*near;
    if (*near > x.count || (*near < x.count && x.items[*near].b <= at) || (*near && x.items[*near - 1].b > at))
        *near = first_interval_ending_after(x, at);
    return *near < x.count && x.items[*near].a <= at;
}

bool tp_intervals_contain(struct tp_intervals x, int64_t at)
{
    size_t i = first_interval_ending_after(x, at);
    return i < x.count && x.items[i].a <= at;
}
