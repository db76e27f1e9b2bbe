/* Finds the first culprits: the ranks that delay others and wait for nobody. See flight_decision.h. */
#include "webreport/measure/flight/flight_graph.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"
#include "writer/base/table.h" /* for the macro TP_NULL_INT */

/* ---- sinks ---- */

/* Returns whether a rank delays others and waits for nobody, or is wrong in a mismatch. */
static bool is_sink(const struct tp_flight_graph *g, uint32_t rank)
{
    const struct tp_flight_reason *reason = &g->d->reasons[rank];
    if (g->d->is_wrong[rank])
        return g->is_node[rank];
    if (!g->is_node[rank] || g->count[rank])
        return false;
    return !g->waits[rank] || (reason->is_set && reason->why == TP_FLIGHT_WHY_GPU_BEHIND);
}

/* A culprit before its details are known. */
struct found {
    uint32_t rank;
    bool is_wrong, is_unknown;
    int64_t held_up_count, last_ns;
};

static int compare_found(const void *x, const void *y, const void *context)
{
    const struct found *a = x, *b = y;
    (void)context;
    if (a->is_wrong != b->is_wrong)
        return a->is_wrong ? -1 : 1;
    if (a->is_unknown != b->is_unknown)
        return a->is_unknown ? 1 : -1;
    if (a->held_up_count != b->held_up_count)
        return a->held_up_count > b->held_up_count ? -1 : 1;
    if (a->last_ns != b->last_ns)
        return a->last_ns < b->last_ns ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static bool has_same_sets(const struct tp_flight_graph *g, uint32_t a, uint32_t b)
{
    size_t count = g->members[a].count;
    return g->members[b].count == count && count && !g->waits[a] && !g->waits[b] &&
           memcmp(g->members[a].data, g->members[b].data, count * sizeof(uint32_t)) == 0;
}

static struct tp_vec find_sinks(struct tp_flight_graph *g)
{
    const struct tp_flight_decision *d = g->d;
    struct tp_vec sinks = TP_VEC(d->job->arena, struct found);
    uint32_t before = TP_NO_ID;
    int64_t held_up = 0;
    for (uint32_t rank = 0; rank < TP_MAX_FLIGHT_RANKS; rank++) {
        if (!is_sink(g, rank))
            continue;
        /* ranks that are missing together delay the same ranks */
        if (before == TP_NO_ID || !has_same_sets(g, before, rank))
            held_up = tp_flight_count_held_up(g, rank);
        before = rank;
        if (!held_up && !d->is_wrong[rank])
            continue;
        const struct tp_flight_entry *last = tp_flight_last_call_of(d->job, rank);
        uint8_t why = d->reasons[rank].why;
        *(struct found *)tp_vec_push(&sinks) = (struct found){
            .rank = rank,
            .is_wrong = d->is_wrong[rank],
            .is_unknown = d->reasons[rank].is_set && (why == TP_FLIGHT_WHY_NO_DUMP || why == TP_FLIGHT_WHY_UNSURE),
            .held_up_count = held_up,
            .last_ns = last ? last->call.time_ns : 0};
    }
    tp_merge_sort(d->job->arena, sinks.data, sinks.count, sizeof(struct found), compare_found, NULL);
    return sinks;
}

void tp_flight_find_culprits(struct tp_flight_decision *d)
{
    struct tp_flight_result *result = d->result;
    struct tp_arena *arena = d->job->arena;
    struct tp_flight_graph graph = {.d = d};
    struct tp_vec waiting = TP_VEC(arena, uint32_t), ranks = TP_VEC(arena, uint32_t);
    tp_flight_graph_build(&graph);
    for (uint32_t rank = 0; rank < TP_MAX_FLIGHT_RANKS; rank++)
        if (graph.waits[rank])
            *(uint32_t *)tp_vec_push(&waiting) = rank;
    result->waiting = tp_flight_ranks_of(&waiting);
    struct tp_vec sinks = find_sinks(&graph);
    uint32_t *waits_at_head = tp_arena_array(arena, TP_MAX_FLIGHT_RANKS, sizeof *waits_at_head);
    result->culprit_total = sinks.count;
    result->culprit_count = sinks.count < TP_FLIGHT_MOST_CULPRITS ? sinks.count : TP_FLIGHT_MOST_CULPRITS;
    result->culprits = tp_arena_array(arena, result->culprit_count, sizeof *result->culprits);
    for (size_t i = 0; i < sinks.count; i++) {
        const struct found *found = TP_AT(&sinks, struct found, i);
        *(uint32_t *)tp_vec_push(&ranks) = found->rank;
        if (i >= result->culprit_count)
            continue;
        result->culprits[i].rank = found->rank;
        result->culprits[i].held_up_count = found->held_up_count;
        tp_flight_describe_culprit(d, &result->culprits[i], waits_at_head);
    }
    result->culprit_ranks = tp_flight_ranks_of(&ranks);
    result->likely = TP_NULL_INT;
    if (waiting.count && !sinks.count)
        tp_flight_find_circle(&graph);
}
