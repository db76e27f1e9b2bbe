/* Data of a replay of the events of one device of a memory snapshot, so that the state of the allocator after every
 * event is known (docs/definitions.md, section 32).
 *
 * A replay first goes back from the recorded end to the state before the first event, and then forward. The forward
 * replay places each block into the free range at its address, with the rules of allocator_rules.h. It is exact if it
 * ends in the recorded end. Everything is in one arena. */
#ifndef TP_WEBREPORT_MODEL_ALLOCATOR_REPLAY_H
#define TP_WEBREPORT_MODEL_ALLOCATOR_REPLAY_H

#include "webreport/model/allocator/segment_set.h"
#include "webreport/trace/snapshot/snapshot.h"
#include "writer/base/id_map.h"

/* Index of an event that did not happen: the block was not freed in the recording. */
#define TP_NO_EVENT INT32_MAX
/* Index of an event before the recording. */
#define TP_BEFORE_EVENTS (-1)

/* One block from its allocation to its release. Indexes are those of events of the device. */
struct tp_allocator_block {
    uint64_t address, size, requested; /* size: bytes of the block */
    int64_t stream;
    int32_t allocated;           /* index of the allocation; TP_BEFORE_EVENTS for an older block */
    int32_t free_requested;      /* TP_BEFORE_EVENTS if the free was requested before the first event; or TP_NO_EVENT */
    int32_t free_completed;      /* TP_NO_EVENT if the block was not released */
    uint32_t stack, free_stack;  /* stacks of the allocation and of the free; 0 if unknown */
    uint32_t metadata, category; /* texts of the allocation, ids in the texts of the snapshot */
    uint32_t pool : 30;          /* index in the pools of the snapshot */
    bool is_estimated : 1;       /* the size is computed from the request, because the block is gone at the end */
};

/* Amounts after an event, bytes. */
struct tp_allocator_amounts {
    uint64_t allocated; /* blocks that the program uses, with their block sizes */
    uint64_t active;    /* the same, and blocks whose free waits for another stream */
    uint64_t reserved;  /* segments */
    uint64_t requested; /* requested sizes of the blocks that the program uses */
};

/* Contradictions between events, or between events and the recorded end, in alphabetical order. */
enum tp_inconsistency {
    TP_INCONSISTENT_ALLOC_WITHOUT_END,
    TP_INCONSISTENT_FREE_MISSING,
    TP_INCONSISTENT_FREE_OF_UNKNOWN,
    TP_INCONSISTENT_FREED_WHILE_LIVE,
    TP_INCONSISTENT_OUTSIDE_SEGMENTS,
    TP_INCONSISTENT_OVERLAP,
    TP_INCONSISTENT_OVERLAP_AT_START,
    TP_INCONSISTENT_SEGMENT_ALLOC_WITHOUT_END,
    TP_INCONSISTENT_SEGMENT_FREE_OF_UNKNOWN,
    TP_INCONSISTENT_SEGMENT_FREE_WHILE_LIVE,
    TP_INCONSISTENT_SEGMENT_MAP_WITHOUT_END,
    TP_INCONSISTENT_SEGMENT_TWICE,
    TP_INCONSISTENT_SEGMENT_UNMAP_WHILE_LIVE,
    TP_INCONSISTENT_COUNT
};

/* Returns the name of an inconsistency for JSON, such as "free_missing". Static text. */
const char *tp_inconsistency_text(enum tp_inconsistency kind);

/* The state of the allocator after some event. */
struct tp_allocator_state {
    struct tp_segment_set segments;
    struct tp_address_map live; /* index in replay->blocks of the block at each address, with pending blocks */
    struct tp_allocator_amounts amounts;
};

struct tp_replay {
    struct tp_arena *arena;
    const struct tp_snapshot *snapshot;
    int64_t device;
    const struct tp_snapshot_event *events;
    uint64_t event_count;
    uint64_t action_counts[TP_ACTION_COUNT];
    bool has_requests, has_completions; /* whether the file has events of frees of this kind */

    struct tp_segment_set start_segments; /* segments before the first event */
    struct tp_vec blocks;                 /* all blocks: older blocks by address, then in the order of their allocation;
                                             elements: struct tp_allocator_block */
    size_t start_count;                   /* number of older blocks */
    struct tp_allocator_amounts start;    /* amounts before the first event */
    struct tp_allocator_amounts *curve;   /* amounts after each event */
    struct tp_allocator_state state;      /* state after the last event */

    struct tp_id_map end_pools;         /* pool of the segment that begins at each address at the end */
    uint64_t end_reserved;              /* bytes of the segments at the end */
    uint64_t wrong_blocks, wrong_bytes; /* blocks that differ between the replayed and the recorded end */
    uint64_t inconsistencies[TP_INCONSISTENT_COUNT];
    bool is_exact;
};

/* Function that the replay calls at each out-of-memory event, with replay->state before the event. */
typedef void tp_replay_oom(void *context, struct tp_replay *replay, size_t index);

/* Sets `segments`, which must be initialized, to the segments after the event `last` (-1: before the first event). */
void tp_replay_segments_at(const struct tp_replay *replay, struct tp_segment_set *segments, int64_t last);

static inline struct tp_allocator_block *tp_replay_block(const struct tp_replay *replay, uint32_t index)
{
    return TP_AT(&replay->blocks, struct tp_allocator_block, index);
}

/* Returns whether the program uses a block after the event `index`. */
static inline bool tp_allocator_block_is_live(const struct tp_allocator_block *block, int64_t index)
{
    return block->allocated <= index && block->free_requested > index;
}

/* Returns the pool of a segment by its address: that of the event, or that of the segment with this address at the
 * end. */
uint32_t tp_replay_pool(const struct tp_replay *replay, const struct tp_snapshot_event *event);

#endif
