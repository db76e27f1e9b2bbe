/* Recording by looks at /proc: see looked_recorder.h. */
#include "collector/outside/looked_recorder.h"

#include "collector/outside/proc_looks.h"

#define MOST_PAUSE_NS 1000000000ll /* beyond the budget there is one look in so long a time */

static void take(void *context, const struct tp_perf_record *r, uint8_t wait)
{
    struct tp_looked_recorder *recorder = context;
    struct tp_outside_note note = {.wait = wait};
    if (r->type == PERF_RECORD_COMM && r->is_exec && tp_proc_read_words(recorder->text, r->pid))
        note.words = (struct tp_str){tp_arena_copy(recorder->arena, recorder->text->data, recorder->text->size),
                                     recorder->text->size};
    if (r->type == PERF_RECORD_FORK && r->pid == r->tid)
        tp_exit_codes_add(recorder->codes, r->pid);
    note.has_usage = r->type == PERF_RECORD_EXIT && r->pid == r->tid &&
                     tp_proc_read_usage(&note.usage, r->pid, recorder->text);
    uint32_t ended = tp_outside_tree_take(recorder->tree, r, false, &note);
    if (ended != TP_NO_ID)
        recorder->ended(recorder->context, ended);
}

static void tell_status(void *context, uint32_t pid, int status)
{
    const struct tp_looked_recorder *recorder = context;
    tp_exit_codes_tell(recorder->codes, pid, status);
}

void tp_looked_recorder_begin(struct tp_looked_recorder *recorder, uint32_t pid, int64_t time_ns, bool is_attached)
{
    recorder->proc = (struct tp_proc_tree){.text = recorder->text,
                                           .is_attached = is_attached,
                                           .take = take,
                                           .tell_status = tell_status,
                                           .context = recorder};
    tp_proc_tree_begin(&recorder->proc, recorder->arena, pid, time_ns);
}

void tp_looked_recorder_look(struct tp_looked_recorder *recorder, int64_t own_ns, bool is_last)
{
    int64_t gone_ns = recorder->now_ns() - recorder->proc.looked_ns;
    bool is_spent = tp_own_budget_is_spent(recorder->budget, own_ns, recorder->tree->running_ns);
    tp_exit_codes_read(recorder->codes);
    if (!is_last && is_spent && gone_ns < MOST_PAUSE_NS)
        recorder->left_out++;
    else if (is_last || gone_ns >= TP_LOOKED_PAUSE_NS / 2)
        tp_proc_tree_look(&recorder->proc, recorder->now_ns);
}

void tp_looked_recorder_end(struct tp_looked_recorder *recorder)
{
    tp_proc_tree_end(&recorder->proc, recorder->now_ns());
}
