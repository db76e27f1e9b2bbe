/* The graph of a job's steps: ranks, meetings in an order in which they can be replayed, the replay. See step_graph.h.
 */
#include "webreport/compare/step_graph.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "writer/base/stats.h"

enum { MOST_LABELS = 1 << 16 };

/* ---- ranks ---- */

struct joined {
    uint32_t group, rank;
};

void tp_graph_open(struct tp_graph *graph, struct tp_arena *arena)
{
    *graph = (struct tp_graph){.arena = arena, .pipeline = TP_NO_ID};
    tp_strings_init(&graph->hosts, arena, 0);
    tp_strings_init(&graph->texts, arena, 0);
    tp_keys_init(&graph->group_keys, arena, 1);
    graph->ranks = TP_VEC(arena, struct tp_graph_rank);
    graph->groups = TP_VEC(arena, struct tp_graph_group);
    graph->joined = TP_VEC(arena, struct joined);
    graph->families = TP_VEC(arena, struct tp_graph_family);
    graph->classes = TP_VEC(arena, struct tp_graph_class);
    graph->meetings = TP_VEC(arena, struct tp_graph_meeting);
    graph->pairs = TP_VEC(arena, struct tp_graph_pair);
    graph->keys = TP_VEC(arena, struct tp_graph_key);
}

static struct tp_str kept(struct tp_graph *graph, struct tp_str text)
{
    return tp_strings_get(&graph->texts, tp_strings_add(&graph->texts, text));
}

/* Number of a group, made when new. Its ranks make it what it is, where they are known; else its name and size. */
static uint32_t group_of(struct tp_graph *graph, const struct tp_slot_group *from)
{
    uint64_t hash = tp_hash_bytes(&from->run_count, sizeof from->run_count);
    for (uint32_t i = 0; i < from->run_count; i++)
        hash = tp_hash_mix(hash ^ tp_hash_bytes(&from->runs[i], sizeof from->runs[i]), 0x9E3779B97F4A7C15ull);
    if (!from->run_count)
        hash ^= tp_hash_bytes(from->name.ptr, from->name.len) + (uint64_t)from->size;
    char key[17];
    int size = snprintf(key, sizeof key, "%016llx", (unsigned long long)hash);
    struct tp_str description = kept(graph, from->description);
    char *text = tp_arena_alloc(graph->arena, (size_t)size + description.len);
    memcpy(text, key, (size_t)size);
    if (description.len)
        memcpy(text + size, description.ptr, description.len);
    uint32_t id = tp_strings_add(&graph->texts, (struct tp_str){text, (size_t)size + description.len});
    uint32_t group = tp_keys_add(&graph->group_keys, &id);
    if (group == graph->groups.count)
        *(struct tp_graph_group *)tp_vec_push(&graph->groups) = (struct tp_graph_group){
            .name = kept(graph, from->name), .description = description, .size = from->size, .first_slot = TP_NO_ID};
    return group;
}

static void copy_lengths(struct tp_graph_rank *rank, const struct tp_step_slots *from, struct tp_arena *arena)
{
    size_t cells = (size_t)from->slot_count * from->step_count;
    rank->us = tp_arena_array(arena, cells * TP_SLOT_PARTS, sizeof *rank->us);
    for (uint32_t s = 0; s < from->step_count; s++)
        for (uint32_t k = 0; k < from->slot_count; k++)
            for (unsigned p = 0; p < TP_SLOT_PARTS; p++) {
                int64_t us = from->us[p][tp_slot_cell(from, k, s)];
                rank->us[((size_t)s * from->slot_count + k) * TP_SLOT_PARTS + p] = us < 0            ? 0
                                                                                   : us > UINT32_MAX ? UINT32_MAX
                                                                                                     : (uint32_t)us;
            }
}

