/* Implements the schedule: see schedule.h. The definition is schedule() in torch/profiler/profiler.py. */
#include "collector/schedule.h"

enum tp_action tp_schedule_action(const struct tracepress_schedule *schedule, uint64_t step)
{
    uint64_t wait = schedule->wait, warmup = schedule->warmup, active = schedule->active;
    uint64_t cycle = wait + warmup + active;
    if (active == 0)
        return TP_ACTION_RECORD;
    if (step < schedule->skip_first)
        return TP_ACTION_NONE;
    step -= schedule->skip_first;
    if (schedule->repeat > 0 && step / cycle >= schedule->repeat)
        return TP_ACTION_NONE;
    uint64_t at = step % cycle;
    if (at < wait)
        return TP_ACTION_NONE;
    if (at < wait + warmup)
        return TP_ACTION_WARMUP;
    return at < cycle - 1 ? TP_ACTION_RECORD : TP_ACTION_RECORD_AND_SAVE;
}
