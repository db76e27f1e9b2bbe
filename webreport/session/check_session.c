/* Sides, budget and verdict of a check: see check_session.h. */
#include "webreport/session/check_session.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "webreport/measure/summary_file.h"
#include "webreport/session/inputs.h"
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

/* ---- sides ---- */

/* Oldest first. Runs without a wall time keep the order of their names. */
static int by_start(const void *x, const void *y, const void *context)
{
    const struct tp_summary *a = x, *b = y;
    (void)context;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

static int load(struct tp_check_session *s, int side, struct tp_arena *arena, struct tp_error *err)
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
    how.read.skips_hash = !s->updates_baseline; /* only a new baseline has it */
    int code = tp_summaries_load(&s->sides[side], arena, &how, err);
    if (code < 0)
        return code;
    tp_merge_sort(arena, s->sides[side].items, s->sides[side].count, sizeof(struct tp_summary), by_start, NULL);
    *out = (struct tp_check_side){count == 1 ? tp_inputs_shown_name(arena, paths[0]) : "inputs", s->sides[side].items,
                                  s->sides[side].count, s->sides[side].is_one_trace};
    return TP_OK;
}

/* A baseline that is to be made by this run need not be there. */
static bool is_new_baseline(const struct tp_check_session *s)
{
    return s->updates_baseline && access(s->baseline, F_OK) != 0 && errno == ENOENT;
}

static int load_sides(struct tp_check_session *s, struct tp_arena *arena, struct tp_error *err)
{
    int code = load(s, RUN, arena, err);
    if (code < 0 || !s->baseline || is_new_baseline(s))
        return code;
    return load(s, BASE, arena, err);
}

int tp_check_session_run(struct tp_check_session *s, struct tp_arena *arena, struct tp_error *err)
{
    int code = read_budget(s, arena, err);
    code = code < 0 ? code : load_sides(s, arena, err);
    if (code < 0)
        return code;
    s->input.budget = &s->limits;
    tp_check_build(&s->check, &s->input, arena);
    tp_source_lines_check(&s->check, s->source_root, arena);
    return TP_OK;
}

/* ---- the new baseline ---- */

/* The label, or the name of the input without what says that it is a trace or summary. */
static const char *label_of(const struct tp_check_session *s, struct tp_arena *arena)
{
    struct tp_str name = tp_inputs_bare_name(tp_str_of(s->input.run.name), 0);
    if (s->label)
        return s->label;
    return name.len && strcmp(s->input.run.name, "-") != 0 ? tp_arena_copy(arena, name.ptr, name.len) : "run";
}

int tp_check_session_store(const struct tp_check_session *s, struct tp_arena *arena, struct tp_error *err)
{
    const char *path = s->baseline;
    struct tp_summary_set set;
    struct tp_text_output file = {NULL, {0}};
    int code = TP_OK;
    if (!s->updates_baseline)
        return TP_OK;
    if (s->check.verdict == TP_CHECK_FAIL || s->check.is_damaged) {
        tp_console_notice(s->console, "%s: the baseline stays as it is",
                          s->check.is_damaged ? "the input is damaged or incomplete" : "a limit is broken");
        return TP_OK;
    }
    if (tp_inputs_is_folder(path)) {
        code = tp_folder_make(path, err);
        path = tp_text_printf(arena, "%s/%s.tps", path, label_of(s, arena));
    }
    tp_summary_set_open(&set, arena);
    for (size_t i = 0; i < s->input.run.count && code == TP_OK; i++)
        code = tp_summary_set_add(&set, &s->input.run.items[i], err);
    file.path = path;
    tp_buf_init(&file.text, 0);
    code = code < 0 ? code : tp_summary_set_write(&set, &file.text, err);
    code = code < 0 ? code : tp_text_outputs_write(&file, 1, err);
    tp_buf_release(&file.text);
    return code;
}
