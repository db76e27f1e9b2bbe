/* The steps of a job as a graph: rows of slots of its ranks (step_slots.h) that meet in collectives.
 *
 *     tp_graph_open(&graph, &arena);
 *     for each rank: tp_graph_add(&graph, &rank);
 *     tp_graph_finish(&graph, steps, step_count);    families, coordinates, meetings and their order
 *     tp_graph_replay(&graph, own, transfer)         as often as something is to be asked
 *
 * A replay lets every rank work through its slots: a collective ends for all of its group when the last one has come,
 * the one before it of that group is over and the transfer is done. A rank that does not wait for it at once goes on up
 * to the place where it does. Only lengths are used, no clocks. All lives in the arena; one thread. */
#ifndef TP_WEBREPORT_COMPARE_REPLAY_STEP_GRAPH_H
#define TP_WEBREPORT_COMPARE_REPLAY_STEP_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/measure/summary/step_slots.h"
#include "writer/base/arena.h"
#include "writer/base/keys.h"

/* A rank as it was added. */
struct tp_graph_rank {
    int64_t number;
    uint32_t host;  /* of graph->hosts; TP_NO_ID: not known */
    uint32_t kind;  /* ranks of one kind do the same work, where no stage of a pipeline tells */
    /* its slots: a copy */
    uint32_t slot_count, step_count;
    uint32_t *labels; /* of its steps */
    uint32_t *group;  /* by slot, in graph->groups; TP_NO_ID: none */
    struct tp_slot *slots; /* where it waits for each */
    uint32_t *us;          /* [(step * slot_count + slot) * TP_SLOT_PARTS + part] */
    /* made by tp_graph_finish */
    uint32_t class;       /* in graph->classes */
    uint32_t first_cell;  /* of step s and slot k: + s * slot_count + k */
    uint32_t *step_index; /* by step of the graph: step of the rank */
};

/* A process group: the ranks that take part in it. */
struct tp_graph_group {
    struct tp_str name, description;
    enum tp_group_kind kind;
    int64_t size;
    uint32_t family, index;              /* index: place in the family, by first rank */
    uint32_t first_member, member_count; /* in graph->members: ascending ranks (indexes) */
    uint32_t first_slot;                 /* the earliest slot that uses it; TP_NO_ID: none */
    const struct tp_rank_stride *runs;   /* numbers of its ranks, also of those that are not here */
    uint32_t run_count;                  /* 0: not known */
};

/* Groups that play one part: they share no rank. */
struct tp_graph_family {
    const char *name;        /* "tp", "TENSOR_MODEL_PARALLEL_GROUP", "groups of 8, 4 apart" */
    bool is_pipeline;        /* the place in the group is the stage of the rank */
    bool is_of_pairs;        /* of sender and receiver: they share ranks, and none has a coordinate */
    uint32_t *groups, count; /* by first rank */
    uint32_t *group_of;      /* by rank: in graph->groups; TP_NO_ID: none */
    uint32_t *coordinate;    /* by rank: place in its group, 0 without one */
};

/* In the work of a slot a rank waits for the collective of an earlier one. */
struct tp_graph_wait {
    uint32_t back, before; /* slots back to the collective; thousandths of the work that come first */
};

/* Ranks that have the same row of slots and the same stage, or kind of work. */
struct tp_graph_class {
    uint32_t slot_count, stage, rank_count;
    uint32_t *ranks; /* ascending */
    uint64_t row;    /* hash of the families of the slots */
    uint32_t *first_wait; /* by slot, and one more: in graph->waits */
};

/* A collective of one step. Those of one group stand in their order. */
struct tp_graph_meeting {
    uint32_t pair; /* in graph->pairs */
    uint32_t count;
    bool is_first;      /* of its group */
    double transfer_us; /* the shortest time that one of them spent in it */
};

/* A rank works through a slot of a step, and comes to its collective. In an order in which they can be replayed. */
struct tp_graph_pass {
    uint32_t rank, cell, meeting;   /* TP_NO_ID: none */
    uint32_t first_wait, past_wait; /* in graph->waits */
};

/* One group at one place of the step. Those of one key are compared. */
struct tp_graph_pair {
    uint32_t key, group;
    int64_t moved_bytes; /* in one step, over the bus; 0: not known */
};

/* Family and how many collectives of it were before in the step. */
struct tp_graph_key {
    uint32_t family, ordinal;
};

struct tp_graph {
    struct tp_arena *arena;
    struct tp_strings hosts;
    struct tp_vec ranks;  /* struct tp_graph_rank */
    struct tp_vec groups; /* struct tp_graph_group */
    struct tp_keys group_keys, join_keys;
    struct tp_vec joined; /* struct { group, rank }: as they came */
    struct tp_strings texts;
    int64_t world_size; /* ranks of the job, at least: 0, or what the caller knows; negative: numbers tell nothing */
    /* made by tp_graph_finish */
    const char *why_not; /* why it cannot be replayed; NULL: it can */
    uint32_t rank_count, step_count, cell_count;
    uint32_t absent_count;    /* ranks of the job that are known not to be here */
    uint32_t *absent_of_host; /* by host: of its ranks, as many may not be here */
    uint32_t *members;
    struct tp_vec families, classes, waits, meetings, pairs, keys; /* struct tp_graph_family .. */
    struct tp_graph_pass *passes;                           /* cell_count */
    uint32_t *meeting_of;                                   /* by cell; TP_NO_ID: none */
    uint32_t pipeline;                                      /* in families; TP_NO_ID: none is known */
    double *own_us;     /* [cell * TP_SLOT_OWN + part] */
    double *alone_us;   /* [cell]: time in a call between two ranks that nobody knows; else 0 */
    double *ends_us;    /* scratch of a replay: by rank, by meeting */
    double *over_us;
    uint32_t *come; /* likewise: by meeting, how many have come */
    double measured_us; /* of all steps: the median rank */
};

void tp_graph_open(struct tp_graph *graph, struct tp_arena *arena);

/* What is asked of a rank; all is copied. labels: of the kept steps, in any numbering that the ranks share. */
struct tp_graph_source {
    const struct tp_step_slots *slots;
    const uint32_t *labels;
    int64_t number;
    uint32_t kind;
    struct tp_str host;
};
/* Ranks come in ascending order of their numbers. A rank without slots is left out. */
void tp_graph_add(struct tp_graph *graph, const struct tp_graph_source *source);

/* Brings the ranks together in the steps that all of them have. */
void tp_graph_finish(struct tp_graph *graph);

/* When the last rank is through all steps, in microseconds. own: by cell; transfer: by meeting. */
double tp_graph_replay(const struct tp_graph *graph, const double *own, const double *transfer);
/* By cell, what its rank spends in the collective from when it can start, all of a group leaving it together. */
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
/* How many ranks of a stage are here: a stage may be of several classes. */
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

/* graph_families.c: families, coordinates, the pipeline. */
void tp_graph_families_build(struct tp_graph *graph);
/* graph_absent.c: ranks of the job that are not here. */
void tp_graph_find_absent(struct tp_graph *graph);
/* graph_meetings.c: meetings, and an order of passes. */
void tp_graph_meetings_build(struct tp_graph *graph);

#endif
