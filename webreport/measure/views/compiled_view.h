/* The view of compiled code: the calls that torch.compile generated, with times and the source lines that their code
 * comes from (docs/definitions.md, section 36). */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_COMPILED_VIEW_H
#define TP_WEBREPORT_MEASURE_VIEWS_COMPILED_VIEW_H

#include "webreport/model/facts.h"
#include "writer/base/fields.h"

enum tp_compiled_column {
    TP_COMPILED_KERNEL,
    TP_COMPILED_FAMILY,
    TP_COMPILED_KEY,
    TP_COMPILED_BACKWARD,
    TP_COMPILED_REGION,
    TP_COMPILED_CALLS,
    TP_COMPILED_HOST,
    TP_COMPILED_DEVICE,
    TP_COMPILED_LINE,
    TP_COMPILED_LINES,
    TP_COMPILED_VIA,
    TP_COMPILED_NODES,
    TP_COMPILED_COLUMNS
};

struct tp_compiled_view {
    bool is_present; /* true if the trace has calls of compiled code */
    /* table of the calls by kernel, key and region, sorted by device time, host time (descending), kernel, key */
    struct tp_table calls;
    uint64_t call_count;
    uint64_t line_count; /* number of calls whose line comes from the artifacts of torch.compile */
};

void tp_compiled_view_build(struct tp_compiled_view *view, const struct tp_model *model, struct tp_arena *arena);

#endif
