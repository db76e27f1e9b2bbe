/* Implements the search with a tree of maxima: see enclosing.h. */
#include "webreport/model/enclosing.h"

void tp_enclosing_init(struct tp_enclosing *tree, const int64_t *starts, const int64_t *ends, size_t count,
                       struct tp_arena *arena)
{
    size_t leaves = 1;
    while (leaves < count)
        leaves *= 2;
    *tree = (struct tp_enclosing){.starts = starts, .count = count, .leaves = leaves};
    tree->highest = tp_arena_array(arena, 2 * leaves, sizeof *tree->highest);
    for (size_t i = 0; i < leaves; i++)
        tree->highest[leaves + i] = i < count ? ends[i] : INT64_MIN;
    for (size_t i = leaves - 1; i > 0; i--) {
        int64_t x = tree->highest[2 * i], y = tree->highest[2 * i + 1];
        tree->highest[i] = x > y ? x : y;
    }
}

/* Returns the number of intervals that start at or before `at`, ns. */
static size_t count_started(const struct tp_enclosing *tree, int64_t at)
{
    size_t lo = 0, hi = tree->count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (tree->starts[mid] <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

size_t tp_enclosing_find(const struct tp_enclosing *tree, int64_t at, int64_t reach)
{
    size_t n = count_started(tree, at);
    if (n == 0)
        return SIZE_MAX;
    /* climbs to the nearest subtree on the left, possibly the node itself, whose highest end is >= `reach`; then
     * descends to the last such leaf */
    size_t node = tree->leaves + n - 1;
    while (tree->highest[node] < reach) {
        while (node > 1 && node % 2 == 0)
            node /= 2;
        if (node <= 1)
            return SIZE_MAX;
        node--;
    }
    while (node < tree->leaves)
        node = tree->highest[2 * node + 1] >= reach ? 2 * node + 1 : 2 * node;
    return node - tree->leaves;
}
