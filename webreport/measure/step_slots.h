/* What a job of many ranks is replayed from, of one rank: per step a row of slots. A slot is own work up to the next
 * collective, split by what it was spent on, and that collective; the last one is the work behind the last collective.
 *
 * Only lengths inside the rank are kept, no moment of a clock. Every kept step has the same row; neighbours are added
 * up until the row has at most TP_MAX_SLOTS. Lists live in the arena of the summary. */
#ifndef TP_WEBREPORT_MEASURE_STEP_SLOTS_H
#define TP_WEBREPORT_MEASURE_STEP_SLOTS_H

#include <stddef.h>
#include <stdint.h>

#include "writer/base/str.h"

/* What the time of a slot was spent on. */
enum tp_slot_part {
    TP_SLOT_KERNEL, /* kernels and copies; operators where there is no device */
    TP_SLOT_PAUSE,  /* neither kernel nor input */
    TP_SLOT_INPUT,  /* in the data loader, while no kernel runs */
    TP_SLOT_WITHIN, /* in the collective, while no kernel of another kind runs */
    TP_SLOT_PARTS,
    TP_SLOT_OWN = TP_SLOT_WITHIN /* number of the parts that are own work */
};

/* Ranks first, first + stride .. */
struct tp_rank_stride {
    int64_t first, stride, length;
};

/* A process group that the rank is in. */
struct tp_slot_group {
    struct tp_str name, description; /* "3", "tp"; "": not recorded */
    int64_t size;                    /* TP_NULL_INT: unknown */
    struct tp_rank_stride *runs;     /* its ranks, ascending */
    uint32_t run_count;              /* 0: not known */
};

struct tp_slot {
    uint32_t group; /* in groups; TP_NO_ID: the end of the step, or a call between two ranks that nobody knows */
    uint32_t calls; /* collectives added up */
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
