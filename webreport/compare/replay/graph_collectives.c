/* Finds the executions of collectives ("meetings") and an order in which their steps can be replayed, and replays the
 * steps in this order. See step_graph.h. */
#include <math.h>
#include <string.h>

#include "webreport/compare/replay/step_graph.h"

/* State of the simulation in which ranks pass through their slots. A rank stops at a wait until all ranks of the group
 * have reached the collective. */
struct walk {
    struct tp_graph *graph;
    uint32_t *at; /* for each rank: number of slots that the rank has passed */
    /* for each rank: index of the meeting (execution of a collective) that the rank waits for, or TP_NO_ID */
    uint32_t *awaited_meeting;
    uint32_t *queue; /* ranks that can continue, in a ring buffer of rank_count items */
    uint32_t head, queued, done, passed;
    uint32_t *takes_part;    /* for each group: number of the group's members that use the group */
    uint32_t *uses;          /* for each group: number of slots per step that use the group */
    uint32_t *first_meeting; /* for each group: index of its first meeting (execution of a collective) */
    uint32_t *met;           /* for each member: number of the group's collectives that the member has reached */
    uint32_t *arrived_count; /* for each meeting (execution of a collective): number of ranks that have reached it */
};

/* Counts how often each group is used in a step. Sets why_not if the members of a group differ in this number. */
static void count_group_uses_per_step(struct walk *w)
{
    struct tp_graph *graph = w->graph;
    uint32_t *of_rank = tp_arena_array(graph->arena, graph->groups.count, sizeof *of_rank);
    for (uint32_t r = 0; r < graph->rank_count; r++) {
        const struct tp_graph_rank *rank = tp_graph_rank_at(graph, r);
        for (uint32_t k = 0; k < rank->slot_count; k++)
            if (rank->group[k] != TP_NO_ID)
                of_rank[rank->group[k]]++;
        for (uint32_t k = 0; k < rank->slot_count; k++) {
            uint32_t group = rank->group[k];
            if (group == TP_NO_ID || !of_rank[group])
                continue;
            if (w->takes_part[group] && w->uses[group] != of_rank[group])
                graph->why_not = "ranks of one process group have different numbers of collectives";
            w->uses[group] = of_rank[group];
            w->takes_part[group]++;
            of_rank[group] = 0;
        }
    }
}

/* Fills moved_bytes of each pair (struct tp_graph_pair) of a group, from the slots of its first rank. */
static void fill_moved_bytes_of_pairs(struct tp_graph *graph, uint32_t group_index, uint32_t first_pair)
{
    const struct tp_graph_group *group = tp_graph_group_at(graph, group_index);
    const struct tp_graph_rank *rank = tp_graph_rank_at(graph, graph->members[group->first_member]);
    uint32_t pair = first_pair;
    for (uint32_t k = 0; k < rank->slot_count && pair < graph->pairs.count; k++)
        if (rank->group[k] == group_index)
            tp_graph_pair_at(graph, pair++)->moved_bytes = rank->slots[k].moved_bytes;
}

/* Lists the executions of collectives (meetings) of all steps, group by group. */
static void list_collectives_of_groups(struct walk *w)
{
    struct tp_graph *graph = w->graph;
    struct tp_keys keys;
    tp_keys_init(&keys, graph->arena, 2);
    for (uint32_t g = 0; g < graph->groups.count; g++) {
        uint32_t first_pair = (uint32_t)graph->pairs.count;
        w->first_meeting[g] = (uint32_t)graph->meetings.count;
        for (uint32_t ordinal = 0; ordinal < w->uses[g]; ordinal++) {
            uint32_t family = tp_graph_group_at(graph, g)->family, key = tp_keys_pair(&keys, family, ordinal);
            if (key == graph->keys.count)
                *(struct tp_graph_key *)tp_vec_push(&graph->keys) = (struct tp_graph_key){family, ordinal};
            *(struct tp_graph_pair *)tp_vec_push(&graph->pairs) = (struct tp_graph_pair){key, g, 0};
        }
        if (w->uses[g])
            fill_moved_bytes_of_pairs(graph, g, first_pair);
        for (uint32_t i = 0; i < w->uses[g] * graph->step_count; i++)
            *(struct tp_graph_meeting *)tp_vec_push(&graph->meetings) =
                (struct tp_graph_meeting){first_pair + i % w->uses[g], w->takes_part[g], i == 0, INFINITY};
    }
}

static void enqueue_ready_rank(struct walk *w, uint32_t rank)
{
    w->queue[(w->head + w->queued++) % w->graph->rank_count] = rank;
}

