/* Read, build, print: see in_process.h. */
#include "webreport/session/in_process.h"

#include "webreport/measure/folded_stacks.h"
#include "webreport/print/key_table.h"

/* One call: everything but the text lives in `arena`. */
struct table_call {
    struct tp_arena *arena;
    struct tp_buf *text;
    const char *path;
    const struct tp_in_process_table *options;
};

static int make_table(void *context, struct tp_error *err)
{
    const struct table_call *call = context;
    struct tp_arena *arena = call->arena;
    struct tp_buf *text = call->text;
    const struct tp_in_process_table *options = call->options;
    struct tp_trace_options read = {.single_thread = true};
    struct tp_key_options keys = {.by_shape = options->by_shape, .stack_depth = options->stack_depth};
    struct tp_key_table_options style = TP_KEY_TABLE_OPTIONS;
    struct tp_trace *trace = tp_arena_alloc(arena, sizeof *trace);
    struct tp_key_averages *averages = tp_arena_alloc(arena, sizeof *averages);
    int code = tp_trace_read(trace, arena, call->path, &read, err);
    if (code < 0)
        return code;
    style.row_limit = options->row_limit;
    tp_key_averages_build(averages, trace, &keys, arena);
    const uint32_t *order = tp_key_averages_sort(averages, options->sort_by, arena);
    if (!order && averages->count)
        return tp_error_set(err, TP_EUSAGE, 0, "no such sort key: %.60s", options->sort_by);
    tp_key_table_text(text, averages, order, &style);
    tp_buf_add(text, "", 0);
    return text->failed ? tp_error_set(err, text->failed, 0, "out of memory") : TP_OK;
}

int tp_in_process_table(char **text, const char *path, const struct tp_in_process_table *options, struct tp_error *err)
{
    static const struct tp_in_process_table defaults = {.row_limit = 100};
    struct tp_arena arena;
    struct tp_buf out;
    struct table_call call = {&arena, &out, path, options ? options : &defaults};
    *text = NULL;
    tp_arena_init(&arena, 0);
    tp_buf_init(&out, 0);
    int code = tp_arena_run(&arena, make_table, &call, err);
    if (arena.code)
        tp_error_set(err, code, 0, "%s: out of memory", path);
    tp_arena_release(&arena);
    if (code == TP_OK) {
        tp_buf_puts(&out, "");
        *text = out.data;
        return TP_OK;
    }
    tp_buf_release(&out);
    return code;
}

struct stacks_call {
    struct tp_arena *arena;
    const char *out, *path;
    const struct tp_folded_metric *metric;
};

static int make_stacks(void *context, struct tp_error *err)
{
    const struct stacks_call *call = context;
    struct tp_arena *arena = call->arena;
    struct tp_trace_options read = {.single_thread = true, .keeps_frame_stacks = true};
    struct tp_trace *trace = tp_arena_alloc(arena, sizeof *trace);
    struct tp_folded *folded = tp_arena_alloc(arena, sizeof *folded);
    int code = tp_trace_read(trace, arena, call->path, &read, err);
    if (code < 0)
        return code;
    tp_folded_build(folded, trace, call->metric, TP_TORCH_2_13, arena);
    return tp_folded_write(folded, call->out, err);
}

int tp_in_process_stacks(const char *out, const char *path, const char *metric, struct tp_error *err)
{
    const struct tp_folded_metric *wanted = tp_folded_metric(metric ? metric : "self_cpu_time_total");
    struct tp_arena arena;
    if (!wanted)
        return tp_error_set(err, TP_EUSAGE, 0, "no such metric: %.60s", metric);
    tp_arena_init(&arena, 0);
    int code = tp_arena_run(&arena, make_stacks, &(struct stacks_call){&arena, out, path, wanted}, err);
    if (arena.code)
        tp_error_set(err, code, 0, "%s: out of memory", path);
    tp_arena_release(&arena);
    return code;
}
