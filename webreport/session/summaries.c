/* Loads summaries from inputs of any kind: see summaries.h. */
#include "webreport/session/summaries.h"

#include <string.h>

#include "webreport/document/words/reason_words.h"
#include "webreport/measure/summary/summary_build.h"
#include "webreport/session/inputs.h"
#include "webreport/session/summary_inputs.h"
#include "webreport/session/summary_programs.h"
#include "webreport/session/trace_analysis.h"

struct load {
    const struct tp_summaries_options *options;
    struct tp_arena *arena;
    struct tp_summaries *out;
    struct tp_vec items; /* summaries loaded so far; elements: struct tp_summary */
    size_t done_count, file_count;
    size_t program_count; /* number of programs recorded from outside whose data was copied to the summaries of other
                             traces */
};

static void report_failed_input(struct load *load, const char *path, const struct tp_error *why)
{
    tp_console_input_error(load->options->console, path, why->text);
    load->out->hit_limit |= why->code == TP_ELIMIT || why->code == TP_ENOMEM;
    load->out->failed_count++;
}

/* ---- summaries of traces ---- */

struct tp_summary_source tp_summaries_make_source(const struct tp_run_file *file, const struct tp_analysis *a)
{
    return (struct tp_summary_source){.key = {.job = {"", 0},
                                              .rank = TP_NULL_INT,
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
}

/* A trace for which options->analysed must be called exactly once. */
struct analysed {
    const struct tp_summaries_options *options;
    const struct tp_analysis *analysis;
    bool is_shown;
};

static void call_analysis_callback(void *context)
{
    struct analysed *analysed = context;
    if (analysed->options->analysed && !analysed->is_shown)
        analysed->options->analysed(analysed->options->context, analysed->analysis);
    analysed->is_shown = true;
}

static void summarize_analysis(struct tp_summary *summary, struct tp_arena *arena, const struct tp_run_file *file,
                               const struct tp_summaries_options *options, struct tp_analysis *a)
{
    struct tp_summary_source source = tp_summaries_make_source(file, a);
    source.key.job = options->job;
    source.key.rank = options->rank;
    source.extent = options->extent;
    a->extent = options->advised                      ? TP_ANALYSIS_SUMMARY_AND_ADVICE
                : options->extent == TP_SUMMARY_WHOLE ? TP_ANALYSIS_SUMMARY
                                                      : TP_ANALYSIS_METRICS;
    a->asked = options->asked;
    struct analysed analysed = {.options = options, .analysis = a};
    tp_analysis_build(a, call_analysis_callback, &analysed);
    call_analysis_callback(
        &analysed); /* has no effect if tp_analysis_build has already made this call, as it does for large traces */
    tp_inputs_print_notices(options->console, file->path, &a->trace);
    tp_inputs_print_joined(options->console, file->path, &a->model, &a->arena);
    tp_summary_build(summary, &source, arena);
    tp_fill_metric_texts(summary->metrics);
    if (options->advised)
        options->advised(options->context, file, a);
}

/* Arguments of read_and_summarize. */
struct summing {
    struct tp_summary *summary;
    struct tp_arena *arena;
    const struct tp_run_file *file;
    const struct tp_summaries_options *options;
    struct tp_analysis *analysis;
};

static int read_and_summarize(void *context, struct tp_error *err)
{
    const struct summing *s = context;
    struct tp_analysis *a = s->analysis;
    struct tp_trace_options read = s->options->read;
    read.part = s->file->part;
    int code = tp_capture_maps_read(s->options->maps, a, s->file->path, &read, err);
    if (code == TP_OK && a->is_map && s->options->skips_maps) {
        tp_inputs_print_map(s->options->console, s->file->path, &a->own_captures, &a->arena);
        return 1;
    }
    if (code == TP_OK)
        summarize_analysis(s->summary, s->arena, s->file, s->options, a);
    return code;
}

int tp_summaries_read_trace(struct tp_summary *summary, struct tp_arena *arena, const struct tp_run_file *file,
                            const struct tp_summaries_options *options, struct tp_error *err)
{
    struct tp_analysis analysis;
    struct tp_capture_maps maps;
    struct tp_summaries_options own = *options;
    struct summing summing = {summary, arena, file, &own, &analysis};
    if (!options->maps) { /* this trace is read alone */
        tp_capture_maps_open(&maps, options->console, &options->read);
        own.maps = &maps;
    }
    tp_analysis_open(&analysis, options->rules);
    int code = tp_arena_run_both(&analysis.arena, arena, read_and_summarize, &summing, err);
    tp_analysis_close(&analysis);
    if (!options->maps)
        tp_capture_maps_close(&maps);
    tp_arena_fail_with_stored_code(arena);
    return code;
}

static void load_trace(struct load *load, const struct tp_run_file *file)
{
    struct tp_summary summary;
    struct tp_error why = {0};
    tp_console_progress(load->options->console, "reading %zu of %zu: %s", load->done_count + 1, load->file_count,
                        file->base);
    int code = tp_summaries_read_trace(&summary, load->arena, file, load->options, &why);
    if (code == TP_OK)
        *(struct tp_summary *)tp_vec_push(&load->items) = summary;
    else if (code < 0)
        report_failed_input(load, file->path, &why);
    load->done_count++;
}

/* Copies the data of a program that was recorded from outside to the summaries of its run's other traces. begin: index
 * of the first of these summaries. */
static void copy_program_data_to_summaries(struct load *load, size_t begin, const struct tp_run *run)
{
    struct tp_summaries_options options = *load->options;
    const struct tp_run_file *file = load->items.count > begin ? tp_summary_find_program_file(run) : NULL;
    struct tp_summary program, *items = load->items.data;
    struct tp_error why = {0};
    options.analysed = NULL;
    options.advised = NULL;
    if (!file)
        return;
    if (tp_summaries_read_trace(&program, load->arena, file, &options, &why) < 0) {
        tp_console_input_error(options.console, file->path, why.text);
        return;
    }
    tp_summary_program_copy(items + begin, load->items.count - begin, &program, load->arena);
    load->program_count++;
}

static bool is_input_of_run(const struct tp_summary_input *input, const struct tp_run *run)
{
    return input->trace && input->trace >= run->files && input->trace < run->files + run->file_count;
}

static void load_traces(struct load *load, const struct tp_summary_inputs *inputs)
{
    size_t at = 0;
    for (size_t r = 0; r < inputs->runs.count; r++) {
        const struct tp_run *run = &inputs->runs.items[r];
        size_t begin = load->items.count;
        for (; at < inputs->count && is_input_of_run(&inputs->items[at], run); at++)
            load_trace(load, inputs->items[at].trace);
        if (load->options->needs_program)
            copy_program_data_to_summaries(load, begin, run);
    }
}

/* ---- summaries in files ---- */

static void load_summary_file(struct load *load, const struct tp_summary_input *input)
{
    struct tp_summary_set set;
    struct tp_summary summary;
    struct tp_error why = {0};
    tp_summary_set_init(&set, load->arena);
    int code = tp_summary_inputs_read(&set, input->path, &why);
    size_t before = load->items.count;
    for (size_t i = 0; code == TP_OK && i < set.count; i++) {
        code = tp_summary_unpack(&summary, &set.records[i], load->arena, &why);
        if (code < 0)
            break;
        tp_fill_metric_texts(summary.metrics);
        *(struct tp_summary *)tp_vec_push(&load->items) = summary;
    }
    if (code < 0) {
        load->items.count = before;
        report_failed_input(load, input->path, &why);
    }
    load->done_count++;
}

static int load_all(struct tp_summaries *out, struct tp_arena *arena, const struct tp_summaries_options *options,
                    struct tp_error *err)
{
    struct tp_summaries_options own = *options;
    struct load load = {.options = &own, .arena = arena, .out = out, .items = TP_VEC(arena, struct tp_summary)};
    struct tp_summary_inputs inputs;
    memset(out, 0, sizeof *out);
    const struct tp_run_search search = {options->paths, options->path_count, options->read.include,
                                         options->read.process, false};
    int code = tp_summary_inputs_find(&inputs, arena, &search, TP_INPUTS_MUST_EXIST, err);
    if (code < 0)
        /* for the user, a folder that cannot be opened is a missing input */
        return code == TP_EIO ? TP_ENOTFOUND : code;
    tp_inputs_print_found(options->console, &inputs.runs);
    load.file_count = inputs.count;
    own.skips_maps = inputs.count > 1;
    load_traces(&load, &inputs);
    size_t left_out = inputs.helper_count - load.program_count;
    if (left_out)
        tp_console_notice(options->console,
                          "not counted: %zu trace%s of helper processes, or recorded in addition to "
                          "PyTorch's",
                          left_out, left_out == 1 ? "" : "s");
    for (size_t i = 0; i < inputs.count; i++)
        if (!inputs.items[i].trace)
            load_summary_file(&load, &inputs.items[i]);
    out->items = load.items.data;
    out->count = load.items.count;
    out->is_one_trace = inputs.count == 1 && options->path_count == 1 && inputs.items[0].trace &&
                        strcmp(inputs.items[0].path, options->paths[0]) == 0;
    if (inputs.count == 0)
        return tp_inputs_set_not_found_error(&inputs.runs, &search, "traces or summaries (*.tps)", arena, err);
    tp_inputs_print_unfinished(options->console, &search, arena);
    if (out->count == 0)
        return tp_error_set(err, out->hit_limit ? TP_ELIMIT : TP_ENOTFOUND, 0, "no usable input");
    if (options->read.is_strict && out->failed_count)
        return tp_error_set(err, TP_ENOTFOUND, 0, "--strict: %zu of %zu inputs could not be used", out->failed_count,
                            load.file_count);
    return TP_OK;
}

/* Arguments of load_all. */
struct loading {
    struct tp_summaries *out;
    struct tp_arena *arena;
    const struct tp_summaries_options *options;
};

static int run_loading(void *context, struct tp_error *err)
{
    const struct loading *loading = context;
    return load_all(loading->out, loading->arena, loading->options, err);
}

int tp_summaries_load(struct tp_summaries *out, struct tp_arena *arena, const struct tp_summaries_options *options,
                      struct tp_error *err)
{
    struct tp_capture_maps maps;
    struct tp_summaries_options own = *options;
    own.maps = &maps;
    tp_capture_maps_open(&maps, options->console, &options->read);
    int code = tp_arena_run(arena, run_loading, &(struct loading){out, arena, &own}, err);
    tp_capture_maps_close(&maps);
    tp_arena_fail_with_stored_code(arena);
    return code;
}
