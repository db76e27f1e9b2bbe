/* Derives the states of a thread from polled totals: the time that it ran, and the time that it was ready.
 *
 * The time between two polls is divided into consecutive intervals. The state at the previous poll comes first, and the
 * present state last. If the thread waited at both polls, the first wait lasts until the last poll with unchanged
 * totals, plus half of the time after that poll. The intervals add up to the time between the polls, and the intervals
 * of one state to its total. A remainder that does not fit is carried over, because the kernel's totals are slightly
 * ahead of or behind the clock. A time with unchanged totals is not divided yet. In this time the thread may wait for a
 * CPU, which the kernel counts only when the thread gets one. Only one thread may use a struct. */
#ifndef TP_COLLECTOR_OUTSIDE_WAITS_POLLED_STATES_H
#define TP_COLLECTOR_OUTSIDE_WAITS_POLLED_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/thread_state.h"

enum { TP_POLLED_INTERVALS = 4 };

struct tp_polled_interval {
    int64_t begin_ns;
    enum tp_thread_state state;
    uint8_t wait; /* for a blocked thread: number of the cause from proc_waits.h; 0 if unknown */
};

struct tp_polled_states {
    int64_t since_ns;                  /* end of the time that is already divided into intervals */
    int64_t polled_ns;                 /* time of the last poll; the totals did not change between since_ns and
                                        * polled_ns */
    int64_t running_ns, ready_ns;      /* the kernel's totals at the last poll */
    int64_t owed_ns[TP_STATE_BLOCKED]; /* time running and ready that the kernel has counted, but that no interval
                                        * contains yet */
    enum tp_thread_state state;        /* state of the last interval */
    bool is_blocked;                   /* true if the thread was blocked at the last poll */
    uint8_t wait;                      /* for a blocked thread: number of the cause of its last wait; 0 if unknown */
};

/* Divides the time up to a poll at time_ns. now: totals at the poll, and whether and why the thread is blocked. Fills
 * `intervals` in order of time and returns their number. Each interval lasts until the next one, the last one until
 * time_ns. */
size_t tp_polled_states_split_time(struct tp_polled_states *states,
                                   struct tp_polled_interval intervals[TP_POLLED_INTERVALS], int64_t time_ns,
                                   const struct tp_polled_states *now);

/* Fills intervals[0] for the time up to the last poll that is not divided yet. Returns the number of intervals, 0 or
 * 1. */
size_t tp_polled_states_end(struct tp_polled_states *states, struct tp_polled_interval intervals[TP_POLLED_INTERVALS]);

#endif
