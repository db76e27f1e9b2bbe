/* Reads the arguments of tools: see tool_arguments.h. */
#include "webreport/ask/tool_arguments.h"

#include "webreport/trace/json/value.h"
#include "writer/base/table.h"

const struct tp_ask_argument_row tp_ask_arguments[TP_ASK_ARGUMENTS] = {
    [TP_ASK_TRACE] = {"trace", TP_ASK_TEXT, 1, TP_MAX_ASK_PATH_BYTES,
                      "path under a root, or an id of tracepress_traces"},
    [TP_ASK_ID] = {"id", TP_ASK_TEXT, 1, 64, "f:C16 (finding), e:8449 (event) or k:12ab34cd (name)"},
    [TP_ASK_TABLE] = {"table", TP_ASK_TEXT, 1, 64, NULL},
    [TP_ASK_WHERE] = {"where", TP_ASK_TEXT, 1, TP_MAX_ASK_WHERE_BYTES,
                      "COLUMN OP 'text' or number [and ..]; OP: = != < > <= >= like"},
    [TP_ASK_QUERY] = {"query", TP_ASK_TEXT, 1, TP_MAX_ASK_QUERY_BYTES, NULL},
    [TP_ASK_CHANGES] = {"changes", TP_ASK_TEXTS, 1, TP_MAX_ASK_CHANGES, "such as host=1/2; none: the usual ones"},
    [TP_ASK_BASELINE] = {"baseline", TP_ASK_TEXT, 1, TP_MAX_ASK_PATH_BYTES, "path of the run before the change"},
    [TP_ASK_LIMIT] = {"limit", TP_ASK_INTEGER, 1, TP_MAX_ASK_ROWS, NULL},
    [TP_ASK_CURSOR] = {"cursor", TP_ASK_TEXT_OR_NULL, 1, 256, "next_cursor of the answer before"},
    [TP_ASK_MAX_BYTES] = {"max_bytes", TP_ASK_INTEGER, TP_LEAST_ASK_ANSWER_BYTES, TP_MAX_ASK_ANSWER_BYTES, NULL}};

static enum tp_ask_code fail(struct tp_ask_call *call, const struct tp_ask_argument_row *row)
{
    static const char hint[] = "tools/list and `tracepress help ask` describe the arguments";
    switch (row->type) {
    case TP_ASK_INTEGER:
        return tp_call_fail(call, TP_ASK_BAD_ARGUMENT, hint, "%s must be an integer from %lld to %lld", row->name,
                            (long long)row->least, (long long)row->most);
    case TP_ASK_TEXTS:
        return tp_call_fail(call, TP_ASK_BAD_ARGUMENT, hint, "%s must be a list of at most %lld texts", row->name,
                            (long long)row->most);
    default:
        return tp_call_fail(call, TP_ASK_BAD_ARGUMENT, hint, "%s must be a text of %lld to %lld bytes without NUL",
                            row->name, (long long)row->least, (long long)row->most);
    }
}

static bool is_list_of_texts(struct tp_str value, int64_t most)
{
    struct tp_str item;
    int64_t count = 0;
    bool is_good = tp_value_starts_with(value, '[');
    for (size_t at = 0; is_good && tp_value_next(value, &at, NULL, &item); count++)
        is_good = tp_value_starts_with(item, '"');
    return is_good && count <= most;
}

static bool read_value(struct tp_ask_call *call, unsigned i, struct tp_str value)
{
    const struct tp_ask_argument_row *row = &tp_ask_arguments[i];
    if (row->type == TP_ASK_INTEGER) {
        call->number[i] = tp_value_starts_with(value, '"') ? TP_NULL_INT : tp_value_int(value);
        return call->number[i] >= row->least && call->number[i] <= row->most;
    }
    if (row->type == TP_ASK_TEXTS) {
        call->text[i] = value;
        return is_list_of_texts(value, row->most);
    }
    if (row->type == TP_ASK_TEXT_OR_NULL && tp_str_equal(value, TP_STR("null")))
        return true;
    if (!tp_value_starts_with(value, '"'))
        return false;
    struct tp_str text = tp_value_text(call->arena, value);
    if (!text.ptr || text.len < (size_t)row->least || text.len > (size_t)row->most || memchr(text.ptr, '\0', text.len))
        return false;
    call->text[i] = (struct tp_str){tp_arena_copy(call->arena, text.ptr, text.len), text.len};
    return true;
}

/* Returns the argument of the tool with this name; TP_ASK_ARGUMENTS if the tool has none. */
static unsigned find_argument(const struct tp_tool *tool, struct tp_str name)
{
    unsigned i = 0;
    while (i < TP_ASK_ARGUMENTS && !(tool->allowed >> i & 1 && tp_str_equal(name, tp_str_of(tp_ask_arguments[i].name))))
        i++;
    return i;
}

enum tp_ask_code tp_ask_arguments_read(struct tp_ask_call *call, struct tp_str object)
{
    struct tp_str key, value;
    unsigned given = 0;
    call->number[TP_ASK_LIMIT] = call->tool->default_limit;
    call->number[TP_ASK_MAX_BYTES] = call->ask->options.max_bytes;
    if (!tp_value_starts_with(object, '{'))
        return tp_call_fail(call, TP_ASK_BAD_ARGUMENT, "", "arguments must be an object");
    for (size_t at = 0; tp_value_next(object, &at, &key, &value);) {
        struct tp_str name = tp_value_text(call->arena, key);
        unsigned i = find_argument(call->tool, name);
        if (i == TP_ASK_ARGUMENTS)
            return tp_call_fail(call, TP_ASK_BAD_ARGUMENT, "", "%s has no argument %.*s", call->tool->name,
                                (int)(name.len < 80 ? name.len : 80), name.ptr ? name.ptr : "");
        if (!read_value(call, i, value))
            return fail(call, &tp_ask_arguments[i]);
        given |= 1u << i;
    }
    for (unsigned i = 0; i < TP_ASK_ARGUMENTS; i++)
        if ((call->tool->required & ~given) >> i & 1)
            return tp_call_fail(call, TP_ASK_BAD_ARGUMENT, "", "%s is missing", tp_ask_arguments[i].name);
    return TP_ASK_ANSWERED;
}
