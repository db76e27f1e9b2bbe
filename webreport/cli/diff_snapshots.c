/* Runs `tracepress diff` for memory snapshots: see diff_snapshots.h. */
#include "webreport/cli/diff_snapshots.h"

#include "webreport/cli/cmd.h"
#include "webreport/document/snapshot/snapshot_diff_document.h"
#include "webreport/session/inputs.h"

struct work {
    struct tp_diff_snapshots *options;
    struct tp_cmd_work work;
};

static int run(void *context, struct tp_error *err)
{
    struct work *w = context;
    struct tp_diff_snapshots *o = w->options;
    bool is_taken = tp_is_stdout_path(o->html) || tp_is_stdout_path(o->json) || tp_is_stdout_path(o->markdown);
    const struct tp_cmd_output outputs[] = {{o->html, tp_print_html},
                                            {o->json, tp_print_json},
                                            {o->markdown, tp_print_markdown},
                                            {is_taken ? NULL : "-", tp_print_text}};
    struct tp_print_options options = {.row_limit = &o->row_limit,
                                       .has_details = o->has_details,
                                       .templates_dir = o->templates,
                                       .max_bytes = o->max_page_bytes};
    struct tp_document document;
    (void)err; /* the parameter is unused, because errors are reported through w->work.err */
    int code = tp_snapshot_comparison_run(&o->comparison, &w->work.arena, &w->work.err);
    if (code < 0)
        return code;
    tp_snapshot_diff_document(&document, &o->comparison.diff, &w->work.arena);
    return tp_cmd_write_outputs(&w->work, &document, outputs, sizeof outputs / sizeof *outputs, &options);
}

static int exit_code_of(const struct tp_diff_snapshots *o, int code)
{
    enum tp_snapshot_diff_verdict verdict = o->comparison.diff.verdict;
    if (code == TP_EUSAGE)
        return TP_EXIT_USAGE;
    if (code < 0 || o->exits_zero || verdict == TP_SNAPSHOT_DIFF_WITHIN)
        return tp_inputs_exit_code(code);
    if (verdict == TP_SNAPSHOT_DIFF_RISES || o->fails_inconclusive)
        return TP_EXIT_FOUND;
    return o->has_limit ? TP_EXIT_DAMAGED : TP_EXIT_DONE;
}

int tp_diff_snapshots(struct tp_diff_snapshots *options)
{
    struct work w = {.options = options, .work = {.console = options->comparison.console}};
    int code = exit_code_of(options, tp_cmd_run_in_arena(&w.work, run, &w));
    tp_cmd_release(&w.work);
    return code;
}
