/* Declares the stages of a replay. Only the files replay*.c include this header. */
#ifndef TP_WEBREPORT_MODEL_ALLOCATOR_REPLAY_PARTS_H
#define TP_WEBREPORT_MODEL_ALLOCATOR_REPLAY_PARTS_H

#include "webreport/model/allocator/allocator_rules.h"
#include "webreport/model/allocator/replay.h"

/* Goes back from the recorded end to the state before the first event. Fills start_segments, the older blocks, and
 * has_completions. */
void tp_replay_go_back(struct tp_replay *replay);

/* Compares the replayed end with the recorded end. Fills wrong_blocks, wrong_bytes and is_exact. */
void tp_replay_compare_end(struct tp_replay *replay);

/* Replays all events forward, and fills the curve. on_oom: may be NULL. */
void tp_replay_forward(struct tp_replay *replay, tp_replay_oom *on_oom, void *context);

/* Returns the block size for a request at an address. next: address of the next block; UINT64_MAX if none exists.
 * *overlaps: true if the request does not fit before the next block or the end of the segment. */
uint64_t tp_replay_block_size(const struct tp_replay *replay, const struct tp_segment_range *segment, uint64_t address,
                              uint64_t requested, uint64_t next, bool *overlaps);

/* Returns a segment as a range. size: bytes of a segment of an event. */
struct tp_segment_range tp_replay_segment(const struct tp_replay *replay, const struct tp_snapshot_event *event,
                                          bool is_expandable);

#endif
