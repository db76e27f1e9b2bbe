/* A trace read as text: each event and each top-level member as it stands in the file, for whoever passes it on.
 *
 * The same reader as that of trace.h finds the same elements under the same ordinals and repairs the same damage; but
 * nothing is decoded, and nothing is kept. Texts lie in the reader's window and are borrowed for the call; behind each
 * TP_FEED_PAD bytes are readable. A visitor belongs to one thread. */
#ifndef TP_WEBREPORT_TRACE_VISIT_H
#define TP_WEBREPORT_TRACE_VISIT_H

#include "webreport/trace/scan.h"
#include "webreport/trace/trace.h"

struct tp_event_text {
    struct tp_str text;
    const struct tp_spans *spans; /* of its fields, within text; NULL: an element that is no object */
    uint32_t ordinal;             /* as tp_event.ordinal */
    bool is_repaired;             /* it was found with quotes taken for text where they ended none */
};

/* Each function returns 0, or a negative code that ends the reading and is its result (it fills err). */
struct tp_visitor {
    void *context;
    /* A member beside traceEvents: key without its quotes, value; both as written. */
    int (*member)(void *context, struct tp_str key, struct tp_str value, struct tp_error *err);
    /* A list of events begins; is_bare: it is the whole document. A damaged file may have several. */
    int (*list)(void *context, bool is_bare, struct tp_error *err);
    int (*event)(void *context, const struct tp_event_text *event, struct tp_error *err);
};

/* Reads `path` ("-" for stdin); options as those of tp_trace_read, is_strict does not count. *reading: what the file
 * had to say of itself, as far as no event need be decoded for it; may be NULL. Memory comes from `arena` (guard set by
 * the caller). Returns 0, TP_EIO, TP_ELIMIT, TP_EFORMAT when it is no trace, or the visitor's code. */
int tp_trace_visit(const char *path, struct tp_arena *arena, const struct tp_trace_options *options,
                   const struct tp_visitor *visitor, struct tp_reading *reading, struct tp_error *err);

#endif
