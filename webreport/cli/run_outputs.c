/* Makes event files, report and summaries of a run. See run_outputs.h. */
#include "webreport/cli/run_outputs.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/launch/run_ranks.h"
#include "webreport/cli/cmd.h"
#include "writer/base/str.h"

enum { MOST_WORDS = 12 };

static const char trace_end[] = ".pt.trace.json.gz";

static int has_name_of_trace(const struct dirent *entry)
{
    return tp_str_ends(tp_str_of(entry->d_name), trace_end);
}

/* Lists the names of the traces in sorted order. The caller frees the names with free_names. */
static int list_traces(struct dirent ***names, const char *folder)
{
    *names = NULL;
    int count = scandir(folder, names, has_name_of_trace, alphasort);
    return count > 0 ? count : 0;
}

static void free_names(struct dirent **names, int count)
{
    while (count > 0)
        free(names[--count]);
    free(names);
}

/* Runs another command with the arguments `words` and the folder. Returns false if the command failed; the command has
 * then printed the reason. */
static bool run_command_on(const char *folder, int (*command)(int, char **), const char *const *words)
{
    size_t count = 0;
    char *argv[MOST_WORDS + 1] = {0};
    for (; count + 1 < MOST_WORDS && words[count]; count++)
        argv[count] = (char *)(uintptr_t)words[count];
    argv[count++] = (char *)(uintptr_t)folder;
    return command((int)count, argv) == TP_EXIT_DONE;
}

/* Makes a summary of each trace. is_only: true also removes the traces, if each of them has a summary. */
static bool make_summaries(struct tp_console *console, const char *folder, bool is_only)
{
    const char *const strict[] = {"--strict", "-o", folder, "--quiet", "--", NULL};
    const char *const tolerant[] = {"-o", folder, "--quiet", "--", NULL};
    struct dirent **names;
    char path[TP_RUN_PATH_BYTES + 300];
    /* lists the traces first, because a trace that appears later has no summary */
    int count = list_traces(&names, folder);
    bool is_done = run_command_on(folder, tp_cmd_summarize, is_only ? strict : tolerant);
    if (is_done)
        tp_console_notice(console, "summarized in %s", folder);
    for (int i = 0; is_done && is_only && i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        unlink(path);
    }
    free_names(names, count);
    return is_done;
}

static bool make_all_outputs(struct tp_console *console, const char *folder, const struct tp_run_wishes *wishes)
{
    char report[TP_RUN_PATH_BYTES + 16];
    struct dirent **names;
    int count = list_traces(&names, folder);
    bool is_done = true;
    free_names(names, count);
    snprintf(report, sizeof report, "%s/report.html", folder);
    const char *const to_events[] = {"--to", "tfevents", "-o", folder, "--quiet", "--", NULL};
    const char *const to_report[] = {"-o", report, "--quiet", "--", NULL};
    if (count && wishes->events)
        is_done = run_command_on(folder, tp_cmd_export, to_events);
    if (count && wishes->report) {
        bool is_reported = run_command_on(folder, tp_cmd_report, to_report);
        if (is_reported)
            tp_console_notice(console, "reported in %s", report);
        is_done = is_done && is_reported;
    }
    if (count && (wishes->summary || wishes->summary_only))
        is_done = make_summaries(console, folder, wishes->summary_only) && is_done;
    return is_done;
}

static void write_run_state(struct tp_console *console, const struct tp_run_folder *run, enum tp_run_state state)
{
    struct tp_error err = {0};
    if (tp_run_folder_set_state(run, state, &err) < 0)
        tp_console_error(console, "%s", err.text);
}

/* Finishes the run of one rank of a job. The rank that finishes last makes the outputs from the traces of all ranks,
 * and joins the notes of all ranks. */
static bool finish_rank_of_job(struct tp_console *console, const struct tp_run_folder *run)
{
    struct tp_error err = {0};
    struct tp_run_wishes wishes;
    bool is_done = true;
    if (!tp_run_ranks_mark_rank_ended(run))
        return true;
    int lock = tp_run_ranks_lock(run);
    tp_run_ranks_combine_wishes(run, &wishes);
    is_done = make_all_outputs(console, run->path, &wishes);
    if (!is_done) /* stores this state before the notes of the ranks are joined */
        write_run_state(console, run, TP_RUN_UNPROCESSED);
    if (tp_run_ranks_write_note(run, &err) < 0)
        tp_console_error(console, "%s", err.text);
    if (lock >= 0)
        close(lock);
    return is_done;
}

bool tp_run_outputs_make_requested(struct tp_console *console, const struct tp_run_folder *run,
                                   struct tp_run_note *note, bool is_whole)
{
    bool is_done = true, is_rank = tp_run_ranks_is_shared(run);
    enum tp_run_state over = note->is_cut ? TP_RUN_INCOMPLETE : TP_RUN_COMPLETE;
    if (is_rank && is_whole) /* stores this state before the other ranks read the note */
        write_run_state(console, run, over);
    if (!is_rank || is_whole)
        is_done = is_rank ? finish_rank_of_job(console, run) : make_all_outputs(console, run->path, &note->wishes);
    note->state = is_whole && is_done ? over : TP_RUN_UNPROCESSED;
    write_run_state(console, run, note->state);
    if (note->state == over)
        tp_run_folder_remove_spools(run);
    return is_done;
}

void tp_run_show_progress(struct tp_console *console, const struct tp_takeover_progress *p)
{
    int percent = p->bytes ? (int)(100 * (double)p->done_bytes / (double)p->bytes) : 100;
    tp_console_progress(console, "making traces: %zu of %zu, %d %%: %s", p->done_count, p->count, percent, p->name);
}