static const uint32_t *times_of_slot(const struct tp_graph *graph, const struct tp_graph_rank *rank, uint32_t at)
{
    uint32_t step = rank->step_index[at / rank->slot_count];
    (void)graph;
    return rank->us + ((size_t)step * rank->slot_count + at % rank->slot_count) * TP_SLOT_PARTS;
}

/* Returns the index in graph->members of the item for this rank in the group. */
static uint32_t member_index(const struct tp_graph *graph, const struct tp_graph_group *group, uint32_t rank)
{
    uint32_t low = group->first_member, high = low + group->member_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (graph->members[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Moves the rank to the next collective of the group and returns its index in graph->meetings. The last rank to arrive
 * releases the ranks that wait for the collective. */
static uint32_t move_rank_to_next_collective(struct walk *w, uint32_t r, uint32_t group_index, const uint32_t *us)
{
    struct tp_graph *graph = w->graph;
    const struct tp_graph_group *group = tp_graph_group_at(graph, group_index);
    uint32_t index = w->first_meeting[group_index] + w->met[member_index(graph, group, r)]++;
    struct tp_graph_meeting *meeting = tp_graph_collective_at(graph, index);
    meeting->transfer_us = fmin(meeting->transfer_us, (double)us[TP_SLOT_WITHIN] + us[TP_SLOT_OVERLAPPED]);
    if (++w->arrived_count[index] < meeting->count)
        return index;
    for (uint32_t m = group->first_member; m < group->first_member + group->member_count; m++)
        if (w->awaited_meeting[graph->members[m]] == index) {
            w->awaited_meeting[graph->members[m]] = TP_NO_ID;
            enqueue_ready_rank(w, graph->members[m]);
        }
    return index;
}

/* Returns whether the rank must wait in this slot for a collective that another rank has not reached. If so, stores the
 * collective in awaited_meeting[r]. */
static bool does_rank_wait_in_slot(struct walk *w, uint32_t r, uint32_t cell, uint32_t slot)
{
    const struct tp_graph *graph = w->graph;
    const struct tp_graph_class *class = tp_graph_class_at(graph, tp_graph_rank_at(graph, r)->class);
    for (uint32_t i = class->first_wait[slot]; i < class->first_wait[slot + 1]; i++) {
        uint32_t meeting = graph->meeting_of[cell - TP_AT(&graph->waits, struct tp_graph_wait, i)->back];
        if (w->arrived_count[meeting] == tp_graph_collective_at(graph, meeting)->count)
            continue;
        w->awaited_meeting[r] = meeting;
        return true;
    }
    return false;
}

/* Moves a rank through its slots until it must wait or has finished. */
static void move_rank_until_it_waits(struct walk *w, uint32_t r)
{
    struct tp_graph *graph = w->graph;
    const struct tp_graph_rank *rank = tp_graph_rank_at(graph, r);
    const uint32_t *first_wait = tp_graph_class_at(graph, rank->class)->first_wait;
    for (; w->at[r] < rank->slot_count * graph->step_count; w->at[r]++) {
        uint32_t slot = w->at[r] % rank->slot_count, cell = rank->first_cell + w->at[r], group = rank->group[slot];
        if (does_rank_wait_in_slot(w, r, cell, slot))
            return;
        const uint32_t *us = times_of_slot(graph, rank, w->at[r]);
        graph->meeting_of[cell] = group == TP_NO_ID ? TP_NO_ID : move_rank_to_next_collective(w, r, group, us);
        graph->unmatched_call_us[cell] = group == TP_NO_ID ? us[TP_SLOT_WITHIN] : 0;
        graph->passes[w->passed++] =
            (struct tp_graph_pass){r, cell, graph->meeting_of[cell], first_wait[slot], first_wait[slot + 1]};
    }
    w->done++;
}

static void init_walk(struct walk *w, struct tp_graph *graph)
{
    struct tp_arena *arena = graph->arena;
    size_t groups = graph->groups.count;
    *w = (struct walk){.graph = graph};
    w->at = tp_arena_array(arena, graph->rank_count, sizeof *w->at);
    w->awaited_meeting = tp_arena_array(arena, graph->rank_count, sizeof *w->awaited_meeting);
    w->queue = tp_arena_array(arena, graph->rank_count, sizeof *w->queue);
    w->takes_part = tp_arena_array(arena, groups, sizeof *w->takes_part);
    w->uses = tp_arena_array(arena, groups, sizeof *w->uses);
    w->first_meeting = tp_arena_array(arena, groups, sizeof *w->first_meeting);
    w->met = tp_arena_array(arena, graph->joined.count, sizeof *w->met);
    memset(w->awaited_meeting, 0xFF, graph->rank_count * sizeof *w->awaited_meeting);
    graph->passes = tp_arena_array(arena, graph->cell_count, sizeof *graph->passes);
    graph->meeting_of = tp_arena_array(arena, graph->cell_count, sizeof *graph->meeting_of);
    graph->unmatched_call_us = tp_arena_array(arena, graph->cell_count, sizeof *graph->unmatched_call_us);
}

void tp_graph_collectives_build(struct tp_graph *graph)
{
    struct walk w;
    init_walk(&w, graph);
    count_group_uses_per_step(&w);
    if (graph->why_not)
        return;
    list_collectives_of_groups(&w);
    w.arrived_count = tp_arena_array(graph->arena, graph->meetings.count, sizeof *w.arrived_count);
    graph->collective_end_us = tp_arena_array(graph->arena, graph->meetings.count, sizeof *graph->collective_end_us);
    graph->arrived_count = w.arrived_count;
    for (uint32_t r = 0; r < graph->rank_count; r++)
        enqueue_ready_rank(&w, r);
    while (w.queued) {
        uint32_t rank = w.queue[w.head];
        w.head = (w.head + 1) % graph->rank_count;
        w.queued--;
        move_rank_until_it_waits(&w, rank);
    }
    if (w.done < graph->rank_count)
        graph->why_not = "ranks call their collectives in contradictory orders";
}

/* ---- the replay ---- */

static inline double later_time(double a, double b)
{
    return a > b ? a : b;
}

/* Records that a rank reached a collective (meeting) at time `at`. For the last rank to arrive, fills the end of the
 * collective. */
static inline void add_arrival_at_collective(const struct tp_graph_meeting *meetings, uint32_t *arrived_count,
                                             double *over, uint32_t index, double at, const double *transfer)
{
    over[index] = arrived_count[index] ? later_time(over[index], at) : at;
    if (++arrived_count[index] < meetings[index].count)
        return;
    if (!meetings[index].is_first)
        over[index] = later_time(over[index], over[index - 1]);
    over[index] += transfer[index];
}

/* Replays all steps. Returns the time at which the last rank finishes, us. came: for each cell, receives the time at
 * which the rank reaches its collective; may be NULL. */
static double replay_all_steps(const struct tp_graph *graph, const double *own, const double *transfer, double *came)
{
    const struct tp_graph_wait *waits = graph->waits.data;
    const struct tp_graph_meeting *meetings = graph->meetings.data;
    const struct tp_graph_pass *passes = graph->passes, *end = passes + graph->cell_count;
    const uint32_t *meeting_of = graph->meeting_of;
    const double *alone = graph->unmatched_call_us;
    double *ends = graph->rank_end_us, *over = graph->collective_end_us, last = 0;
    memset(ends, 0, graph->rank_count * sizeof *ends);
    memset(graph->arrived_count, 0, graph->meetings.count * sizeof *graph->arrived_count);
    for (const struct tp_graph_pass *pass = passes; pass < end; pass++) {
        uint32_t cell = pass->cell;
        double at = ends[pass->rank], done = 0;
        for (uint32_t k = pass->first_wait; k < pass->end_wait_index; k++) {
            double before = own[cell] * waits[k].before / TP_SLOT_WHOLE;
            at = later_time(at + (before - done), over[meeting_of[cell - waits[k].back]]);
            done = before;
        }
        at += own[cell] - done + alone[cell];
        if (pass->meeting != TP_NO_ID)
            add_arrival_at_collective(meetings, graph->arrived_count, over, pass->meeting, at, transfer);
        if (came)
            came[cell] = at;
        ends[pass->rank] = at;
    }
    for (uint32_t r = 0; r < graph->rank_count; r++)
        last = fmax(last, ends[r]);
    return last;
}

double tp_graph_replay(const struct tp_graph *graph, const double *own, const double *transfer)
{
    return replay_all_steps(graph, own, transfer, NULL);
}

void tp_graph_collective_times(const struct tp_graph *graph, const double *own, const double *transfer, double *spent)
{
    replay_all_steps(graph, own, transfer, spent);
    for (uint32_t cell = 0; cell < graph->cell_count; cell++) {
        uint32_t index = graph->meeting_of[cell];
        if (index == TP_NO_ID)
            continue;
        bool is_first = tp_graph_collective_at(graph, index)->is_first;
        spent[cell] = graph->collective_end_us[index] -
                      later_time(spent[cell], is_first ? 0 : graph->collective_end_us[index - 1]);
    }
}
