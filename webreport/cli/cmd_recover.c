/* Runs `tracepress recover SPOOL|DIR...`: makes the trace of a recorded program that was killed. For a folder, makes
 * the traces of all such programs in the folder and below it, including runs that `record` did not finish. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/launch/run_folder.h"
#include "collector/launch/takeover.h"
#include "webreport/cli/cmd.h"
#include "webreport/cli/run_outputs.h"
#include "webreport/session/console.h"
#include "webreport/session/inputs.h"
#include "webreport/session/leftover_files.h"
#include "webreport/session/opt.h"
#include "writer/spool/spool_read.h"
#include "writer/spool/spool_trace.h"
#include "writer/text/terminal.h"

struct options {
    struct tp_opt_common common;
    const char *out;
    bool remove;
};

#define AT(field) offsetof(struct options, field)

static const struct tp_opt table[] = {
    {"output", 'o', TP_OPT_PATH, AT(out), NULL},
    {"remove", 0, TP_OPT_FLAG, AT(remove), NULL},
    TP_OPT_COMMON(struct options),
};

/* Prints a path on standard output, for scripts. Replaces control characters, which would affect a terminal or a CI
 * log. */
static bool print_path(const char *path)
{
    char line[4096 + 64];
    snprintf(line, sizeof line, "%s", path);
    tp_terminal_clean(line, strlen(line));
    tp_terminal_disable_commands(line, strlen(line));
    return printf("%s\n", line) >= 0;
}

static void print_recovered_trace(struct tp_console *console, const char *spool,
                                  const struct tp_spool_trace_result *result)
{
    if (result->open_count)
        tp_console_notice(console, "%s: %llu %s", spool, (unsigned long long)result->open_count,
                          tp_spool_open_text(result->open_count));
    if (result->broken_count)
        tp_console_notice(console, "%s: skipped %llu damaged record%s", spool, (unsigned long long)result->broken_count,
                          result->broken_count == 1 ? "" : "s");
    if (!result->range_count && !result->event_count)
        tp_console_notice(console, "%s: it contains no records", spool);
}

/* Removes a file that is no longer needed; prints an error if this fails. */
static int remove_file(struct tp_console *console, const char *path)
{
    if (unlink(path) == 0 || errno == ENOENT)
        return TP_EXIT_DONE;
    tp_console_error(console, "%s: cannot remove: %s", path, strerror(errno));
    return TP_EXIT_NO_OUTPUT;
}

struct watched {
    struct tp_console *console;
    struct tp_takeover_progress progress;
};

static void show_read_bytes(void *context, uint64_t bytes)
{
    struct watched *watched = context;
    uint64_t left = watched->progress.bytes - watched->progress.done_bytes;
    watched->progress.done_bytes += bytes < left ? bytes : left;
    tp_run_show_progress(watched->console, &watched->progress);
}

static int recover_spool(struct tp_console *console, const char *spool, const struct options *o)
{
    char path[4096 + 64];
    struct tp_spool_trace_result result;
    struct tp_error err = {0};
    bool is_live = tp_spool_is_live(spool);
    if (!o->out && !tp_leftover_files_trace_path(path, sizeof path, spool)) {
        tp_console_error(console, "%s: the path is too long; name the trace with -o", spool);
        return TP_EXIT_USAGE;
    }
    const char *out = o->out ? o->out : path;
    size_t n = strlen(out);
    struct stat about;
    struct watched watched = {console, {spool, 0, 1, 0, stat(spool, &about) == 0 ? (uint64_t)about.st_size : 0}};
    int code = tp_spool_trace(spool, out, n > 3 && strcmp(out + n - 3, ".gz") == 0, &result,
                              &(struct tp_spool_watch){show_read_bytes, &watched}, &err);
    tp_console_progress_end(console);
    if (code) {
        tp_console_error(console, "%s", err.text);
        return tp_inputs_exit_code(code == TP_EFORMAT ? TP_ENOTFOUND : code);
    }
    print_recovered_trace(console, spool, &result);
    if (strcmp(out, "-") != 0 && !print_path(out))
        return TP_EXIT_NO_OUTPUT;
    if (is_live)
        tp_console_notice(console, "%s: its program still records; the trace contains what was recorded so far%s",
                          spool, o->remove ? ", and the spool is kept" : "");
    return o->remove && !is_live ? remove_file(console, spool) : TP_EXIT_DONE;
}

/* ---- runs ---- */

/* State of the work that finishes a run. */
struct finishing {
    struct tp_console *console;
    const char *run;
    bool has_failed_output;
};

