/* Writes the list of tools for clients of the server. */
#ifndef TP_WEBREPORT_ASK_PROTOCOL_TOOL_LIST_H
#define TP_WEBREPORT_ASK_PROTOCOL_TOOL_LIST_H

#include "writer/base/json_out.h"

/* Start of the names of tools in the server. */
#define TP_TOOL_PREFIX "tracepress_"

/* Writes the array of all tools with their arguments as JSON Schema. */
void tp_tool_list_write(struct tp_json *json);

#endif
