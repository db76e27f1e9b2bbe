/* Runs `tracepress record -- PROGRAM`: runs the program with the preload library, then makes traces from its raw
 * records. */
#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/launch/attached.h"
#include "collector/launch/child.h"
#include "collector/launch/kineto.h"
#include "collector/launch/no_records.h"
#include "collector/launch/preload_library.h"
#include "collector/launch/program.h"
#include "collector/launch/run_folder.h"
#include "collector/launch/run_ranks.h"
#include "collector/launch/spool_server.h"
#include "collector/outside/outside.h"
#include "collector/outside/processes/proc_files.h"
#include "webreport/cli/cmd.h"
#include "webreport/cli/record_end.h"
#include "webreport/cli/record_options.h"
#include "webreport/cli/record_outside.h"
#include "webreport/session/console.h"
#include "writer/base/environment.h"

struct job {
    struct tp_record_options *options;
    struct tp_console *console;
    char **argv; /* name of the program, and its arguments; NULL-terminated */
    struct tp_program program;
    char library[4096];
    char preload[8192]; /* value of LD_PRELOAD for the program; "": preloading is impossible */
    struct tp_run_folder folder;
    struct tp_launcher launcher; /* rank and size of the job; set if this process runs a rank of a job */
    struct tp_run_note note;
    sigset_t mask;   /* signals that were blocked when this process started */
    bool is_outside; /* true: the program is only recorded from outside, so that nothing is preloaded */
    struct tp_child child;
    struct tp_record_outside outside_record;
    struct tp_kineto kineto;
    struct tp_spool_server server;
};

/* ---- preparation of the recording ---- */

static int print_start_error(struct job *job, int error)
{
    tp_console_error(job->console, "%s: %s", job->argv[0],
                     error == ENOENT && !strchr(job->argv[0], '/') ? "no such program in PATH" : strerror(error));
    return error == ENOENT || error == ENOTDIR ? TP_RECORD_NOT_FOUND : TP_RECORD_CANNOT_RUN;
}

/* Returns how the program is recorded, as a word for run.json. */
static const char *recording_mode(const struct job *job)
{
    bool is_outside = job->is_outside || job->outside_record.is_on;
    if (job->program.why_plain)
        return is_outside ? "outside" : "none";
    return job->is_outside ? "outside" : is_outside ? "both" : "inside";
}

static int make_folder(struct job *job, struct tp_error *err)
{
    const struct tp_record_options *o = job->options;
    const struct tp_launcher *launcher = tp_launcher_find(&job->launcher) ? &job->launcher : NULL;
    int code = tp_run_folder_make(&job->folder, o->out, job->argv[0], launcher, err);
    job->note = (struct tp_run_note){.launcher = launcher,
                                     .wishes = {.events = !o->omits_tfevents && !o->summary_only,
                                                .report = o->report,
                                                .summary = o->summary,
                                                .summary_only = o->summary_only},
                                     .argv = job->argv,
                                     .mode = recording_mode(job),
                                     .reason = job->is_outside ? NULL : job->program.why_plain,
                                     .started_ns = tp_record_now_ns()};
    if (code == TP_OK)
        tp_record_write_note(job->console, &job->folder, &job->note);
    if (code == TP_OK && launcher)
        code = tp_run_ranks_create_note(&job->folder, err);
    return code;
}

/* Preloads an OpenMP runtime that reports its work. This runtime replaces the OpenMP runtime of the program. */
static int preload_openmp(struct job *job, struct tp_error *err)
{
    char runtime[1024];
    size_t len = strlen(job->preload);
    tp_record_source_setting(job->options, "openmp", runtime, sizeof runtime);
    if (!*runtime)
        return TP_OK;
    int n = snprintf(job->preload + len, sizeof job->preload - len, ":%s", runtime);
    return n > 0 && (size_t)n < sizeof job->preload - len ? TP_OK
                                                          : tp_error_set(err, TP_ELIMIT, 0, "LD_PRELOAD is too long");
}

