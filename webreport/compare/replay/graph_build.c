/* Builds the graph of a job's steps, with the groups, steps and classes of its ranks. See graph_build.h. */
#include "webreport/compare/replay/graph_build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "writer/base/sort.h"
#include "writer/base/stats.h"

enum { MOST_LABELS = 1 << 16 };

/* ---- ranks ---- */

struct joined {
    uint32_t group, rank;
};

void tp_graph_init(struct tp_graph *graph, struct tp_arena *arena)
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
    graph->waits = TP_VEC(arena, struct tp_graph_wait);
    graph->meetings = TP_VEC(arena, struct tp_graph_meeting);
    graph->pairs = TP_VEC(arena, struct tp_graph_pair);
    graph->keys = TP_VEC(arena, struct tp_graph_key);
}

static struct tp_str copy_text(struct tp_graph *graph, struct tp_str text)
{
    return tp_strings_get(&graph->texts, tp_strings_add(&graph->texts, text));
}

/* Returns the index of a group; adds the group if it is new. Two groups are equal if they have the same ranks, or if
 * their ranks are unknown and they have the same name and size. */
static uint32_t find_or_add_group(struct tp_graph *graph, const struct tp_slot_group *from)
{
    uint64_t hash = tp_hash_bytes(&from->run_count, sizeof from->run_count) + (uint64_t)from->kind;
    for (uint32_t i = 0; i < from->run_count; i++)
        hash = tp_hash_mix(hash ^ tp_hash_bytes(&from->runs[i], sizeof from->runs[i]), 0x9E3779B97F4A7C15ull);
    if (!from->run_count)
        hash ^= tp_hash_bytes(from->name.ptr, from->name.len) + (uint64_t)from->size;
    char key[17];
    int size = snprintf(key, sizeof key, "%016llx", (unsigned long long)hash);
    struct tp_str description = copy_text(graph, from->description);
    char *text = tp_arena_alloc(graph->arena, (size_t)size + description.len);
    memcpy(text, key, (size_t)size);
    if (description.len)
        memcpy(text + size, description.ptr, description.len);
    uint32_t id = tp_strings_add(&graph->texts, (struct tp_str){text, (size_t)size + description.len});
    uint32_t group = tp_keys_add(&graph->group_keys, &id);
    if (group < graph->groups.count)
        return group;
    struct tp_rank_stride *runs = tp_arena_array(graph->arena, from->run_count, sizeof *runs);
    if (from->run_count)
        memcpy(runs, from->runs, from->run_count * sizeof *runs);
    *(struct tp_graph_group *)tp_vec_push(&graph->groups) =
        (struct tp_graph_group){.name = copy_text(graph, from->name),
                                .description = description,
                                .kind = from->kind,
                                .size = from->size,
                                .first_slot = TP_NO_ID,
                                .runs = runs,
                                .run_count = from->run_count};
    return group;
}

static void copy_slot_times(struct tp_graph_rank *rank, const struct tp_step_slots *from, struct tp_arena *arena)
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

void tp_graph_add_rank(struct tp_graph *graph, const struct tp_graph_source *source)
{
    const struct tp_step_slots *from = source->slots;
    if (!from->slot_count || !from->step_count)
        return;
    uint32_t index = (uint32_t)graph->ranks.count, *groups = tp_arena_array(graph->arena, from->group_count, 4);
    struct tp_graph_rank *rank = tp_vec_push(&graph->ranks);
    *rank = (struct tp_graph_rank){.number = source->number,
                                   .host = source->host.len ? tp_strings_add(&graph->hosts, source->host) : TP_NO_ID,
                                   .kind = source->kind,
                                   .slot_count = from->slot_count,
                                   .step_count = from->step_count};
    rank->labels = tp_arena_array(graph->arena, from->step_count, sizeof *rank->labels);
    memcpy(rank->labels, source->labels, from->step_count * sizeof *rank->labels);
    for (uint32_t g = 0; g < from->group_count; g++) {
        groups[g] = find_or_add_group(graph, &from->groups[g]);
        *(struct joined *)tp_vec_push(&graph->joined) = (struct joined){groups[g], index};
    }
    rank->group = tp_arena_array(graph->arena, from->slot_count, sizeof *rank->group);
    rank->slots = tp_arena_array(graph->arena, from->slot_count, sizeof *rank->slots);
    memcpy(rank->slots, from->slots, from->slot_count * sizeof *rank->slots);
    for (uint32_t k = 0; k < from->slot_count; k++) {
        rank->group[k] = from->slots[k].group == TP_NO_ID ? TP_NO_ID : groups[from->slots[k].group];
        if (rank->group[k] == TP_NO_ID)
            continue;
        struct tp_graph_group *group = tp_graph_group_at(graph, rank->group[k]);
        group->first_slot = k < group->first_slot ? k : group->first_slot;
    }
    copy_slot_times(rank, from, graph->arena);
}

/* ---- groups, steps ---- */

/* Collects the different ranks of each group in ascending order. */
static void fill_ranks_of_groups(struct tp_graph *graph)
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

/* Finds the step labels that all ranks have, in the order of the first rank. Fills, for each label, the index of
 * each rank's step. */
