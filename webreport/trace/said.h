/* Formats the arguments that a program gives a range or a moment as lines "name: value". Strings have no quotes; lists
 * and objects are compact JSON. Arguments that profilers write are omitted. */
#ifndef TP_WEBREPORT_TRACE_SAID_H
#define TP_WEBREPORT_TRACE_SAID_H

#include "webreport/trace/sink.h"

/* A text of arguments that is being built. Initialize it with TP_SAID_TEXT. */
struct tp_said_text {
    struct tp_buf *lines; /* buffer for the lines, owned by the caller */
    unsigned count;       /* number of lines so far */
    uint32_t color;       /* color 0xRRGGBB; TP_NO_ID if the program gave none */
};

#define TP_SAID_TEXT(buf) ((struct tp_said_text){.lines = (buf), .color = TP_NO_ID})

/* Adds an argument: its key without quotes, its value as JSON. An argument "color" of the form #RRGGBB sets the color.
 */
void tp_said_add(struct tp_said_text *said, struct tp_str key, struct tp_str value);

/* Returns the text and the color in the form that the trace stores. */
struct tp_said tp_said_end(struct tp_sink *sink, const struct tp_said_text *said);

#endif
