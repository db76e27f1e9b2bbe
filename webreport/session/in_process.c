/* Makes a table, stacks or a summary from a trace in one call: see in_process.h. */
#include "webreport/session/in_process.h"

#include "webreport/document/words/reason_words.h"
#include "webreport/document/words/words.h"
#include "webreport/measure/charts/folded_stacks.h"
#include "webreport/measure/summary/summary_build.h"
#include "webreport/measure/summary/summary_file.h"
#include "webreport/model/build.h"
#include "webreport/model/unusual_events.h"
#include "writer/base/fs.h"
#include "writer/base/path.h"

/* Arguments of make_table. The printed table is appended to `text`; all other data is in `arena`. */
struct table_call {
    struct tp_arena *arena;
    struct tp_buf *text;
    const char *path;
    const struct tp_in_process_table *options;
    tp_in_process_print *print;
};

static int make_table(void *context, struct tp_error *err)
{
    const struct table_call *call = context;
    struct tp_arena *arena = call->arena;
    struct tp_buf *text = call->text;
    const struct tp_in_process_table *options = call->options;
    struct tp_trace_options read = {.reads_spools = true, .single_thread = true, .skips_hash = true};
    struct tp_table_options wanted = {.keys = {.by_shape = options->by_shape, .stack_depth = options->stack_depth},
                                      .sort_by = options->sort_by ? options->sort_by : "none",
                                      .row_limit = options->row_limit};
    struct tp_trace *trace = tp_arena_alloc(arena, sizeof *trace);
    struct tp_profile_table *table = tp_arena_alloc(arena, sizeof *table);
    int code = tp_trace_read(trace, arena, call->path, &read, err);
    if (code < 0)
        return code;
    if (!tp_profile_table_build(table, trace, &wanted, arena))
        return tp_error_set(err, TP_EUSAGE, 0, "no such sort key: %.60s", options->sort_by);
    code = call->print(text, table, arena, err);
    tp_buf_add(text, "", 0);
    return code == TP_OK && text->failed ? tp_error_set(err, text->failed, 0, "out of memory") : code;
}

int tp_in_process_table(char **text, const char *path, const struct tp_in_process_table *options,
                        tp_in_process_print *print, struct tp_error *err)
{
    struct tp_arena arena;
    struct tp_buf out;
    struct table_call call = {&arena, &out, path, options, print};
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
    struct tp_trace_options read = {
        .reads_spools = true, .single_thread = true, .skips_hash = true, .keeps_frame_stacks = true};
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

/* ---- making of a summary ---- */

struct analysed {
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_views views;
    struct tp_advice advice;
};

/* Arguments of make_summary. The packed summary is appended to `out`; all other data is in `arena`. */
struct call {
    struct tp_arena *arena;
    struct tp_buf *out;
    const struct tp_in_process_summary *options;
    const char *path;
};

static int make_summary(void *context, struct tp_error *err)
{
    const struct call *call = context;
    const struct tp_in_process_summary *options = call->options;
    struct tp_arena *arena = call->arena;
    struct tp_trace_options read = {.reads_spools = true, .single_thread = true};
    struct analysed *a = tp_arena_alloc(arena, sizeof *a);
    struct tp_summary *summary = tp_arena_alloc(arena, sizeof *summary);
    struct tp_summary_set set;
    int code = tp_trace_read(&a->trace, arena, call->path, &read, err);
    if (code < 0)
        return code;
    tp_order_build(&a->order, &a->trace, arena);
    tp_unusual_events_count(&a->trace, &a->order, arena);
    tp_evidence_build(&a->trace.evidence, &a->trace, arena);
    tp_model_build(&a->model, &a->trace, &a->order, arena);
    tp_views_build_for_summary(&a->views, &a->model, arena);
    tp_advice_build_for_summary(&a->advice, &a->model, NULL, arena);
    tp_fill_advice_texts(&a->advice, &a->model, arena);
    tp_memory_view_build(&a->views.memory, &a->model, arena);
    struct tp_summary_source source = {
        .key = {TP_STR(""), TP_NULL_INT, TP_NULL_INT, tp_str_of(options->worker), options->span},
        .file = tp_str_of(tp_path_base(options->out)),
        .sha256 = tp_str_of(a->trace.reading.file_sha256),
        .trace = &a->trace,
        .order = &a->order,
        .model = &a->model,
        .views = &a->views,
        .advice = &a->advice};
    tp_summary_build(summary, &source, arena);
    tp_fill_metric_texts(summary->metrics);
    tp_summary_set_init(&set, arena);
    code = tp_summary_set_add(&set, summary, err);
    return code < 0 ? code : tp_summary_set_write(&set, call->out, err);
}

static int write_file(const char *path, const struct tp_buf *bytes, struct tp_error *err)
{
    struct tp_outfile *file = NULL;
    int code = tp_outfile_open(&file, path, err);
    if (code == TP_OK)
        code = tp_outfile_write(file, bytes->data, bytes->size, err);
    if (code == TP_OK)
        return tp_outfile_commit(&file, err);
    tp_outfile_discard(&file);
    return code;
}

int tp_in_process_summary(const struct tp_in_process_summary *options, const char *path, struct tp_error *err)
{
    struct tp_arena arena;
    struct tp_buf out;
    tp_arena_init(&arena, 0);
    tp_buf_init(&out, 0);
    int code = tp_arena_run(&arena, make_summary, &(struct call){&arena, &out, options, path}, err);
    if (arena.code)
        tp_error_set(err, code, 0, "%s: out of memory", path);
    tp_arena_release(&arena);
    if (code == TP_OK)
        code = write_file(options->out, &out, err);
    tp_buf_release(&out);
    return code;
}
