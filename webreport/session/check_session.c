/* Loads the run, the baseline and the budget of a check, and checks the run against them: see check_session.h. */
#include "webreport/session/check_session.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "webreport/compare/gate/gate_build.h"
#include "webreport/measure/summary/summary_file.h"
#include "webreport/session/check_snapshots.h"
#include "webreport/session/inputs.h"
#include "webreport/session/run_notes.h"
#include "webreport/session/source_lines.h"
#include "webreport/session/text_outputs.h"
#include "writer/base/fs.h"
#include "writer/base/input.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"
#include "writer/text/format.h"

enum { BASE, RUN };

/* ---- budget ---- */

static int read_budget(struct tp_check_session *s, struct tp_arena *arena, struct tp_error *err)
{
    const char *path = s->budget;
    if (!path && s->are_snapshots) {
        tp_budget_default_for_snapshots(&s->limits, s->baseline != NULL, arena);
        return TP_OK;
    }
    if (!path) {
        tp_budget_default(&s->limits, arena);
        return TP_OK;
    }
    struct tp_input input;
    struct tp_error why = {0};
    size_t size = 0;
    char *bytes = tp_arena_alloc(arena, TP_MAX_BUDGET_BYTES + 1);
    int code = tp_input_open(&input, path, TP_INPUT_NAMED, &why);
    if (code == TP_OK) {
        code = tp_input_read(&size, &input, bytes, TP_MAX_BUDGET_BYTES + 1, 0, &why);
        close(input.fd);
    }
    if (code < 0)
        return tp_error_set(err, code == TP_ENOMEM ? code : TP_EUSAGE, 0, "%.200s: %s", path, why.text);
    return tp_budget_parse(&s->limits, path, bytes, size, arena, err);
}

/* ---- baseline and run ---- */

/* Compares summaries by the start time of their runs, oldest first. The sort is stable, so that runs without a start
 * time keep their order by name. */