static void show_progress(void *context, const struct tp_takeover_progress *progress)
{
    const struct finishing *finishing = context;
    tp_run_show_progress(finishing->console, progress);
}

static void print_taken_file(void *context, enum tp_taken what, const char *path, pid_t pid, const char *why)
{
    struct finishing *finishing = context;
    if (what == TP_TAKEN_RUNNING)
        tp_console_notice(finishing->console,
                          "%s: process %d of this run still records; when it has exited, run: tracepress recover %s",
                          path, (int)pid, finishing->run);
    else if (what == TP_TAKEN_FAILED)
        tp_console_error(finishing->console, "%s: no trace of process %d: %s", path, (int)pid, why);
    else
        finishing->has_failed_output |= !print_path(path);
}

/* Prints the result of a run. had_traces: true if some raw records became traces before this call. */
static void print_result_of_run(struct tp_console *console, const char *run, const struct tp_takeover *t,
                                bool had_traces)
{
    if (t->short_count)
        tp_console_notice(console, "%s: left out: helper processes that ran for less than %d ms (%zu)", run,
                          TP_TAKEOVER_SHORT_MS, t->short_count);
    if (t->open_count)
        tp_console_notice(console, "%s: %llu %s", run, (unsigned long long)t->open_count,
                          tp_spool_open_text(t->open_count));
    if (t->cut_count)
        tp_console_notice(console, "%zu %s", t->cut_count, tp_takeover_cut_text(t->cut_count));
    if (t->broken_count)
        tp_console_notice(console, "%s: skipped %llu damaged record%s", run, (unsigned long long)t->broken_count,
                          t->broken_count == 1 ? "" : "s");
    if (!t->trace_count && !t->running_process_count && !t->failed_count && !had_traces)
        tp_console_notice(console, "%s: it contains no records", run);
}

/* Reports a trace that was saved when `record` was killed during a recording from outside
 * (collector/outside/outside_backup.h). The name of the trace contains the start time of the run. Returns whether
 * such a trace exists. */
static bool print_trace_saved_after_kill(struct tp_console *console, const char *run, const struct tp_run_note *note)
{
    char ends[64];
    bool is_saved = false;
    DIR *folder = opendir(run);
    size_t n = (size_t)snprintf(ends, sizeof ends, ".%lld.pt.trace.json.gz", (long long)note->started_ns);
    for (const struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        size_t length = strlen(entry->d_name);
        is_saved |= length > n && strcmp(entry->d_name + length - n, ends) == 0;
    }
    if (folder)
        closedir(folder);
    tp_console_notice(console,
                      is_saved ? "%s: record was killed; its recording from outside is complete up to that time"
                               : "%s: record was killed; its recording from outside is lost",
                      run);
    return is_saved;
}

/* Finishes a run that `record` did not finish: turns raw records into traces, and removes the raw records. */
static int finish_recovered_run(struct tp_console *console, const char *path)
{
    struct tp_run_folder run;
    struct tp_error err = {0};
    struct tp_run_note note = {0};
    bool has_note = false, had_traces = false;
    struct finishing finishing = {.console = console, .run = path};
    struct tp_takeover takeover = {
        .keeps_empty_folder = true, .report = print_taken_file, .progress = show_progress, .context = &finishing};
    int code = tp_run_folder_open(&run, path, &err);
    if (code == TP_EUNSUPPORTED) {
        tp_console_notice(console, "%s", err.text);
        return TP_EXIT_DONE;
    }
    if (code == TP_OK) {
        has_note = tp_run_folder_read_note(&run, &note);
        bool has_saved = note.is_cut && print_trace_saved_after_kill(console, run.path, &note);
        takeover.program = note.pid;
        takeover.folder = run.spools;
        takeover.logdir = run.path;
        code = tp_takeover(&takeover, &err);
        tp_console_progress_end(console);
        had_traces = has_note && note.state != TP_RUN_RECORDING;
        print_result_of_run(console, path, &takeover, had_traces || has_saved);
        bool is_whole = !takeover.running_process_count && !takeover.failed_count;
        bool is_made = code == TP_OK && tp_run_outputs_make_requested(console, &run, &note, is_whole);
        finishing.has_failed_output |= !is_made;
        if (had_traces && is_made && is_whole && !takeover.trace_count)
            tp_console_notice(console, "%s: traces already existed; reports and event files were created now", path);
        tp_run_folder_release(&run, false);
    }
    if (code < 0)
        tp_console_error(console, "%s", err.text);
    if (code < 0 || takeover.failed_count || finishing.has_failed_output)
        return TP_EXIT_NO_OUTPUT;
    return TP_EXIT_DONE;
}

