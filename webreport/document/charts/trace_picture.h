/* The picture of a trace on a page about several traces: one step in time, and the findings. The trace is released
 * before the page is made, so the picture has copies of all texts. */
#ifndef TP_WEBREPORT_DOCUMENT_CHARTS_TRACE_PICTURE_H
#define TP_WEBREPORT_DOCUMENT_CHARTS_TRACE_PICTURE_H

#include "webreport/document/block.h"
#include "webreport/document/charts/causes.h"

struct tp_trace_picture {
    const char *title;        /* title of the report on the trace */
    bool is_present;          /* false: the input is a summary, which has no events */
    int64_t start_ns, end_ns; /* the step of median length; both 0: the trace has no step with known causes */
    const char *step;         /* name of the step */
    struct tp_strip_row lanes[2];
    size_t lane_count;
    struct tp_findings_block findings; /* findings in the order of the report on the trace; items: NULL if none */
};

#endif
