/* Finds and removes threads of our recorder: see recorder_threads.h. */
#include "webreport/trace/recorder_threads.h"

#include "writer/base/saturate.h"
#include "writer/worker.h"

/* Returns true for the name "tracepress", also in the recorder's form "thread 7 (tracepress)". */
static bool is_recorder_thread_name(struct tp_str name)
{
    return tp_str_equal(name, TP_STR(TP_WORKER_THREAD)) || tp_str_ends(name, "(" TP_WORKER_THREAD ")");
}

static bool is_first_thread(const struct tp_thread *row)
{
    return !row->pid.is_text && !row->tid.is_text && row->pid.number == row->tid.number;
}

/* Returns true if `pids` contains the number of a pid. pids: pids of the recorded processes of tracepress, as
 * int64_t. */
static bool contains_pid(const struct tp_vec *pids, const struct tp_row_id *pid)
{
    for (size_t i = 0; i < pids->count; i++)
        if (!pid->is_text && *TP_AT(pids, int64_t, i) == pid->number)
            return true;
    return false;
}

/* Returns an array with one element for each row: 1 for a thread of the recorder, otherwise 0. Returns NULL if the
 * trace has no such thread. */
static const uint8_t *find_recorder_threads(struct tp_trace *trace)
{
    struct tp_vec tracepress = TP_VEC(trace->arena, int64_t);
    uint8_t *is_own = NULL;
    for (uint32_t row = 0; row < trace->thread_count; row++)
        if (is_recorder_thread_name(trace->threads[row].name) && is_first_thread(&trace->threads[row]))
            *(int64_t *)tp_vec_push(&tracepress) = trace->threads[row].pid.number;
    for (uint32_t row = 0; row < trace->thread_count; row++) {
        const struct tp_thread *thread = &trace->threads[row];
        if (!is_recorder_thread_name(thread->name) || is_first_thread(thread) ||
            contains_pid(&tracepress, &thread->pid))
            continue;
        is_own = is_own ? is_own : tp_arena_alloc(trace->arena, (size_t)trace->thread_count + 1);
        is_own[row] = 1;
        trace->recorder.thread_count++;
    }
    return is_own;
}

void tp_recorder_threads_remove(struct tp_trace *trace)
{
    uint32_t kept = 0;
    if (!trace->state_count && !trace->sample_count)
        return;
    const uint8_t *is_own = find_recorder_threads(trace);
    if (!is_own)
        return;
    for (uint32_t i = 0; i < trace->state_count; i++) {
        const struct tp_state *state = &trace->states[i];
        if (!is_own[state->thread])
            trace->states[kept++] = *state;
        else if (state->state == TP_STATE_RUNNING)
            trace->recorder.running_ns = tp_sat_add(trace->recorder.running_ns, state->dur_ns);
    }
    trace->state_count = kept;
    kept = 0;
    for (uint32_t i = 0; i < trace->sample_count; i++)
        if (!is_own[trace->samples[i].thread])
            trace->samples[kept++] = trace->samples[i];
    trace->sample_count = kept;
}
