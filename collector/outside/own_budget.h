/* How much processor time the recorder may take for itself: a twentieth of what the program has used, and 50 ms.
 * Beyond half of it, it does without whole stacks of waits; beyond all of it, without stacks of waits; then it reads every
 * second sample, every fourth, and so on. */
#ifndef TP_COLLECTOR_OUTSIDE_OWN_BUDGET_H
#define TP_COLLECTOR_OUTSIDE_OWN_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct tp_own_budget {
    int64_t begin_ns;   /* of our own processor time */
    int64_t checked_ns; /* when it was looked at last; what both had used by then: */
    int64_t own_ns, program_ns;
    uint32_t level;     /* 0: all; 1: no stacks of waits; 1 + n: one sample of 2^n */
    uint32_t most_level; /* that it was at */
    uint32_t number;    /* of samples that came */
};

/* Whether more than that was used: own_ns of our processor time, program_ns of the program's. */
bool tp_own_budget_is_spent(const struct tp_own_budget *budget, int64_t own_ns, int64_t program_ns);

/* Looks at what was used: own_ns of our processor time, program_ns of the program's, at time_ns of a clock. It grows by
 * one level at a time, not sooner than 0.2 s after the last: what was saved has to be seen first; and beyond the first
 * level only while we use more than our share: to read the files of a large program costs much, but once. Within
 * the budget it comes back, one level at a time, to the first, and below three quarters of it to none: to read the files
 * of a large program costs much, but once, and the waits of what follows have their stacks. True: it has grown. */
bool tp_own_budget_look(struct tp_own_budget *budget, int64_t own_ns, int64_t program_ns, int64_t time_ns);

/* Whether less than half of it is used: what can be done without has to leave the other half. */
bool tp_own_budget_has_room(const struct tp_own_budget *budget, int64_t own_ns, int64_t program_ns);

/* Whether the next sample is read. */
bool tp_own_budget_reads(struct tp_own_budget *budget);

static inline bool tp_own_budget_has_wait_stacks(const struct tp_own_budget *budget)
{
    return budget->level == 0;
}

#endif