void tp_graph_add(struct tp_graph *graph, const struct tp_graph_source *source)
{
    const struct tp_step_slots *from = source->slots;
    if (!from->slot_count || !from->step_count)
        return;
    uint32_t index = (uint32_t)graph->ranks.count, *groups = tp_arena_array(graph->arena, from->group_count, 4);
    struct tp_graph_rank *rank = tp_vec_push(&graph->ranks);
    *rank = (struct tp_graph_rank){.number = source->number,
                                   .host = source->host.len ? tp_strings_add(&graph->hosts, source->host) : TP_NO_ID,
                                   .kind = source->kind,
                                   .is_silent = source->is_silent,
                                   .slot_count = from->slot_count,
                                   .step_count = from->step_count};
    rank->labels = tp_arena_array(graph->arena, from->step_count, sizeof *rank->labels);
    memcpy(rank->labels, source->labels, from->step_count * sizeof *rank->labels);
    for (uint32_t g = 0; g < from->group_count; g++) {
        groups[g] = group_of(graph, &from->groups[g]);
        *(struct joined *)tp_vec_push(&graph->joined) = (struct joined){groups[g], index};
    }
    rank->group = tp_arena_array(graph->arena, from->slot_count, sizeof *rank->group);
    for (uint32_t k = 0; k < from->slot_count; k++) {
        rank->group[k] = from->slots[k].group == TP_NO_ID ? TP_NO_ID : groups[from->slots[k].group];
        if (rank->group[k] == TP_NO_ID)
            continue;
        struct tp_graph_group *group = tp_graph_group_at(graph, rank->group[k]);
        group->first_slot = k < group->first_slot ? k : group->first_slot;
    }
    copy_lengths(rank, from, graph->arena);
}

/* ---- groups, steps ---- */

/* The ranks of each group, in their order; a rank that lists a group twice is in it once. */
static void join_groups(struct tp_graph *graph)
{
    uint32_t at = 0, group_count = (uint32_t)graph->groups.count;
    for (size_t i = 0; i < graph->joined.count; i++)
        tp_graph_group_at(graph, TP_AT(&graph->joined, struct joined, i)->group)->member_count++;
    for (uint32_t g = 0; g < group_count; g++) {
        struct tp_graph_group *group = tp_graph_group_at(graph, g);
        group->first_member = at;
        at += group->member_count;
        group->member_count = 0;
    }
    graph->members = tp_arena_array(graph->arena, graph->joined.count, sizeof *graph->members);
    for (size_t i = 0; i < graph->joined.count; i++) {
        const struct joined *joined = TP_AT(&graph->joined, struct joined, i);
        struct tp_graph_group *group = tp_graph_group_at(graph, joined->group);
        uint32_t *members = graph->members + group->first_member;
        if (!group->member_count || members[group->member_count - 1] != joined->rank)
            members[group->member_count++] = joined->rank;
    }
}

/* Labels that all ranks have, in the order of the first rank; where each rank has them. */
static void join_steps(struct tp_graph *graph)
{
    uint32_t *seen = tp_arena_array(graph->arena, MOST_LABELS, sizeof *seen);
    uint32_t *place = tp_arena_array(graph->arena, MOST_LABELS, sizeof *place);
    const struct tp_graph_rank *first = tp_graph_rank_at(graph, 0);
    for (uint32_t r = 0; r < graph->rank_count; r++) {
        const struct tp_graph_rank *rank = tp_graph_rank_at(graph, r);
        for (uint32_t s = 0; s < rank->step_count; s++)
            if (rank->labels[s] < MOST_LABELS && seen[rank->labels[s]] == r) /* one that comes twice counts once */
                seen[rank->labels[s]]++;
    }
    for (uint32_t s = 0; s < first->step_count; s++)
        if (first->labels[s] < MOST_LABELS && seen[first->labels[s]] == graph->rank_count)
            place[first->labels[s]] = ++graph->step_count;
    for (uint32_t r = 0; r < graph->rank_count; r++) {
        struct tp_graph_rank *rank = tp_graph_rank_at(graph, r);
        rank->step_index = tp_arena_array(graph->arena, graph->step_count, sizeof *rank->step_index);
        rank->first_cell = graph->cell_count;
        graph->cell_count += rank->slot_count * graph->step_count;
        for (uint32_t s = 0; s < rank->step_count; s++)
            if (rank->labels[s] < MOST_LABELS && place[rank->labels[s]])
                rank->step_index[place[rank->labels[s]] - 1] = s;
    }
}

