/* Finds ranks that wait for each other in a circle: see flight_graph.h. */
#include "webreport/measure/flight/flight_graph.h"
#include "writer/base/limits.h"
#include "writer/base/table.h" /* for the macro TP_NULL_INT */

/* Returns the lowest rank that a rank waits for; TP_NO_ID for nobody. */
static uint32_t lowest_blocker(const struct tp_flight_graph *g, uint32_t rank)
{
    uint32_t lowest = TP_NO_ID;
    for (uint32_t i = 0; i < g->count[rank]; i++) {
        const struct tp_flight_ranks *set = tp_flight_set_at(g, g->sets_of[g->first[rank] + i]);
        uint32_t item = set->items[set->items[0] == rank];
        lowest = item < lowest ? item : lowest;
    }
    return lowest;
}

/* Finds ranks that wait for each other in a circle. Returns an empty vector if no such ranks exist. */
static struct tp_vec find_circle(struct tp_flight_graph *g)
{
    struct tp_vec path = TP_VEC(g->d->job->arena, uint32_t);
    for (uint32_t start = 0; start < TP_MAX_FLIGHT_RANKS; start++) {
        if (!g->waits[start])
            continue;
        path.count = 0;
        g->search++;
        for (uint32_t rank = start; rank != TP_NO_ID; rank = lowest_blocker(g, rank)) {
            size_t i = 0;
            while (g->visited_rank[rank] == g->search && i < path.count && *TP_AT(&path, uint32_t, i) != rank)
                i++;
            if (g->visited_rank[rank] == g->search && i < path.count) {
                memmove(path.data, TP_AT(&path, uint32_t, i), (path.count - i) * sizeof(uint32_t));
                path.count -= i;
                return path;
            }
            g->visited_rank[rank] = g->search;
            *(uint32_t *)tp_vec_push(&path) = rank;
        }
    }
    path.count = 0;
    return path;
}

/* Returns the first open call in which a rank waits for another one, or else in which it waits. */
static const struct tp_flight_open *call_of_link(const struct tp_flight_decision *d, uint32_t rank, uint32_t other)
{
    const struct tp_flight_open *any = NULL;
    for (size_t i = 0; i < d->open.count; i++) {
        const struct tp_flight_open *open = TP_AT(&d->open, struct tp_flight_open, i);
        if (!tp_flight_ranks_contain(&open->waiting, rank))
            continue;
        if (tp_flight_is_missing(open, other))
            return open;
        any = any ? any : open;
    }
    return any;
}

void tp_flight_find_circle(struct tp_flight_graph *g)
{
    struct tp_flight_decision *d = g->d;
    struct tp_flight_result *result = d->result;
    struct tp_vec path = find_circle(g);
    int64_t most = -1;
    bool is_tie = false;
    result->circle = tp_arena_array(d->job->arena, path.count, sizeof *result->circle);
    for (size_t i = 0; i < path.count; i++) {
        uint32_t rank = *TP_AT(&path, uint32_t, i), next = *TP_AT(&path, uint32_t, (i + 1) % path.count);
        const struct tp_flight_open *open = call_of_link(d, rank, next);
        if (!open)
            continue;
        int64_t waiting = (int64_t)open->waiting.count;
        is_tie = waiting == most || (waiting < most && is_tie);
        if (waiting > most)
            result->likely = next;
        most = waiting > most ? waiting : most;
        result->circle[result->circle_total++] = (struct tp_flight_link){.rank = rank,
                                                                         .waits_for = next,
                                                                         .op = open->op,
                                                                         .group = open->group,
                                                                         .description = open->description,
                                                                         .line = open->lines[0],
                                                                         .sequence = open->sequence,
                                                                         .waiting_count = waiting};
    }
    if (is_tie)
        result->likely = TP_NULL_INT;
    result->circle_count =
        result->circle_total < TP_FLIGHT_MOST_CULPRITS ? result->circle_total : TP_FLIGHT_MOST_CULPRITS;
}
