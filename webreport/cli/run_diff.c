/* The job behind `tracepress diff`: see run_diff.h.
 *
 * A side is read trace by trace, and what stays of a trace is its summary and its call tree: memory holds one trace,
 * whatever the number of runs. */
#include "webreport/cli/run_diff.h"

#include <string.h>

#include "webreport/cli/cmd.h"
#include "webreport/cli/text_outputs.h"
#include "webreport/document/compare_document.h"
#include "webreport/session/inputs.h"

enum { OUTPUTS = 4 };

struct work {
    const struct tp_diff_job *job;
    struct tp_diff_side sides[TP_SIDES];
    struct tp_arena arena;
    struct tp_compare compare;
    struct tp_text_output outputs[OUTPUTS];
    struct tp_error err;
};

static int print(struct work *work)
{
    enum { PAGE_ROWS = 300 };
    static tp_print *const printers[OUTPUTS] = {tp_print_html, tp_print_json, tp_print_markdown, tp_print_text};
    const struct tp_diff_job *job = work->job;
    bool is_taken = tp_is_stdout(job->html) || tp_is_stdout(job->json) || tp_is_stdout(job->markdown);
    const char *const paths[OUTPUTS] = {job->html, job->json, job->markdown, is_taken ? NULL : "-"};
    struct tp_naming naming = {.arena = &work->arena, .redact = job->redact};
    size_t rows = !job->print.row_limit ? SIZE_MAX : job->print.row_limit;
    struct tp_document document;
    int code = TP_OK;
    tp_compare_document(&document, &work->compare, &naming, rows > PAGE_ROWS ? rows : PAGE_ROWS);
    for (int i = 0; i < OUTPUTS && code == TP_OK; i++) {
        work->outputs[i].path = paths[i];
        if (paths[i])
            code = printers[i](&work->outputs[i].text, &document, &job->print, &work->err);
    }
    return code < 0 ? code : tp_text_outputs_write(work->outputs, OUTPUTS, &work->err);
}

static int run(void *context, struct tp_error *err)
{
    struct work *work = context;
    (void)err; /* the work has it */
    struct tp_side_input inputs[TP_SIDES];
    const struct tp_calltree *trees[TP_SIDES];
    for (int s = 0; s < TP_SIDES; s++) {
        struct tp_diff_side *side = &work->sides[s];
        if (tp_diff_side_load(side, work->job->paths[s], &work->job->read) < 0)
            return tp_error_set(&work->err, side->code, 0, "%s: %s", s == TP_BASE ? "base" : "new", side->err.text);
        inputs[s] = tp_diff_side_input(side);
        trees[s] = tp_diff_side_trees(side);
    }
    tp_compare_build(&work->compare, inputs, trees, &work->job->compare, &work->arena);
    return print(work);
}

static int exit_code(const struct work *work, int code)
{
    const struct tp_diff_job *job = work->job;
    enum tp_change_verdict verdict = work->compare.verdict;
    if (code == TP_OK && *work->compare.damage && !job->exits_zero)
        return TP_EXIT_DAMAGED;
    bool has_found = verdict == TP_CHANGE_REGRESSED || (verdict == TP_CHANGE_INCONCLUSIVE && job->fails_inconclusive);
    return code == TP_OK && has_found && !job->exits_zero ? TP_EXIT_FOUND : tp_inputs_exit_code(code);
}

int tp_diff_run(const struct tp_diff_job *job)
{
    struct work work = {.job = job};
    tp_arena_init(&work.arena, 0);
    int code = tp_arena_run(&work.arena, run, &work, &work.err);
    tp_console_progress_end(job->console);
    if (code < 0)
        tp_console_error(job->console, "%s", work.err.text);
    for (int i = 0; i < OUTPUTS; i++)
        tp_buf_release(&work.outputs[i].text);
    int result = exit_code(&work, code);
    for (int s = 0; s < TP_SIDES; s++)
        tp_diff_side_close(&work.sides[s]);
    tp_arena_release(&work.arena);
    return result;
}
