/* Reads messages of JSON-RPC 2.0: see rpc_message.h. */
#include "webreport/ask/protocol/rpc_message.h"

#include "webreport/trace/json/clean.h"
#include "webreport/trace/json/strict.h"
#include "webreport/trace/json/value.h"
#include "writer/base/limits.h"

/* Returns whether no value of a strict JSON text is nested deeper than TP_MAX_ASK_DEPTH. */
static bool is_shallow(struct tp_str json)
{
    unsigned depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < json.len && depth <= TP_MAX_ASK_DEPTH; i++) {
        char c = json.ptr[i];
        if (in_string && c == '\\')
            i++;
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && (c == '[' || c == '{'))
            depth++;
        else if (!in_string && (c == ']' || c == '}'))
            depth--;
    }
    return depth <= TP_MAX_ASK_DEPTH;
}

/* Returns whether the value can be an id: a text or a number of moderate length. */
static bool is_id(struct tp_str value)
{
    return value.len > 0 && value.len <= TP_MAX_ASK_ID_BYTES &&
           (value.ptr[0] == '"' || value.ptr[0] == '-' || tp_is_digit(value.ptr[0]));
}

void tp_message_read(struct tp_message *message, struct tp_str line, struct tp_buf *compact, struct tp_arena *arena)
{
    *message = (struct tp_message){.error = TP_MESSAGE_NO_JSON, .id = TP_STR("null")};
    tp_buf_clear(compact);
    if (!is_shallow(line) || !tp_strict_is_json(line) || tp_clean_value(compact, line) != 0 || compact->failed)
        return;
    struct tp_str json = {compact->data, compact->size};
    struct tp_str id = tp_value_member(json, "id"), method = tp_value_member(json, "method");
    message->error = TP_MESSAGE_INVALID;
    if (!tp_value_starts_with(json, '{'))
        return;
    if (is_id(id))
        message->id = id;
    if (!tp_str_equal(tp_value_member(json, "jsonrpc"), TP_STR("\"2.0\"")) || !tp_value_starts_with(method, '"') ||
        (id.ptr && !is_id(id)))
        return;
    message->is_notification = !id.ptr;
    message->method = tp_value_text(arena, method);
    message->parameters = tp_value_member(json, "params");
    message->error = TP_MESSAGE_GOOD;
    if (message->parameters.ptr && !tp_value_starts_with(message->parameters, '{'))
        message->error = TP_MESSAGE_BAD_PARAMETERS;
}
