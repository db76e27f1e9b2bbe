/* Rows and columns of the table of ranges, which range_times.h builds. */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_RANGE_TABLE_H
#define TP_WEBREPORT_MEASURE_VIEWS_RANGE_TABLE_H

#include "webreport/model/facts.h"
#include "writer/base/fields.h"

enum tp_range_time_column {
    TP_RANGE_TIME_NAME, /* name as recorded; "ProfilerStep*" for all steps of the profiler; "(rest)" for more names */
    TP_RANGE_TIME_KIND, /* "annotation", "module" or "graph annotation"; null for "(rest)" */
    TP_RANGE_TIME_CALLS,
    TP_RANGE_TIME_THREADS, /* number of threads with such a range; null for "(rest)" */
    TP_RANGE_TIME_HOST,
    TP_RANGE_TIME_HOST_SELF,
    TP_RANGE_TIME_FORWARD,
    TP_RANGE_TIME_BACKWARD,
    TP_RANGE_TIME_DEVICE,
    TP_RANGE_TIME_BUSY, /* null for "(rest)" */
    TP_RANGE_TIME_SELF,
    TP_RANGE_TIME_CAPTURED,
    TP_RANGE_TIME_OPERATIONS,
    TP_RANGE_TIME_PERCENT,
    TP_RANGE_TIME_HOST_PER_STEP,
    TP_RANGE_TIME_DEVICE_PER_STEP,
    TP_RANGE_TIME_COLUMNS
};

/* Definitions of the columns, which other tables of the rows also use. */
extern const struct tp_column_def tp_range_time_columns[TP_RANGE_TIME_COLUMNS];

/* Sums of the ranges with one label and kind. Times in ns; TP_NULL_INT: unknown. */
struct tp_range_row {
    uint32_t label; /* label id of the name (tp_frames_label_text); TP_NO_ID: the row "(rest)", or `text` is the name */
    struct tp_str text; /* name of an annotation of graph kernels; ptr NULL for other rows */
    bool is_step;       /* true: the row has steps of the profiler */
    unsigned kind; /* TP_KIND_ANNOTATION, TP_KIND_MODULE, or TP_KIND_GPU_ANNOTATION for annotations of graph kernels */
    uint32_t thread;     /* last thread with a range of the row; TP_NO_ID before the first range */
    uint32_t stretch;    /* last stretch of the row, index in `stretches` */
    uint32_t first, end; /* stretches of the row, once they are sorted by row */
    int64_t calls, threads, host_ns, host_self_ns, host_step_ns, forward_ns, backward_ns, busy_ns, self_ns, operations,
        device_step_ns;
    int64_t captured_ns; /* time of the operations of graph launches whose captured calls are in the module */
};

/* Sorts the rows and makes a table of them. Rows beyond TP_MAX_RANGE_ROWS become one row. Returns true if an annotation
 * other than the steps of the profiler has device time. */
bool tp_range_table_fill(struct tp_table *table, struct tp_range_row *rows, size_t count, const struct tp_model *model,
                         struct tp_arena *arena);

#endif
