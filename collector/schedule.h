/* Decides which of the program's steps are recorded, like torch.profiler.schedule. The function has no side effects. */
#ifndef TP_COLLECTOR_SCHEDULE_H
#define TP_COLLECTOR_SCHEDULE_H

#include <stdint.h>

#include "collector/tracepress.h"

enum tp_action {
    TP_ACTION_NONE,
    TP_ACTION_WARMUP, /* the step prepares the recording and is not recorded */
    TP_ACTION_RECORD,
    TP_ACTION_RECORD_AND_SAVE /* the step is recorded, and is the last one of its cycle */
};

/* Returns the action in step `step` (from 0). If schedule->active is 0, every step is recorded. If schedule->repeat is
 * 0, the cycles never end. */
enum tp_action tp_schedule_action(const struct tracepress_schedule *schedule, uint64_t step);

#endif
