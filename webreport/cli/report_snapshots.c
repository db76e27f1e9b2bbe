/* Runs `tracepress report` for memory snapshots: see report_snapshots.h. */
#include "webreport/cli/report_snapshots.h"

#include <stdio.h>

#include "webreport/cli/cmd.h"
#include "webreport/document/snapshot/snapshot_document.h"
#include "webreport/document/snapshot/timeline_document.h"
#include "webreport/session/inputs.h"
#include "webreport/session/snapshot_session.h"
#include "writer/base/limits.h"
#include "writer/base/path.h"

struct work {
    const struct tp_report_session *session;
    const struct tp_outputs_options *outputs;
    struct tp_cmd_work work;
};

/* Prints a document to the outputs. */
static int write_document(struct work *w, const struct tp_document *document)
{
    const struct tp_outputs_options *o = w->outputs;
    const struct tp_cmd_output outputs[] = {
        {o->html, tp_print_html}, {o->json, tp_print_json}, {o->markdown, tp_print_markdown}};
    struct tp_print_options options = {
        .end = TP_MAX_MARKDOWN_BYTES, .templates_dir = o->page.templates_dir, .max_bytes = o->page.max_bytes};
    int code = TP_OK;
    if (o->html && o->page.writes_separate_assets)
        code = tp_cmd_separate_assets(&w->work, o->html, &options);
    return code < 0 ? code
                    : tp_cmd_write_outputs(&w->work, document, outputs, sizeof outputs / sizeof *outputs, &options);
}

/* Prints the headline of each device of the first snapshots. */
static void print_headlines(struct tp_console *console, const struct tp_snapshots *snapshots)
{
    enum { MOST = 16 };
    for (size_t i = 0; i < snapshots->count && i < MOST; i++) {
        const struct tp_snapshot_result *result = &snapshots->items[i];
        for (size_t d = 0; d < result->device_count; d++) {
            char device[40] = "";
            if (result->device_count > 1)
                snprintf(device, sizeof device, ", GPU %lld", (long long)result->devices[d].device);
            tp_console_notice(console, "%.*s%s: %s", (int)result->file.len, result->file.ptr, device,
                              result->devices[d].headline);
        }
    }
    if (snapshots->count > MOST)
        tp_console_notice(console, "and %zu more snapshots", snapshots->count - MOST);
}

static int run_snapshots(void *context, struct tp_error *err)
{
    struct work *w = context;
    const struct tp_snapshot_session session = {.inputs = w->session->inputs,
                                                .input_count = w->session->input_count,
                                                .include = w->session->read.include,
                                                .max_input_bytes = w->session->read.max_input_bytes,
                                                .is_strict = w->session->read.is_strict,
                                                .console = w->session->console};
    struct tp_snapshots snapshots;
    struct tp_document document;
    (void)err; /* the parameter is unused, because errors are reported through w->work.err */
    int code = tp_snapshot_session_run(&snapshots, &session, &w->work.arena, &w->work.err);
    if (code < 0)
        return code;
    print_headlines(w->session->console, &snapshots);
    tp_snapshots_document(
        &document,
        &(struct tp_snapshots_shown){snapshots.items, snapshots.count, &snapshots.failed, w->outputs->page.redact},
        &w->work.arena);
    return write_document(w, &document);
}

static int run_timeline(void *context, struct tp_error *err)
{
    struct work *w = context;
    struct tp_memory_timeline *timeline = tp_arena_alloc(&w->work.arena, sizeof *timeline);
    struct tp_document document;
    struct tp_str file = tp_str_of(tp_path_base(w->session->inputs[0]));
    struct tp_error why = {0};
    (void)err; /* the parameter is unused, because errors are reported through w->work.err */
    int code = tp_memory_timeline_read(timeline, &w->work.arena, w->session->inputs[0],
                                       w->session->read.max_input_bytes, &why);
    if (code < 0)
        return tp_error_set(&w->work.err, code == TP_ELIMIT || code == TP_ENOMEM ? code : TP_ENOTFOUND, 0, "%s: %s",
                            w->session->inputs[0], why.text);
    tp_timeline_document(&document, timeline, file, w->outputs->page.redact, &w->work.arena);
    return write_document(w, &document);
}

static int report(const struct tp_report_session *session, const struct tp_outputs_options *outputs, tp_arena_work *run)
{
    struct work w = {.session = session, .outputs = outputs, .work = {.console = session->console}};
    int code = tp_inputs_exit_code(tp_cmd_run_in_arena(&w.work, run, &w));
    tp_cmd_release(&w.work);
    return code;
}

int tp_report_snapshots(const struct tp_report_session *session, const struct tp_outputs_options *outputs)
{
    return report(session, outputs, run_snapshots);
}

int tp_report_timeline(const struct tp_report_session *session, const struct tp_outputs_options *outputs)
{
    return report(session, outputs, run_timeline);
}
