/* Derives the states of a thread from polled totals: how long it ran, and how long it was ready.
 *
 * The time between two polls is divided into consecutive intervals. The state at the previous poll comes first, and the
 * present one last. Of two waits, the first one lasts until the last poll with unchanged totals, and half of the time
 * after it. The intervals add up to the time, and those of one state to its total. A rest that does not fit is carried
 * over, because the kernel's totals are slightly ahead of or behind the clock. A time with unchanged totals is not
 * divided yet: the thread may wait for a CPU, which the kernel counts only when it gets one. One thread. */
#ifndef TP_COLLECTOR_OUTSIDE_WAITS_LOOKED_STATES_H
#define TP_COLLECTOR_OUTSIDE_WAITS_LOOKED_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tp_outside_state { TP_OUTSIDE_RUNNING, TP_OUTSIDE_READY, TP_OUTSIDE_BLOCKED, TP_OUTSIDE_STATES };

enum { TP_LOOKED_INTERVALS = 4 };

struct tp_looked_interval {
    int64_t begin_ns;
    enum tp_outside_state state;
    uint8_t wait; /* of a blocked thread, number from proc_waits.h; 0 if unknown */
};

struct tp_looked_states {
    int64_t since_ns;                    /* earlier time is already divided */
    int64_t looked_ns;                   /* the last poll; the totals did not change from since_ns to it */
    int64_t running_ns, ready_ns;        /* the kernel's totals at the last poll */
    int64_t owed_ns[TP_OUTSIDE_BLOCKED]; /* of running and ready: counted by the kernel, but not in a interval yet */
    enum tp_outside_state state;         /* of the last interval */
    bool is_blocked;                     /* at the last poll */
    uint8_t wait;                        /* the reason for that */
};

/* Takes a poll at time_ns: `now` has the totals, and whether and why the thread is blocked. Fills the intervals in
 * order and returns their number. Each lasts until the next one or time_ns. */
size_t tp_looked_states_cut(struct tp_looked_states *states, struct tp_looked_interval intervals[TP_LOOKED_INTERVALS],
                            int64_t time_ns, const struct tp_looked_states *now);

/* Fills the interval for the time up to the last poll that is not divided yet. Returns the number of intervals, 0 or
 * 1. */
size_t tp_looked_states_end(struct tp_looked_states *states, struct tp_looked_interval intervals[TP_LOOKED_INTERVALS]);

#endif
