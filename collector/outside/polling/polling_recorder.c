/* Records by polling /proc: see polling_recorder.h. */
#include "collector/outside/polling/polling_recorder.h"

#include "collector/outside/processes/proc_files.h"
#include "collector/outside/processes/running_tree.h"

enum { CODE_TEXT_BYTES = 4 << 20, MOST_CODE_LOOKS = 64 };
#define MOST_PAUSE_NS 1000000000ll /* pause between two polls when the recorder's time budget is used up, ns */

static void handle_polled_record(void *context, const struct tp_perf_record *r, uint8_t wait)
{
    struct tp_polling_recorder *recorder = context;
    struct tp_outside_note note = {.wait = wait};
    if (r->type == PERF_RECORD_COMM && r->is_exec && tp_proc_read_arguments(recorder->text, r->pid))
        note.words = (struct tp_str){tp_arena_copy(recorder->arena, recorder->text->data, recorder->text->size),
                                     recorder->text->size};
    if (r->type == PERF_RECORD_FORK && r->pid == r->tid)
        tp_exit_codes_add_process(recorder->codes, r->pid);
    note.has_usage =
        r->type == PERF_RECORD_EXIT && r->pid == r->tid && tp_proc_read_usage(&note.usage, r->pid, recorder->text);
    tp_python_stacks_handle_record(recorder->python, r);
    if (r->type == PERF_RECORD_COMM && r->is_exec)
        *tp_id_map_find_or_add(&recorder->runs, r->pid) = 0;
    uint32_t ended = tp_outside_tree_handle_record(recorder->tree, r, false, &note);
    if (ended != TP_NO_ID)
        recorder->ended(recorder->context, ended);
}

static void handle_polled_mapping(void *context, const struct tp_perf_record *r)
{
    tp_python_stacks_handle_record(context, r);
}

/* Reads the mappings of a process at the 1st, 2nd, 4th .. poll at which it runs, because without events no record
 * reports new mappings. */
static void find_python_mappings(struct tp_polling_recorder *recorder, uint32_t pid, int64_t time_ns)
{
    uint32_t *runs = tp_id_map_find_or_add(&recorder->runs, pid);
    *runs = *runs == TP_NO_ID ? 1 : *runs + 1;
    if (*runs <= MOST_CODE_LOOKS && (*runs & (*runs - 1)) == 0)
        tp_running_list_mappings(&recorder->code_text, pid, time_ns, handle_polled_mapping, recorder->python);
}

/* Adds a sample of a running thread, if its Python frames can be read. */
static void sample_running_thread(void *context, uint32_t pid, uint32_t tid, int64_t time_ns)
{
    struct tp_polling_recorder *recorder = context;
    const struct tp_perf_record sample = {
        .type = PERF_RECORD_SAMPLE, .time_ns = (uint64_t)time_ns, .pid = pid, .tid = tid};
    if (!tp_python_processes_find(&recorder->python->processes, pid))
        find_python_mappings(recorder, pid, time_ns);
    struct tp_outside_note note = {.python = tp_python_stacks_read(recorder->python, pid, tid, time_ns)};
    if (note.python)
        tp_outside_tree_handle_record(recorder->tree, &sample, false, &note);
}

static void report_status(void *context, uint32_t pid, int status)
{
    const struct tp_polling_recorder *recorder = context;
    tp_exit_codes_store_status(recorder->codes, pid, status);
}

void tp_polling_recorder_begin(struct tp_polling_recorder *recorder, uint32_t pid, int64_t time_ns, bool is_attached)
{
    recorder->proc = (struct tp_proc_tree){.text = recorder->text,
                                           .is_attached = is_attached,
                                           .take = handle_polled_record,
                                           .runs = sample_running_thread,
                                           .report_status = report_status,
                                           .context = recorder};
    tp_id_map_init(&recorder->runs, recorder->arena);
    tp_buf_init(&recorder->code_text, CODE_TEXT_BYTES);
    tp_proc_tree_begin(&recorder->proc, recorder->arena, pid, time_ns);
}

void tp_polling_recorder_poll(struct tp_polling_recorder *recorder, int64_t own_ns, bool is_last)
{
    int64_t gone_ns = recorder->now_ns() - recorder->proc.polled_ns;
    bool is_spent = tp_recorder_budget_is_spent(recorder->budget, own_ns, recorder->tree->running_ns);
    tp_exit_codes_read(recorder->codes);
    if (!is_last && is_spent && gone_ns < MOST_PAUSE_NS)
        recorder->left_out++;
    else if (is_last || gone_ns >= TP_POLLED_PAUSE_NS / 2)
        tp_proc_tree_poll(&recorder->proc, recorder->now_ns);
}

void tp_polling_recorder_end(struct tp_polling_recorder *recorder)
{
    tp_proc_tree_end(&recorder->proc, recorder->now_ns());
}

void tp_polling_recorder_release(struct tp_polling_recorder *recorder)
{
    tp_buf_release(&recorder->code_text);
}
