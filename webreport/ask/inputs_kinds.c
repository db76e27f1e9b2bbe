/* The table of the kinds of inputs that can be asked about: see ask_input.h. */
#include "webreport/ask/inputs_kinds.h"

#include "webreport/document/words/reason_words.h"
#include "webreport/measure/summary/summary_build.h"
#include "webreport/session/inputs.h"
#include "webreport/session/summaries.h"
#include "webreport/session/summary_inputs.h"

/* ---- one trace ---- */

static bool is_trace(const char *path, bool is_folder)
{
    (void)path;
    (void)is_folder;
    return true; /* the last row takes all other files; the reader names what they are */
}

static int build_summary(void *context, struct tp_error *err)
{
    struct tp_ask_input *input = context;
    (void)err;
    struct tp_summary_source source = tp_summaries_make_source(input->trace.file, &input->trace.analysis);
    input->summaries = tp_arena_alloc(&input->arena, sizeof *input->summaries);
    input->summary_count = 1;
    input->step_window = input->trace.analysis.model.step_marker == TP_MARKER_WINDOW ? "recording" : "used steps";
    tp_summary_build(input->summaries, &source, &input->arena);
    tp_fill_metric_texts(input->summaries->metrics);
    return TP_OK;
}

static int open_trace(struct tp_ask_input *input, const struct tp_ask *ask, struct tp_error *err)
{
    const struct tp_trace_options read = {.max_input_bytes = ask->options.max_input_bytes, .process = input->process};
    int code = tp_opened_trace_open(&input->trace, input->path, &read, ask->options.console, err);
    input->is_trace = true;
    if (code == TP_OK) /* a summary needs memory of the analysis, too */
        code = tp_arena_run_both(&input->trace.analysis.arena, &input->arena, build_summary, input, err);
    tp_arena_fail_with_stored_code(&input->arena);
    return code;
}

/* ---- summaries, and folders with several files ---- */

static bool is_summary(const char *path, bool is_folder)
{
    return is_folder ? tp_inputs_count_traces(path, NULL) != 1 : tp_summary_inputs_is_summary(path);
}

/* Returns whether one of the summaries has steps. Without steps, its times are those of the whole recording. */
static bool have_steps(const struct tp_ask_input *input)
{
    struct tp_str window = tp_str_of(tp_step_marker_text(TP_MARKER_WINDOW));
    bool have_any = false;
    for (size_t i = 0; i < input->summary_count; i++)
        have_any |= !tp_str_equal(tp_summary_fact_value(&input->summaries[i], TP_STR("step.marker")), window);
    return have_any;
}

static int open_summaries(struct tp_ask_input *input, const struct tp_ask *ask, struct tp_error *err)
{
    struct tp_summaries_options options = TP_SUMMARIES_OPTIONS;
    struct tp_summaries found;
    options.paths = &input->path;
    options.path_count = 1;
    options.read.max_input_bytes = ask->options.max_input_bytes;
    options.console = ask->options.console;
    int code = tp_summaries_load(&found, &input->arena, &options, err);
    if (code < 0)
        return code;
    input->summaries = found.items;
    input->summary_count = found.count;
    input->failed_count = found.failed_count;
    input->step_window = have_steps(input) ? "used steps" : "recording";
    return TP_OK;
}

/* A kind of input with own answers, such as a folder of dumps of hanging ranks, needs a row before the last one. */
const struct tp_ask_kind tp_ask_kinds[] = {
    {"summary", is_summary, open_summaries, tp_digest_of_summaries, tp_explain_in_summaries, NULL},
    {"trace", is_trace, open_trace, tp_digest_of_trace, tp_explain_in_trace, tp_evidence_in_trace},
};
