/* The table of tools. The command `ask` and the server call the same rows. */
#ifndef TP_WEBREPORT_ASK_TOOLS_H
#define TP_WEBREPORT_ASK_TOOLS_H

#include "webreport/ask/tool.h"

/* all tools, in the order of the server's list; the last entry has the name NULL */
extern const struct tp_tool tp_tools[];

/* Returns the tool with this name, without "tracepress_"; NULL if none exists. */
const struct tp_tool *tp_tool_find(struct tp_str name);

#endif
