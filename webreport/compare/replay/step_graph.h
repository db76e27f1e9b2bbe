/* The steps of a job as a graph: ranks with rows of slots (step_slots.h), which collectives connect.
 *
 *     tp_graph_init(&graph, &arena);
 *     for each rank: tp_graph_add_rank(&graph, &rank);
 *     tp_graph_finish(&graph);                       finds families, coordinates, collectives and their order
 *     tp_graph_replay(&graph, own, transfer)         once for each question
 *
 * A replay moves every rank through its slots. A collective ends for its whole group when the last rank has reached it,
 * the previous collective of the group has ended, and the transfer is done. A rank need not wait for a collective
 * immediately. It continues to the position where it waits for the result. The replay uses lengths only, no clocks. All
 * memory comes from the arena. Single-threaded. */
#ifndef TP_WEBREPORT_COMPARE_REPLAY_STEP_GRAPH_H
#define TP_WEBREPORT_COMPARE_REPLAY_STEP_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/measure/summary/step_slots.h"
#include "writer/base/arena.h"
#include "writer/base/keys.h"

/* A rank of the graph, with a copy of its slots. */
struct tp_graph_rank {
    int64_t number;
    uint32_t host; /* index in graph->hosts, or TP_NO_ID if unknown */
    uint32_t kind; /* ranks of the same kind do the same work; used only without pipeline stages */
    uint32_t slot_count, step_count;
    uint32_t *labels;      /* for each step of the rank: label of the step */
    uint32_t *group;       /* for each slot: index in graph->groups, or TP_NO_ID */
    struct tp_slot *slots; /* for each slot: the slot, with the position where the rank waits for its collective */
    /* length of each part in us, at [(step * slot_count + slot) * TP_SLOT_PARTS + part] */
    uint32_t *us;
    /* members from here on are filled by tp_graph_finish */
    uint32_t class; /* index in graph->classes */
    /* index of the rank's first cell; the cell of step s and slot k is first_cell + s * slot_count + k */
    uint32_t first_cell;
    uint32_t *step_index; /* for each step of the graph: index of the step within the rank */
};

/* A process group, with its ranks. */
struct tp_graph_group {
    struct tp_str name, description;
    enum tp_group_kind kind;
    int64_t size;
    /* index in graph->families, and position in that family, in the order of the groups' first ranks */
    uint32_t family, index;
    /* range in graph->members, which contains indexes of ranks in ascending order */
    uint32_t first_member, member_count;
    uint32_t first_slot; /* earliest slot that uses the group, or TP_NO_ID */
    /* numbers of all ranks of the group, including missing ranks, as run_count sequences of equal distance */
    const struct tp_rank_stride *runs;
    uint32_t run_count; /* number of these sequences; 0 if the ranks are unknown */
};

/* Groups with the same purpose, such as tensor parallelism. A rank is in at most one group of a family. */
struct tp_graph_family {
    /* name for people, such as "tp", "TENSOR_MODEL_PARALLEL_GROUP" or "groups of 8, 4 apart" */
    const char *name;
    bool is_pipeline; /* true: the position of a rank in its group is its pipeline stage */
    /* true: the groups are pairs of sender and receiver, which share ranks and have no coordinates */
    bool has_sender_receiver_pairs;
    uint32_t *groups, count; /* indexes in graph->groups, in the order of the groups' first ranks; number of groups */
    uint32_t *group_of;      /* for each rank: index in graph->groups of its group, or TP_NO_ID */
    uint32_t *coordinate;    /* for each rank: position in its group; 0 without a group */
};

/* A wait for the collective of an earlier slot. The rank waits while it works through a later slot. */
struct tp_graph_wait {
    /* back: number of slots from the wait back to the collective; before: share of the slot's work before the wait,
     * in thousandths */
    uint32_t back, before;
};

/* Ranks with the same row of slots, and the same pipeline stage or kind of work. */
struct tp_graph_class {
    uint32_t slot_count, stage, rank_count;
    uint32_t *ranks;      /* indexes of ranks in ascending order */
    uint64_t row;         /* hash of the families that the row of slots uses */
    uint32_t *first_wait; /* index in graph->waits of the first wait in each slot; slot_count + 1 items */
};

/* One execution of a collective by its group. Meetings of one group are in the order of their execution. */
struct tp_graph_meeting {
    uint32_t pair; /* index in graph->pairs */
    uint32_t count;
    bool is_first;      /* true: the first execution of a collective in its group */
    double transfer_us; /* shortest time that any rank spent in the collective, us */
};

/* The passage of a rank through one slot of a step, up to the slot's collective. The array of passes has an order in
 * which the passes can be replayed. */
struct tp_graph_pass {
    /* indexes of the rank, the cell and the meeting; meeting: TP_NO_ID if the slot has no collective with known
     * ranks */
    uint32_t rank, cell, meeting;
    uint32_t first_wait, end_wait_index; /* range in graph->waits of the waits in this slot */
};

/* A group together with a position in the step. Pairs with equal keys do the same transfer and are therefore
 * compared. */
struct tp_graph_pair {
    uint32_t key, group;
    int64_t moved_bytes; /* bytes that the group moves over the bus per step; 0 if unknown */
};

