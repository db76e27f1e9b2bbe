/* Declares the lists and records of the messages in writer/proto/summary.proto. Each list or record has a table with
 * one row for each field. Some lists store structs that are computed from a summary (struct tp_stored_x). */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_COLUMNS_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_COLUMNS_H

#include "webreport/measure/summary/columns.h"
#include "webreport/measure/summary/summary.h"

struct ProtobufCMessageDescriptor;

/* ---- structs that are stored, but are not part of a summary ---- */

/* A stored metric of the summary; metrics with tp_metric_is_omitted are not stored. */
struct tp_stored_metric {
    struct tp_str name;
    struct tp_str why; /* reason why the metric has no value; "": no reason */
    double value;      /* value in the unit of the metric; NaN: no value */
};

/* Values of tp_stored_decision.number. Larger numbers, from newer versions, are read as TP_DECISION_FAIL. */
enum { TP_DECISION_NONE, TP_DECISION_PASS, TP_DECISION_FAIL };

/* The decision that `check` made about the run. See struct tp_run_decision. */
struct tp_stored_decision {
    uint32_t number; /* TP_DECISION_x; TP_DECISION_NONE: no check stored the run */
    bool accepts;    /* true: the run is the first run of a new level */
    /* by: person who accepted the run; at: time of the acceptance; reason: reason for the acceptance; "": unknown */
    struct tp_str by, at, reason;
    int64_t committed_s; /* time of the commit that the run measured, seconds since the epoch; 0: unknown */
};

/* A row, with the values of its sketch that are computed for the file. */
struct tp_stored_row {
    /* the columns store only `count` and `min_ns` of row.time; other members of row.time are computed */
    struct tp_summary_row row;
    uint64_t span_ns;   /* longest minus shortest duration, ns */
    uint64_t excess_ns; /* sum of the durations minus (count times shortest duration), ns; modulo 2^64 */
    bool has_steps;     /* true: the row has a cell for each step */
};

/* The other values of a row's sketch; only for rows with different durations. */
struct tp_stored_span {
    double deviation_ns; /* standard deviation of the durations, ns */
    struct tp_sketch_bucket *buckets;
    uint32_t bucket_count;
};

/* The time and the number of calls of a row in one step. */
struct tp_stored_cell {
    int64_t sum_ns; /* time of the calls in the step, ns */
    int64_t count;  /* number of calls in the step */
};

/* A member of the evidence: its name, and its value as a word or a number. */
struct tp_stored_evidence {
    struct tp_str name, word; /* word: "" if the member is a number */
    int64_t number;
};

/* A row of the table tp_rank_summary.overlap. */
struct tp_stored_overlap {
    struct tp_str step;
    int64_t computation_ns, communication_ns, overlap_ns, other_ns;
};

/* A range of time in which the kernels of a collective run. */
struct tp_stored_range {
    int64_t start_ns, length_ns; /* start and length, ns; on the same time axis as tp_rank_summary.ranges */
};

/* The times of a slot in a step. */
struct tp_stored_times {
    int64_t us[TP_SLOT_PARTS]; /* times, us; in steps after the first, the difference to the first step */
};

/* A process with its key, as stored in a SummaryEntry. */
struct tp_stored_entry {
    struct tp_summary_key key;
    int64_t event_count;
    struct tp_str process; /* gzip of a SummaryProcess */
};

/* ---- SummaryEntry ---- */

extern const struct tp_column_list tp_record_entry; /* record: struct tp_stored_entry */
extern const struct ProtobufCMessageDescriptor *const tp_message_entry;

/* ---- SummaryProcess ---- */

extern const struct ProtobufCMessageDescriptor *const tp_message_process;

/* records */
extern const struct tp_column_list tp_record_head;       /* record: struct tp_summary */
extern const struct tp_column_list tp_record_decision;   /* record: struct tp_stored_decision */
extern const struct tp_column_list tp_record_comparison; /* record: struct tp_rank_summary */
extern const struct tp_column_list tp_record_signature;  /* record: struct tp_signature */
extern const struct tp_column_list tp_record_slots;      /* record: struct tp_step_slots */

