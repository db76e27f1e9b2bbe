/* The processor time that the recorder may use: a twentieth of what the program has used, and 50 ms.
 *
 * When half of it is used, the recorder reads no whole stacks of waits. When all of it is used, it reads no stacks of
 * waits; if it still uses too much, it reads every second sample, then every fourth, and so on. */
#ifndef TP_COLLECTOR_OUTSIDE_PROCESSES_OWN_BUDGET_H
#define TP_COLLECTOR_OUTSIDE_PROCESSES_OWN_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct tp_own_budget {
    int64_t begin_ns;           /* the recorder's processor time when the recording began */
    int64_t checked_ns;         /* time of the last check */
    int64_t own_ns, program_ns; /* processor time that was used by then */
    uint32_t level;             /* 0: all is read; 1: no stacks of waits; 1 + n: one sample of 2^n */
    uint32_t most_level;        /* the highest level so far */
    uint32_t number;            /* samples that came so far */
};

/* Returns whether the budget is spent. own_ns: processor time of the recorder; program_ns: of the program. */
bool tp_own_budget_is_spent(const struct tp_own_budget *budget, int64_t own_ns, int64_t program_ns);

/* Sets the level by what was used: own_ns of the recorder's processor time, program_ns of the program's, at time_ns
 * of a clock. Returns true when the level has risen.
 *
 * The level rises by one when the budget is spent, at most every 0.2 s, because the effect has to be seen first.
 * From level 1 on it rises only while the recorder uses more than a twentieth: reading the files of a large program
 * costs much, but only once. Within the budget it falls by one at a time to level 1, and to 0 when at most three
 * quarters of the budget are used, so that later waits have their stacks again. */
bool tp_own_budget_look(struct tp_own_budget *budget, int64_t own_ns, int64_t program_ns, int64_t time_ns);

/* Returns whether less than half of the budget is used, so that optional work may be done. */
bool tp_own_budget_has_room(const struct tp_own_budget *budget, int64_t own_ns, int64_t program_ns);

/* Counts a sample and returns whether it is to be read. */
bool tp_own_budget_reads(struct tp_own_budget *budget);

static inline bool tp_own_budget_has_wait_stacks(const struct tp_own_budget *budget)
{
    return budget->level == 0;
}

#endif