/* A position in the step: a family, and the number of earlier collectives of this family in the step. */
struct tp_graph_key {
    uint32_t family, ordinal;
};

struct tp_graph {
    struct tp_arena *arena;
    struct tp_strings hosts;
    struct tp_vec ranks;  /* elements: struct tp_graph_rank */
    struct tp_vec groups; /* elements: struct tp_graph_group */
    struct tp_keys group_keys, joined_step_keys;
    struct tp_vec joined; /* elements: indexes of a group and a rank, in the order of their addition */
    struct tp_strings texts;
    /* smallest possible number of ranks in the job, set by the caller; 0 if unknown; negative if rank numbers have no
     * meaning */
    int64_t world_size;
    /* members from here on are filled by tp_graph_finish */
    const char *why_not; /* reason why the graph cannot be replayed, or NULL if it can */
    uint32_t rank_count, step_count, cell_count;
    uint32_t missing_rank_count;     /* number of missing ranks in the job */
    uint32_t *missing_count_of_host; /* for each host: number of missing ranks that may belong to the host */
    uint32_t *members;
    /* elements: struct tp_graph_family, tp_graph_class, tp_graph_wait, tp_graph_meeting, tp_graph_pair, tp_graph_key */
    struct tp_vec families, classes, waits, meetings, pairs, keys;
    struct tp_graph_pass *passes; /* array of cell_count items, in an order that can be replayed */
    uint32_t *meeting_of;         /* for each cell: index in `meetings` of the collective, or TP_NO_ID */
    uint32_t pipeline;            /* index in `families` of the pipeline's family, or TP_NO_ID */
    double *own_us;               /* own work, us, at [cell * TP_SLOT_OWN + part] */
    double *unmatched_call_us;    /* for each cell: time in a call between two unknown ranks, us; else 0 */
    /* scratch memory of a replay: for each rank, the end of its last slot; for each collective, its end */
    double *rank_end_us;
    double *collective_end_us;
    uint32_t *arrived_count; /* scratch memory of a replay: for each collective, number of ranks that reached it */
    double measured_us;      /* time of all steps, median over the ranks, us */
};

/* Data of a rank, which tp_graph_add_rank copies. labels: for each kept step, its label; equal labels mean the same
 * step on all ranks. */
struct tp_graph_source {
    const struct tp_step_slots *slots;
    const uint32_t *labels;
    int64_t number;
    uint32_t kind;
    struct tp_str host;
};

/* Returns the time at which the last rank has finished all steps, us. own: us for each cell and part; transfer: us for
 * each item of graph->meetings. */
double tp_graph_replay(const struct tp_graph *graph, const double *own, const double *transfer);
/* Fills `spent`: for each cell, the time that the rank spends in its collective after the collective could start,
 * us. All ranks of a group leave a collective together. */
void tp_graph_collective_times(const struct tp_graph *graph, const double *own, const double *transfer, double *spent);

static inline struct tp_graph_rank *tp_graph_rank_at(const struct tp_graph *graph, size_t rank)
{
    return TP_AT(&graph->ranks, struct tp_graph_rank, rank);
}
static inline struct tp_graph_group *tp_graph_group_at(const struct tp_graph *graph, size_t group)
{
    return TP_AT(&graph->groups, struct tp_graph_group, group);
}
static inline struct tp_graph_family *tp_graph_family_at(const struct tp_graph *graph, size_t family)
{
    return TP_AT(&graph->families, struct tp_graph_family, family);
}
static inline struct tp_graph_class *tp_graph_class_at(const struct tp_graph *graph, size_t class)
{
    return TP_AT(&graph->classes, struct tp_graph_class, class);
}
static inline struct tp_graph_meeting *tp_graph_collective_at(const struct tp_graph *graph, size_t meeting)
{
    return TP_AT(&graph->meetings, struct tp_graph_meeting, meeting);
}
static inline struct tp_graph_pair *tp_graph_pair_at(const struct tp_graph *graph, size_t pair)
{
    return TP_AT(&graph->pairs, struct tp_graph_pair, pair);
}
/* Returns the number of recorded ranks in a pipeline stage, which may have several classes. */
static inline uint32_t tp_graph_stage_ranks(const struct tp_graph *graph, uint32_t stage)
{
    uint32_t count = 0;
    for (size_t c = 0; c < graph->classes.count; c++)
        count += tp_graph_class_at(graph, c)->stage == stage ? tp_graph_class_at(graph, c)->rank_count : 0;
    return count;
}
static inline uint32_t tp_graph_cell(const struct tp_graph_rank *rank, uint32_t step, uint32_t slot)
{
    return rank->first_cell + step * rank->slot_count + slot;
}

/* Finds families, coordinates of ranks, and the pipeline. (graph_families.c) */
void tp_graph_families_build(struct tp_graph *graph);
/* Finds the missing ranks of the job. (graph_missing_ranks.c) */
void tp_graph_find_missing_ranks(struct tp_graph *graph);
/* Finds the executions of collectives, and an order of passes that can be replayed. (graph_collectives.c) */
void tp_graph_collectives_build(struct tp_graph *graph);

#endif
