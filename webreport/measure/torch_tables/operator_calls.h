/* Operators by device time with what they compute and move: the table of MegEngine's profile_analyze.
 *
 * A row is a call, or all calls of an operator. Time is self time: of the kernels that a call launched itself, or, in a
 * trace without device events, of the call without the operators in it. Rates are over the time with the operators
 * inside, since the kernels of aten::linear are those of the aten::addmm in it. */
#ifndef TP_WEBREPORT_MEASURE_TORCH_TABLES_OPERATOR_CALLS_H
#define TP_WEBREPORT_MEASURE_TORCH_TABLES_OPERATOR_CALLS_H

#include "webreport/measure/torch_tables/operator_filter.h"
#include "webreport/model/policy_torch.h"
#include "writer/base/buf.h"
#include "writer/base/table.h"

enum tp_aggregate { TP_AGGREGATE_NONE, TP_AGGREGATE_SUM, TP_AGGREGATE_MEAN, TP_AGGREGATE_MAX, TP_AGGREGATE_MIN };
#define TP_AGGREGATES "none|sum|mean|max|min" /* the same as choices of an option */

enum tp_operator_column {
    TP_OPERATOR_RANK,
    TP_OPERATOR_NAME,
    TP_OPERATOR_CALLS,
    TP_OPERATOR_TIME,
    TP_OPERATOR_TIME_SHARE,
    TP_OPERATOR_CUMULATIVE,
    TP_OPERATOR_CUMULATIVE_SHARE,
    TP_OPERATOR_TOTAL_TIME,
    TP_OPERATOR_COMPUTATION,
    TP_OPERATOR_FLOPS,
    TP_OPERATOR_MEMORY,
    TP_OPERATOR_BANDWIDTH,
    TP_OPERATOR_IN_SHAPES,
    TP_OPERATOR_OUT_SHAPES,
    TP_OPERATOR_FAMILY,
    TP_OPERATOR_COLUMNS
};
extern const struct tp_column_def tp_operator_columns[TP_OPERATOR_COLUMNS];

struct tp_operator_options {
    enum tp_aggregate aggregate;
    const char *order_by; /* a column's name or "time"; "+" before it: ascending; NULL: time */
    int64_t min_time_ns;  /* rows with less are left out */
    int64_t max_time_ns;  /* rows with more are left out; negative: no limit */
    int64_t top;          /* most rows; negative: all */
    struct tp_operator_filter filter;
    bool is_host;    /* times of the CPU although a device was recorded */
    bool has_copies; /* the text tells the time of copies */
};

struct tp_operator_calls {
    struct tp_table table; /* the rows that are shown, in order */
    bool is_device;        /* times are those of a device */
    uint32_t call_count;   /* of operators in the trace */
    int64_t time_ns;       /* self time of all of them */
    int64_t covered_ns;    /* of those with a computation */
    int64_t copy_ns;       /* device time of copies (memcpy) .. */
    uint32_t copy_count;   /* .. and how many */
    bool tells_copies;
};

/* Builds the table in `arena` (guard set by the caller). The trace must outlive it. */
void tp_operator_calls_build(struct tp_operator_calls *calls, const struct tp_trace *trace,
                             const struct tp_operator_options *options, struct tp_arena *arena);

/* True when order_by names a column. */
bool tp_operator_can_order(const char *order_by);

#endif
