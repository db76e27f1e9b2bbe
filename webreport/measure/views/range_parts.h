/* Shared by the files that build the table of ranges: range_times.c sums, range_table.c fills the table. */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_RANGE_PARTS_H
#define TP_WEBREPORT_MEASURE_VIEWS_RANGE_PARTS_H

#include "webreport/measure/views/range_times.h"

/* Sums of the ranges with one label and kind. Times in ns; TP_NULL_INT: unknown. */
struct tp_range_row {
    uint32_t label; /* label id of the name (tp_frames_label_text); TP_NO_ID: the row "(rest)", or `text` is the name */
    struct tp_str text; /* name of an annotation of graph kernels; ptr NULL for other rows */
    bool is_step;       /* true: the row has steps of the profiler */
    unsigned kind; /* TP_KIND_ANNOTATION, TP_KIND_MODULE, or TP_KIND_GPU_ANNOTATION for annotations of graph kernels */
    uint32_t thread;     /* last thread with a range of the row; TP_NO_ID before the first range */
    uint32_t stretch;    /* last stretch of the row, index in `stretches` */
    uint32_t first, end; /* stretches of the row, once they are sorted by row */
    int64_t calls, threads, host_ns, host_step_ns, forward_ns, backward_ns, busy_ns, self_ns, operations,
        device_step_ns;
    int64_t captured_ns; /* time of the operations of graph launches whose captured calls are in the module */
};

/* Sorts the rows and fills view->table and view->has_device_time. Rows beyond TP_MAX_RANGE_ROWS become one row. */
void tp_range_rows_fill_table(struct tp_range_times *view, struct tp_range_row *rows, size_t count,
                              const struct tp_model *model, struct tp_arena *arena);

#endif