/* ---- classes ---- */

static uint64_t row_of(const struct tp_graph *graph, const struct tp_graph_rank *rank)
{
    uint64_t hash = rank->slot_count;
    for (uint32_t k = 0; k < rank->slot_count; k++) {
        uint32_t group = rank->group[k],
                 family = group == TP_NO_ID ? TP_NO_ID : tp_graph_group_at(graph, group)->family;
        hash = tp_hash_mix(hash ^ tp_hash_bytes(&family, sizeof family), 0x9E3779B97F4A7C15ull);
    }
    return hash;
}

/* Ranks by row and stage; without a pipeline by row and kind of work. */
static void find_classes(struct tp_graph *graph)
{
    const struct tp_graph_family *pipeline =
        graph->pipeline == TP_NO_ID ? NULL : tp_graph_family_at(graph, graph->pipeline);
    struct tp_keys keys;
    tp_keys_init(&keys, graph->arena, 3);
    for (uint32_t r = 0; r < graph->rank_count; r++) {
        struct tp_graph_rank *rank = tp_graph_rank_at(graph, r);
        uint32_t stage = pipeline ? pipeline->coordinate[r] : rank->kind;
        uint64_t row = row_of(graph, rank);
        rank->class = tp_keys_add(&keys, (uint32_t[]){(uint32_t)row, (uint32_t)(row >> 32), stage});
        if (rank->class == graph->classes.count)
            *(struct tp_graph_class *)tp_vec_push(&graph->classes) =
                (struct tp_graph_class){.slot_count = rank->slot_count, .stage = stage, .row = row};
        tp_graph_class_at(graph, rank->class)->rank_count++;
    }
    for (size_t c = 0; c < graph->classes.count; c++) {
        struct tp_graph_class *class = tp_graph_class_at(graph, c);
        class->ranks = tp_arena_array(graph->arena, class->rank_count, sizeof *class->ranks);
        class->rank_count = 0;
    }
    for (uint32_t r = 0; r < graph->rank_count; r++) {
        struct tp_graph_class *class = tp_graph_class_at(graph, tp_graph_rank_at(graph, r)->class);
        class->ranks[class->rank_count++] = r;
    }
}

/* ---- meetings ---- */

/* Ranks on their way through their slots. */
struct walk {
    struct tp_graph *graph;
    uint32_t *at;    /* by rank: slots passed */
    uint32_t *queue; /* ranks that go on; a ring of rank_count */
    uint32_t head, queued, done;
    uint32_t *takes_part;     /* by group: members whose rows have it */
    uint32_t *uses;           /* by group: how often a row has it */
    uint32_t *arrived, *held; /* by group: ranks that wait; meetings held */
    uint32_t *waiting;        /* by member: the cell it waits at, + 1 */
    struct tp_keys pair_keys, key_keys;
    uint32_t used; /* of meeting_cells */
};

/* How often each group stands in the rows of its members: equally often, or they do not fit together. */
static void count_uses(struct walk *w)
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
                graph->why_not = "ranks of one process group differ in their collectives";
            w->uses[group] = of_rank[group];
            w->takes_part[group]++;
            of_rank[group] = 0;
        }
    }
}

static void put_cell(struct walk *w, uint32_t cell, uint32_t rank)
{
    w->graph->meeting_cells[w->used] = cell;
    w->graph->meeting_ranks[w->used++] = rank;
}

