/* Limits the processor time of the recorder to a twentieth of the program's time, plus 50 ms.
 *
 * When half of the budget is used, the recorder reads no complete stacks of waits. When all of it is used, the recorder
 * reads no stacks of waits at all. If the recorder still uses too much time, it reads every second sample, then every
 * fourth, and so on. */
#ifndef TP_COLLECTOR_OUTSIDE_PROCESSES_OWN_BUDGET_H
#define TP_COLLECTOR_OUTSIDE_PROCESSES_OWN_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct tp_own_budget {
    int64_t begin_ns;           /* processor time of the recorder at the start of the recording */
    int64_t checked_ns;         /* time of the last check, ns */
    int64_t own_ns, program_ns; /* processor times of the recorder and of the program at the last check */
    uint32_t level;             /* level of savings. 0 reads everything, 1 omits the stacks of waits, and 1 + n reads
                                 * one sample of 2^n */
    uint32_t most_level;        /* highest level so far */
    uint32_t number;            /* count of samples so far */
};

/* Returns whether the budget is used up. own_ns, program_ns: processor times of the recorder and of the program. */
bool tp_own_budget_is_spent(const struct tp_own_budget *budget, int64_t own_ns, int64_t program_ns);

/* Sets the level from the processor times: own_ns of the recorder, program_ns of the program, at time_ns of a clock.
 * Returns true if the level has risen.
 *
 * The level rises by one when the budget is used up, at most every 0.2 s, so that the previous level has time to take
 * effect. Above level 1, the level rises only while the recorder uses more than a twentieth. The reason is that reading
 * the files of a large program costs much, but only once. Within the budget the level falls step by step to 1. It falls
 * to 0 when at most three quarters are used, so that later waits have stacks again. */
bool tp_own_budget_update(struct tp_own_budget *budget, int64_t own_ns, int64_t program_ns, int64_t time_ns);

/* Returns whether less than half of the budget is used, so that optional work may be done. */
bool tp_own_budget_has_room(const struct tp_own_budget *budget, int64_t own_ns, int64_t program_ns);

/* Counts a sample and returns whether it should be read. */
bool tp_own_budget_reads(struct tp_own_budget *budget);

static inline bool tp_own_budget_has_wait_stacks(const struct tp_own_budget *budget)
{
    return budget->level == 0;
}

#endif