static int prepare_library(struct job *job, struct tp_error *err)
{
    int code = tp_library_find(job->library, sizeof job->library, err);
    if (code < 0)
        return code;
    if (job->program.why_plain && !job->outside_record.is_on)
        tp_console_notice(job->console, "nothing will be recorded%s: %s: %s: %s",
                          job->program.can_children_preload ? " but the programs that it starts" : "",
                          job->program.path, job->program.why_plain, tp_no_records_advice);
    else if (job->program.why_plain)
        tp_console_notice(job->console, "recorded from outside only%s: %s: %s",
                          job->program.can_children_preload ? " but for the programs that it starts" : "",
                          job->program.path, job->program.why_plain);
    if (job->program.why_plain && !job->program.can_children_preload)
        return TP_OK;
    if (tp_library_make_preload_value(job->preload, sizeof job->preload, job->library) != TP_OK)
        return tp_error_set(err, TP_ELIMIT, 0, "LD_PRELOAD is too long");
    return preload_openmp(job, err);
}

/* Prints which of the sources that the user named are not available. */
static int check_sources(struct job *job, struct tp_error *err)
{
    struct tp_source_rows rows;
    if (!job->options->source.count && !job->options->no_source.count)
        return TP_OK;
    int code = tp_library_read_sources(&rows, job->library, NULL, NULL, err);
    return code < 0 ? code : tp_record_check_names(job->options, &rows, err);
}

static int prepare_recording(struct job *job)
{
    struct tp_error err = {0};
    int code = prepare_library(job, &err);
    if (code == TP_OK && (code = check_sources(job, &err)) == TP_EUSAGE) {
        tp_console_error(job->console, "record: %s", err.text);
        return TP_EXIT_USAGE;
    }
    if (code == TP_OK)
        code = make_folder(job, &err);
    if (code == TP_OK && tp_record_wants_source(job->options, "kineto")) {
        job->options->kineto.folder = job->folder.spools;
        job->options->kineto.has_step_files = *job->preload != '\0';
        code = tp_kineto_open(&job->kineto, &job->options->kineto, &err);
    }
    if (code < 0)
        tp_console_error(job->console, "%s", err.text);
    return code < 0 ? TP_EXIT_NO_OUTPUT : TP_EXIT_DONE;
}

/* ---- environment of the program ---- */

/* Sets the environment variables through which NVTX and ITT find the preload library. The sources also set these
 * variables, but constructors of the program's libraries may run earlier. Variables that are already set are kept. */
static void set_injection_variables(const struct job *job)
{
    static const struct {
        const char *source, *variable;
    } tools[] = {{"nvtx", "NVTX_INJECTION64_PATH"}, {"itt", "INTEL_LIBITTNOTIFY64"}};
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (*job->preload && tp_record_starts_source(job->options, tools[i].source))
            setenv(tools[i].variable, job->library, 0);
}

/* Sets the environment of the program. Runs in the child process, before exec. */
static void set_environment(const void *given)
{
    const struct job *job = given;
    char words[TP_RECORD_WORDS];
    tp_signals_restore();
    if (*job->preload)
        setenv("LD_PRELOAD", job->preload, 1);
    set_injection_variables(job);
    tp_spool_server_set_environment(&job->server);
    setenv("TRACEPRESS_SPOOLS", job->folder.spools, 1);
    bool has_outside = job->outside_record.is_on && job->child.answer == TP_RECORD_SAMPLED;
    setenv("TRACEPRESS_SOURCES", tp_record_source_setting_text(job->options, has_outside, words, sizeof words), 1);
    /* suppresses messages of Kineto, which the program does not print without tracepress */
    setenv("KINETO_LOG_LEVEL", "5", 0);
    setenv("TRACEPRESS_TORCH", tp_record_torch_setting_text(job->options, words, sizeof words), 1);
    unsetenv("TRACEPRESS_LIST_SOURCES");
    if (job->options->common.quiet)
        setenv("TRACEPRESS_QUIET", "1", 1);
    if (job->options->summary_only)
        setenv("TRACEPRESS_SUMMARY_ONLY", "1", 1);
    if (job->kineto.fd >= 0)
        tp_kineto_set_environment(&job->kineto);
}

/* ---- the whole command ---- */

/* Removes the folder of the run if no program ran. */
static void remove_run_folder(struct job *job)
{
    char path[TP_RUN_PATH_BYTES + 16];
    if (!*job->folder.path)
        return;
    snprintf(path, sizeof path, "%s/run.json", job->folder.home);
    unlink(path);
    tp_run_folder_release(&job->folder, true);
}

