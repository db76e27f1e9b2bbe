/* Runs `tracepress report INPUT...`: parses options, writes outputs and sets the exit code. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "webreport/cli/cmd.h"
#include "webreport/cli/nsys_convert.h"
#include "webreport/cli/report_flight.h"
#include "webreport/cli/report_snapshots.h"
#include "webreport/document/job/job_document.h"
#include "webreport/print/report_outputs.h"
#include "webreport/session/inputs.h"
#include "webreport/session/job_session.h"
#include "webreport/session/opt.h"
#include "webreport/session/report_session.h"
#include "webreport/session/snapshot_session.h"
#include "writer/base/environment.h"
#include "writer/base/limits.h"

struct options {
    struct tp_opt_common common;
    struct tp_trace_options read;
    const char *html, *json, *markdown, *history, *baseline, *source_url, *templates;
    uint64_t max_size;
    struct tp_opt_list rules;
    const char *peaks;
    int assets, color, timeline;
    bool redact, convert;
};

#define AT(field) offsetof(struct options, field)

static const struct tp_opt table[] = {
    {"output", 'o', TP_OPT_PATH, AT(html), NULL},
    {"json", 0, TP_OPT_PATH, AT(json), NULL},
    {"markdown", 0, TP_OPT_PATH, AT(markdown), NULL},
    {"history", 0, TP_OPT_PATH, AT(history), NULL},
    {"baseline", 0, TP_OPT_PATH, AT(baseline), NULL},
    {"assets", 0, TP_OPT_CHOICE, AT(assets), "inline|separate"},
    {"max-size", 0, TP_OPT_SIZE, AT(max_size), NULL},
    {"redact", 0, TP_OPT_FLAG, AT(redact), NULL},
    {"convert", 0, TP_OPT_FLAG, AT(convert), NULL},
    {"source-url", 0, TP_OPT_TEXT, AT(source_url), NULL},
    {"timeline", 0, TP_OPT_CHOICE, AT(timeline), "longest|full|none"},
    {"rule", 0, TP_OPT_LIST, AT(rules), NULL},
    {"peaks", 0, TP_OPT_TEXT, AT(peaks), NULL},
    {"templates", 0, TP_OPT_PATH, AT(templates), NULL},
    TP_OPT_READING(struct options),
    TP_OPT_MAP(struct options),
    TP_OPT_COMPILE(struct options),
    TP_OPT_PARTS(struct options),
    TP_OPT_COMMON(struct options),
};

/* Returns the path of report.html if `html` is a folder, else `html`. */
static const char *page_path(const char *html, char *path, size_t size)
{
    struct stat info;
    if (!html || stat(html, &info) < 0 || !S_ISDIR(info.st_mode) ||
        snprintf(path, size, "%s/report.html", html) >= (int)size)
        return html;
    return path;
}

/* What a page shows that is not a page of traces. */
enum page_kind { PAGE_OF_SUMMARIES, PAGE_OF_SNAPSHOTS, PAGE_OF_DUMPS };

/* Returns the first given option that has no effect on such a page; NULL if none exists. */
static const char *find_option_without_effect(const struct options *o, enum page_kind kind)
{
    bool is_of_summaries = kind == PAGE_OF_SUMMARIES;
    const struct {
        const char *option;
        bool is_given;
    } options[] = {{"--baseline", o->baseline != NULL},
                   {"--history", o->history != NULL},
                   {"--timeline", o->timeline != 0},
                   {"--rule", o->rules.count > 0},
                   {"--peaks", o->peaks != NULL},
                   {"--max-input", kind != PAGE_OF_SNAPSHOTS && o->read.max_input_bytes > 0},
                   {"--include", kind == PAGE_OF_DUMPS && o->read.include},
                   {"--source-url", !is_of_summaries && o->source_url},
                   {"--process", !is_of_summaries && o->read.process},
                   {"--step-range", !is_of_summaries && o->read.step_range}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].is_given)
            return options[i].option;
    return NULL;
}

/* Prints a hint if the command runs under Jenkins, which shows artifacts with a policy that blocks inline style. */
static void print_jenkins_hint(const struct options *o, struct tp_console *console)
{
    if (tp_environment("JENKINS_URL") && o->html && o->assets == 0)
        tp_console_notice(console, "running under Jenkins: --assets=separate keeps the page's look there");
}

/* ---- the page of summaries ---- */

