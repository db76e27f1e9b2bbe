/* Formats the arguments that a program gives to a range or a moment as lines "name: value". Strings are written
 * without quotes, lists and objects as compact JSON. Arguments that profilers write are omitted. */
#ifndef TP_WEBREPORT_TRACE_ARGUMENT_LINES_H
#define TP_WEBREPORT_TRACE_ARGUMENT_LINES_H

#include "webreport/trace/sink.h"

/* Lines "name: value" under construction. Initialize the struct with TP_ARGUMENT_LINES. */
struct tp_argument_lines {
    struct tp_buf *lines; /* buffer for the lines, owned by the caller */
    unsigned count;       /* number of lines in the buffer */
    uint32_t color;       /* color 0xRRGGBB; TP_NO_ID if the program gave none */
};

#define TP_ARGUMENT_LINES(buf) ((struct tp_argument_lines){.lines = (buf), .color = TP_NO_ID})

/* Adds one line. key: without quotes. value: as JSON. The argument "color" with a value "#RRGGBB" also sets the
 * color. */
void tp_argument_lines_add(struct tp_argument_lines *lines, struct tp_str key, struct tp_str value);

/* Interns the text of all lines in the trace that `sink` fills. Returns the text's id and the color. */
struct tp_argument_text tp_argument_lines_intern(struct tp_sink *sink, const struct tp_argument_lines *lines);

#endif
