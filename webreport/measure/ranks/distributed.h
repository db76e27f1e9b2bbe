/* The distributed view: compares the ranks of one span (section 10).
 *
 * Profiles are read one at a time. Each leaves a small summary in an arena that outlives its trace. */
#ifndef TP_WEBREPORT_MEASURE_RANKS_DISTRIBUTED_H
#define TP_WEBREPORT_MEASURE_RANKS_DISTRIBUTED_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/measure/views/overview.h"
#include "webreport/measure/work/peaks_file.h"
#include "webreport/model/facts.h"
#include "writer/base/fields.h"

struct tp_job;

/* Members in the metadata of a collective. */
enum tp_rank_meta { TP_RANK_DTYPE, TP_RANK_GROUP_SIZE, TP_RANK_GROUP, TP_RANK_GROUP_DESCRIPTION, TP_RANK_METAS };

/* A collective call of a rank, with the data that the comparison of ranks needs. */
struct tp_rank_record {
    struct tp_str name;
    uint32_t step; /* index in tp_rank_summary.labels; TP_NO_ID: outside of all steps */
    uint32_t first_range, range_count, kernel_count;
    int64_t bytes, kernel_time_ns;
    struct tp_str meta[TP_RANK_METAS]; /* by enum tp_rank_meta; ptr is NULL if absent */
};

struct tp_rank_gpu {
    int64_t id, memory_bytes;
    struct tp_str name, compute_capability;
};

struct tp_rank_summary {
    struct tp_str worker;
    struct tp_rank_record *records;
    uint32_t record_count;
    struct tp_interval *ranges;
    uint32_t range_count;
    struct tp_str *labels; /* distinct step names */
    uint32_t label_count;
    struct tp_table overlap;  /* enum tp_overlap_column, one row per step */
    struct tp_rank_gpu *gpus; /* devices with work and known properties */
    uint32_t gpu_count;
    uint32_t device_count; /* number of devices of the machine that the process can see; 0 if unknown */
    int64_t world_size;    /* number of ranks of its job; TP_NULL_INT if unknown */
};

/* Copies the needed data into `arena`; the trace, its model and overview may be released afterwards. */
void tp_rank_summary_build(struct tp_rank_summary *rank, struct tp_str worker, const struct tp_model *model,
                           const struct tp_overview *overview, struct tp_arena *arena);

/* Makes an empty table for tp_rank_summary.overlap. */
void tp_rank_overlap_init(struct tp_table *table, size_t step_count, struct tp_arena *arena);

/* Copies a summary into `arena`; the copy shares nothing with `from`. */
void tp_rank_summary_copy(struct tp_rank_summary *rank, const struct tp_rank_summary *from, struct tp_arena *arena);

enum tp_comm_op_column {
    TP_COMM_OP_NAME,
    TP_COMM_OP_CALLS,
    TP_COMM_OP_BYTES,
    TP_COMM_OP_LATENCY,
    TP_COMM_OP_TRANSFER,
    TP_COMM_OP_KERNELS,
    TP_COMM_OP_KERNEL_TIME,
    TP_COMM_OP_DTYPE,
    TP_COMM_OP_GROUP_SIZE,
    TP_COMM_OP_GROUP,
    TP_COMM_OP_GROUP_DESCRIPTION,
    TP_COMM_OP_COLUMNS
};

enum { TP_OVERLAP_PARTS = 4, TP_WAIT_PARTS = 2 }; /* columns of the two step matrices */

/* Numbers of every step and worker. Row 0, "all", is the mean over the steps, in microseconds (real numbers). */
struct tp_step_matrix {
    struct tp_str *steps; /* labels of the rows; steps[0] is "all" */
    uint32_t step_count, part_count;
    bool *has_cell;   /* index: step * worker_count + worker */
    int64_t *part_ns; /* index: (step * worker_count + worker) * part_count + part; step 0 is not used */
    double *mean_us;  /* row 0; index: worker * part_count + part */
};

/* Links from a rank to the next rank with devices on the same node, and to the next in the same process; TP_NO_ID ends
 * a list. The names of the workers contain node and process. */
struct tp_rank_siblings {
    uint32_t next_of_node, next_of_process;
    bool is_first_of_node, is_first_of_process;
};

struct tp_distributed {
    bool is_present; /* false if the span has no communication; the view is then not written */
    bool has_span;
    int64_t span;
    const struct tp_rank_summary **ranks; /* ranks with communication; the arrays below have the same order */
    uint32_t rank_count;
    struct tp_rank_siblings *kin; /* by rank */
    bool *is_cause_of_loss; /* by rank: a replay (docs/definitions.md, section 29) shows that the rank's own work costs
                             * time. NULL: no reliable replay */
    const struct tp_peaks_file *peaks_file;       /* peaks from the user; NULL: only published peaks are used */
    const struct tp_job *job;                     /* replayed job of these ranks; NULL: no reliable replay */
    struct tp_str *workers_without_communication; /* workers without communication */
    uint32_t without_communication_count;
    bool is_comparable;
    /* The ranks are comparable, but other ranks of the job or of a group are missing. Real waits are at least as long
     * as shown. */
    bool is_partial;
    bool is_size_known;                  /* the size of the job, or of a group, is known */
    struct tp_step_matrix overlap, wait; /* `wait` is empty unless the ranks are comparable */
    struct tp_table *ops;                /* by rank: table with the columns of enum tp_comm_op_column */
};

/* Builds the view in `arena`. ranks: profiles of one span, sorted by worker name. span: TP_NULL_INT if the trace has
 * none. */
void tp_distributed_build(struct tp_distributed *view, int64_t span, const struct tp_rank_summary *ranks,
                          uint32_t count, struct tp_arena *arena);
/* The straggler: the rank for which the other ranks wait (docs/definitions.md, section 15, E3). */
struct tp_straggler {
    uint32_t rank;                   /* index in `ranks` of the view; TP_NO_ID: no rank is a straggler */
    uint32_t late_count, step_count; /* late_count: steps in which the straggler arrives last; step_count: all steps */
    double wait_us, step_us; /* wait_us: mean wait of the other ranks for the straggler per step; step_us: mean length
                              * of a step over all ranks */
    double share_percent;    /* percentage of a step that equal work would save */
};

void tp_straggler_find(struct tp_straggler *found, const struct tp_distributed *view);
/* Returns the straggler as a finding without its detail. found->rank must not be TP_NO_ID. */
struct tp_finding;
struct tp_finding tp_straggler_finding(const struct tp_straggler *found);

/* Fields of one object in the run's "distributed" array. */
extern const struct tp_fields tp_distributed_fields;

#endif