/* Returns the description of a recording from outside for this command. */
static struct tp_record_outside make_outside_options(struct job *job)
{
    return (struct tp_record_outside){.options = job->options,
                                      .console = job->console,
                                      .argv = job->argv,
                                      .program = &job->program,
                                      .folder = &job->folder,
                                      .note = &job->note,
                                      .mask = &job->mask};
}

/* Stops this process because of a signal that arrived before the program started, and removes the folder. Returns
 * the exit code if the handler of the signal does not stop the process. */
static int exit_by_early_signal(const struct job *job, int number)
{
    sigprocmask(SIG_SETMASK, &job->mask, NULL);
    return 128 + number;
}

/* Records from outside. Returns true and sets *exit_code if the work is done. Returns false if the Linux kernel refuses
 * events (perf_event_open). In that case no program ran, and the reason was printed. */
static bool run_with_outside_recording(struct job *job, int *exit_code)
{
    struct tp_error err = {0};
    struct tp_record_outside record = make_outside_options(job);
    job->is_outside = true;
    *exit_code = TP_EXIT_NO_OUTPUT;
    if (make_folder(job, &err) < 0) {
        tp_console_error(job->console, "%s", err.text);
        return true;
    }
    int asked = tp_child_pending_signal();
    bool is_done = !asked && tp_record_outside(&record, exit_code);
    if (is_done)
        tp_run_folder_release(&job->folder, false);
    else
        remove_run_folder(job);
    if (asked) {
        *exit_code = exit_by_early_signal(job, asked);
        return true;
    }
    if (record.start_error)
        *exit_code = print_start_error(job, record.start_error);
    job->is_outside = false;
    return is_done || record.start_error;
}

static int record_running_processes(struct job *job, struct tp_record_outside *record)
{
    struct tp_error err = {0};
    bool has_begun = false;
    job->is_outside = true;
    record->duration_ns = (int64_t)job->options->kineto.duration_ms * 1000000;
    tp_attached_prepare(); /* blocks signals before the folder exists, so that a signal cannot leave an unfinished
                              folder */
    int code = make_folder(job, &err) < 0 ? TP_EXIT_NO_OUTPUT : tp_record_attached_processes(record, &has_begun);
    if (code == TP_EXIT_NO_OUTPUT)
        tp_console_error(job->console, "%s", err.text);
    if (has_begun)
        tp_run_folder_release(&job->folder, false);
    else
        remove_run_folder(job);
    return code;
}

/* Records a running process. The names of the files contain the name of its program, as for a program that `record`
 * starts. */
static int attach_to_process(struct job *job)
{
    char *words[1024], *none[] = {(char *)"process", NULL};
    struct tp_buf text;
    size_t count = 0;
    tp_buf_init(&text, 1 << 16);
    if (tp_proc_read_arguments(&text, (uint32_t)job->options->attached))
        for (size_t at = 0; at < text.size && count + 1 < sizeof words / sizeof *words;
             at += strlen(text.data + at) + 1)
            words[count++] = text.data + at;
    words[count] = NULL;
    job->argv = count && *words[0] ? words : none;
    struct tp_record_outside record = make_outside_options(job);
    record.attached = job->options->attached;
    int code = record_running_processes(job, &record);
    tp_buf_release(&text);
    return code;
}

/* Records all programs of a user; of the current user if no name is given. */
static int attach_to_user(struct job *job)
{
    char words[80], *argv[] = {words, NULL}, *end;
    const char *name = job->options->all_of_user;
    unsigned long number = strtoul(name, &end, 10);
    const struct passwd *user = !*name ? getpwuid(geteuid()) : *end ? getpwnam(name) : getpwuid((uid_t)number);
    uid_t uid = user ? user->pw_uid : *name && !*end ? (uid_t)number : geteuid();
    if (*name && *end && !user) {
        tp_console_error(job->console, "record: --all-of-user: unknown user \"%.40s\"", name);
        return TP_EXIT_USAGE;
    }
    if (uid != geteuid() && geteuid() != 0) {
        tp_console_error(job->console, "record: --all-of-user: you must be root to record another user's programs");
        return TP_EXIT_NO_INPUT;
    }
    if (user)
        snprintf(words, sizeof words, "all of %.60s", user->pw_name);
    else
        snprintf(words, sizeof words, "all of user %u", (unsigned)uid);
    job->argv = argv;
    struct tp_record_outside record = make_outside_options(job);
    record.is_of_user = true;
    record.user = uid;
    return record_running_processes(job, &record);
}

