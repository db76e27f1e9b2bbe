/* Formats the arguments that a program gives a range or a moment as lines "name: value". Strings have no quotes; lists
 * and objects are compact JSON. Arguments that profilers write are omitted. */
#ifndef TP_WEBREPORT_TRACE_ARGUMENT_LINES_H
#define TP_WEBREPORT_TRACE_ARGUMENT_LINES_H

#include "webreport/trace/sink.h"

/* A text of arguments that is being built. Initialize it with TP_ARGUMENT_LINES. */
struct tp_argument_lines {
    struct tp_buf *lines; /* buffer for the lines, owned by the caller */
    unsigned count;       /* number of lines so far */
    uint32_t color;       /* color 0xRRGGBB; TP_NO_ID if the program gave none */
};

#define TP_ARGUMENT_LINES(buf) ((struct tp_argument_lines){.lines = (buf), .color = TP_NO_ID})

/* Adds an argument: its key without quotes, its value as JSON. An argument "color" of the form #RRGGBB sets the color.
 */
void tp_argument_lines_add(struct tp_argument_lines *lines, struct tp_str key, struct tp_str value);

/* Returns the text and the color in the form that the trace stores. */
struct tp_argument_text tp_argument_lines_end(struct tp_sink *sink, const struct tp_argument_lines *lines);

#endif
