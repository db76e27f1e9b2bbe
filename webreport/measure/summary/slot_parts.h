/* Types and functions that the files which build step slots share: see step_slots.h. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SLOT_PARTS_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SLOT_PARTS_H

#include "webreport/measure/summary/summary_slots.h"

/* A collective before it is assigned to a slot. */
struct tp_slot_call {
    struct tp_interval time;
    int64_t called_ns;            /* time of the call on the host; without one, the start */
    uint32_t step, group, record; /* step: of the model; group: as in tp_slot */
};

/* The calls of a step, in the order of the host's calls, and the row that they make. */
struct tp_slot_row {
    uint32_t first, count, step;
    uint64_t hash; /* hash of the groups in their order */
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

/* Adds the groups that the head of the trace lists. (slot_groups.c) */
void tp_slot_groups_listed(struct tp_slot_work *work);
/* Returns the group of a record, as in tp_slot. For a send or receive it is the pair of ranks; TP_NO_ID: the other rank
 * is unknown. */
uint32_t tp_slot_group_of(struct tp_slot_work *work, const struct tp_collective *record);
/* Returns "send", "recv", "allreduce" from the metadata, else the name of the record. */
struct tp_str tp_slot_call_name(struct tp_slot_work *work, const struct tp_collective *record);

/* Fills the lengths of the kept rows (with this `hash`), and where the rank waits. slot_of: by call of a row.
 * (slot_lengths.c) */
void tp_slot_lengths_fill(const struct tp_slot_work *work, uint64_t hash, const uint32_t *slot_of);

#endif
