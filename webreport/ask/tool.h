/* Defines a tool, and declares the functions of all tools. tools.c has the table. */
#ifndef TP_WEBREPORT_ASK_TOOL_H
#define TP_WEBREPORT_ASK_TOOL_H

#include "webreport/ask/call.h"

struct tp_tool {
    const char *name;        /* word of the command line; the server adds "tracepress_" in front */
    const char *description; /* one or two sentences for agents */
    unsigned allowed;        /* arguments of the tool, as bits 1 << enum tp_ask_argument */
    unsigned required;       /* arguments without which it cannot answer, as bits; part of `allowed` */
    int64_t default_limit;   /* value of TP_ASK_LIMIT if the question names none */
    enum tp_ask_code (*run)(struct tp_ask_call *call);
};

/* ---- functions to which the table refers ---- */

enum tp_ask_code tp_tool_traces(struct tp_ask_call *call);
enum tp_ask_code tp_tool_digest(struct tp_ask_call *call);
enum tp_ask_code tp_tool_explain(struct tp_ask_call *call);
enum tp_ask_code tp_tool_evidence(struct tp_ask_call *call);
enum tp_ask_code tp_tool_rows(struct tp_ask_call *call);
enum tp_ask_code tp_tool_sql(struct tp_ask_call *call);
enum tp_ask_code tp_tool_whatif(struct tp_ask_call *call);
enum tp_ask_code tp_tool_diff(struct tp_ask_call *call);

#endif
