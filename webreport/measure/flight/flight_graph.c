/* Builds the graph of ranks that wait for each other: see flight_graph.h.
 *
 * A rank waits for the ranks that its first call with missing ranks waits for. Sets of ranks are shared by all ranks
 * that wait in a call, so that the search takes time in proportion to the ranks and the sets, not to the pairs of
 * ranks. */
#include "webreport/measure/flight/flight_graph.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"

/* Returns whether a set has a rank other than `rank`. */
static bool has_others(const struct tp_flight_ranks *set, uint32_t rank)
{
    return set->count > 1 || (set->count == 1 && set->items[0] != rank);
}

static int compare_waits(const void *x, const void *y, const void *context)
{
    const struct tp_flight_wait *a = x, *b = y;
    (void)context;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->record_id > b->record_id) - (a->record_id < b->record_id);
}

/* Selects the sets of a rank: those of its first call for which it waits for somebody. from, to: its waits. */
static void select_sets(struct tp_flight_graph *g, size_t from, size_t to, size_t *at)
{
    const struct tp_flight_wait *waits = g->d->waits.data;
    uint32_t rank = waits[from].rank;
    bool is_selected = false;
    int64_t selected = 0;
    g->waits[rank] = g->is_node[rank] = true;
    g->first[rank] = (uint32_t)*at;
    for (size_t i = from; i < to; i++) {
        if (waits[i].set == TP_NO_ID || !has_others(tp_flight_set_at(g, waits[i].set), rank))
            continue;
        if (is_selected && waits[i].record_id != selected)
            break;
        is_selected = true;
        selected = waits[i].record_id;
        g->sets_of[(*at)++] = waits[i].set;
        g->count[rank]++;
    }
}

static void link_sets(struct tp_flight_graph *g)
{
    struct tp_arena *arena = g->d->job->arena;
    for (uint32_t r = 0; r < TP_MAX_FLIGHT_RANKS; r++)
        for (uint32_t i = 0; i < g->count[r]; i++)
            *(uint32_t *)tp_vec_push(&g->users[g->sets_of[g->first[r] + i]]) = r;
    for (uint32_t s = 0; s < g->d->sets.count; s++) {
        const struct tp_flight_ranks *set = tp_flight_set_at(g, s);
        for (uint64_t i = 0; g->users[s].count && i < set->count; i++) {
            uint32_t rank = set->items[i];
            if (!g->members[rank].arena)
                g->members[rank] = TP_VEC(arena, uint32_t);
            *(uint32_t *)tp_vec_push(&g->members[rank]) = s;
            /* a rank that only waits for itself is not waited for */
            g->is_node[rank] |= g->users[s].count > 1 || *TP_AT(&g->users[s], uint32_t, 0) != rank;
        }
    }
}

void tp_flight_graph_build(struct tp_flight_graph *g)
{
    struct tp_flight_decision *d = g->d;
    struct tp_arena *arena = d->job->arena;
    size_t at = 0;
    g->is_node = tp_arena_array(arena, TP_MAX_FLIGHT_RANKS, sizeof *g->is_node);
    g->waits = tp_arena_array(arena, TP_MAX_FLIGHT_RANKS, sizeof *g->waits);
    g->first = tp_arena_array(arena, TP_MAX_FLIGHT_RANKS, sizeof *g->first);
    g->count = tp_arena_array(arena, TP_MAX_FLIGHT_RANKS, sizeof *g->count);
    g->members = tp_arena_array(arena, TP_MAX_FLIGHT_RANKS, sizeof *g->members);
    g->visited_rank = tp_arena_array(arena, TP_MAX_FLIGHT_RANKS, sizeof *g->visited_rank);
    g->visited_set = tp_arena_array(arena, d->sets.count, sizeof *g->visited_set);
    g->sets_of = tp_arena_array(arena, d->waits.count, sizeof *g->sets_of);
    g->users = tp_arena_array(arena, d->sets.count, sizeof *g->users);
    for (size_t i = 0; i < d->sets.count; i++)
        g->users[i] = TP_VEC(arena, uint32_t);
    tp_merge_sort(arena, d->waits.data, d->waits.count, sizeof(struct tp_flight_wait), compare_waits, NULL);
    const struct tp_flight_wait *waits = d->waits.data;
    for (size_t from = 0, to; from < d->waits.count; from = to) {
        for (to = from; to < d->waits.count && waits[to].rank == waits[from].rank;)
            to++;
        select_sets(g, from, to, &at);
    }
    link_sets(g);
}

int64_t tp_flight_count_held_up(struct tp_flight_graph *g, uint32_t culprit)
{
    struct tp_vec queue = TP_VEC(g->d->job->arena, uint32_t);
    int64_t count = 0;
    g->search++;
    *(uint32_t *)tp_vec_push(&queue) = culprit;
    for (size_t i = 0; i < queue.count; i++) {
        uint32_t rank = *TP_AT(&queue, uint32_t, i);
        for (size_t k = 0; k < g->members[rank].count; k++) {
            uint32_t set = *TP_AT(&g->members[rank], uint32_t, k);
            if (g->visited_set[set] == g->search)
                continue;
            g->visited_set[set] = g->search;
            for (size_t u = 0; u < g->users[set].count; u++) {
                uint32_t user = *TP_AT(&g->users[set], uint32_t, u);
                if (user == culprit || user == rank || g->visited_rank[user] == g->search)
                    continue;
                g->visited_rank[user] = g->search;
                *(uint32_t *)tp_vec_push(&queue) = user;
                count++;
            }
        }
    }
    return count;
}
