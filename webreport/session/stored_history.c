/* Reads stored summaries, sorted by time: see stored_history.h. */
#include "webreport/session/stored_history.h"

#include "webreport/document/words/reason_words.h"
#include "webreport/session/run_notes.h"
#include "webreport/session/summary_inputs.h"

static struct tp_str file_label(const struct tp_summary_input *input)
{
    struct tp_str base = tp_str_of(input->base);
    if (tp_str_ends(base, ".tps"))
        base.len -= strlen(".tps");
    return base;
}

/* Reads one `.tps` file as a run: the summaries of its processes and its note. */
static int read_run(struct tp_history_run *run, const struct tp_summary_input *input, struct tp_arena *arena,
                    struct tp_error *err)
{
    struct tp_summary_set set;
    tp_summary_set_init(&set, arena);
    int code = tp_summary_inputs_read(&set, input->path, err);
    if (code < 0)
        return code;
    struct tp_summary *items = tp_arena_array(arena, set.count, sizeof *items);
    for (size_t i = 0; i < set.count && code == TP_OK; i++)
        code = tp_summary_unpack(&items[i], &set.records[i], arena, err);
    for (size_t i = 0; i < set.count && code == TP_OK; i++)
        tp_fill_metric_texts(items[i].metrics);
    *run = (struct tp_history_run){.label = file_label(input), .items = items, .count = set.count};
    if (code == TP_OK && set.count)
        tp_run_note_read(&run->decision, &items[0].decision, input->path, arena);
    return code;
}

int tp_stored_history_load(struct tp_stored_history *history, const char *path, struct tp_arena *arena,
                           struct tp_console *console, struct tp_error *err)
{
    struct tp_summary_inputs inputs;
    struct tp_error why = {0};
    size_t count = 0;
    int code = tp_summary_inputs_find(&inputs, arena, &(struct tp_run_search){.paths = &path, .path_count = 1},
                                      TP_INPUTS_SUMMARIES, err);
    if (code < 0)
        return code == TP_EIO ? TP_ENOTFOUND : code;
    struct tp_history_run *runs = tp_arena_array(arena, inputs.count + 1, sizeof *runs);
    for (size_t i = 0; i < inputs.count; i++) {
        code = read_run(&runs[count], &inputs.items[i], arena, &why);
        if (code < 0)
            tp_console_input_error(console, inputs.items[i].path, why.text);
        else if (runs[count].count > 0) {
            if (runs[count].decision.is_unreadable)
                tp_console_error(console,
                                 "%s: its note cannot be read, so the run counts as one that broke a limit. Delete the "
                                 "note to use the verdict stored in the run",
                                 inputs.items[i].path);
            count++;
        }
    }
    if (count == 0)
        return tp_error_set(err, TP_ENOTFOUND, 0, "%.200s: no .tps file that can be read", path);
    tp_history_sort(runs, count, arena);
    *history = (struct tp_stored_history){runs, count, inputs.count - count};
    return TP_OK;
}
