/* Step slots of one rank: the input for replaying a job of many ranks. Each step is a row of slots. A slot is the
 * rank's own work up to the start of the next collective, split by kind, and that collective. The last slot is the work
 * after the last collective. Work continues during a collective until the rank waits for it: immediately, or in a later
 * slot.
 *
 * Slots contain only lengths of time inside the rank, no clock times. Every kept step has the same row. Neighboring
 * slots are added up until the row has at most TP_MAX_SLOTS. Lists are in the arena of the summary. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_STEP_SLOTS_H
#define TP_WEBREPORT_MEASURE_SUMMARY_STEP_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/str.h"

/* The parts of a slot's time. */
enum tp_slot_part {
    TP_SLOT_KERNEL,     /* time of kernels and copies; without a device, time of operators */
    TP_SLOT_PAUSE,      /* time with neither kernels nor input */
    TP_SLOT_INPUT,      /* time in the data loader while no kernel runs */
    TP_SLOT_WITHIN,     /* idle time in which the rank waits for the collective */
    TP_SLOT_OVERLAPPED, /* remaining time of the collective, in which work continues */
    TP_SLOT_PARTS,
    TP_SLOT_OWN = TP_SLOT_WITHIN /* number of the parts that are the rank's own work; these parts come first */
};

/* The ranks first, first + stride, first + 2 * stride .. (`length` ranks). */
struct tp_rank_stride {
    int64_t first, stride, length;
};

/* How the ranks of a group communicate. */
enum tp_group_kind {
    TP_GROUP_ALL,  /* all ranks take part in each call */
    TP_GROUP_UP,   /* pair of ranks: the lower rank sends */
    TP_GROUP_DOWN, /* pair of ranks: the higher rank sends */
    TP_GROUP_KINDS
};

/* A process group of the rank, or a pair of the rank and a peer in a send or receive. */
struct tp_slot_group {
    struct tp_str name, description; /* name and description, such as "3" and "tp"; "": not recorded */
    int64_t size;                    /* number of ranks; TP_NULL_INT: unknown */
    struct tp_rank_stride *runs;     /* ranks of the group, in ascending order */
    uint32_t run_count;              /* number of elements in `runs`; 0: the ranks are unknown */
    enum tp_group_kind kind;
};

enum { TP_SLOT_WHOLE = 1000 };

struct tp_slot {
    uint32_t group; /* index in `groups`; TP_NO_ID: end of the step, or a send or receive with unknown ranks */
    uint32_t calls; /* number of collectives in the slot */
    /* where the rank waits: in the own work of the slot that is `waits` slots later; 1: immediately. If is_seen is
     * false, the earliest possible slot */
    uint32_t waits;
    uint32_t before; /* own work of that slot that comes before the wait, in thousandths of all its own work */
    bool is_seen;
    int64_t moved_bytes; /* bytes that the calls move over the bus (collective_kinds.h); 0: unknown */
};

struct tp_step_slots {
    struct tp_str host; /* name of the machine; "": not recorded */
    struct tp_slot_group *groups;
    struct tp_slot *slots;
    uint32_t *steps;            /* indexes in the summary's steps, in ascending order */
    int64_t *us[TP_SLOT_PARTS]; /* times, microseconds; index: us[part][slot * step_count + step] */
    uint32_t group_count, slot_count, step_count;
};

static inline size_t tp_slot_cell(const struct tp_step_slots *slots, uint32_t slot, uint32_t step)
{
    return (size_t)slot * slots->step_count + step;
}

#endif
