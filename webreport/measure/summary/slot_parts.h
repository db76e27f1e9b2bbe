/* What the makers of step slots share: see step_slots.h. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SLOT_PARTS_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SLOT_PARTS_H

#include "webreport/measure/summary/summary_slots.h"

/* A collective on its way to a slot. */
struct tp_slot_call {
    struct tp_interval time;
    int64_t called_ns;            /* by the host; without a call the start */
    uint32_t step, group, record; /* step: of the model; group: as tp_slot has it */
};

/* The calls of a step, in the order in which the host made them, and the row that they are. */
struct tp_slot_row {
    uint32_t first, count, step;
    uint64_t hash; /* of the groups in their order */
};

struct tp_slot_work {
    struct tp_summary_work *summary;
    const struct tp_model *model;
    struct tp_arena *arena; /* scratch */
    struct tp_step_slots *out;
    struct tp_vec groups;               /* struct tp_slot_group, in the summary's arena */
    struct tp_vec calls, rows;          /* struct tp_slot_call, struct tp_slot_row */
    struct tp_intervals compute, input; /* input: without compute */
};

/* slot_groups.c: the groups that the head of the trace lists. */
void tp_slot_groups_listed(struct tp_slot_work *work);
/* The group of a record, as tp_slot has it. Of a send or receive the two ranks; TP_NO_ID where the other is not told. */
uint32_t tp_slot_group_of(struct tp_slot_work *work, const struct tp_collective *record);
/* "send", "recv", "allreduce": of the metadata, else the name of the record. */
struct tp_str tp_slot_call_name(struct tp_slot_work *work, const struct tp_collective *record);

/* slot_lengths.c: the lengths of the kept rows (those of `hash`), and where the rank waits. slot_of: by call of a row. */
void tp_slot_lengths_fill(const struct tp_slot_work *work, uint64_t hash, const uint32_t *slot_of);

#endif
