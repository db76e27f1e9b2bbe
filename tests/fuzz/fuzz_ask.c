/* Reads arbitrary bytes as messages of a client of `mcp`, one a line, and runs their calls of tools on a small trace.
 * Also reads each line as a filter of rows. Every answer must be strict JSON and fit into its size. */
#include "tests/fuzz/scratch_files.h"
#include "webreport/ask/ask.h"
#include "webreport/ask/protocol/rpc_message.h"
#include "webreport/ask/protocol/tool_list.h"
#include "webreport/ask/tools.h"
#include "webreport/ask/where.h"
#include "webreport/trace/json/strict.h"
#include "webreport/trace/json/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[SCRATCH_PATH];
static struct tp_ask *ask;

static void close_session(void)
{
    tp_ask_free(ask);
    remove_scratch_folder(folder);
}

/* Opens a session whose root has one trace, t.json. */
static void open_session(void)
{
    static const char trace[] = "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,"
                                "\"tid\":1,\"ts\":1,\"dur\":9},"
                                "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,"
                                "\"tid\":1,\"ts\":2,\"dur\":3,\"args\":{"
                                "\"correlation\":7}},{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":"
                                "7,\"ts\":6,\"dur\":20,\"args\":{"
                                "\"correlation\":7,\"device\":0,\"stream\":7}}]}";
    static struct tp_console console;
    static const char *roots[] = {folder};
    char path[SCRATCH_PATH + 16];
    make_scratch_folder(folder);
    snprintf(path, sizeof path, "%s/t.json", folder);
    FILE *file = fopen(path, "w");
    abort_unless(file && fwrite(trace, 1, sizeof trace - 1, file) == sizeof trace - 1 && fclose(file) == 0);
    tp_console_init(&console, true, TP_COLOR_NEVER);
    const struct tp_ask_options options = {.roots = roots, .root_count = 1, .sql_ms = 20, .console = &console};
    abort_unless(tp_ask_new(&ask, &options, NULL) == 0 && atexit(close_session) == 0);
}

static void call_tool(const struct tp_message *message, struct tp_arena *arena)
{
    struct tp_str name = tp_value_text(arena, tp_value_member(message->parameters, "name"));
    struct tp_str arguments = tp_value_member(message->parameters, "arguments");
    struct tp_str own = tp_str_starts(name, TP_TOOL_PREFIX) ? (struct tp_str){name.ptr + 11, name.len - 11} : name;
    const struct tp_tool *tool = tp_tool_find(own);
    struct tp_buf answer;
    if (!tool || !arguments.ptr)
        return;
    tp_buf_init(&answer, 0);
    enum tp_ask_code code = tp_ask_run(ask, tool, arguments, &answer, NULL);
    abort_unless(code < TP_ASK_CODES && answer.size <= TP_MAX_ASK_ANSWER_BYTES);
    abort_unless(tp_strict_is_json((struct tp_str){answer.data, answer.size}));
    tp_buf_release(&answer);
}

/* Everything that one line needs. */
struct line {
    struct tp_str text;
    struct tp_buf compact;
    struct tp_arena arena;
};

static int use_line(void *context, struct tp_error *err)
{
    struct line *line = context;
    struct tp_message message;
    struct tp_where where;
    (void)err;
    tp_message_read(&message, line->text, &line->compact, &line->arena);
    abort_unless(message.id.len > 0 && message.id.len <= TP_MAX_ASK_ID_BYTES && tp_strict_is_json(message.id));
    if (tp_where_read(&where, line->text, &line->arena, NULL) == 0)
        abort_unless(where.count <= TP_MAX_ASK_WHERE_TERMS);
    if (message.error == TP_MESSAGE_GOOD && message.parameters.ptr)
        call_tool(&message, &line->arena);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct line line = {.text = {NULL, 0}};
    if (!ask)
        open_session();
    tp_buf_init(&line.compact, 0);
    tp_arena_init(&line.arena, 0);
    for (size_t at = 0; at < size;) {
        const char *begin = (const char *)data + at, *end = memchr(begin, '\n', size - at);
        line.text = (struct tp_str){begin, end ? (size_t)(end - begin) : size - at};
        (void)tp_arena_run(&line.arena, use_line, &line, NULL);
        tp_arena_clear(&line.arena);
        at += line.text.len + 1;
    }
    tp_arena_release(&line.arena);
    tp_buf_release(&line.compact);
    return 0;
}
