/* The captured graphs of a trace, and what they show about the kernels of replayed graphs (docs/definitions.md,
 * section 33). */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_CAPTURE_VIEW_H
#define TP_WEBREPORT_MEASURE_VIEWS_CAPTURE_VIEW_H

#include "webreport/model/facts.h"
#include "writer/base/fields.h"

enum tp_capture_column {
    TP_CAPTURE_FILE,
    TP_CAPTURE_INDEX,
    TP_CAPTURE_BATCH,
    TP_CAPTURE_MODE,
    TP_CAPTURE_CALLS,
    TP_CAPTURE_USED, /* number of launches whose kernels come from this section */
    TP_CAPTURE_COLUMNS
};

enum tp_graph_launch_column {
    TP_GRAPH_LAUNCH_CALL,
    TP_GRAPH_LAUNCH_START,
    TP_GRAPH_LAUNCH_KERNELS,
    TP_GRAPH_LAUNCH_BATCH,
    TP_GRAPH_LAUNCH_DEVICE,
    TP_GRAPH_LAUNCH_JOINED,
    TP_GRAPH_LAUNCH_BY_NAME,
    TP_GRAPH_LAUNCH_SHARE,
    TP_GRAPH_LAUNCH_REASON, /* empty if the capture applies without reservation */
    TP_GRAPH_LAUNCH_SECTION,
    TP_GRAPH_LAUNCH_COLUMNS
};

enum tp_captured_operator_column {
    TP_CAPTURED_OPERATOR_NAME, /* empty if the captured call is outside of operators */
    TP_CAPTURED_OPERATOR_CALLS,
    TP_CAPTURED_OPERATOR_KERNELS,
    TP_CAPTURED_OPERATOR_DEVICE,
    TP_CAPTURED_OPERATOR_SHARE,
    TP_CAPTURED_OPERATOR_MODULE, /* class of the module with the most time; empty if unknown */
    TP_CAPTURED_OPERATOR_LINE,   /* line with the most time; empty if unknown */
    TP_CAPTURED_OPERATOR_COLUMNS
};

struct tp_capture_view {
    bool is_present;           /* true if the trace has launches of graphs and captures */
    struct tp_table captures;  /* in the order of the files and of their sections */
    struct tp_table launches;  /* the first TP_MAX_GRAPH_LAUNCH_ROWS launches, sorted by start */
    struct tp_table operators; /* operators of joined kernels, longest device time first, then by name */
    int64_t launch_count, joined_launch_count, kernel_count, joined_count, device_ns, joined_ns;
    /* operations without an owner that have an operator of a captured call, and their time, ns */
    int64_t linked_count, linked_ns;
    const char *summary; /* one line about all launches, filled by document/words; NULL before */
};

/* Builds the view in `arena`, whose guard the caller has set. */
void tp_capture_view_build(struct tp_capture_view *view, const struct tp_model *model, struct tp_arena *arena);

extern const struct tp_fields tp_capture_view_fields;

#endif
