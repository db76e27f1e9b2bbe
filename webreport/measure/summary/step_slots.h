/* The input for replaying a job of many ranks, for one rank: a row of slots for each step. A slot is the rank's own
 * work up to the start of the next collective, split by kind, and that collective; the last slot is the work after the
 * last collective. Work continues during a collective up to the place where the rank waits for it: immediately, or in a
 * later slot.
 *
 *
 * Only lengths inside the rank are stored, no clock times. Every kept step has the same row; neighboring slots are
 * added up until the row has at most TP_MAX_SLOTS. Lists are in the arena of the summary. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_STEP_SLOTS_H
#define TP_WEBREPORT_MEASURE_SUMMARY_STEP_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/str.h"

/* The kinds of time in a slot. */
enum tp_slot_part {
    TP_SLOT_KERNEL, /* kernels and copies; without a device, operators */
    TP_SLOT_PAUSE,  /* neither kernel nor input */
    TP_SLOT_INPUT,  /* in the data loader, while no kernel runs */
    TP_SLOT_WITHIN, /* idle wait for the collective */
    TP_SLOT_BESIDE, /* the rest of the collective's time: work continues */
    TP_SLOT_PARTS,
    TP_SLOT_OWN = TP_SLOT_WITHIN /* number of the parts that are own work */
};

/* The ranks first, first + stride, and so on. */
struct tp_rank_stride {
    int64_t first, stride, length;
};

/* The relation of the ranks of a group. */
enum tp_group_kind {
    TP_GROUP_ALL,  /* all ranks meet */
    TP_GROUP_UP,   /* of two ranks the lower one sends */
    TP_GROUP_DOWN, /* of two ranks the higher one sends */
    TP_GROUP_KINDS
};

/* A process group of the rank, or the rank and a peer that it sends to or receives from. */
struct tp_slot_group {
    struct tp_str name, description; /* "3", "tp"; "": not recorded */
    int64_t size;                    /* TP_NULL_INT: unknown */
    struct tp_rank_stride *runs;     /* its ranks, ascending */
    uint32_t run_count;              /* 0: unknown */
    enum tp_group_kind kind;
};

enum { TP_SLOT_WHOLE = 1000 };

struct tp_slot {
    uint32_t group; /* index in groups; TP_NO_ID: end of the step, or a call between two unknown ranks */
    uint32_t calls; /* number of collectives added up */
    /* the rank waits in the own work of the slot that many slots later; 1: immediately. Without is_seen: not before
     * that */
    uint32_t waits;
    uint32_t before; /* thousandths of that work that come before the wait */
    bool is_seen;
    int64_t moved_bytes; /* bytes its calls move over the bus (collective_kinds.h); 0: unknown */
};

struct tp_step_slots {
    struct tp_str host; /* name of the machine; "": not recorded */
    struct tp_slot_group *groups;
    struct tp_slot *slots;
    uint32_t *steps;            /* indexes in the summary's steps, ascending */
    int64_t *us[TP_SLOT_PARTS]; /* [slot * step_count + step], microseconds */
    uint32_t group_count, slot_count, step_count;
};

static inline size_t tp_slot_cell(const struct tp_step_slots *slots, uint32_t slot, uint32_t step)
{
    return (size_t)slot * slots->step_count + step;
}

#endif
