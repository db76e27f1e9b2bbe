/* The steps of a job as a graph: ranks with rows of slots (step_slots.h) that meet in collectives.
 *
 *     tp_graph_open(&graph, &arena);
 *
 *     for each rank: tp_graph_add(&graph, &rank);
 *
 *     tp_graph_finish(&graph, steps, step_count);    families, coordinates, meetings and their order
 *
 *     tp_graph_replay(&graph, own, transfer)         once for each question
 *
 * A replay moves every rank through its slots. A collective ends for its whole group when the last rank has reached it,
 * the previous collective of the group has ended, and the transfer is done. A rank that does not wait immediately
 * continues to the place where it waits. The replay uses lengths only, no clocks. All memory comes from the arena.
 * Single-threaded. */
#ifndef TP_WEBREPORT_COMPARE_REPLAY_STEP_GRAPH_H
#define TP_WEBREPORT_COMPARE_REPLAY_STEP_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/measure/summary/step_slots.h"
#include "writer/base/arena.h"
#include "writer/base/keys.h"

/* A rank of the graph. */
struct tp_graph_rank {
    int64_t number;
    uint32_t host;  /* index in graph->hosts, or TP_NO_ID if unknown */
    uint32_t kind;  /* ranks of one kind do the same work; used without pipeline stages */
    /* copy of its slots: */
    uint32_t slot_count, step_count;
    uint32_t *labels; /* labels of its steps */
    uint32_t *group;  /* by slot: index in graph->groups, or TP_NO_ID */
    struct tp_slot *slots; /* its slots, with the place where it waits for each */
    uint32_t *us;          /* [(step * slot_count + slot) * TP_SLOT_PARTS + part] */
    /* made by tp_graph_finish */
    uint32_t class;       /* in graph->classes */
    uint32_t first_cell;  /* index of its first cell; step s and slot k is at + s * slot_count + k */
    uint32_t *step_index; /* by step of the graph: number of the rank's step */
};

/* A process group with its ranks. */
struct tp_graph_group {
    struct tp_str name, description;
    enum tp_group_kind kind;
    int64_t size;
    uint32_t family, index;              /* index: place in the family, by first rank */
    uint32_t first_member, member_count; /* in graph->members: ascending ranks (indexes) */
    uint32_t first_slot;                 /* earliest slot that uses it, or TP_NO_ID */
    const struct tp_rank_stride *runs;   /* numbers of its ranks, including missing ones */
    uint32_t run_count;                  /* 0 if unknown */
};

/* Groups with one role, such as tensor parallelism; they share no rank. */
struct tp_graph_family {
    const char *name;        /* "tp", "TENSOR_MODEL_PARALLEL_GROUP", "groups of 8, 4 apart" */
    bool is_pipeline;        /* the place in the group is the pipeline stage of the rank */
    bool is_of_pairs;        /* pairs of sender and receiver, which share ranks and have no coordinates */
    uint32_t *groups, count; /* by first rank */
    uint32_t *group_of;      /* by rank: index in graph->groups, or TP_NO_ID */
    uint32_t *coordinate;    /* by rank: place in its group, or 0 without group */
};

/* A wait, within the work of a slot, for the collective of an earlier slot. */
struct tp_graph_wait {
    uint32_t back, before; /* number of slots back to the collective; thousandths of the slot's work before the wait */
};

/* Ranks with the same row of slots and the same stage or kind of work. */
struct tp_graph_class {
    uint32_t slot_count, stage, rank_count;
    uint32_t *ranks; /* ascending */
    uint64_t row;    /* hash of the families of the slots */
    uint32_t *first_wait; /* by slot, and one more: index in graph->waits */
};

/* A collective of one step. Meetings of one group are in their order. */
struct tp_graph_meeting {
    uint32_t pair; /* index in graph->pairs */
    uint32_t count;
    bool is_first;      /* first meeting of its group */
    double transfer_us; /* shortest time that a rank spent in it */
};

/* A pass: a rank works through a slot of a step and reaches its collective. Passes are in an order in which they can be
 * replayed. */
struct tp_graph_pass {
    uint32_t rank, cell, meeting;   /* TP_NO_ID: none */
    uint32_t first_wait, past_wait; /* range in graph->waits */
};

/* A group at one place of the step. Pairs with one key are compared. */
struct tp_graph_pair {
    uint32_t key, group;
    int64_t moved_bytes; /* bytes per step over the bus; 0 if unknown */
};

/* A family, and the number of its earlier collectives in the step. */
struct tp_graph_key {
    uint32_t family, ordinal;
};

struct tp_graph {
    struct tp_arena *arena;
    struct tp_strings hosts;
    struct tp_vec ranks;  /* struct tp_graph_rank */
    struct tp_vec groups; /* struct tp_graph_group */
    struct tp_keys group_keys, join_keys;
    struct tp_vec joined; /* struct { group, rank }, in the order in which they were added */
    struct tp_strings texts;
    /* least number of ranks of the job, from the caller; 0 if unknown; negative if rank numbers mean nothing */
    int64_t world_size;
    /* made by tp_graph_finish */
    const char *why_not; /* reason why the graph cannot be replayed, or NULL */
    uint32_t rank_count, step_count, cell_count;
    uint32_t absent_count;    /* number of missing ranks */
    uint32_t *absent_of_host; /* by host: number of its ranks that may be missing */
    uint32_t *members;
    struct tp_vec families, classes, waits, meetings, pairs, keys; /* struct tp_graph_family .. */
    struct tp_graph_pass *passes;                           /* cell_count */
    uint32_t *meeting_of;                                   /* by cell: meeting, or TP_NO_ID */
    uint32_t pipeline;                                      /* index of the pipeline family, or TP_NO_ID */
    double *own_us;     /* [cell * TP_SLOT_OWN + part] */
    double *alone_us;   /* [cell]: time in a call between two unknown ranks, else 0 */
    double *ends_us;    /* scratch memory of a replay: by rank, by meeting */
    double *over_us;
    uint32_t *come; /* scratch memory: by meeting, number of ranks that reached it */
    double measured_us; /* time of all steps, median of the ranks */
};

/* Input of a rank; it is copied. labels: of the kept steps, in a numbering that all ranks share. */
struct tp_graph_source {
    const struct tp_step_slots *slots;
    const uint32_t *labels;
    int64_t number;
    uint32_t kind;
    struct tp_str host;
};

/* Returns the time at which the last rank has finished all steps, us. own: by cell; transfer: by meeting. */
double tp_graph_replay(const struct tp_graph *graph, const double *own, const double *transfer);
/* Fills, by cell, the time that its rank spends in the collective from when it can start; all ranks of a group leave
 * together. */
void tp_graph_spent(const struct tp_graph *graph, const double *own, const double *transfer, double *spent);

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
static inline struct tp_graph_meeting *tp_graph_meeting_at(const struct tp_graph *graph, size_t meeting)
{
    return TP_AT(&graph->meetings, struct tp_graph_meeting, meeting);
}
static inline struct tp_graph_pair *tp_graph_pair_at(const struct tp_graph *graph, size_t pair)
{
    return TP_AT(&graph->pairs, struct tp_graph_pair, pair);
}
/* Returns the number of recorded ranks of a stage, which may have several classes. */
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

/* Finds families, coordinates and the pipeline (graph_families.c). */
void tp_graph_families_build(struct tp_graph *graph);
/* Finds missing ranks of the job (graph_absent.c). */
void tp_graph_find_absent(struct tp_graph *graph);
/* Finds meetings and an order of passes (graph_meetings.c). */
void tp_graph_meetings_build(struct tp_graph *graph);

#endif
