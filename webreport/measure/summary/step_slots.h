/* Step slots of one rank: the input for replaying a job of many ranks. Each step is a row of slots. A slot contains the
 * rank's own work up to the start of the next collective, split by kind, and this collective. The last slot contains
 * the work after the last collective. During a collective, work continues until the rank waits for the collective:
 * immediately, or in a later slot.
 *
 * Slots contain only lengths of time inside the rank, no clock times. Every kept step has the same row. Adjacent slots
 * are merged until the row has at most TP_MAX_SLOTS. Lists are in the arena of the summary. */
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
    TP_SLOT_OWN = TP_SLOT_WITHIN /* number of parts that are the rank's own work; these parts are the first parts */
};

/* The ranks first, first + stride, first + 2 * stride .. (`length` ranks). */
struct tp_rank_stride {
    int64_t first, stride, length;
};

/* How the ranks of a group communicate. */
enum tp_group_kind {
    TP_GROUP_ALL,  /* all ranks of the group take part in each call */
    TP_GROUP_UP,   /* pair of ranks: the lower rank sends */
    TP_GROUP_DOWN, /* pair of ranks: the higher rank sends */
    TP_GROUP_KINDS
};

/* A process group of the rank, or the pair that consists of the rank and the peer of a send or receive. */
struct tp_slot_group {
    /* name: name of the group, such as "3"; description: description such as "tp"; "": not recorded */
    struct tp_str name, description;
    int64_t size;                /* number of ranks; TP_NULL_INT: unknown */
    struct tp_rank_stride *runs; /* ranks of the group, in ascending order */
    uint32_t run_count;          /* number of elements in `runs`; 0: the ranks are unknown */
    enum tp_group_kind kind;
};

enum { TP_SLOT_WHOLE = 1000 };

struct tp_slot {
    uint32_t group; /* index in `groups`; TP_NO_ID: end of the step, or a send or receive with unknown ranks */
    uint32_t calls; /* number of collectives in the slot */
    /* slot in whose own work the rank waits: number of slots after this slot; 1: the rank waits immediately. If is_seen
     * is false, this is the earliest possible slot */
    uint32_t waits;
    uint32_t before; /* part of the own work of that slot that precedes the wait, thousandths */
    bool is_seen;
    int64_t moved_bytes; /* bytes that the calls move over the bus (collective_kinds.h); 0: unknown */
};

struct tp_step_slots {
    struct tp_str host; /* name of the machine; "": not recorded */
    struct tp_slot_group *groups;
    struct tp_slot *slots;
    uint32_t *steps; /* indexes of the kept steps in the summary's steps, in ascending order */
    /* times, us; the time of a part in a slot and step is us[part][slot * step_count + step] */
    int64_t *us[TP_SLOT_PARTS];
    uint32_t group_count, slot_count, step_count;
};

static inline size_t tp_slot_cell(const struct tp_step_slots *slots, uint32_t slot, uint32_t step)
{
    return (size_t)slot * slots->step_count + step;
}

#endif
