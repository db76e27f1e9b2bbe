/* Runs `tracepress check INPUT...`: parses options, writes outputs and sets the exit code. Also prints the list of
 * metrics. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "webreport/cli/cmd.h"
#include "webreport/cli/report_flight.h"
#include "webreport/document/commands/check_document.h"
#include "webreport/document/commands/history_document.h"
#include "webreport/session/check_session.h"
#include "webreport/session/check_snapshots.h"
#include "webreport/session/inputs.h"
#include "webreport/session/opt.h"
#include "webreport/session/run_notes.h"

/* Values of --inconclusive. NOT_GIVEN: the option is not given. In that case, a limit that stays inconclusive with any
 * number of runs passes, and a limit without a baseline fails. */
enum { NOT_GIVEN = -1, FAILS = 1 };

struct options {
    struct tp_opt_common common;
    struct tp_trace_options read;
    const char *budget, *baseline, *label, *text, *json, *junit, *sarif, *markdown, *badge, *source_root, *reason,
        *committed;
    struct tp_opt_list rules;
    const char *peaks;
    int inconclusive, format;
    bool update_baseline, list_metrics, accept, bisect_hint;
};

#define AT(field) offsetof(struct options, field)

static const struct tp_opt table[] = {
    {"budget", 0, TP_OPT_PATH, AT(budget), NULL},
    {"baseline", 0, TP_OPT_PATH, AT(baseline), NULL},
    {"update-baseline", 0, TP_OPT_FLAG, AT(update_baseline), NULL},
    {"label", 0, TP_OPT_TEXT, AT(label), NULL},
    {"accept", 0, TP_OPT_FLAG, AT(accept), NULL},
    {"reason", 0, TP_OPT_TEXT, AT(reason), NULL},
    {"committed", 0, TP_OPT_TEXT, AT(committed), NULL},
    {"bisect-hint", 0, TP_OPT_FLAG, AT(bisect_hint), NULL},
    {"inconclusive", 0, TP_OPT_CHOICE, AT(inconclusive), "pass|fail"},
    {"output", 'o', TP_OPT_PATH, AT(text), NULL},
    {"json", 0, TP_OPT_PATH, AT(json), NULL},
    {"junit", 0, TP_OPT_PATH, AT(junit), NULL},
    {"sarif", 0, TP_OPT_PATH, AT(sarif), NULL},
    {"markdown", 0, TP_OPT_PATH, AT(markdown), NULL},
    {"badge", 0, TP_OPT_PATH, AT(badge), NULL},
    {"source-root", 0, TP_OPT_PATH, AT(source_root), NULL},
    {"list-metrics", 0, TP_OPT_FLAG, AT(list_metrics), NULL},
    {"format", 0, TP_OPT_CHOICE, AT(format), "text|json"},
    {"rule", 0, TP_OPT_LIST, AT(rules), NULL},
    {"peaks", 0, TP_OPT_TEXT, AT(peaks), NULL},
    TP_OPT_READING(struct options),
    TP_OPT_MAP(struct options),
    TP_OPT_COMPILE(struct options),
    TP_OPT_PARTS(struct options),
    TP_OPT_COMMON(struct options),
};

struct metric_list {
    const struct options *options;
    struct tp_cmd_work work;
};

static int print_metrics(void *context, struct tp_error *err)
{
    struct metric_list *list = context;
    const struct tp_cmd_output output = {list->options->text ? list->options->text : "-",
                                         list->options->format == 1 ? tp_print_json : tp_print_text};
    struct tp_document document;
    (void)err; /* the parameter is unused, because errors are reported through job->work.err */
    tp_metric_list_document(&document, &list->work.arena);
    return tp_cmd_write_outputs(&list->work, &document, &output, 1, &(struct tp_print_options){0});
}

static int list_metrics(const struct options *o, struct tp_console *console)
{
    struct metric_list list = {.options = o, .work = {.console = console}};
    int code = tp_inputs_exit_code(tp_cmd_run_in_arena(&list.work, print_metrics, &list));
    tp_cmd_release(&list.work);
    return code;
}

/* Returns whether the path is a summary file or a folder. A summary must not overwrite any other file. */
static bool is_summary_path(const char *path)
{
    size_t size = strlen(path);
    return (size > 4 && strcmp(path + size - 4, ".tps") == 0) || tp_inputs_is_folder(path);
}

struct place {
    char text[4096];
};

/* Returns the path, with a slash appended if it names a new folder of summaries. */
static const char *path_of_summary_output(const char *path, struct place *place)
{
    static const char *const files[] = {".tps", ".json", ".gz", ".txt", ".html", ".md", ".note", "/"};
    bool is_file = access(path, F_OK) == 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        is_file |= tp_str_ends(tp_str_of(path), files[i]);
    if (is_file || !*path || strlen(path) + 2 > sizeof place->text)
        return path;
    snprintf(place->text, sizeof place->text, "%s/", path);
    return place->text;
}

