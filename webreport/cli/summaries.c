/* Inputs of any kind -> summaries: see summaries.h. */
#include "webreport/cli/summaries.h"

#include <string.h>

#include "webreport/cli/analysis.h"
#include "webreport/cli/inputs.h"
#include "webreport/summary/summary_build.h"

struct load {
    const struct tp_summaries_options *options;
    struct tp_arena *arena;
    struct tp_summaries *out;
    struct tp_vec items; /* struct tp_summary */
    size_t done_count, file_count;
};

static void fail(struct load *load, const char *path, const struct tp_error *why)
{
    tp_console_error(load->options->console, "%s: %s", path, why->text);
    load->out->hit_limit |= why->code == TP_ELIMIT || why->code == TP_ENOMEM;
    load->out->failed_count++;
}

/* ---- traces ---- */

static void summarize(struct load *load, const struct tp_run_file *file, struct tp_analysis *a)
{
    struct tp_summary summary;
    struct tp_summary_source source = {.key = {.job = load->options->job,
                                               .rank = load->options->rank,
                                               .world_size = TP_NULL_INT,
                                               .worker = file->worker,
                                               .span = file->span ? (int64_t)file->span : TP_NULL_INT},
                                       .file = tp_str_of(file->base),
                                       .sha256 = tp_str_of(a->trace.reading.file_sha256),
                                       .trace = &a->trace,
                                       .order = &a->order,
                                       .model = &a->model,
                                       .views = &a->views,
                                       .advice = &a->advice};
    tp_analysis_build(a, NULL, NULL);
    tp_inputs_say_notices(load->options->console, file->path, &a->trace.reading);
    if (load->options->analysed)
        load->options->analysed(load->options->context, a, load->items.count);
    tp_summary_build(&summary, &source, load->arena);
    *(struct tp_summary *)tp_vec_push(&load->items) = summary;
}

/* The summary is built in the caller's arena. Its guard leads here meanwhile, so that the analysis never outlives the
 * call. */
static void load_trace(struct load *load, const struct tp_run_file *file)
{
    struct tp_analysis analysis, *volatile a = &analysis;
    struct tp_error why = {0};
    jmp_buf outer;
    tp_console_progress(load->options->console, "reading %zu of %zu: %s", load->done_count + 1, load->file_count,
                        file->base);
    memcpy(&outer, &load->arena->guard, sizeof outer);
    tp_analysis_open(&analysis, load->options->rules);
    if (setjmp(analysis.arena.guard) == 0) {
        memcpy(&load->arena->guard, &analysis.arena.guard, sizeof outer);
        if (tp_trace_read(&a->trace, &a->arena, file->path, &load->options->read, &why) == TP_OK)
            summarize(load, file, a);
        else
            fail(load, file->path, &why);
    } else if (load->arena->code == 0) {
        int code = a->arena.code;
        tp_error_set(&why, code, 0, code == TP_ELIMIT ? "a limit was reached" : "out of memory");
        fail(load, file->path, &why);
    }
    memcpy(&load->arena->guard, &outer, sizeof outer);
    tp_analysis_close(a);
    if (load->arena->code)
        tp_arena_fail(load->arena, load->arena->code);
    load->done_count++;
}

int tp_summaries_load(struct tp_summaries *out, struct tp_arena *arena, const struct tp_summaries_options *options,
                      struct tp_error *err)
{
    struct load load = {.options = options, .arena = arena, .out = out, .items = TP_VEC(arena, struct tp_summary)};
    struct tp_runs runs;
    memset(out, 0, sizeof *out);
    int code = tp_inputs_find(&runs, &load.file_count, arena, options->paths, options->path_count, err);
    if (code < 0)
        return code;
    for (size_t i = 0; i < runs.count; i++)
        for (size_t k = 0; k < runs.items[i].file_count; k++)
            load_trace(&load, &runs.items[i].files[k]);
    out->items = load.items.data;
    out->count = load.items.count;
    if (out->count == 0)
        return tp_error_set(err, out->hit_limit ? TP_ELIMIT : TP_ENOTFOUND, 0, "no usable input");
    if (options->read.is_strict && out->failed_count)
        return tp_error_set(err, TP_ENOTFOUND, 0, "--strict: %zu of %zu inputs could not be used", out->failed_count,
                            load.file_count);
    return TP_OK;
}
