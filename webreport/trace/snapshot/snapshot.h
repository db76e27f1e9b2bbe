/* Defines a memory snapshot of PyTorch's CUDA allocator: the segments with their blocks at the end, and the events of
 * the allocator that led to them. torch.cuda.memory._dump_snapshot writes such files.
 *
 * Everything is in one arena and read-only after tp_snapshot_read. Addresses and sizes are unsigned 64-bit numbers of
 * bytes; the events of a device are in the order of the file, which is the order in time. */
#ifndef TP_WEBREPORT_TRACE_SNAPSHOT_SNAPSHOT_H
#define TP_WEBREPORT_TRACE_SNAPSHOT_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/trace/snapshot/snapshot_stacks.h"
#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/table.h" /* for the macro TP_NULL_INT */

/* Actions of an event, in the order in which the results list them. */
enum tp_snapshot_action {
    TP_ACTION_ALLOC,
    TP_ACTION_FREE_REQUESTED,
    TP_ACTION_FREE_COMPLETED,
    TP_ACTION_SEGMENT_ALLOC,
    TP_ACTION_SEGMENT_FREE,
    TP_ACTION_SEGMENT_MAP,
    TP_ACTION_SEGMENT_UNMAP,
    TP_ACTION_SNAPSHOT,
    TP_ACTION_OOM,
    TP_ACTION_UNKNOWN,
    TP_ACTION_COUNT
};

/* Returns the name of an action in the file, such as "free_requested". Static text. */
const char *tp_snapshot_action_text(enum tp_snapshot_action action);

/* One event of the allocator. */
struct tp_snapshot_event {
    uint64_t address;    /* for an out-of-memory event: free bytes of the device */
    uint64_t size;       /* requested bytes of a block, or bytes of a segment */
    int64_t stream;      /* address of the CUDA stream; 0 is the default stream */
    int64_t time_us;     /* Unix time, µs; TP_NULL_INT if absent */
    uint32_t stack;      /* id in tp_snapshot.stacks */
    uint32_t metadata;   /* text that the program set (user_metadata), id in texts */
    uint32_t category;   /* category that the file names, id in texts; the id of "" if none */
    uint32_t pool : 28;  /* 1 + index in tp_snapshot.pools; 0 if the file names none */
    uint32_t action : 4; /* enum tp_snapshot_action */
};

enum tp_block_state { TP_BLOCK_ALLOCATED, TP_BLOCK_PENDING, TP_BLOCK_FREE };

/* A block of a segment at the end. */
struct tp_snapshot_block {
    uint64_t address, size;
    uint64_t requested; /* requested bytes; meaningless for a free block */
    uint32_t stack;     /* id in tp_snapshot.stacks */
    uint8_t state;      /* enum tp_block_state */
};

/* A pool of memory. (0, 0) is the default pool; other pools belong to CUDA graphs or to the program. */
struct tp_snapshot_pool {
    int64_t first, second;
};

struct tp_snapshot_segment {
    uint64_t address, size;
    int64_t stream, device;
    uint32_t pool;                    /* index in tp_snapshot.pools */
    bool is_expandable, is_small;     /* is_small: the segment is for blocks of at most 1 MiB */
    struct tp_snapshot_block *blocks; /* blocks by address; together they fill the segment */
    size_t block_count;
};

/* A range of the program (record_function), as one of its two ends. */
struct tp_snapshot_annotation {
    int64_t time_us;
    int64_t device; /* TP_NULL_INT: all devices */
    struct tp_str name;
    unsigned kinds; /* bits of enum tp_region_bit that follow from the name */
    bool is_end;
};

struct tp_snapshot_trace {
    struct tp_snapshot_event *events;
    size_t count;
};

/* Settings of the allocator that the replay needs. */
struct tp_snapshot_settings {
    int64_t max_split_bytes;       /* max_split_size; 0 or negative: no limit */
    bool is_expandable;            /* expandable_segments */
    int64_t roundup_divisions[16]; /* divisions for sizes from 1 MiB << index on; 0 or 1: none */
    const char *json;              /* all settings as a JSON object */
};

enum tp_snapshot_container { TP_CONTAINER_PICKLE, TP_CONTAINER_GZIP, TP_CONTAINER_HTML };

struct tp_snapshot {
    struct tp_arena *arena;
    struct tp_strings texts;
    struct tp_snapshot_stacks stacks;
    struct tp_vec pools;    /* distinct pools, the default pool first; elements: struct tp_snapshot_pool */
    struct tp_vec segments; /* by device, then in the order of the file; elements: struct tp_snapshot_segment */
    struct tp_snapshot_trace *traces; /* events by device number */
    size_t trace_count;
    struct tp_vec annotations; /* elements: struct tp_snapshot_annotation */
    struct tp_snapshot_settings settings;
    enum tp_snapshot_container container;
    unsigned protocol; /* protocol of the pickle: 2 for files of torch's C++ code */
    uint32_t no_text;  /* id of "" in texts */
};

/* Reads a snapshot ("-": standard input): a pickle, a gzip file of one, or a page of torch.cuda._memory_viz.
 * max_input_bytes: maximum size of the inflated file; 0 for TP_MAX_INPUT_BYTES. Allocates from `arena`, whose guard
 * must be set. Returns 0; TP_EIO; TP_ELIMIT; or TP_EFORMAT or TP_ETRUNCATED with the reason in *err. */
int tp_snapshot_read(struct tp_snapshot *snapshot, struct tp_arena *arena, const char *path, uint64_t max_input_bytes,
                     struct tp_error *err);

/* Does the same for bytes in memory, which may be a pickle, gzip or a page. */
int tp_snapshot_read_bytes(struct tp_snapshot *snapshot, struct tp_arena *arena, const void *bytes, size_t size,
                           uint64_t max_input_bytes, struct tp_error *err);

/* Sets *first and *end to the range of the segments of a device. */
void tp_snapshot_device_segments(const struct tp_snapshot *snapshot, int64_t device, size_t *first, size_t *end);

static inline const struct tp_snapshot_segment *tp_snapshot_segment(const struct tp_snapshot *snapshot, size_t index)
{
    return TP_AT(&snapshot->segments, struct tp_snapshot_segment, index);
}
static inline const struct tp_snapshot_pool *tp_snapshot_pool(const struct tp_snapshot *snapshot, uint32_t pool)
{
    return TP_AT(&snapshot->pools, struct tp_snapshot_pool, pool);
}

#endif