/* ---- the check ---- */

enum { TEXT, JSON, JUNIT, SARIF, MARKDOWN, BADGE, OUTPUTS };

struct job {
    const struct options *options;
    struct tp_cmd_output outputs[OUTPUTS];
    struct tp_check_session session;
    struct tp_cmd_work work;
};

/* Sets the paths of the outputs. The text goes to standard output unless another output already uses it. */
static void set_output_paths(struct job *job, const struct options *o)
{
    const struct tp_cmd_output outputs[OUTPUTS] = {
        [TEXT] = {o->text, tp_print_text},    [JSON] = {o->json, tp_print_json},
        [JUNIT] = {o->junit, tp_print_junit}, [SARIF] = {o->sarif, tp_print_sarif},
        [BADGE] = {o->badge, tp_print_badge}, [MARKDOWN] = {o->markdown, tp_print_markdown}};
    bool is_taken = false;
    for (int i = 0; i < OUTPUTS; i++) {
        job->outputs[i] = outputs[i];
        is_taken |= tp_is_stdout_path(outputs[i].path);
    }
    if (!o->text && !is_taken)
        job->outputs[TEXT].path = "-";
}

static int run_check_in_guard(void *context, struct tp_error *err)
{
    struct job *job = context;
    struct tp_document document;
    char folder[4096];
    const char *root = job->options->source_root ? job->options->source_root : getcwd(folder, sizeof folder);
    struct tp_print_options options = {.source_root = root,
                                       .has_color = job->work.console->has_color &&
                                                    tp_is_stdout_path(job->outputs[TEXT].path) &&
                                                    isatty(STDOUT_FILENO)};
    int code = tp_check_session_run(&job->session, &job->work.arena, &job->work.err);
    (void)err; /* the parameter is unused, because errors are reported through job->work.err */
    if (code < 0)
        return code;
    tp_check_document(&document, &job->session.check, &job->work.arena);
    if (job->session.check.lacks_baseline && !job->session.updates_baseline && !job->session.input.is_base_broken)
        tp_console_notice(job->work.console,
                          "no baseline to compare with; store a good run with: check %.200s --baseline baselines/ "
                          "--update-baseline, then check other runs with --baseline baselines/",
                          job->session.input.run.name);
    tp_history_put_notes(&document, job->session.history.runs, job->session.history.count, job->options->bisect_hint);
    code = tp_cmd_write_outputs(&job->work, &document, job->outputs, OUTPUTS, &options);
    return code < 0 ? code : tp_check_session_store(&job->session, &job->work.arena, &job->work.err);
}

static int exit_code_of_check(const struct job *job, int code)
{
    enum tp_check_status verdict = job->session.check.verdict;
    if (code < 0)
        return code == TP_EUSAGE ? TP_EXIT_USAGE : tp_inputs_exit_code(code);
    if (job->session.check.is_damaged)
        return TP_EXIT_DAMAGED;
    if (job->session.accepts)
        return TP_EXIT_DONE;
    if (job->session.check.lacks_baseline && job->options->inconclusive == NOT_GIVEN && !job->session.updates_baseline)
        return TP_EXIT_DAMAGED;
    bool is_bad = verdict == TP_CHECK_FAIL || (verdict == TP_CHECK_INCONCLUSIVE && job->options->inconclusive == FAILS);
    return is_bad ? TP_EXIT_FOUND : TP_EXIT_DONE;
}

/* ---- options ---- */

/* Returns what is wrong with the combination of options; NULL if the options are valid. */
static const char *find_wrong_option(const struct options *o)
{
    if ((o->update_baseline || o->accept || o->bisect_hint) && !o->baseline)
        return "--update-baseline, --accept and --bisect-hint need --baseline";
    if (o->reason && !o->accept)
        return "--reason needs --accept";
    if ((o->update_baseline || o->accept) && !is_summary_path(o->baseline))
        return "--update-baseline needs --baseline with a folder or a .tps file";
    if (o->committed && (!o->baseline || !tp_run_note_parse_seconds(tp_str_of(o->committed))))
        return "--committed needs --baseline and the commit's time in seconds, from 'git show -s --format=%ct'";
    if (o->label && (!o->baseline || !*o->label || strchr(o->label, '/') || *o->label == '.'))
        return "--label must be a file name in the folder of --baseline";
    return NULL;
}

/* Finds out whether the inputs are memory snapshots, which are not stored as baselines. Returns what is wrong with the
 * inputs or the options; NULL if nothing is. */
