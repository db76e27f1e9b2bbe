/* The arguments of tools: their types and limits, and how they are read from JSON. */
#ifndef TP_WEBREPORT_ASK_TOOL_ARGUMENTS_H
#define TP_WEBREPORT_ASK_TOOL_ARGUMENTS_H

#include "webreport/ask/tool.h"

enum tp_ask_type { TP_ASK_TEXT, TP_ASK_TEXT_OR_NULL, TP_ASK_INTEGER, TP_ASK_TEXTS };

struct tp_ask_argument_row {
    const char *name;
    enum tp_ask_type type;
    int64_t least, most;     /* smallest and largest number, or number of bytes of a text */
    const char *description; /* NULL: the name says it */
};

/* a row for each argument, by enum tp_ask_argument */
extern const struct tp_ask_argument_row tp_ask_arguments[TP_ASK_ARGUMENTS];

/* Reads the arguments of call->tool from an object in compact JSON, and sets the defaults. Returns TP_ASK_ANSWERED or
 * TP_ASK_BAD_ARGUMENT. */
enum tp_ask_code tp_ask_arguments_read(struct tp_ask_call *call, struct tp_str object);

#endif