/* ---- folders ---- */

static int recover_leftover(struct tp_console *console, const struct tp_leftover *leaving, const struct options *o)
{
    if (leaving->kind == TP_LEFTOVER_RUN)
        return finish_recovered_run(console, leaving->path);
    if (leaving->kind == TP_LEFTOVER_SPOOL && leaving->is_live)
        tp_console_notice(console, "%s: its program still records; name the spool to get the trace so far",
                          leaving->path);
    else if (leaving->kind == TP_LEFTOVER_SPOOL)
        return recover_spool(console, leaving->path, o);
    else if (o->remove)
        return remove_file(console, leaving->path);
    else
        tp_console_notice(console, "%s: an unfinished file of a killed program; --remove removes it", leaving->path);
    return TP_EXIT_DONE;
}

struct search {
    struct tp_console *console;
    const char *folder;
    const struct options *options;
    struct tp_arena arena;
    int worst; /* worst exit code of the work so far */
};

/* Prints that the searched folders contain nothing to recover. */
static void print_nothing_found(const struct search *search, const struct tp_leftover_files *left)
{
    tp_console_notice(search->console, "%s: no spool in it%s (%zu folder%s searched): nothing to recover",
                      search->folder, left->folder_count > 1 ? " or below it" : "", left->folder_count,
                      left->folder_count == 1 ? "" : "s");
}

static int recover_files_and_runs(void *context, struct tp_error *err)
{
    struct search *search = context;
    struct tp_leftover_files left;
    const char *run = tp_leftover_files_run_folder(&search->arena, search->folder);
    size_t count = 0;
    if (*run) { /* true: the path is the folder of a run's raw records, or a file in this folder */
        search->worst = finish_recovered_run(search->console, run);
        return TP_OK;
    }
    int code = tp_leftover_files_find(&left, &search->arena, search->folder, err);
    if (code < 0)
        return code;
    for (size_t i = 0; i < left.items.count; i++) {
        const struct tp_leftover *leaving = TP_AT(&left.items, struct tp_leftover, i);
        int exit_code = recover_leftover(search->console, leaving, search->options);
        search->worst = search->worst > exit_code ? search->worst : exit_code;
        count += leaving->kind != TP_LEFTOVER_TEMPORARY;
    }
    if (left.unread_folder_count) {
        tp_console_error(search->console, "%s: %zu folders could not be searched, the first: %s", search->folder,
                         left.unread_folder_count, left.unread);
        search->worst = search->worst > TP_EXIT_NO_INPUT ? search->worst : TP_EXIT_NO_INPUT;
    } else if (count == 0 && search->worst == TP_EXIT_DONE) {
        print_nothing_found(search, &left);
    }
    return TP_OK;
}

static int recover_folder(struct tp_console *console, const char *folder, const struct options *o)
{
    struct search search = {.console = console, .folder = folder, .options = o};
    struct tp_error err = {0};
    tp_arena_init(&search.arena, 0);
    if (tp_arena_run(&search.arena, recover_files_and_runs, &search, &err) < 0) {
        int code = search.arena.code;
        tp_console_error(console, "%s%s%s", code ? folder : "", code ? ": " : "", err.text);
        search.worst = code ? TP_EXIT_LIMIT : TP_EXIT_NO_INPUT;
    }
    tp_arena_release(&search.arena);
    return search.worst;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

int tp_cmd_recover(int argc, char **argv)
{
    struct options o = {0};
    struct tp_console console;
    size_t count;
    int worst = TP_EXIT_DONE;
    int code = tp_cmd_parse_command_line(&console, &(struct tp_cmd){"recover", table}, &o, argc, argv, &count);
    if (code != TP_CMD_CONTINUES)
        return code;
    if (count == 0)
        return tp_cmd_print_usage_error(&console, "recover",
                                        "name a spool (.*.tpspool next to the traces) or a folder");
    if (o.out && (count > 1 || is_folder(argv[0])))
        return tp_cmd_print_usage_error(&console, "recover", "-o names one trace, so name only one spool");
    for (size_t i = 0; i < count; i++) {
        code = is_folder(argv[i]) ? recover_folder(&console, argv[i], &o) : recover_spool(&console, argv[i], &o);
        worst = worst > code ? worst : code;
    }
    return fflush(stdout) == 0 ? worst : TP_EXIT_NO_OUTPUT;
}
