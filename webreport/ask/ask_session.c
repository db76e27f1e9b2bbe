/* Runs calls of tools: see ask.h. */
#include "webreport/ask/ask.h"

#include <stdlib.h>

#include "webreport/ask/authorizer.h"
#include "webreport/ask/inputs_cache.h"
#include "webreport/ask/inputs_kinds.h"
#include "webreport/ask/tool_arguments.h"
#include "webreport/trace/json/value.h"
#include "writer/base/input.h"

int tp_ask_new(struct tp_ask **out, const struct tp_ask_options *options, struct tp_error *err)
{
    struct tp_ask *ask = calloc(1, sizeof *ask);
    *out = NULL;
    if (!ask)
        return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    ask->options = *options;
    ask->kinds = tp_ask_kinds;
    if (!ask->options.max_bytes)
        ask->options.max_bytes = TP_ASK_ANSWER_BYTES;
    if (!ask->options.sql_ms)
        ask->options.sql_ms = TP_ASK_SQL_MS;
    if (!ask->options.cache_bytes)
        ask->options.cache_bytes = TP_ASK_CACHE_BYTES;
    int code = tp_roots_open(&ask->roots, options->roots, options->root_count, err);
    if (code < 0) {
        tp_ask_free(ask);
        return code;
    }
    tp_authorizer_limit_memory();
    tp_input_confine(ask->roots.paths, ask->roots.count);
    *out = ask;
    return TP_OK;
}

void tp_ask_free(struct tp_ask *ask)
{
    if (!ask)
        return;
    tp_inputs_cache_close(ask);
    tp_input_confine(NULL, 0);
    tp_roots_close(&ask->roots);
    free(ask);
}

void tp_ask_cancel(struct tp_ask *ask, bool is_cancelled)
{
    atomic_store(&ask->is_cancelled, is_cancelled);
}

struct running {
    struct tp_ask_call call;
    struct tp_arena arena;
    struct tp_str arguments;
};

static int run_tool(void *context, struct tp_error *err)
{
    struct tp_ask_call *call = context;
    (void)err;
    call->problem.code = call->tool->run(call);
    return TP_OK;
}

/* Runs the tool. Code that reads an analysis may allocate from its arena, so its guard is set too. */
static int run_tool_on_input(struct tp_ask_call *call, struct tp_error *err)
{
    if (!call->input || !call->input->is_trace)
        return run_tool(call, err);
    int code = tp_arena_run_both(&call->input->trace.analysis.arena, call->arena, run_tool, call, err);
    tp_arena_fail_with_stored_code(call->arena);
    return code;
}

/* Returns whether a tool works on one open input. A comparison reads its two files itself. */
static bool opens_trace(const struct tp_tool *tool)
{
    return tool->allowed >> TP_ASK_TRACE & 1 && !(tool->allowed >> TP_ASK_BASELINE & 1);
}

static int run_in_guard(void *context, struct tp_error *err)
{
    struct running *running = context;
    struct tp_ask_call *call = &running->call;
    int result = TP_OK;
    enum tp_ask_code code = tp_ask_arguments_read(call, running->arguments);
    if (code == TP_ASK_ANSWERED && opens_trace(call->tool))
        code = tp_inputs_cache_get(&call->input, call, call->text[TP_ASK_TRACE]);
    if (code == TP_ASK_ANSWERED && call->input) {
        call->input_id = call->input->id;
        call->old_input_id = call->input->old_id;
    }
    if (code == TP_ASK_ANSWERED)
        result = run_tool_on_input(call, err);
    code = code == TP_ASK_ANSWERED ? call->problem.code : code;
    if (result == TP_OK && code == TP_ASK_ANSWERED && !tp_call_fits(call, 0))
        code = tp_call_fail(call, TP_ASK_TOO_LARGE, "raise max_bytes", "the answer has %zu bytes", call->answer.size);
    call->problem.code = code;
    return result;
}

static void write_problem(struct tp_buf *answer, const struct tp_ask_problem *problem)
{
    struct tp_json json;
    tp_json_init(&json, answer);
    tp_json_object(&json);
    tp_json_key(&json, "error");
    tp_json_object(&json);
    tp_json_member_text(&json, "code", tp_ask_code_text(problem->code));
    tp_json_member_text(&json, "message", problem->message);
    tp_json_member_text(&json, "hint", problem->hint ? problem->hint : "");
    tp_json_object_end(&json);
    tp_json_object_end(&json);
}

enum tp_ask_code tp_ask_run(struct tp_ask *ask, const struct tp_tool *tool, struct tp_str arguments,
                            struct tp_buf *answer, bool *is_damaged)
{
    struct running running = {.call = {.ask = ask, .tool = tool, .input_id = "", .old_input_id = ""},
                              .arguments = arguments};
    struct tp_ask_call *call = &running.call;
    struct tp_error err = {0};
    tp_buf_init(&call->answer, 0);
    tp_arena_init(&running.arena, 0);
    call->arena = &running.arena;
    int code = tp_arena_run(&running.arena, run_in_guard, &running, &err);
    if (code < 0 || call->answer.failed)
        tp_call_fail(call, TP_ASK_TOO_LARGE, "", "%s", code < 0 ? err.text : "out of memory");
    if (call->problem.code == TP_ASK_ANSWERED)
        tp_buf_add(answer, call->answer.data, call->answer.size);
    else
        write_problem(answer, &call->problem);
    if (is_damaged)
        *is_damaged = call->problem.code == TP_ASK_ANSWERED && call->is_damaged;
    tp_buf_release(&call->answer);
    tp_arena_release(&running.arena);
    return call->problem.code;
}