static uint32_t pair_of(struct walk *w, uint32_t group_index, uint32_t ordinal)
{
    struct tp_graph *graph = w->graph;
    uint32_t family = tp_graph_group_at(graph, group_index)->family;
    uint32_t key = tp_keys_pair(&w->key_keys, family, ordinal);
    if (key == graph->keys.count)
        *(struct tp_graph_key *)tp_vec_push(&graph->keys) = (struct tp_graph_key){family, ordinal};
    uint32_t pair = tp_keys_pair(&w->pair_keys, key, group_index);
    if (pair == graph->pairs.count)
        *(struct tp_graph_pair *)tp_vec_push(&graph->pairs) = (struct tp_graph_pair){key, group_index};
    return pair;
}

static void go_on(struct walk *w, uint32_t rank)
{
    w->queue[(w->head + w->queued++) % w->graph->rank_count] = rank;
}

static double within_us(const struct tp_graph *graph, uint32_t r, uint32_t cell)
{
    const struct tp_graph_rank *rank = tp_graph_rank_at(graph, r);
    uint32_t at = cell - rank->first_cell, step = rank->step_index[at / rank->slot_count];
    return rank->us[((size_t)step * rank->slot_count + at % rank->slot_count) * TP_SLOT_PARTS + TP_SLOT_WITHIN];
}

/* All of the group are there. */
static void hold_meeting(struct walk *w, uint32_t group_index)
{
    struct tp_graph *graph = w->graph;
    const struct tp_graph_group *group = tp_graph_group_at(graph, group_index);
    struct tp_graph_meeting *meeting = tp_vec_push(&graph->meetings);
    uint32_t ordinal = w->held[group_index]++ % w->uses[group_index];
    *meeting = (struct tp_graph_meeting){w->used, 0, pair_of(w, group_index, ordinal), INFINITY};
    w->arrived[group_index] = 0;
    for (uint32_t m = group->first_member; m < group->first_member + group->member_count; m++) {
        if (!w->waiting[m])
            continue;
        uint32_t rank = graph->members[m], cell = w->waiting[m] - 1;
        meeting->transfer_us = fmin(meeting->transfer_us, within_us(graph, rank, cell));
        put_cell(w, cell, rank);
        meeting->count++;
        w->waiting[m] = 0;
        go_on(w, rank);
    }
}

/* Lets a rank pass its slots up to one where it has to wait. */
static void walk_rank(struct walk *w, uint32_t r)
{
    struct tp_graph *graph = w->graph;
    const struct tp_graph_rank *rank = tp_graph_rank_at(graph, r);
    while (w->at[r] < rank->slot_count * graph->step_count) {
        uint32_t cell = rank->first_cell + w->at[r], group = rank->group[w->at[r] % rank->slot_count];
        w->at[r]++;
        if (group != TP_NO_ID) {
            const struct tp_graph_group *its = tp_graph_group_at(graph, group);
            w->waiting[its->first_member + tp_graph_family_at(graph, its->family)->coordinate[r]] = cell + 1;
            if (++w->arrived[group] == w->takes_part[group])
                hold_meeting(w, group);
            return;
        }
        *(struct tp_graph_meeting *)tp_vec_push(&graph->meetings) = (struct tp_graph_meeting){w->used, 1, TP_NO_ID, 0};
        graph->alone_us[cell] = within_us(graph, r, cell);
        put_cell(w, cell, r);
    }
    w->done++;
}

