/* The distributed view: compares the ranks of one span, which is one recording on all ranks (docs/definitions.md,
 * section 12).
 *
 * The caller reads one profile at a time. A summary of each profile stays in an arena that outlives the trace. */
#ifndef TP_WEBREPORT_MEASURE_RANKS_DISTRIBUTED_H
#define TP_WEBREPORT_MEASURE_RANKS_DISTRIBUTED_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/measure/views/overview.h"
#include "webreport/measure/work/peaks_file.h"
#include "webreport/model/facts.h"
#include "writer/base/fields.h"

struct tp_job;

/* members in the metadata of a collective */
enum tp_rank_meta { TP_RANK_DTYPE, TP_RANK_GROUP_SIZE, TP_RANK_GROUP, TP_RANK_GROUP_DESCRIPTION, TP_RANK_METAS };

/* A call of a collective on one rank, with the data that the comparison of ranks needs. */
struct tp_rank_record {
    struct tp_str name;
    uint32_t step; /* index of the step in tp_rank_summary.labels; TP_NO_ID if the call is in no step */
    uint32_t first_range, range_count, kernel_count;
    int64_t bytes, kernel_time_ns;
    /* for each enum tp_rank_meta: text of the value; ptr is NULL if the trace lacks the value */
    struct tp_str meta[TP_RANK_METAS];
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
    struct tp_str *labels; /* names of the steps, without duplicates */
    uint32_t label_count;
    struct tp_table overlap;  /* columns: enum tp_overlap_column; one row per step */
    struct tp_rank_gpu *gpus; /* devices that had work and whose properties are known */
    uint32_t gpu_count;
    uint32_t device_count; /* number of devices of the machine that are visible to the process; 0 if unknown */
    int64_t world_size;    /* number of ranks in the rank's job; TP_NULL_INT if unknown */
};

/* Copies the data for the comparison into `arena`. The caller can release the trace, its model and the overview
 * afterwards. */
void tp_rank_summary_build(struct tp_rank_summary *rank, struct tp_str worker, const struct tp_model *model,
                           const struct tp_overview *overview, struct tp_arena *arena);

/* Makes an empty table for tp_rank_summary.overlap. */
void tp_rank_overlap_init(struct tp_table *table, size_t step_count, struct tp_arena *arena);

/* Copies a summary into `arena`. The copy contains no pointers into `from`. */
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

/* number of parts in each cell of the matrix `overlap`, and of the matrix `wait` */
enum { TP_OVERLAP_PARTS = 4, TP_WAIT_PARTS = 2 };

/* Times by step and worker. Row 0, "all", has the mean over the steps. */
struct tp_step_matrix {
    struct tp_str *steps; /* labels of the rows; steps[0] is "all" */
    uint32_t step_count, part_count;
    bool *has_cell;   /* true if the worker has the step; index: step * rank_count + worker */
    int64_t *part_ns; /* times, ns; index: (step * rank_count + worker) * part_count + part. Row 0 is not used */
    double *mean_us;  /* values of row 0, microseconds; index: worker * part_count + part */
};

/* Lists of related ranks with devices: one list for each node, and one for each process. next_in_node, next_in_process:
 * next rank of the list, TP_NO_ID at the end. Node and process are parts of the worker's name. */
struct tp_rank_siblings {
    uint32_t next_in_node, next_in_process;
    bool is_first_of_node, is_first_of_process;
};

struct tp_distributed {
    bool is_present; /* false if the ranks have no communication; outputs then omit the view */
    bool has_span;
    int64_t span;
    /* the ranks with communication; other arrays with one element per rank have the same order */
    const struct tp_rank_summary **ranks;
    uint32_t rank_count;
    struct tp_rank_siblings *siblings_by_rank; /* for each rank: related ranks */
    /* for each rank: true if a replay (docs/definitions.md, section 29) shows that the rank's own work costs time;
     * NULL: no reliable replay */
    bool *is_cause_of_loss;
    const struct tp_peaks_file *peaks_file;       /* peaks from the user's file; NULL: use published peaks only */
    const struct tp_job *job;                     /* replayed job of these ranks; NULL if no replay is reliable */
    struct tp_str *workers_without_communication; /* names of the workers without communication */
    uint32_t without_communication_count;
    bool is_comparable;
    /* true if the ranks are comparable, but other ranks of the job or of a group are missing. The real waits can then
     * be longer than shown, but not shorter */
    bool is_partial;
    bool is_size_known;                  /* true if the number of ranks in the job or in a group is known */
    struct tp_step_matrix overlap, wait; /* `wait` is empty if the ranks are not comparable */
    struct tp_table *ops;                /* for each rank: table of collectives, enum tp_comm_op_column */
};

/* Builds the view in `arena`. ranks: summaries of one span, sorted by worker name. span: number of the recording;
 * TP_NULL_INT if the traces have no such number. */
void tp_distributed_build(struct tp_distributed *view, int64_t span, const struct tp_rank_summary *ranks,
                          uint32_t count, struct tp_arena *arena);
/* The straggler: the rank for which the other ranks wait (docs/definitions.md, section 15, E3). */
struct tp_straggler {
    uint32_t rank; /* index in `ranks` of the view; TP_NO_ID: no rank is a straggler */
    /* late_count: number of steps in which the straggler arrives last; step_count: number of all steps */
    uint32_t late_count, step_count;
    /* means per step, us. wait_us: wait of the other ranks for the straggler; step_us: length of the step */
    double wait_us, step_us;
    double share_percent; /* percentage of a step that would be saved if the straggler did not delay the other ranks */
};

void tp_straggler_find(struct tp_straggler *found, const struct tp_distributed *view);
/* Returns the finding about the straggler, without details. found->rank must not be TP_NO_ID. */
struct tp_finding;
struct tp_finding tp_straggler_make_finding(const struct tp_straggler *found);

/* members of one object in the run's "distributed" array */
extern const struct tp_fields tp_distributed_fields;

#endif