static const char *find_wrong_snapshot(struct tp_check_session *session, const struct options *o)
{
    int code = tp_snapshot_check_detect(session->inputs, session->input_count, o->read.include);
    if (code == TP_EUSAGE)
        return "traces and memory snapshots have different limits; name only traces or only snapshots";
    session->are_snapshots = code > 0;
    if (code <= 0)
        return NULL;
    if (o->update_baseline || o->accept || o->bisect_hint)
        return "memory snapshots are not stored as baselines; name the snapshot of a good run with --baseline";
    if (o->baseline && tp_snapshot_check_detect(&o->baseline, 1, NULL) <= 0)
        return "the baseline of a memory snapshot must be a memory snapshot";
    return NULL;
}

/* Returns the option that has no effect for dumps of the Flight Recorder; NULL if none is given. */
static const char *find_useless_option(const struct options *o)
{
    const struct {
        const char *option;
        bool is_given;
    } options[] = {{"--budget", o->budget != NULL},
                   {"--baseline", o->baseline != NULL},
                   {"--update-baseline", o->update_baseline},
                   {"--accept", o->accept},
                   {"--rule", o->rules.count > 0},
                   {"--peaks", o->peaks != NULL},
                   {"--include", o->read.include != NULL}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].is_given)
            return options[i].option;
    return NULL;
}

/* Checks dumps of the Flight Recorder: no rank may hang. Returns an exit code. */
static int check_dumps(const struct job *job)
{
    const struct options *o = job->options;
    struct tp_console *console = job->work.console;
    struct tp_flight_command command = {
        .session = {job->session.inputs, job->session.input_count, o->read.is_strict, console},
        .output_count = OUTPUTS,
        .print = {.has_color = console->has_color && isatty(STDOUT_FILENO)},
        .is_gate = true};
    const char *useless = find_useless_option(o);
    if (useless) {
        tp_console_error(console, "check: %s has no effect on dumps of the Flight Recorder", useless);
        return TP_EXIT_USAGE;
    }
    memcpy(command.outputs, job->outputs, sizeof job->outputs);
    return tp_flight_command_run(&command);
}

static const char *find_output_conflict(const struct job *job)
{
    const char *paths[OUTPUTS];
    for (int i = 0; i < OUTPUTS; i++)
        paths[i] = job->outputs[i].path;
    return tp_inputs_find_conflict(&(struct tp_named_files){.outputs = paths,
                                                            .output_count = OUTPUTS,
                                                            .inputs = job->session.inputs,
                                                            .input_count = job->session.input_count,
                                                            .more = {job->options->budget, job->options->baseline}});
}

int tp_cmd_check(int argc, char **argv)
{
    struct place place;
    struct options o = {.inconclusive = NOT_GIVEN};
    struct tp_peaks_file peaks;
    struct tp_error err = {0};
    struct tp_console console;
    struct job job = {.options = &o, .session = {.console = &console}, .work = {.console = &console}};
    struct tp_check_session *session = &job.session;
    int code =
        tp_cmd_parse_command_line(&console, &(struct tp_cmd){"check", table}, &o, argc, argv, &session->input_count);
    if (code != TP_CMD_CONTINUES)
        return code;
    if (o.list_metrics)
        return list_metrics(&o, &console);
    if (session->input_count == 0)
        return tp_cmd_print_usage_error(&console, "check", "name a trace, a .tps file, or a folder of either");
    if (tp_opt_parse_rules(&session->rules, &o.rules, &err) < 0 ||
        tp_opt_parse_peaks(&session->rules, &peaks, o.peaks, &err) < 0)
        return tp_cmd_print_usage_error(&console, "check", err.text);
    session->inputs = (const char *const *)argv;
    session->budget = o.budget;
    if (o.baseline && (o.update_baseline || o.accept))
        o.baseline = path_of_summary_output(o.baseline, &place);
    session->baseline = o.baseline;
    session->updates_baseline = o.update_baseline || o.accept;
    session->accepts = o.accept;
    session->reason = o.reason;
    session->committed_s = o.committed ? tp_run_note_parse_seconds(tp_str_of(o.committed)) : 0;
    session->label = o.label;
    session->source_root = o.source_root;
    session->read = o.read;
    set_output_paths(&job, &o);
    const char *wrong = find_wrong_option(&o);
    wrong = wrong ? wrong : find_output_conflict(&job);
    const struct tp_run_search search = {.paths = session->inputs, .path_count = session->input_count};
    int dumps = wrong ? 0 : tp_flight_detect_inputs(&search);
    if (dumps > 0)
        return check_dumps(&job);
    if (dumps == TP_EUSAGE)
        wrong = "dumps of the Flight Recorder have no limits; name only their folder";
    wrong = wrong ? wrong : find_wrong_snapshot(session, &o);
    if (wrong)
        return tp_cmd_print_usage_error(&console, "check", wrong);
    code = exit_code_of_check(&job, tp_cmd_run_in_arena(&job.work, run_check_in_guard, &job));
    tp_cmd_release(&job.work);
    return code;
}