static void find_common_steps_of_ranks(struct tp_graph *graph)
{
    uint32_t *seen = tp_arena_array(graph->arena, MOST_LABELS, sizeof *seen);
    uint32_t *place = tp_arena_array(graph->arena, MOST_LABELS, sizeof *place);
    const struct tp_graph_rank *first = tp_graph_rank_at(graph, 0);
    for (uint32_t r = 0; r < graph->rank_count; r++) {
        const struct tp_graph_rank *rank = tp_graph_rank_at(graph, r);
        for (uint32_t s = 0; s < rank->step_count; s++)
            /* a label is added only once for each rank, even if the rank repeats the label */
            if (rank->labels[s] < MOST_LABELS && seen[rank->labels[s]] == r)
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

static uint64_t hash_families_of_slots(const struct tp_graph *graph, const struct tp_graph_rank *rank)
{
    uint64_t hash = rank->slot_count;
    for (uint32_t k = 0; k < rank->slot_count; k++) {
        uint32_t group = rank->group[k],
                 family = group == TP_NO_ID ? TP_NO_ID : tp_graph_group_at(graph, group)->family;
        hash = tp_hash_mix(hash ^ tp_hash_bytes(&family, sizeof family), 0x9E3779B97F4A7C15ull);
    }
    return hash;
}

/* Returns the position at which the ranks of a class wait for the collective of a slot. Of the ranks of the class, the
 * one that waits latest determines the position. Without a recorded wait, the position is the end of the step. */
static struct tp_graph_wait find_wait_position_of_class(const struct tp_graph *graph,
                                                        const struct tp_graph_class *class, uint32_t slot)
{
    struct tp_slot furthest = {.waits = 0};
    for (uint32_t i = 0; i < class->rank_count; i++) {
        const struct tp_slot *its = &tp_graph_rank_at(graph, class->ranks[i])->slots[slot];
        bool is_further = its->waits > furthest.waits, is_equal = its->waits == furthest.waits;
        bool is_seen = its->is_seen || (is_equal && furthest.is_seen);
        if (is_further || (is_equal && its->before > furthest.before))
            furthest = *its;
        furthest.is_seen = is_further ? its->is_seen : is_equal ? is_seen : furthest.is_seen;
    }
    return furthest.is_seen ? (struct tp_graph_wait){furthest.waits, furthest.before}
                            : (struct tp_graph_wait){class->slot_count - 1 - slot, TP_SLOT_WHOLE};
}

static int compare_by_place(const void *x, const void *y, const void *context)
{
    const struct tp_graph_wait *a = x, *b = y;
    (void)context;
    return a->before != b->before ? (a->before > b->before) - (a->before < b->before)
                                  : (a->back < b->back) - (a->back > b->back);
}

/* Finds the waits of a class, sorted by the slot whose work contains the wait. */
static void find_wait_positions(struct tp_graph *graph, struct tp_graph_class *class)
{
    uint32_t slots = class->slot_count;
    struct tp_graph_wait *waits = tp_arena_array(graph->arena, slots, sizeof *waits);
    class->first_wait = tp_arena_array(graph->arena, (size_t)slots + 1, sizeof *class->first_wait);
    for (uint32_t k = 0; k + 1 < slots; k++)
        waits[k] = find_wait_position_of_class(graph, class, k);
    for (uint32_t k = 0; k < slots; k++) {
        uint32_t first = class->first_wait[k] = (uint32_t)graph->waits.count;
        for (uint32_t c = 0; c < k; c++)
            if (c + waits[c].back == k && tp_graph_rank_at(graph, class->ranks[0])->group[c] != TP_NO_ID)
                *(struct tp_graph_wait *)tp_vec_push(&graph->waits) = waits[c];
        tp_merge_sort(graph->arena, TP_AT(&graph->waits, struct tp_graph_wait, first), graph->waits.count - first,
                      sizeof *waits, compare_by_place, NULL);
    }
    class->first_wait[slots] = (uint32_t)graph->waits.count;
}

/* Groups ranks into classes by their row of slots and pipeline stage. Without a pipeline, the kind of work replaces
 * the stage. */
static void find_rank_classes(struct tp_graph *graph)
{
    const struct tp_graph_family *pipeline =
        graph->pipeline == TP_NO_ID ? NULL : tp_graph_family_at(graph, graph->pipeline);
    struct tp_keys keys;
    tp_keys_init(&keys, graph->arena, 3);
    for (uint32_t r = 0; r < graph->rank_count; r++) {
        struct tp_graph_rank *rank = tp_graph_rank_at(graph, r);
        uint32_t stage = pipeline ? pipeline->coordinate[r] : rank->kind;
        uint64_t row = hash_families_of_slots(graph, rank);
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
    for (size_t c = 0; c < graph->classes.count; c++)
        find_wait_positions(graph, tp_graph_class_at(graph, c));
}

/* ---- lengths ---- */

static void fill_slot_times(struct tp_graph *graph)
{
    double *totals = tp_arena_array(graph->arena, graph->rank_count, sizeof *totals);
    graph->own_us = tp_arena_array(graph->arena, (size_t)graph->cell_count * TP_SLOT_OWN, sizeof *graph->own_us);
    graph->rank_end_us = tp_arena_array(graph->arena, graph->rank_count, sizeof *graph->rank_end_us);
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
        graph->why_not = "fewer than two ranks have collectives";
        return;
    }
    fill_ranks_of_groups(graph);
    find_common_steps_of_ranks(graph);
    if (graph->step_count < 2) {
        graph->why_not = "the ranks have fewer than two common steps";
        return;
    }
    tp_graph_families_build(graph);
    tp_graph_find_missing_ranks(graph);
    find_rank_classes(graph);
    fill_slot_times(graph);
    tp_graph_collectives_build(graph);
}
