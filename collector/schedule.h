/* Decides which of the program's steps are recorded. A pure state machine like torch.profiler.schedule. */
#ifndef TP_COLLECTOR_SCHEDULE_H
#define TP_COLLECTOR_SCHEDULE_H

#include <stdint.h>

#include "collector/tracepress.h"

enum tp_action {
    TP_ACTION_NONE,
    TP_ACTION_WARMUP, /* the recording is prepared; nothing is kept */
    TP_ACTION_RECORD,
    TP_ACTION_RECORD_AND_SAVE /* last step of a cycle */
};

/* Returns what happens in step `step` (from 0). active 0: always records. repeat 0: cycles without end. */
enum tp_action tp_schedule_action(const struct tracepress_schedule *schedule, uint64_t step);

#endif
