/* Visits the texts of a trace: passes each event and each top-level member to a visitor as it is in the file.
 *
 * The JSON reader is the same as for trace.h. It finds the same elements with the same ordinals and repairs the same
 * damage, but decodes and stores nothing. Texts are in the reader's window and valid only during the call.
 * TP_FEED_PAD bytes after each text are readable. A visitor belongs to one thread. */
#ifndef TP_WEBREPORT_TRACE_VISIT_H
#define TP_WEBREPORT_TRACE_VISIT_H

#include "webreport/trace/json/scan.h"
#include "webreport/trace/trace.h"

struct tp_event_text {
    struct tp_str text;
    /* fields of the element, inside `text`; NULL if the element is not an object */
    const struct tp_spans *spans;
    uint32_t ordinal; /* position of the element in the list of events, as in tp_event.ordinal */
    bool is_repaired; /* true if the reader treated some quotes as text, because they do not end a string */
};

/* Functions that receive the parts of a trace. Each returns 0, or a negative code with *err filled. A negative code
 * stops the visit and becomes its result. */
struct tp_visitor {
    void *context;
    /* Receives a top-level member other than traceEvents. key: without its quotes; value: as in the file. */
    int (*member)(void *context, struct tp_str key, struct tp_str value, struct tp_error *err);
    /* Receives the start of a list of events. is_bare: true if the list is the whole document. A damaged file may
     * have several lists. */
    int (*list)(void *context, bool is_bare, struct tp_error *err);
    int (*event)(void *context, const struct tp_event_text *event, struct tp_error *err);
};

/* Visits the trace at `path` ("-" for standard input). options: as for tp_trace_read, but is_strict is ignored.
 * *reading receives the counters that need no decoded events; may be NULL. Allocates from `arena`, whose guard must
 * be set. Returns 0, TP_EIO, TP_ELIMIT, TP_EFORMAT if the file is not a trace, TP_EUNSUPPORTED if it is a trace in
 * another format than JSON, or the visitor's code. */
int tp_trace_visit(const char *path, struct tp_arena *arena, const struct tp_trace_options *options,
                   const struct tp_visitor *visitor, struct tp_reading *reading, struct tp_error *err);

#endif
