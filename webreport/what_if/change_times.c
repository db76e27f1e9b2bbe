/* Finds the times that changes shorten: see change_times.h. */
#include "webreport/what_if/change_times.h"

#include "webreport/model/numbers.h"
#include "writer/base/sort.h"

/* Changes that are examined in one walk over the nodes. */
enum { MOST_TOGETHER = 64 };

/* Adds the time of a node to the times of a change. Nodes of a thread are in order of time, so most times join. */
static void add_time(struct tp_vec *times, const struct tp_replay_node *node)
{
    struct tp_interval *last = times->count ? TP_AT(times, struct tp_interval, times->count - 1) : NULL;
    if (last && node->start_ns >= last->a && node->start_ns <= last->b)
        last->b = tp_ns_max(last->b, node->end_ns);
    else if (node->end_ns > node->start_ns)
        tp_intervals_push(times, node->start_ns, node->end_ns);
}

/* Returns for each label the changes that change its parts, bits 1 << index. */
static uint64_t *find_changes_of_labels(const struct tp_what_if_change *changes, uint32_t count,
                                        const struct tp_replay_graph *graph, struct tp_arena *arena)
{
    uint64_t *changes_of = tp_arena_array(arena, (size_t)graph->label_count + 1, sizeof *changes_of);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t label = 0; label < graph->label_count && changes[i].of_label; label++)
            changes_of[label] |=
                changes[i].of_label[label].num != changes[i].of_label[label].den ? UINT64_C(1) << i : 0;
    return changes_of;
}

/* Adds the times of the calls whose waits a change removes: from the start of a call to its end. */
static void add_waits(struct tp_vec *times, const struct tp_what_if_change *change, const struct tp_replay_graph *graph)
{
    for (uint32_t i = 0; i < graph->wake_count; i++) {
        const struct tp_replay_node *wake = &graph->nodes[graph->wakes[i]];
        if (change->without_wait[graph->wakes[i]] && wake->start_ns > wake[-1].start_ns)
            tp_intervals_push(times, wake[-1].start_ns, wake->start_ns);
    }
}

static int compare_lengths(const void *x, const void *y, const void *context)
{
    const struct tp_interval *a = x, *b = y;
    (void)context;
    if (a->b - a->a != b->b - b->a)
        return a->b - a->a > b->b - b->a ? -1 : 1;
    return a->a < b->a ? -1 : a->a > b->a;
}

static int compare_starts(const void *x, const void *y, const void *context)
{
    const struct tp_interval *a = x, *b = y;
    (void)context;
    return a->a < b->a ? -1 : a->a > b->a;
}

/* Joins times, and copies the longest of them to `keep`, in order of time. */
static struct tp_intervals keep_longest(struct tp_vec *times, struct tp_arena *temporary, struct tp_arena *keep)
{
    struct tp_intervals all = tp_intervals_from_vec(times);
    size_t count = all.count < TP_MOST_CHANGE_TIMES ? all.count : TP_MOST_CHANGE_TIMES;
    struct tp_interval *kept = tp_arena_array(keep, count, sizeof *kept);
    if (all.count > count) {
        tp_merge_sort(temporary, all.items, all.count, sizeof *all.items, compare_lengths, NULL);
        tp_merge_sort(temporary, all.items, count, sizeof *all.items, compare_starts, NULL);
    }
    if (count)
        memcpy(kept, all.items, count * sizeof *kept);
    return (struct tp_intervals){kept, count};
}

/* Finds the times of at most MOST_TOGETHER changes. */
static void find_times(struct tp_intervals *out, const struct tp_what_if_change *changes, uint32_t count,
                       const struct tp_replay_graph *graph, struct tp_arena *temporary, struct tp_arena *keep)
{
    struct tp_vec *times = tp_arena_array(temporary, count, sizeof *times);
    const uint64_t *changes_of = find_changes_of_labels(changes, count, graph, temporary);
    for (uint32_t i = 0; i < count; i++)
        times[i] = TP_VEC(temporary, struct tp_interval);
    for (uint32_t n = 0; n < graph->node_count; n++) {
        uint64_t mine = 0;
        for (uint32_t p = graph->nodes[n].first_part; p < graph->nodes[n + 1].first_part; p++)
            mine |= changes_of[graph->parts[p].label];
        for (; mine; mine &= mine - 1)
            add_time(&times[__builtin_ctzll(mine)], &graph->nodes[n]);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (changes[i].without_wait)
            add_waits(&times[i], &changes[i], graph);
        out[i] = keep_longest(&times[i], temporary, keep);
        tp_arena_free_item(temporary, times[i].data, times[i].capacity * sizeof(struct tp_interval));
    }
}

struct tp_intervals *tp_change_times(const struct tp_what_if_change *changes, uint32_t count,
                                     const struct tp_replay_graph *graph, struct tp_arena *temporary,
                                     struct tp_arena *keep)
{
    struct tp_intervals *times = tp_arena_array(keep, count, sizeof *times);
    for (uint32_t i = 0; i < count; i += MOST_TOGETHER)
        find_times(times + i, changes + i, count - i < MOST_TOGETHER ? count - i : MOST_TOGETHER, graph, temporary,
                   keep);
    return times;
}
