/* The states of a thread of which only totals are known: how long it ran and how long it was ready, from look to look.
 *
 * The time between two looks is cut into pieces that follow each other: what the thread was in at the look before comes
 * first, what it is in now last; of two waits the first one lasts to the last look at which the totals stood still, and
 * half of the time after it. Pieces add up to the time, those of a kind to what the totals say; what does not fit
 * (the kernel's totals run a moment behind or ahead of the clock) counts in the next time. A time in which the totals
 * stand still is not cut: the thread may wait for a CPU, which the kernel counts when it gets one. One thread. */
#ifndef TP_COLLECTOR_OUTSIDE_WAITS_LOOKED_STATES_H
#define TP_COLLECTOR_OUTSIDE_WAITS_LOOKED_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tp_outside_state { TP_OUTSIDE_RUNNING, TP_OUTSIDE_READY, TP_OUTSIDE_BLOCKED, TP_OUTSIDE_STATES };

enum { TP_LOOKED_PIECES = 4 };

struct tp_looked_piece {
    int64_t begin_ns;
    enum tp_outside_state state;
    uint8_t wait; /* of blocked: proc_waits.h; 0: not known */
};

struct tp_looked_states {
    int64_t since_ns;              /* all before is cut */
    int64_t looked_ns;             /* the last look: the totals stood still from since_ns to it */
    int64_t running_ns, ready_ns;  /* the kernel's totals at the last look */
    int64_t owed_ns[TP_OUTSIDE_BLOCKED]; /* of running and ready: counted by the kernel, in no piece yet */
    enum tp_outside_state state;   /* of the last piece */
    bool is_blocked;               /* at the last look */
    uint8_t wait;                  /* by what */
};

/* A look at time_ns: the totals, and whether it is blocked now and by what. Writes the pieces, in their order, each until
 * the next one or time_ns; returns how many. */
size_t tp_looked_states_cut(struct tp_looked_states *states, struct tp_looked_piece pieces[TP_LOOKED_PIECES],
                            int64_t time_ns, const struct tp_looked_states *now);

/* What was not cut until the last look: one piece, or none. */
size_t tp_looked_states_end(struct tp_looked_states *states, struct tp_looked_piece pieces[TP_LOOKED_PIECES]);

#endif
