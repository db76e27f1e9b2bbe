/* The job behind `tracepress diff`: see run_diff.h.
 *
 * A side is read trace by trace, and what stays of a trace is its summary and its call tree: memory holds one trace,
 * whatever the number of runs. */
#include "webreport/cli/run_diff.h"

#include <string.h>

#include "webreport/cli/cmd.h"
#include "webreport/cli/text_outputs.h"
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
    const struct tp_diff_job *job = work->job;
    bool is_taken = tp_is_stdout(job->html) || tp_is_stdout(job->json) || tp_is_stdout(job->markdown);
    const char *const paths[OUTPUTS] = {job->html, job->json, job->markdown, is_taken ? NULL : "-"};
    int code = TP_OK;
    for (int i = 0; i < OUTPUTS; i++)
        work->outputs[i].path = paths[i];
    if (paths[0])
        code = tp_compare_page(&work->outputs[0].text, &work->compare, &job->page, &work->arena, &work->err);
    if (paths[1])
        tp_compare_json(&work->outputs[1].text, &work->compare);
    if (paths[2])
        tp_compare_markdown(&work->outputs[2].text, &work->compare);
    if (paths[3])
        tp_compare_text(&work->outputs[3].text, &work->compare, job->shows_all, job->row_limit);
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