struct job_work {
    const struct tp_report_session *session;
    const struct tp_outputs_options *outputs;
    struct tp_cmd_work work;
};

static int run_jobs(void *context, struct tp_error *err)
{
    struct job_work *job = context;
    const struct tp_outputs_options *o = job->outputs;
    const struct tp_cmd_output outputs[] = {
        {o->html, tp_print_html}, {o->json, tp_print_json}, {o->markdown, tp_print_markdown}};
    struct tp_job_session session = {.inputs = job->session->inputs,
                                     .input_count = job->session->input_count,
                                     .is_strict = job->session->read.is_strict,
                                     .console = job->session->console};
    struct tp_print_options options = {
        .end = TP_MAX_MARKDOWN_BYTES, .templates_dir = o->page.templates_dir, .max_bytes = o->page.max_bytes};
    struct tp_document document;
    struct tp_jobs jobs;
    int code = tp_job_session_run(&jobs, &session, &job->work.arena, &job->work.err);
    (void)err; /* the parameter is unused, because errors are reported through job->work.err */
    code = code < 0 || !o->html ? code : tp_source_url_check(o->page.source_url, &job->work.err);
    if (code == TP_OK && o->html && o->page.writes_separate_assets)
        code = tp_cmd_separate_assets(&job->work, o->html, &options);
    if (code < 0)
        return code;
    tp_job_document(&document, &jobs, o->page.redact, o->page.source_url, &job->work.arena);
    return tp_cmd_write_outputs(&job->work, &document, outputs, sizeof outputs / sizeof *outputs, &options);
}

static int report_jobs(const struct tp_report_session *session, const struct tp_outputs_options *outputs)
{
    struct job_work job = {.session = session, .outputs = outputs, .work = {.console = session->console}};
    int code = tp_inputs_exit_code(tp_cmd_run_in_arena(&job.work, run_jobs, &job));
    tp_cmd_release(&job.work);
    return code;
}

/* ---- the page of traces ---- */

static int report_traces(struct tp_report_session *session, const struct tp_outputs_options *options)
{
    struct tp_outputs outputs = {.options = options};
    struct tp_error err = {0};
    const char *const paths[] = {options->html, options->json, options->markdown};
    session->outputs = paths;
    session->output_count = sizeof paths / sizeof *paths;
    session->receiver = &tp_outputs_receiver;
    session->context = &outputs;
    int code = tp_report_session_run(session, &err);
    if (code < 0)
        tp_console_error(session->console, "%s", err.text);
    tp_outputs_close(&outputs);
    return tp_inputs_exit_code(code);
}

/* ---- kinds of inputs ---- */

/* Prints an error if an option has no effect on the page. Returns whether it did. */
static bool refuse_useless_option(struct tp_console *console, const struct options *o, enum page_kind kind)
{
    static const char *const names[] = {"summaries", "memory snapshots", "dumps of the Flight Recorder"};
    const char *option = find_option_without_effect(o, kind);
    if (option)
        tp_console_error(console, "report: %s has no effect on the page of %s", option, names[kind]);
    return option != NULL;
}

/* Runs the report for the kind of the inputs. */
static int report_inputs(struct tp_report_session *session, const struct tp_outputs_options *wanted,
                         const struct options *o)
{
    const struct tp_run_search search = {session->inputs, session->input_count, session->read.include, NULL, true};
    int code = tp_job_detect_inputs(&search);
    if (code == TP_EUSAGE)
        return tp_cmd_print_usage_error(session->console, "report",
                                        "traces and summaries make different pages; name only traces or only "
                                        "summaries");
    if (code < 0) {
        tp_console_error(session->console, "out of memory");
        return TP_EXIT_LIMIT;
    }
    if (code)
        return refuse_useless_option(session->console, o, PAGE_OF_SUMMARIES) ? TP_EXIT_USAGE
                                                                             : report_jobs(session, wanted);
    if (tp_timeline_detect_input(&search))
        return refuse_useless_option(session->console, o, PAGE_OF_SNAPSHOTS) ? TP_EXIT_USAGE
                                                                             : tp_report_timeline(session, wanted);
    code = tp_flight_detect_inputs(&search);
    if (code == TP_EUSAGE)
        return tp_cmd_print_usage_error(
            session->console, "report",
            "dumps of the Flight Recorder make a page of their own; name only their folder");
    if (code > 0)
        return refuse_useless_option(session->console, o, PAGE_OF_DUMPS) ? TP_EXIT_USAGE
                                                                         : tp_report_flight(session, wanted);
    code = tp_snapshot_detect_inputs(&search);
    size_t partner = code == TP_EUSAGE ? tp_snapshot_find_partner(&search) : SIZE_MAX;
    if (code == TP_EUSAGE && partner == SIZE_MAX)
        return tp_cmd_print_usage_error(session->console, "report",
                                        "one page can show one trace and one memory snapshot of the same run; name "
                                        "only these two, or only traces, or only snapshots");
    if (code == TP_EUSAGE) {
        session->snapshot = session->inputs[partner];
        session->inputs += partner == 0;
        session->input_count = 1;
        return report_traces(session, wanted);
    }
    if (code <= 0)
        return report_traces(session, wanted);
    return refuse_useless_option(session->console, o, PAGE_OF_SNAPSHOTS) ? TP_EXIT_USAGE
                                                                         : tp_report_snapshots(session, wanted);
}