static void find_meetings(struct tp_graph *graph)
{
    struct tp_arena *arena = graph->arena;
    size_t groups = graph->groups.count;
    struct walk w = {.graph = graph};
    w.at = tp_arena_array(arena, graph->rank_count, sizeof *w.at);
    w.queue = tp_arena_array(arena, graph->rank_count, sizeof *w.queue);
    w.takes_part = tp_arena_array(arena, groups, sizeof *w.takes_part);
    w.uses = tp_arena_array(arena, groups, sizeof *w.uses);
    w.arrived = tp_arena_array(arena, groups, sizeof *w.arrived);
    w.held = tp_arena_array(arena, groups, sizeof *w.held);
    w.waiting = tp_arena_array(arena, graph->joined.count, sizeof *w.waiting);
    graph->meeting_cells = tp_arena_array(arena, graph->cell_count, sizeof *graph->meeting_cells);
    graph->meeting_ranks = tp_arena_array(arena, graph->cell_count, sizeof *graph->meeting_ranks);
    graph->alone_us = tp_arena_array(arena, graph->cell_count, sizeof *graph->alone_us);
    tp_keys_init(&w.pair_keys, arena, 2);
    tp_keys_init(&w.key_keys, arena, 2);
    count_uses(&w);
    for (uint32_t r = 0; r < graph->rank_count; r++)
        go_on(&w, r);
    while (w.queued && !graph->why_not) {
        uint32_t rank = w.queue[w.head];
        w.head = (w.head + 1) % graph->rank_count;
        w.queued--;
        walk_rank(&w, rank);
    }
    if (!graph->why_not && w.done < graph->rank_count)
        graph->why_not = "the collectives of the ranks do not fit together";
}

/* ---- lengths ---- */

static void fill_lengths(struct tp_graph *graph)
{
    double *totals = tp_arena_array(graph->arena, graph->rank_count, sizeof *totals);
    graph->own_us = tp_arena_array(graph->arena, (size_t)graph->cell_count * TP_SLOT_OWN, sizeof *graph->own_us);
    graph->ends_us = tp_arena_array(graph->arena, graph->rank_count, sizeof *graph->ends_us);
    for (uint32_t r = 0; r < graph->rank_count; r++) {
        const struct tp_graph_rank *rank = tp_graph_rank_at(graph, r);
        for (uint32_t s = 0; s < graph->step_count; s++) {
            const uint32_t *us = rank->us + (size_t)rank->step_index[s] * rank->slot_count * TP_SLOT_PARTS;
            double *own = graph->own_us + (size_t)tp_graph_cell(rank, s, 0) * TP_SLOT_OWN;
            for (uint32_t k = 0; k < rank->slot_count; k++, us += TP_SLOT_PARTS, own += TP_SLOT_OWN) {
                for (unsigned p = 0; p < TP_SLOT_OWN; p++)
                    totals[r] += own[p] = us[p];
                totals[r] += us[TP_SLOT_WITHIN];
            }
        }
    }
    graph->measured_us = tp_median(totals, graph->rank_count);
}

void tp_graph_finish(struct tp_graph *graph)
{
    graph->rank_count = (uint32_t)graph->ranks.count;
    if (graph->rank_count < 2) {
        graph->why_not = "there are not two ranks with collectives";
        return;
    }
    join_groups(graph);
    join_steps(graph);
    if (graph->step_count < 2) {
        graph->why_not = "there are not two steps that all ranks have";
        return;
    }
    tp_graph_families_build(graph);
    find_classes(graph);
    fill_lengths(graph);
    find_meetings(graph);
}

double tp_graph_replay(const struct tp_graph *graph, const double *own, const double *transfer)
{
    double *ends = graph->ends_us, last = 0;
    for (uint32_t r = 0; r < graph->rank_count; r++)
        ends[r] = 0;
    for (size_t m = 0; m < graph->meetings.count; m++) {
        const struct tp_graph_meeting *meeting = tp_graph_meeting_at(graph, m);
        const uint32_t *cells = graph->meeting_cells + meeting->first, *ranks = graph->meeting_ranks + meeting->first;
        double end = 0;
        if (meeting->pair == TP_NO_ID) {
            ends[*ranks] += own[*cells] + graph->alone_us[*cells];
            continue;
        }
        for (uint32_t i = 0; i < meeting->count; i++)
            end = fmax(end, ends[ranks[i]] + own[cells[i]]);
        for (uint32_t i = 0; i < meeting->count; i++)
            ends[ranks[i]] = end + transfer[m];
    }
    for (uint32_t r = 0; r < graph->rank_count; r++)
        last = fmax(last, ends[r]);
    return last;
}
