/* Adds the host events around captured calls of other traces to a trace (docs/definitions.md, section 33).
 *
 * The added events follow the trace's own events, so that all functions that take the index of an event accept them.
 * But no loop over the trace's own events visits them, and no number of the trace changes. */
#ifndef TP_WEBREPORT_MODEL_CAPTURE_IMPORT_H
#define TP_WEBREPORT_MODEL_CAPTURE_IMPORT_H

#include "webreport/model/capture/graph_captures.h"
#include "webreport/model/facts.h"

/* A capture trace: the model of its links, and its sections. */
struct tp_capture_trace {
    const struct tp_model *model;
    struct tp_captures captures;
};

/* Adds the captured calls of the capture traces and all events around them to `trace`, and sets
 * trace->capture.captures. Must be called after the trace was read and before its model is built. Memory comes from the
 * arena of the trace, whose guard must be set. The capture traces may be released afterwards. */
void tp_captures_import(struct tp_trace *trace, const struct tp_capture_trace *from, size_t count);

#endif
