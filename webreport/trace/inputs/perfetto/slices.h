/* Pairs begins and ends of slices, and sets the durations of their events.
 *
 * torch writes, for each group of events, all begins and then all ends in the same order, so that times in the file run
 * backwards. Such a block is paired by position. Other producers write begins and ends in the order of time. Their
 * slices are paired like in Perfetto: with one stack for each track. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_PERFETTO_SLICES_H
#define TP_WEBREPORT_TRACE_INPUTS_PERFETTO_SLICES_H

#include "webreport/trace/inputs/perfetto/interned.h"

struct tp_slices {
    struct tp_vec edges; /* edges that are not paired by position; elements: struct tp_slice_edge */
    uint64_t ends_without_begin, begins_without_end;
};

void tp_slices_init(struct tp_slices *slices, struct tp_arena *arena);

/* Adds a begin or an end of a sequence. Pairs a finished block of the sequence. */
void tp_slices_begin(struct tp_slices *slices, struct tp_sequence *sequence, struct tp_event *events,
                     struct tp_slice_edge edge);
void tp_slices_end(struct tp_sequence *sequence, struct tp_slice_edge edge);

/* Pairs the last block of a sequence. is_cut: true if the file ends too early, so that the ends of the block may be
 * incomplete. */
void tp_slices_finish_sequence(struct tp_slices *slices, struct tp_sequence *sequence, struct tp_event *events,
                               bool is_cut);

/* Pairs all remaining edges after the last sequence. Slices without an end have no duration. */
void tp_slices_finish(struct tp_slices *slices, struct tp_event *events, uint32_t track_count);

#endif
