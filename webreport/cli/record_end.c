/* Finishes a `record` command after the program has exited. See record_end.h.
 *
 * A separate thread waits for signals to stop, so that no signal handler does forbidden work. Both threads take the
 * lock before they change the stage of the work or write run.json. The main thread does not keep the lock during its
 * other work. */
#include "webreport/cli/record_end.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/launch/no_records.h"
#include "collector/launch/takeover.h"
#include "collector/launch/unfit_programs.h"
#include "webreport/cli/run_outputs.h"
#include "writer/base/environment.h"
#include "writer/base/fs.h"
#include "writer/spool/spool_trace_result.h"

enum { SHOWN_TRACES = 8 }; /* largest number of traces whose names are printed; more traces are only counted */

enum stage { STAGE_TAKING_SPOOLS, OUTPUTS, DONE };

struct ending {
    const struct tp_record_end *end;
    char **traces; /* paths of the traces that were made */
    size_t trace_count;
    char no_records_reason[TP_RUN_PATH_BYTES + 512];
    pthread_mutex_t lock;
    enum stage stage;
};

int64_t tp_record_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void tp_record_write_note(struct tp_console *console, const struct tp_run_folder *folder,
                          const struct tp_run_note *note)
{
    struct tp_error err = {0};
    if (tp_run_folder_write_note(folder, note, &err) < 0)
        tp_console_error(console, "%s", err.text);
}

/* ---- stop by a signal ---- */

/* Writes run.json, prints how to recover the run, and exits the process with all its threads. */
static void save_note_and_exit(struct ending *ending)
{
    const struct tp_record_end *end = ending->end;
    sigset_t asked;
    /* removes temporary files first, because run.json is itself written through a temporary file */
    tp_outfile_remove_all();
    end->note->state = TP_RUN_UNPROCESSED;
    tp_record_write_note(end->console, end->folder, end->note);
    tp_console_notice(end->console, "recorded; to write the traces, run: tracepress recover %s", end->folder->path);
    tp_child_fill_signals(&asked); /* a second signal now stops this process immediately, even if the disk is slow */
    pthread_sigmask(SIG_UNBLOCK, &asked, NULL);
    if (ending->stage == STAGE_TAKING_SPOOLS)
        tp_run_folder_sync(end->folder);
    _exit(end->note->exit_code);
}

static void *wait_for_signal(void *context)
{
    struct ending *ending = context;
    sigset_t asked;
    int number;
    tp_child_fill_signals(&asked);
    while (sigwait(&asked, &number) != 0)
        ;
    pthread_mutex_lock(&ending->lock);
    if (ending->stage != DONE)
        save_note_and_exit(ending);
    pthread_mutex_unlock(&ending->lock);
    return NULL;
}

static void set_end_stage(struct ending *ending, enum stage stage)
{
    pthread_mutex_lock(&ending->lock);
    ending->stage = stage;
    if (stage == OUTPUTS)
        tp_record_write_note(ending->end->console, ending->end->folder, ending->end->note);
    pthread_mutex_unlock(&ending->lock);
}

/* ---- messages ---- */

static void print_taken_file(void *context, enum tp_taken what, const char *path, pid_t pid, const char *why)
{
    struct ending *ending = context;
    if (what == TP_TAKEN_RUNNING) {
        tp_console_notice(ending->end->console, "process %d still runs; when it has exited, run: tracepress recover %s",
                          (int)pid, ending->end->folder->path);
    } else if (what == TP_TAKEN_FAILED) {
        tp_console_error(ending->end->console, "no trace of process %d: %s; its records are still in %s", (int)pid, why,
                         path);
    } else {
        char **more = realloc(ending->traces, (ending->trace_count + 1) * sizeof *more);
        ending->traces = more ? more : ending->traces;
        char *copy = more ? strdup(path) : NULL;
        if (copy)
            ending->traces[ending->trace_count++] = copy;
    }
}