/* ---- reports of Nsight Systems ---- */

struct conversion_work {
    struct tp_nsys_conversion conversion;
    struct tp_arena arena; /* paths of the converted files */
    char **inputs;
    size_t count;
    struct tp_console *console;
};

static int convert_inputs(void *context, struct tp_error *err)
{
    struct conversion_work *w = context;
    (void)err; /* errors are printed */
    return tp_nsys_convert_inputs(&w->conversion, w->inputs, w->count, &w->arena, w->console) ? TP_OK : TP_ENOTFOUND;
}

/* Converts the inputs with nsys, and makes their report. argv: the inputs, changed in place. */
static int convert_and_report(struct tp_report_session *session, const struct tp_outputs_options *wanted,
                              const struct options *o, char **argv)
{
    struct conversion_work work = {.inputs = argv, .count = session->input_count, .console = session->console};
    tp_arena_init(&work.arena, 0);
    int code = tp_arena_run(&work.arena, convert_inputs, &work, NULL);
    code = code == TP_OK ? report_inputs(session, wanted, o) : tp_inputs_exit_code(code);
    tp_nsys_conversion_release(&work.conversion);
    tp_arena_release(&work.arena);
    return code;
}

/* ---- options ---- */

int tp_cmd_report(int argc, char **argv)
{
    struct options o = {0};
    struct tp_peaks_file peaks;
    struct tp_error err = {0};
    struct tp_console console;
    struct tp_report_session session = {.console = &console, .inputs = (const char *const *)argv};
    size_t inputs;
    int code = tp_cmd_parse_command_line(&console, &(struct tp_cmd){"report", table}, &o, argc, argv, &inputs);
    if (code != TP_CMD_CONTINUES)
        return code;
    if (inputs == 0)
        return tp_cmd_print_usage_error(&console, "report",
                                        "name a trace file, or a folder to search for *.pt.trace.json[.gz]");
    if (tp_opt_parse_rules(&session.rules, &o.rules, &err) < 0 ||
        tp_opt_parse_peaks(&session.rules, &peaks, o.peaks, &err) < 0)
        return tp_cmd_print_usage_error(&console, "report", err.text);
    if (!o.html && !o.json && !o.markdown)
        o.html = "report.html";
    char path[4096];
    o.html = page_path(o.html, path, sizeof path);
    const char *const outputs[] = {o.html, o.json, o.markdown};
    const char *wrong =
        tp_inputs_find_conflict(&(struct tp_named_files){.outputs = outputs,
                                                         .output_count = sizeof outputs / sizeof *outputs,
                                                         .inputs = (const char *const *)argv,
                                                         .input_count = inputs,
                                                         .more = {o.baseline, o.history}});
    if (wrong)
        return tp_cmd_print_usage_error(&console, "report", wrong);
    print_jenkins_hint(&o, &console);
    session.input_count = inputs;
    session.history = o.history;
    session.baseline = o.baseline;
    session.read = o.read;
    const struct tp_outputs_options wanted = {.html = o.html,
                                              .json = o.json,
                                              .markdown = o.markdown,
                                              .page = {.redact = o.redact,
                                                       .writes_separate_assets = o.assets == 1,
                                                       .timeline = (enum tp_timeline_detail)o.timeline,
                                                       .source_url = o.source_url,
                                                       .templates_dir = o.templates,
                                                       .max_bytes = o.max_size}};
    return o.convert ? convert_and_report(&session, &wanted, &o, argv) : report_inputs(&session, &wanted, &o);
}
