/* Declares types and functions that the files for building step slots share. See step_slots.h. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SLOT_PARTS_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SLOT_PARTS_H

#include "webreport/measure/summary/summary_slots.h"

/* A collective call before its assignment to a slot. */
struct tp_slot_call {
    struct tp_interval time;
    int64_t called_ns; /* start of the call on the host, ns; without a host call, start of the collective */
    /* step: index of the step in the model; group: index of the group, as in tp_slot; record: index of the record in
     * the model's collectives */
    uint32_t step, group, record;
};

/* The collective calls of one step in the order of their host calls. The sequence of the calls' groups is the row of
 * the step. */
struct tp_slot_row {
    uint32_t first, count, step;
    uint64_t hash; /* hash of the groups of the calls, in the order of the calls */
};

struct tp_slot_work {
    struct tp_summary_work *summary;
    const struct tp_model *model;
    struct tp_arena *arena; /* scratch memory */
    struct tp_step_slots *out;
    struct tp_vec groups;      /* elements: struct tp_slot_group, in the summary's arena */
    struct tp_vec calls, rows; /* elements of `calls`: struct tp_slot_call; elements of `rows`: struct tp_slot_row */
    /* compute: times with compute; input: times with loading of input and without compute */
    struct tp_intervals compute, input;
};

/* Adds the process groups that the trace's metadata lists. (slot_groups.c) */
void tp_slot_groups_add_listed(struct tp_slot_work *work);
/* Returns the index of the group of a record, as in tp_slot. A send or receive belongs to a pair of ranks; TP_NO_ID:
 * the other rank of the pair is unknown. */
uint32_t tp_slot_group_of_record(struct tp_slot_work *work, const struct tp_collective *record);
/* Returns the operation that the record's metadata names, such as "send" or "allreduce", else the name of the
 * record. */
struct tp_str tp_slot_call_name(struct tp_slot_work *work, const struct tp_collective *record);

/* Fills the lengths and the waiting places of the kept rows, which are the rows with this `hash`. slot_of: for each
 * call of a row, the index of its slot. (slot_lengths.c) */
void tp_slot_lengths_fill(const struct tp_slot_work *work, uint64_t hash, const uint32_t *slot_of);

#endif
