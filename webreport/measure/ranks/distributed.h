/* Distributed view: the ranks of one span beside each other (section 10).
 *
 * Profiles are read one at a time, so each leaves a small summary in an arena that outlives its trace. */
#ifndef TP_WEBREPORT_MEASURE_RANKS_DISTRIBUTED_H
#define TP_WEBREPORT_MEASURE_RANKS_DISTRIBUTED_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/measure/views/overview.h"
#include "webreport/measure/work/peaks_file.h"
#include "webreport/model/facts.h"
#include "writer/base/fields.h"

struct tp_job;

/* What the metadata of a collective say. */
enum tp_rank_meta { TP_RANK_DTYPE, TP_RANK_GROUP_SIZE, TP_RANK_GROUP, TP_RANK_GROUP_DESCRIPTION, TP_RANK_METAS };

/* A collective call of a rank: what the comparison over ranks needs. */
struct tp_rank_record {
    struct tp_str name;
    uint32_t step; /* label in tp_rank_summary.labels; TP_NO_ID: in no step */
    uint32_t first_range, range_count, kernel_count;
    int64_t bytes, kernel_time_ns;
    struct tp_str meta[TP_RANK_METAS]; /* enum tp_rank_meta; ptr NULL when absent */
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
    struct tp_table overlap;  /* enum tp_overlap_column, a row per step */
    struct tp_rank_gpu *gpus; /* busy devices with known properties */
    uint32_t gpu_count;
    uint32_t device_count; /* that the machine shows to the process; 0: unknown */
    int64_t world_size;    /* ranks of its job; TP_NULL_INT: unknown */
};

/* Copies what is needed into `arena`; the trace, its model and overview may go afterwards. */
void tp_rank_summary_build(struct tp_rank_summary *rank, struct tp_str worker, const struct tp_model *model,
                           const struct tp_overview *overview, struct tp_arena *arena);

/* An empty table for tp_rank_summary.overlap. */
void tp_rank_overlap_init(struct tp_table *table, size_t step_count, struct tp_arena *arena);

/* A copy that lives in `arena` and shares nothing with `from`. */
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

/* Numbers of every step and worker. Row 0 is "all": means in microseconds (reals). */
struct tp_step_matrix {
    struct tp_str *steps; /* row labels, [0] = all */
    uint32_t step_count, part_count;
    bool *has_cell;   /* [step * worker_count + worker] */
    int64_t *part_ns; /* [(step * worker_count + worker) * part_count + part]; rows from 1 */
    double *mean_us;  /* [worker * part_count + part] */
};

/* Ranks with devices that are of one node (and process), as lists: their worker's names tell. TP_NO_ID ends them. */
struct tp_rank_kin {
    uint32_t next_of_node, next_of_process;
    bool is_first_of_node, is_first_of_process;
};

struct tp_distributed {
    bool is_present; /* false: no communication in this span, nothing is written */
    bool has_span;
    int64_t span;
    const struct tp_rank_summary **ranks; /* with communication; rows of everything below */
    uint32_t rank_count;
    struct tp_rank_kin *kin; /* by rank */
    bool *is_blamed;         /* by rank: a replay (docs/definitions.md, section 29) says that its own work costs; NULL: none to trust */
    const struct tp_peaks_file *peaks_file; /* what the user says of devices; NULL: published figures alone */
    const struct tp_job *job; /* these ranks as a job, replayed; NULL: nothing was replayed that can be trusted */
    struct tp_str *silent_workers; /* without communication */
    uint32_t silent_count;
    bool is_comparable;
    /* comparable, and other ranks of the job or a group are missing: waiting is at least what these show */
    bool is_partial;
    bool is_size_known; /* of the job, or of a group */
    struct tp_step_matrix overlap, wait; /* wait: only when comparable */
    struct tp_table *ops;                /* per rank: enum tp_comm_op_column */
};

/* ranks: the profiles of one span by worker name. span: TP_NULL_INT for null. */
void tp_distributed_build(struct tp_distributed *view, int64_t span, const struct tp_rank_summary *ranks,
                          uint32_t count, struct tp_arena *arena);
/* The rank that the others wait for, where there is one (docs/definitions.md, section 15, E3). */
struct tp_straggler {
    uint32_t rank;                   /* index in ranks; TP_NO_ID: there is none */
    uint32_t late_count, step_count; /* steps in which it arrives last, of all */
    double wait_us, step_us;         /* per step: what the others wait for it, and the mean step of all ranks */
    double share_percent;            /* of a step: what equal work would gain */
};

void tp_straggler_find(struct tp_straggler *found, const struct tp_distributed *view);
/* "rank1 arrives last in 4 of 4 steps; the others wait for it 181.8 ms of a step of 249.1 ms". In `arena`. */
const char *tp_straggler_text(const struct tp_straggler *found, struct tp_str worker, struct tp_arena *arena);
/* Returns it as a finding, with texts in `arena`. found->rank is not TP_NO_ID. */
struct tp_finding;
struct tp_finding tp_straggler_finding(const struct tp_straggler *found, const struct tp_distributed *view,
                                       struct tp_arena *arena);

/* Of one object of the run's "distributed" array. */
extern const struct tp_fields tp_distributed_fields;

#endif