/* lists */
extern const struct tp_column_list tp_list_texts;        /* items: struct tp_str, as bytes */
extern const struct tp_column_list tp_list_metrics;      /* items: struct tp_stored_metric */
extern const struct tp_column_list tp_list_facts;        /* items: struct tp_summary_fact */
extern const struct tp_column_list tp_list_steps;        /* items: struct tp_summary_step */
extern const struct tp_column_list tp_list_left_out;     /* items: uint32_t, indexes of steps */
extern const struct tp_column_list tp_list_step_parts;   /* items: uint32_t, enum tp_summary_part */
extern const struct tp_column_list tp_list_step_part_ns; /* items: int64_t, ns, sorted by part, then step */
extern const struct tp_column_list tp_list_rows;         /* items: struct tp_stored_row */
/* items: struct tp_stored_row, only row.line; may be absent */
extern const struct tp_column_list tp_list_row_lines;
extern const struct tp_column_list tp_list_spans;        /* items: struct tp_stored_span with its buckets */
extern const struct tp_column_list tp_list_cells;        /* items: struct tp_stored_cell, sorted by row, then step */
extern const struct tp_column_list tp_list_collectives;  /* items: struct tp_summary_collective */
extern const struct tp_column_list tp_list_findings;     /* items: struct tp_summary_finding */
extern const struct tp_column_list tp_list_memory;       /* items: struct tp_summary_memory with its owners */
extern const struct tp_column_list tp_list_named_ranges; /* items: struct tp_summary_range */
extern const struct tp_column_list tp_list_generated;    /* items: struct tp_summary_generated */
extern const struct tp_column_list tp_list_flags;        /* items: struct tp_summary_flag */
extern const struct tp_column_list tp_list_evidence;     /* items: struct tp_stored_evidence */
extern const struct tp_column_list tp_list_labels;       /* items: struct tp_str */
extern const struct tp_column_list tp_list_overlap;      /* items: struct tp_stored_overlap */
extern const struct tp_column_list tp_list_records;      /* items: struct tp_rank_record with its metadata */
extern const struct tp_column_list tp_list_ranges;       /* items: struct tp_stored_range */
extern const struct tp_column_list tp_list_gpus;         /* items: struct tp_rank_gpu */
extern const struct tp_column_list tp_list_work;         /* items: struct tp_count_key */
extern const struct tp_column_list tp_list_work_varies;  /* items: uint32_t, indexes of keys that are not exact */
extern const struct tp_column_list tp_list_places;       /* items: struct tp_str */
extern const struct tp_column_list tp_list_lanes;        /* items: uint32_t, number of operators in each thread */
extern const struct tp_column_list tp_list_call_keys;    /* items: struct tp_count_call */
extern const struct tp_column_list tp_list_calls;        /* items: uint32_t, encoded operators (signature_pack.c) */
extern const struct tp_column_list tp_list_kept;         /* items: struct tp_count_kept */
extern const struct tp_column_list tp_list_functions;    /* items: struct tp_count_function */
extern const struct tp_column_list tp_list_groups;       /* items: struct tp_slot_group with its runs of ranks */
extern const struct tp_column_list tp_list_group_kinds;  /* items: struct tp_slot_group, only the kind; may be absent */
extern const struct tp_column_list tp_list_slots;        /* items: struct tp_slot */
/* items: struct tp_slot, only the members about the place of the wait; may be absent */
extern const struct tp_column_list tp_list_slot_waits;
extern const struct tp_column_list tp_list_slot_bytes; /* items: struct tp_slot, only moved_bytes; may be absent */
extern const struct tp_column_list tp_list_slot_steps; /* items: uint32_t, indexes of steps */
extern const struct tp_column_list tp_list_slot_times; /* items: struct tp_stored_times without TP_SLOT_OVERLAPPED */
/* items: struct tp_stored_times (TP_SLOT_OVERLAPPED); may be absent */
extern const struct tp_column_list tp_list_slot_overlap;

/* The first function returns whether the columns of each list of a SummaryProcess have equal lengths; the second,
 * whether any list has more than `most` items. */
bool tp_process_has_equal_lengths(const void *process);
bool tp_process_exceeds_length(const void *process, size_t most);

#endif
