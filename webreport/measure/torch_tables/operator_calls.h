/* Operators by device time, with their computation and memory traffic, as in the table of MegEngine's profile_analyze.
 *
 * A row is one call, or all calls of an operator. The time of a row is the time of the kernels that its calls
 * themselves launched. Without device events, the time is the self time of the calls, without inner operators. Rates
 * use the time that includes inner operators, because the kernels of aten::linear belong to its inner aten::addmm. */
#ifndef TP_WEBREPORT_MEASURE_TORCH_TABLES_OPERATOR_CALLS_H
#define TP_WEBREPORT_MEASURE_TORCH_TABLES_OPERATOR_CALLS_H

#include "webreport/measure/torch_tables/operator_filter.h"
#include "webreport/model/policy_torch.h"
#include "writer/base/buf.h"
#include "writer/base/table.h"

enum tp_aggregate { TP_AGGREGATE_NONE, TP_AGGREGATE_SUM, TP_AGGREGATE_MEAN, TP_AGGREGATE_MAX, TP_AGGREGATE_MIN };
#define TP_AGGREGATES "none|sum|mean|max|min" /* names of enum tp_aggregate, as choices of an option */

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
    const char *order_by; /* column name, or "time"; a leading "+" sorts in ascending order; NULL: time */
    int64_t min_time_ns;  /* smallest time of a shown row */
    int64_t max_time_ns;  /* largest time of a shown row; negative: no limit */
    int64_t top;          /* largest number of rows; negative: all rows */
    struct tp_operator_filter filter;
    bool is_host;             /* true: show CPU times even if a device was recorded */
    bool includes_copy_times; /* true: include the time of copies in the text */
};

struct tp_operator_calls {
    struct tp_table table;        /* the shown rows, in order */
    bool is_device;               /* true: times are device times; false: CPU times */
    uint32_t call_count;          /* number of calls of operators in the trace */
    int64_t time_ns;              /* self time of all calls, ns */
    int64_t known_computation_ns; /* self time of the calls whose computation is known, ns */
    int64_t copy_ns;              /* device time of copies (memcpy), ns */
    uint32_t copy_count;          /* number of copies in copy_ns */
    bool is_copy_time_shown;
};

/* Builds the table in `arena` (guard set by the caller). The trace must outlive the table. */
void tp_operator_calls_build(struct tp_operator_calls *calls, const struct tp_trace *trace,
                             const struct tp_operator_options *options, struct tp_arena *arena);

/* Returns whether order_by names a column. */
bool tp_operator_can_order(const char *order_by);

#endif