static void print_takeover_result(struct ending *ending, const struct tp_takeover *t)
{
    for (size_t i = 0; i < ending->trace_count && i < SHOWN_TRACES && !ending->end->options->summary_only; i++)
        tp_console_notice(ending->end->console, "recorded %s", ending->traces[i]);
    if (ending->trace_count > SHOWN_TRACES && !ending->end->options->summary_only)
        tp_console_notice(ending->end->console, "and %zu more in %s", ending->trace_count - SHOWN_TRACES,
                          ending->end->folder->path);
    /* omits this message if a trace from outside exists, because that trace contains the helper processes */
    if (t->short_count && !ending->end->has_outside)
        tp_console_notice(ending->end->console,
                          "left out: %zu helper process%s that ran for less than %d ms and recorded no events",
                          t->short_count, t->short_count == 1 ? "" : "es", TP_TAKEOVER_SHORT_MS);
    if (t->open_count)
        tp_console_notice(ending->end->console, "%llu %s", (unsigned long long)t->open_count,
                          tp_spool_open_text(t->open_count));
    if (t->cut_count)
        tp_console_notice(ending->end->console, "%zu %s", t->cut_count, tp_takeover_cut_text(t->cut_count));
    if (t->broken_count)
        tp_console_notice(ending->end->console, "skipped %llu damaged record%s", (unsigned long long)t->broken_count,
                          t->broken_count == 1 ? "" : "s");
    bool has_something = ending->trace_count || t->running_process_count || t->failed_count || t->short_count;
    if (!has_something && !ending->end->has_outside &&
        /* if why_plain is set, the reason was already printed before the program ran */
        !ending->end->program->why_plain)
        tp_console_notice(ending->end->console, "nothing was recorded: %s", ending->no_records_reason);
}

/* ---- the whole command ---- */

static void show_progress(void *context, const struct tp_takeover_progress *p)
{
    const struct ending *ending = context;
    tp_run_show_progress(ending->end->console, p);
}

static void print_reason_for_no_records(struct ending *ending, const struct tp_child *child)
{
    const struct tp_record_end *end = ending->end;
    struct tp_no_records nothing = {.name = end->argv[0],
                                    .child = child,
                                    .folder = end->folder->spools,
                                    .sample_rate = tp_record_sample_rate(end->options),
                                    .has_recording_choice =
                                        tp_environment("TRACEPRESS_WINDOW") || tp_environment("TRACEPRESS_RANKS")};
    tp_no_records_examine(&nothing, end->argv);
    tp_no_records_explain(ending->no_records_reason, sizeof ending->no_records_reason, &nothing);
}

static void take_over_spools(struct ending *ending, const struct tp_child *child)
{
    const struct tp_record_end *end = ending->end;
    char why_plain[512];
    struct tp_error err = {0};
    struct tp_takeover takeover = {.folder = end->folder->spools,
                                   .logdir = end->folder->path,
                                   .program = child->pid,
                                   .has_outside = end->has_outside,
                                   .keeps_empty_folder = true,
                                   .patience_ms = 500,
                                   .report = print_taken_file,
                                   .progress = show_progress,
                                   .context = ending};
    if (child->signal)
        tp_console_notice(end->console, "%s was ended by signal %d (%s); its records are kept", end->argv[0],
                          child->signal, strsignal(child->signal));
    print_reason_for_no_records(ending, child); /* finds the reason before the folder is emptied */
    size_t left_out = tp_unfit_programs_write(why_plain, sizeof why_plain, end->folder->spools);
    if (left_out)
        tp_console_notice(end->console, "%s: %s", end->has_outside ? "recorded from outside only" : "not recorded",
                          why_plain);
    if (tp_takeover(&takeover, &err) < 0)
        tp_console_error(end->console, "%s", err.text);
    tp_console_progress_end(end->console);
    end->note->state = TP_RUN_UNPROCESSED;
    set_end_stage(ending, OUTPUTS);
    print_takeover_result(ending, &takeover);
    tp_run_outputs_make_requested(end->console, end->folder, end->note,
                                  !takeover.running_process_count && !takeover.failed_count);
}

void tp_record_fill_exit_note(struct tp_run_note *note, const struct tp_child *child)
{
    note->pid = child->pid;
    note->ended_ns = tp_record_now_ns();
    note->cpu_us = child->end.used_us;
    note->exit_code = child->exit_code;
    note->signal = child->signal;
}

void tp_record_end(const struct tp_record_end *end, const struct tp_child *child)
{
    struct ending ending = {.end = end, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t waiter;
    tp_record_fill_exit_note(end->note, child);
    bool has_waiter = pthread_create(&waiter, NULL, wait_for_signal, &ending) == 0;
    /* restarts the progress display, so that it does not count the run time of the program */
    tp_console_restart(end->console);
    take_over_spools(&ending, child);
    set_end_stage(&ending, DONE);
    if (has_waiter && pthread_cancel(waiter) == 0)
        pthread_join(waiter, NULL);
    for (size_t i = 0; i < ending.trace_count; i++)
        free(ending.traces[i]);
    free(ending.traces);
}
