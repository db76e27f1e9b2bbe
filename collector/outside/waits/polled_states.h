/* Derives the states of a thread from polled totals: the time that it ran, and the time that it was ready.
 *
 * The time between two polls is divided into consecutive intervals. The state at the previous poll comes first, and the
 * present state last. If the thread waited at both polls, the first wait lasts until the last poll with unchanged
 * totals, plus half of the time after that poll. The sum of all intervals is the time between the polls, and the sum of
 * the intervals of one state is the change of its total. A remainder that does not fit is carried over, because the
 * kernel's totals are slightly ahead of or behind the clock. Time in which the totals did not change is not divided
 * yet. The thread can then be waiting for a CPU, and the kernel adds this time only when the thread gets one. Only one
 * thread may use a struct. */
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
    uint8_t wait; /* number of the cause from proc_waits.h, for a blocked thread; 0: unknown */
};

struct tp_polled_states {
    int64_t since_ns;                  /* end of the time that is already divided into intervals, ns */
    int64_t polled_ns;                 /* time of the last poll, ns; the totals did not change between since_ns and
                                        * polled_ns */
    int64_t running_ns, ready_ns;      /* running time and ready time of the thread at the last poll, totals of the
                                        * kernel, ns */
    int64_t owed_ns[TP_STATE_BLOCKED]; /* running time and ready time in the kernel's totals that no interval contains
                                        * yet, ns */
    enum tp_thread_state state;        /* state of the last interval */
    bool is_blocked;                   /* true if the thread was blocked at the last poll */
    uint8_t wait;                      /* number of the cause of the last wait, for a blocked thread; 0: unknown */
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
