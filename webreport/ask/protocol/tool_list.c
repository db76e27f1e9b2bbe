/* Writes the list of tools: see tool_list.h. */
#include "webreport/ask/protocol/tool_list.h"

#include <stdio.h>

#include "webreport/ask/tool_arguments.h"
#include "webreport/ask/tools.h"

static void write_type(struct tp_json *json, enum tp_ask_type type)
{
    tp_json_key(json, "type");
    if (type == TP_ASK_TEXT_OR_NULL) {
        tp_json_array(json);
        tp_json_text(json, "string");
        tp_json_text(json, "null");
        tp_json_array_end(json);
        return;
    }
    tp_json_text(json, type == TP_ASK_INTEGER ? "integer" : type == TP_ASK_TEXTS ? "array" : "string");
    if (type != TP_ASK_TEXTS)
        return;
    tp_json_key(json, "items");
    tp_json_object(json);
    tp_json_member_text(json, "type", "string");
    tp_json_object_end(json);
}

static void write_argument(struct tp_json *json, const struct tp_ask_argument_row *row)
{
    tp_json_key(json, row->name);
    tp_json_object(json);
    write_type(json, row->type);
    if (row->type == TP_ASK_INTEGER) {
        tp_json_member_int(json, "minimum", row->least);
        tp_json_member_int(json, "maximum", row->most);
    }
    if (row->description)
        tp_json_member_text(json, "description", row->description);
    tp_json_object_end(json);
}

static void write_schema(struct tp_json *json, const struct tp_tool *tool)
{
    tp_json_key(json, "inputSchema");
    tp_json_object(json);
    tp_json_member_text(json, "type", "object");
    tp_json_key(json, "properties");
    tp_json_object(json);
    for (unsigned i = 0; i < TP_ASK_ARGUMENTS; i++)
        if (tool->allowed >> i & 1)
            write_argument(json, &tp_ask_arguments[i]);
    tp_json_object_end(json);
    if (tool->required) {
        tp_json_key(json, "required");
        tp_json_array(json);
        for (unsigned i = 0; i < TP_ASK_ARGUMENTS; i++)
            if (tool->required >> i & 1)
                tp_json_text(json, tp_ask_arguments[i].name);
        tp_json_array_end(json);
    }
    tp_json_member_bool(json, "additionalProperties", false);
    tp_json_object_end(json);
}

void tp_tool_list_write(struct tp_json *json)
{
    tp_json_array(json);
    for (const struct tp_tool *tool = tp_tools; tool->name; tool++) {
        char name[64];
        snprintf(name, sizeof name, TP_TOOL_PREFIX "%s", tool->name);
        tp_json_object(json);
        tp_json_member_text(json, "name", name);
        tp_json_member_text(json, "description", tool->description);
        write_schema(json, tool);
        tp_json_key(json, "annotations");
        tp_json_object(json);
        tp_json_member_bool(json, "readOnlyHint", true);
        tp_json_member_bool(json, "destructiveHint", false);
        tp_json_member_bool(json, "idempotentHint", true);
        tp_json_member_bool(json, "openWorldHint", false);
        tp_json_object_end(json);
        tp_json_object_end(json);
    }
    tp_json_array_end(json);
}
