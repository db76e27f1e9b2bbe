/* Records from outside. See record_outside.h. */
#include "webreport/cli/record_outside.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/launch/attached.h"
#include "collector/launch/child.h"
#include "collector/outside/outside.h"
#include "webreport/cli/cmd.h"
#include "webreport/cli/record_end.h"
#include "webreport/cli/run_outputs.h"

/* first index in tp_child.watched for this recording; the recording inside the program uses lower indexes */
enum { WATCHED_OUTSIDE = 2 };

static int open_events(void *outside, pid_t pid, struct tp_error *err)
{
    return tp_outside_begin(outside, pid, err);
}

/* Restores only the signals, because this recording needs no environment variables. Runs in the child process, before
 * exec. */
static void restore_signals_in_child(const void *given)
{
    (void)given;
    tp_signals_restore();
}

static void make_trace_path(const struct tp_record_outside *record, char *path, size_t size)
{
    char name[TP_RUN_NAME_BYTES + 1];
    tp_run_folder_program_name(name, record->argv[0]);
    const struct tp_launcher *launcher = record->note->launcher;
    char rank[32] = ""; /* rank as part of the trace's name, because the ranks of a job share the folder */
    if (launcher)
        snprintf(rank, sizeof rank, "_rank%" PRIu32, launcher->rank);
    snprintf(path, size, "%s/%s%s.%" PRId64 ".pt.trace.json.gz", record->folder->path, name, rank,
             record->note->started_ns);
}

static void print_written_trace(const struct tp_record_outside *record, const struct tp_outside *outside,
                                const char *path)
{
    const struct tp_outside_seen seen = tp_outside_seen(outside);
    struct tp_buf missed;
    tp_buf_init(&missed, 1 << 12);
    tp_outside_put_missed_text(&missed, &seen);
    tp_console_notice(record->console, "recorded %s", path);
    tp_console_notice(record->console, "from outside: %zu process%s, %zu thread%s, %zu sample%s%s%s",
                      seen.process_count, seen.process_count == 1 ? "" : "es", seen.thread_count,
                      seen.thread_count == 1 ? "" : "s", seen.sample_count, seen.sample_count == 1 ? "" : "s",
                      missed.size ? "; not seen: " : "", missed.size ? missed.data : "");
    tp_buf_release(&missed);
}

/* Prints which processes of the program still run; they are no longer recorded, because the recording stops when the
 * program exits. */
static void print_running_processes(const struct tp_record_outside *record, const struct tp_outside *outside)
{
    struct tp_buf names;
    tp_buf_init(&names, 1 << 12);
    size_t count = tp_outside_list_running(outside, &names);
    if (count)
        tp_console_notice(record->console,
                          "%zu process%s of it still run%s: %s%s; recorded up to now; to continue, run: tracepress "
                          "record -p PID",
                          count, count == 1 ? "" : "es", count == 1 ? "s" : "", names.data, count > 3 ? " .." : "");
    tp_buf_release(&names);
}

