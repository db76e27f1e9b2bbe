/* Visits a trace as text: passes each event and each top-level member on as it is in the file.
 *
 * The same reader as that of trace.h finds the same elements with the same ordinals and repairs the same damage; but
 * nothing is decoded or kept. Texts are in the reader's window and borrowed for the call; TP_FEED_PAD bytes after each
 * text are readable. A visitor belongs to one thread. */
#ifndef TP_WEBREPORT_TRACE_VISIT_H
#define TP_WEBREPORT_TRACE_VISIT_H

#include "webreport/trace/json/scan.h"
#include "webreport/trace/trace.h"

struct tp_event_text {
    struct tp_str text;
    const struct tp_spans *spans; /* its fields, within text; NULL: an element that is not an object */
    uint32_t ordinal;             /* see tp_event.ordinal */
    bool is_repaired;             /* some quotes were treated as text because they do not end a string */
};

/* The functions called for a trace. Each returns 0, or a negative code, which ends the reading and is its result; then
 * it fills err. */
struct tp_visitor {
    void *context;
    /* Gets a member other than traceEvents: key without its quotes, value; both as written. */
    int (*member)(void *context, struct tp_str key, struct tp_str value, struct tp_error *err);
    /* Called when a list of events begins; is_bare: it is the whole document. A damaged file may have several lists. */
    int (*list)(void *context, bool is_bare, struct tp_error *err);
    int (*event)(void *context, const struct tp_event_text *event, struct tp_error *err);
};

/* Reads `path` ("-" for stdin). options: as for tp_trace_read; is_strict is ignored. *reading: the counters that do not
 * need decoded events; may be NULL. Memory comes from `arena` (guard set by the caller). Returns 0, TP_EIO, TP_ELIMIT,
 * TP_EFORMAT when it is not a trace, or the visitor's code. */
int tp_trace_visit(const char *path, struct tp_arena *arena, const struct tp_trace_options *options,
                   const struct tp_visitor *visitor, struct tp_reading *reading, struct tp_error *err);

#endif