static int compare_by_start(const void *x, const void *y, const void *context)
{
    const struct tp_summary *a = x, *b = y;
    (void)context;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

static int load_runs_of_side(struct tp_check_session *s, int side, struct tp_arena *arena, struct tp_error *err)
{
    struct tp_check_side *out = side == BASE ? &s->input.base : &s->input.run;
    const char *const *paths = side == BASE ? &s->baseline : s->inputs;
    size_t count = side == BASE ? 1 : s->input_count;
    struct tp_summaries_options how = TP_SUMMARIES_OPTIONS;
    how.paths = paths;
    how.path_count = count;
    how.read = s->read;
    how.rules = &s->rules;
    how.console = s->console;
    how.extent = s->updates_baseline ? TP_SUMMARY_WHOLE : s->baseline ? TP_SUMMARY_COMPARED : TP_SUMMARY_JUDGED;
    how.read.skips_hash =
        !s->updates_baseline; /* the hash of the input is needed only if the run becomes a stored baseline */
    how.needs_program = s->updates_baseline || tp_budget_needs_program(&s->limits);
    struct tp_asked_changes asked;
    if (tp_budget_find_changes(&asked, &s->limits, arena))
        how.asked = &asked;
    int code = tp_summaries_load(&s->sides[side], arena, &how, err);
    if (code < 0)
        return code;
    tp_merge_sort(arena, s->sides[side].items, s->sides[side].count, sizeof(struct tp_summary), compare_by_start, NULL);
    *out = (struct tp_check_side){count == 1 ? tp_inputs_last_path_part(arena, paths[0]) : "inputs",
                                  s->sides[side].items, s->sides[side].count, s->sides[side].is_one_trace};
    return TP_OK;
}

/* Returns the label for storing the run: the value of --label, or else the name of the input without the endings of
 * traces and summaries. */
static const char *label_of_checked_run(const struct tp_check_session *s, struct tp_arena *arena)
{
    struct tp_str name = tp_inputs_name_without_endings(tp_str_of(s->input.run.name), 0);
    if (s->label)
        return s->label;
    return name.len && strcmp(s->input.run.name, "-") != 0 ? tp_arena_copy(arena, name.ptr, name.len) : "run";
}

/* ---- a folder of stored runs as baseline ---- */

/* Returns true if the baseline is a folder of stored runs, which has summaries but no traces. Returns false with
 * --include. */
static bool is_folder_of_runs(const struct tp_check_session *s, struct tp_arena *arena)
{
    const struct tp_run_search search = {.paths = &s->baseline, .path_count = 1};
    struct tp_runs runs = {0};
    struct tp_error none = {0};
    if (!s->baseline || s->read.include || !tp_inputs_is_folder(s->baseline) || access(s->baseline, F_OK) != 0)
        return false;
    return tp_rundir_find(&runs, arena, &search, &none) == TP_OK && runs.count == 0;
}

/* Loads the stored runs since the last accepted run as the baseline. The first of them define the accepted values, and
 * all of them show how much values vary. Ignores runs that broke a limit and were not accepted. */
static int load_stored_runs(struct tp_check_session *s, struct tp_arena *arena, struct tp_error *err)
{
    size_t total = 0, count = 0;
    int code = tp_stored_history_load(&s->history, s->baseline, arena, s->console, err);
    if (code < 0)
        return code;
    if (s->read.is_strict && s->history.failed_count)
        return tp_error_set(err, TP_ENOTFOUND, 0, "%.200s: some summaries cannot be read", s->baseline);
    const struct tp_history_run *runs = s->history.runs;
    size_t from = tp_history_first_accepted_run(runs, s->history.count);
    for (size_t i = from; i < s->history.count; i++)
        total += runs[i].count;
    struct tp_summary *items = tp_arena_array(arena, total, sizeof *items);
    for (size_t i = from; i < s->history.count; i++)
        if (runs[i].decision.is_accepted || !runs[i].decision.is_failed) {
            memcpy(items + count, runs[i].items, runs[i].count * sizeof *items);
            count += runs[i].count;
        }
    s->input.base =
        (struct tp_check_side){tp_inputs_last_path_part(arena, s->baseline), count ? items : NULL, count, false};
    s->input.is_base_broken = total && !count;
    return TP_OK;
}

/* For a baseline that is not a folder of stored runs: removes the runs that broke a limit in their check and were not
 * accepted. */
static void remove_runs_over_limits(struct tp_check_session *s, struct tp_arena *arena)
{
    struct tp_summary *items = s->sides[BASE].items;
    struct tp_run_decision decision;
    size_t count = 0, total = s->input.base.count;
    for (size_t i = 0; i < total; i++) {
        decision = items[i].decision;
        if (tp_str_ends(tp_str_of(s->baseline), ".tps"))
            tp_run_note_read(&decision, &items[i].decision, s->baseline, arena);
        if (decision.is_accepted || !decision.is_failed)
            items[count++] = items[i];
    }
    s->input.base.count = count;
    s->input.is_base_broken = total && !count;
}

/* Returns the decision of this check about the run: failed, accepted, and the time of the commit. Author, time and
 * reason of an acceptance are empty. */
static struct tp_run_decision decision_of_check(const struct tp_check_session *s)
{
    return (struct tp_run_decision){.is_known = true,
                                    .is_failed = s->check.verdict == TP_CHECK_FAIL,
                                    .is_accepted = s->accepts,
                                    .by = TP_STR(""),
                                    .at = TP_STR(""),
                                    .reason = TP_STR(""),
                                    .committed_s = s->committed_s};
}

/* Adds this run to the history, which is sorted by time. The run replaces a stored run with the same label. */
static void add_run_to_history(struct tp_check_session *s, struct tp_arena *arena)
{
    struct tp_history_run own = {tp_str_of(label_of_checked_run(s, arena)), s->input.run.items, s->input.run.count,
                                 decision_of_check(s)};
    struct tp_history_run *runs = tp_arena_array(arena, s->history.count + 1, sizeof *runs);
    size_t count = 0;
    for (size_t i = 0; i < s->history.count; i++)
        if (!tp_str_equal(s->history.runs[i].label, own.label))
            runs[count++] = s->history.runs[i];
    runs[count++] = own;
    tp_history_sort(runs, count, arena);
    s->history.runs = runs;
    s->history.count = count;
}

/* Returns true if the baseline is an empty folder of stored runs, and this run will be its first one. */
static bool is_empty_folder_of_runs(const struct tp_check_session *s, struct tp_arena *arena)
{
    struct tp_vec files = TP_VEC(arena, const char *);
    struct tp_error none = {0};
    return s->updates_baseline && tp_rundir_find_named(&files, s->baseline, ".tps", &none) == TP_OK && files.count == 0;
}

static bool is_path_missing(const char *path)
{
    return access(path, F_OK) != 0 && errno == ENOENT;
}

static int load_runs_of_sides(struct tp_check_session *s, struct tp_arena *arena, struct tp_error *err)
{
    int code = load_runs_of_side(s, RUN, arena, err);
    if (code < 0 || !s->baseline)
        return code;
    if (is_path_missing(s->baseline) && !s->updates_baseline)
        return tp_error_set(err, TP_ENOTFOUND, 0,
                            "%.200s: no such baseline; --update-baseline stores this run as the first", s->baseline);
    bool is_kept = is_folder_of_runs(s, arena);
    s->input.is_first = is_path_missing(s->baseline) || (is_kept && is_empty_folder_of_runs(s, arena));
    if (s->input.is_first)
        return TP_OK; /* without stored runs, the run is not compared */
    if (is_kept)
        return load_stored_runs(s, arena, err);
    code = load_runs_of_side(s, BASE, arena, err);
    if (code == TP_OK)
        remove_runs_over_limits(s, arena);
    return code;
}

static int check_snapshots(struct tp_check_session *s, struct tp_arena *arena, struct tp_error *err)
{
    const struct tp_snapshot_check how = {.run = {.inputs = s->inputs,
                                                  .include = s->read.include,
                                                  .input_count = s->input_count,
                                                  .max_input_bytes = s->read.max_input_bytes,
                                                  .is_strict = s->read.is_strict,
                                                  .console = s->console},
                                          .baseline = s->baseline};
    return tp_snapshot_check_run(&s->check, &s->input, &how, arena, err);
}

int tp_check_session_run(struct tp_check_session *s, struct tp_arena *arena, struct tp_error *err)
{
    int code = read_budget(s, arena, err);
    s->input.budget = &s->limits;
    if (code == TP_OK && s->are_snapshots)
        return check_snapshots(s, arena, err);
    code = code < 0 ? code : load_runs_of_sides(s, arena, err);
    if (code < 0)
        return code;
    tp_check_build(&s->check, &s->input, arena);
    if (s->history.count && !s->check.is_damaged)
        add_run_to_history(s, arena);
    tp_source_lines_add_to_check(&s->check, s->source_root, arena);
    return TP_OK;
}

/* ---- storing of the new baseline ---- */

/* Writes the summaries of the run and the decision about the run to the file `path`. */
static int write_runs(const struct tp_check_session *s, const struct tp_run_decision *decision, const char *path,
                      struct tp_arena *arena, struct tp_error *err)
{
    struct tp_summary_set set;
    struct tp_text_output file = {path, {0}};
    int code = TP_OK;
    tp_summary_set_init(&set, arena);
    for (size_t i = 0; i < s->input.run.count && code == TP_OK; i++) {
        struct tp_summary run = s->input.run.items[i];
        run.decision = *decision;
        code = tp_summary_set_add(&set, &run, err);
    }
    tp_buf_init(&file.text, 0);
    code = code < 0 ? code : tp_summary_set_write(&set, &file.text, err);
    code = code < 0 ? code : tp_text_outputs_write(&file, 1, err);
    tp_buf_release(&file.text);
    return code;
}

/* Stores the run in a folder of stored runs. Writes the note before the run, so that a run with a broken limit always
 * has a note. */
static int store_in_folder(const struct tp_check_session *s, struct tp_arena *arena, struct tp_error *err)
{
    struct tp_run_decision decision = decision_of_check(s);
    size_t size = strlen(s->baseline);
    while (size > 1 && s->baseline[size - 1] == '/')
        size--;
    const char *path = tp_text_printf(arena, "%.*s/%s.tps", (int)size, s->baseline, label_of_checked_run(s, arena));
    int code = tp_folder_make(s->baseline, err);
    if (s->accepts) {
        tp_run_note_set_author(&decision, arena);
        decision.reason = tp_run_note_single_line(tp_str_of(s->reason ? s->reason : ""), arena);
    }
    code = code < 0 ? code : tp_run_note_write(path, &decision, arena, err);
    code = code < 0 ? code : write_runs(s, &decision, path, arena, err);
    if (code == TP_OK && s->accepts)
        tp_console_notice(s->console, "%s: accepted; it begins a new level", path);
    else if (code == TP_OK && decision.is_failed)
        tp_console_notice(s->console, "%s: stored as a run that broke a limit; --accept makes it the new level", path);
    else if (code == TP_OK && s->input.is_first)
        tp_console_notice(s->console, "%s: stored; compare other runs with it: --baseline %s", path, s->baseline);
    else if (code == TP_OK)
        tp_console_print_written(s->console, &path, 1);
    return code;
}

int tp_check_session_store(const struct tp_check_session *s, struct tp_arena *arena, struct tp_error *err)
{
    if (!s->updates_baseline)
        return TP_OK;
    bool is_kept = s->check.is_damaged || (s->check.verdict == TP_CHECK_FAIL && !s->accepts);
    if (s->check.is_damaged || (is_kept && !tp_inputs_is_folder(s->baseline))) {
        tp_console_notice(s->console, "%s: the baseline is not changed",
                          s->check.is_damaged ? "the input is damaged or incomplete" : "a limit is broken");
        return TP_OK;
    }
    if (tp_inputs_is_folder(s->baseline))
        return store_in_folder(s, arena, err);
    const struct tp_run_decision decision = decision_of_check(s);
    int code = write_runs(s, &decision, s->baseline, arena, err);
    if (code == TP_OK)
        tp_console_print_written(s->console, &s->baseline, 1);
    return code;
}