/* Opens a recording from outside, in addition to the recording inside the program. If this is impossible, prints the
 * reason; the program then runs without this recording. */
static void open_outside(struct job *job)
{
    job->outside_record = make_outside_options(job);
    tp_record_outside_open(&job->outside_record, &job->child);
}

static void run_with_inside_recording(struct job *job)
{
    struct tp_child *child = &job->child;
    child->path = job->program.path;
    child->argv = job->argv;
    child->may_run_by_shell = !job->program.is_elf;
    child->prepare = set_environment;
    child->given = job;
    child->mask = &job->mask;
    child->watched[0] = (struct tp_child_watch){job->kineto.fd, tp_kineto_answer, &job->kineto};
    child->watched[1] = (struct tp_child_watch){job->server.fd, tp_spool_server_answer, &job->server};
    tp_child_run(child);
}

static int run_program(struct job *job)
{
    int code;
    tp_program_find(&job->program, job->argv[0]);
    if (job->program.error)
        return print_start_error(job, job->program.error);
    /* blocks signals, so that no signal stops this process after it made the folder and before it started the
     * program */
    tp_child_block_signals(&job->mask);
    if (job->options->outside && run_with_outside_recording(job, &code))
        return code;
    if (tp_record_has_outside(job->options) && !job->options->outside)
        open_outside(job);
    code = prepare_recording(job);
    if (code == TP_EXIT_DONE)
        tp_spool_server_open(&job->server, *job->preload ? job->folder.lock : -1);
    int asked = tp_child_pending_signal();
    if (code == TP_EXIT_DONE && !asked)
        run_with_inside_recording(job);
    tp_kineto_close(&job->kineto);
    tp_spool_server_close(&job->server);
    bool has_run = code == TP_EXIT_DONE && !asked && !job->child.start_error;
    bool has_outside = tp_record_outside_finish(&job->outside_record, has_run ? &job->child : NULL);
    if (has_run) {
        job->note.mode = recording_mode(job);
        tp_record_end(&(struct tp_record_end){job->options, job->console, job->argv, &job->program, &job->folder,
                                              &job->note, has_outside},
                      &job->child);
        tp_run_folder_release(&job->folder, false);
        return job->child.exit_code;
    }
    remove_run_folder(job);
    return asked                  ? exit_by_early_signal(job, asked)
           : code == TP_EXIT_DONE ? print_start_error(job, job->child.start_error)
                                  : code;
}

static int list_sources(struct job *job)
{
    struct tp_source_rows rows;
    struct tp_error err = {0};
    int code = tp_library_find(job->library, sizeof job->library, &err);
    if (code == TP_OK && job->argv[0]) {
        tp_program_find(&job->program, job->argv[0]);
        if (job->program.error)
            return print_start_error(job, job->program.error);
    }
    if (code == TP_OK)
        code = tp_library_read_sources(&rows, job->library, job->argv[0] ? job->program.path : NULL, job->argv, &err);
    if (code < 0) {
        tp_console_error(job->console, "%s%s%s", err.text, job->program.why_plain ? ": " : "",
                         job->program.why_plain ? job->program.why_plain : "");
        return TP_EXIT_NO_INPUT;
    }
    const char *why_not = tp_outside_probe(&err) < 0 ? err.text : NULL;
    return tp_record_print_sources(&rows, why_not) == 0 ? TP_EXIT_DONE : TP_EXIT_NO_OUTPUT;
}

int tp_cmd_record(int argc, char **argv)
{
    struct tp_record_options options;
    struct tp_error err = {0};
    struct tp_console console;
    struct job job = {.options = &options,
                      .console = &console,
                      .kineto = {.fd = -1},
                      .server = {.fd = -1, .theirs = -1},
                      .folder = {.lock = -1}};
    int code = tp_record_parse_options(&options, argc, argv, &job.argv, &err);
    tp_console_init(&console, options.common.quiet, options.common.color);
    if (options.common.help)
        return tp_help_print("record");
    if (code < 0) {
        tp_console_error(&console, "record: %s; 'tracepress help record' lists the options", err.text);
        return TP_EXIT_USAGE;
    }
    if (options.list_sources)
        return list_sources(&job);
    return options.all_of_user ? attach_to_user(&job) : options.attached ? attach_to_process(&job) : run_program(&job);
}
