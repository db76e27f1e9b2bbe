/* Limits the processor time of the recorder to a twentieth of the program's time, plus 50 ms.
 *
 * When half of the budget is used, the recorder reads no complete stacks of waits. When all of it is used, the recorder
 * reads no stacks of waits at all. If the recorder still uses too much time, it reads every second sample, then every
 * fourth, and so on. */
#ifndef TP_COLLECTOR_OUTSIDE_PROCESSES_RECORDER_BUDGET_H
#define TP_COLLECTOR_OUTSIDE_PROCESSES_RECORDER_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct tp_recorder_budget {
    int64_t begin_ns;           /* processor time of the recorder at the start of the recording, ns */
    int64_t last_check_ns;      /* time of the last check, ns */
    int64_t own_ns, program_ns; /* processor times of the recorder and of the program at the last check, ns */
    uint32_t level;             /* level of savings; 0: everything is read; 1: no stacks of waits are read; 1 + n:
                                 * additionally, only one sample of 2^n is read */
    uint32_t highest_level;     /* highest level so far */
    uint32_t number;            /* count of samples so far */
};

/* Returns whether the budget is used up. own_ns, program_ns: processor times of the recorder and of the program so
 * far. */
bool tp_recorder_budget_is_spent(const struct tp_recorder_budget *budget, int64_t own_ns, int64_t program_ns);

/* Updates the level of savings. own_ns, program_ns: processor times of the recorder and of the program at time_ns.
 * Returns true if the level has risen.
 *
 * The level rises by one when the budget is used up, at most every 0.2 s, so that the previous level has time to
 * take effect. Above level 1, the level rises only while the recorder currently uses more than a twentieth of the
 * program's time, because reading the files of a large program is expensive only once. Within the budget, the level
 * falls step by step to 1. It falls to 0 when at most three quarters of the budget are used, so that later waits
 * have stacks again. */
bool tp_recorder_budget_update(struct tp_recorder_budget *budget, int64_t own_ns, int64_t program_ns, int64_t time_ns);

/* Returns whether less than half of the budget is used, so that optional work may be done. */
bool tp_recorder_budget_has_room(const struct tp_recorder_budget *budget, int64_t own_ns, int64_t program_ns);

/* Counts a sample. Returns whether the recorder should read it at the current level of savings. */
bool tp_recorder_budget_reads_sample(struct tp_recorder_budget *budget);

static inline bool tp_recorder_budget_has_wait_stacks(const struct tp_recorder_budget *budget)
{
    return budget->level == 0;
}

#endif
