/* What a job of many ranks is replayed from, of one rank: per step a row of slots. A slot is own work up to the start
 * of the next collective, split by what it was spent on, and that collective; the last one is the work behind the last
 * collective. Work goes on beside a collective up to where the rank waits for it: at once, or in a later slot.
 *
 * Only lengths inside the rank are kept, no moment of a clock. Every kept step has the same row; neighbours are added
 * up until the row has at most TP_MAX_SLOTS. Lists live in the arena of the summary. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_STEP_SLOTS_H
#define TP_WEBREPORT_MEASURE_SUMMARY_STEP_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/str.h"

/* What the time of a slot was spent on. */
enum tp_slot_part {
    TP_SLOT_KERNEL, /* kernels and copies; operators where there is no device */
    TP_SLOT_PAUSE,  /* neither kernel nor input */
    TP_SLOT_INPUT,  /* in the data loader, while no kernel runs */
    TP_SLOT_WITHIN, /* waiting for the collective, with nothing to do */
    TP_SLOT_BESIDE, /* the rest of its time: work goes on */
    TP_SLOT_PARTS,
    TP_SLOT_OWN = TP_SLOT_WITHIN /* number of the parts that are own work */
};

/* Ranks first, first + stride .. */
struct tp_rank_stride {
    int64_t first, stride, length;
};

/* What the ranks of a group are to each other. */
enum tp_group_kind {
    TP_GROUP_ALL,  /* all of it meet */
    TP_GROUP_UP,   /* of two ranks the lower one sends */
    TP_GROUP_DOWN, /* the higher one sends */
    TP_GROUP_KINDS
};

/* A process group that the rank is in, or the rank and one that it sends to or receives from. */
struct tp_slot_group {
    struct tp_str name, description; /* "3", "tp"; "": not recorded */
    int64_t size;                    /* TP_NULL_INT: unknown */
    struct tp_rank_stride *runs;     /* its ranks, ascending */
    uint32_t run_count;              /* 0: not known */
    enum tp_group_kind kind;
};

enum { TP_SLOT_WHOLE = 1000 };

struct tp_slot {
    uint32_t group; /* in groups; TP_NO_ID: the end of the step, or a call between two ranks that nobody knows */
    uint32_t calls; /* collectives added up */
    uint32_t waits; /* slots later, in whose own work the rank waits for it; 1: at once. Without is_seen: no earlier */
    uint32_t before; /* thousandths of that work that come before it waits */
    bool is_seen;
    int64_t moved_bytes; /* by its calls, over the bus (collective_kinds.h); 0: not known */
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