/* Writes the trace and prints its path. On failure, prints the reason and returns false. */
static bool write_trace(const struct tp_record_outside *record, struct tp_outside *outside)
{
    char path[TP_RUN_PATH_BYTES + 128];
    struct rlimit limit;
    struct tp_error err = {0};
    make_trace_path(record, path, sizeof path);
    int code = tp_outside_write(outside, path, &err);
    if (code == TP_ENOMEM && getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        tp_console_error(record->console, "no trace: the address space is limited to %llu MiB (ulimit -v)",
                         (unsigned long long)limit.rlim_cur >> 20);
    else if (code < 0)
        tp_console_error(record->console, "no trace: %s", err.text);
    else
        print_written_trace(record, outside, path);
    return code == TP_OK;
}

/* Writes the trace and the outputs that are made from it. */
static void write_outputs(const struct tp_record_outside *record, struct tp_outside *outside)
{
    write_trace(record, outside);
    record->note->state = TP_RUN_UNPROCESSED;
    tp_record_write_note(record->console, record->folder, record->note);
    tp_run_outputs_make_requested(record->console, record->folder, record->note, true);
}

/* Saves the trace after this process was killed. Runs in a copy of this process that prints nothing. */
static void save_trace_after_kill(void *context)
{
    const struct tp_record_outside *record = context;
    char path[TP_RUN_PATH_BYTES + 128];
    make_trace_path(record, path, sizeof path);
    tp_outside_write(record->outside, path, NULL);
}

static void enable_backup_after_kill(struct tp_record_outside *record)
{
    tp_outside_set_backup_writer(record->outside, save_trace_after_kill, record, record->folder->lock);
}

static void finish_recording(const struct tp_record_outside *record, struct tp_outside *outside,
                             const struct tp_child *child)
{
    tp_record_fill_exit_note(record->note, child);
    /* restarts the progress display, so that it does not count the run time of the program */
    tp_console_restart(record->console);
    tp_outside_end(outside, &child->status);
    if (child->signal)
        tp_console_notice(record->console, "%s was ended by signal %d (%s); its records are kept", record->argv[0],
                          child->signal, strsignal(child->signal));
    print_running_processes(record, outside);
    write_outputs(record, outside);
}

bool tp_record_outside(struct tp_record_outside *record, int *exit_code)
{
    struct tp_outside *outside;
    struct tp_error err = {0};
    const struct tp_outside_options options = {.argv = record->argv, .is_whole = record->options->records_whole_cpus};
    int code = tp_outside_new(&outside, &options, &err);
    struct tp_child child = {.path = record->program->path,
                             .argv = record->argv,
                             .may_run_by_shell = !record->program->is_elf,
                             .prepare = restore_signals_in_child,
                             .mask = record->mask,
                             .forked = open_events,
                             .ended = tp_outside_read_last_facts,
                             .forked_state = outside,
                             .watched = {{code < 0 ? -1 : tp_outside_fd(outside), tp_outside_poll, outside}}};
    if (code == TP_OK) {
        record->outside = outside;
        enable_backup_after_kill(record);
        tp_child_run(&child);
    }
    bool is_refused = code < 0 || child.start_error == ECANCELED;
    record->start_error = is_refused ? 0 : child.start_error;
    if (is_refused)
        tp_console_notice(record->console, "recorded only from inside, because the recording from outside failed: %s",
                          code < 0 ? err.text : child.refused.text);
    else if (!child.start_error) {
        sigprocmask(SIG_SETMASK, record->mask, NULL);
        finish_recording(record, outside, &child);
    }
    *exit_code = child.exit_code;
    record->outside = NULL;
    tp_outside_free(outside);
    return !is_refused && !child.start_error;
}

/* ---- in addition to the recording from inside ---- */

/* Opens the perf events of the Linux kernel. If the kernel refuses them, returns no error, because the program can
 * still be recorded from inside. */
static int open_events_if_allowed(void *given, pid_t pid, struct tp_error *err)
{
    struct tp_record_outside *record = given;
    int code = tp_outside_begin(record->outside, pid, err);
    record->is_refused = code < 0;
    if (code == TP_OK)
        enable_backup_after_kill(record);
    bool has_samples = code == TP_OK && tp_outside_seen(record->outside).mode != TP_OUTSIDE_POLLING;
    return has_samples ? TP_RECORD_SAMPLED : TP_RECORD_NOT_SAMPLED;
}

static void store_program_exit(void *given)
{
    const struct tp_record_outside *record = given;
    tp_outside_read_last_facts(record->outside);
}

static void print_inside_only_notice(const struct tp_record_outside *record, const char *why)
{
    tp_console_notice(record->console, "recorded only from inside: %s", why);
}

void tp_record_outside_open(struct tp_record_outside *record, struct tp_child *child)
{
    struct tp_error err = {0};
    const struct tp_outside_options options = {.argv = record->argv, .is_whole = record->options->records_whole_cpus};
    if (tp_outside_new(&record->outside, &options, &err) < 0) {
        print_inside_only_notice(record, err.text);
        return;
    }
    record->is_on = true;
    child->forked = open_events_if_allowed;
    child->forked_state = record;
    child->ended = store_program_exit;
    child->watched[WATCHED_OUTSIDE] =
        (struct tp_child_watch){tp_outside_fd(record->outside), tp_outside_poll, record->outside};
}

bool tp_record_outside_finish(struct tp_record_outside *record, const struct tp_child *child)
{
    bool has_trace = false;
    if (record->is_on && record->is_refused && child)
        print_inside_only_notice(record, child->refused.text);
    if (record->is_on && !record->is_refused && child) {
        /* restarts the progress display, so that it does not count the run time of the program */
        tp_console_restart(record->console);
        tp_outside_end(record->outside, &child->status);
        tp_outside_add_inside(record->outside, record->folder->spools);
        has_trace = write_trace(record, record->outside);
    }
    tp_outside_free(record->outside);
    record->outside = NULL;
    return record->is_on = has_trace;
}

/* ---- running processes ---- */

static void wait_for_attached(const struct tp_record_outside *record, struct tp_outside *outside)
{
    struct tp_attached attached = {.pid = record->is_of_user ? getpid() : record->attached,
                                   .duration_ns = record->duration_ns,
                                   .watched = {tp_outside_fd(outside), tp_outside_poll, outside}};
    if (record->is_of_user)
        tp_console_notice(record->console, "recording %s%s, which continues to run", record->argv[0],
                          record->duration_ns ? "" : " until Ctrl-C");
    else
        tp_console_notice(record->console, "recording process %d (%s)%s, which continues to run", (int)record->attached,
                          record->argv[0], record->duration_ns ? "" : " until it exits or you press Ctrl-C");
    tp_attached_wait(&attached);
    tp_console_restart(record->console);
    record->note->pid = record->attached;
    record->note->ended_ns = tp_record_now_ns();
}

static void print_refusal(const struct tp_record_outside *record, int code, const struct tp_error *err)
{
    char path[64];
    struct stat process;
    snprintf(path, sizeof path, "/proc/%d", (int)record->attached);
    bool is_others =
        code == TP_EUNSUPPORTED && stat(path, &process) == 0 && process.st_uid != geteuid() && geteuid() != 0;
    if (record->is_of_user)
        tp_console_error(record->console, "record: %s: %s", record->argv[0], err->text);
    else if (is_others)
        tp_console_error(record->console,
                         "record: process %d belongs to another user; you need the rights of that user, CAP_PERFMON or "
                         "root",
                         (int)record->attached);
    else
        tp_console_error(record->console, "record: process %d: %s", (int)record->attached, err->text);
}

int tp_record_attached_processes(struct tp_record_outside *record, bool *has_begun)
{
    struct tp_outside *outside;
    struct tp_error err = {0};
    const struct tp_outside_options options = {.argv = record->argv, .is_whole = record->options->records_whole_cpus};
    int code = tp_outside_new(&outside, &options, &err);
    code = code < 0             ? code
           : record->is_of_user ? tp_outside_attach_user(outside, record->user, &err)
                                : tp_outside_attach(outside, record->attached, &err);
    *has_begun = code == TP_OK;
    if (code == TP_OK) {
        record->outside = outside;
        enable_backup_after_kill(record);
        wait_for_attached(record, outside);
        record->outside = NULL;
        tp_outside_end(outside, NULL);
        write_outputs(record, outside);
    } else {
        print_refusal(record, code, &err);
    }
    tp_outside_free(outside);
    return code == TP_OK ? TP_EXIT_DONE : TP_EXIT_NO_INPUT;
}
