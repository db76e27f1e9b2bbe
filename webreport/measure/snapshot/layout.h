/* The layout of the allocator's memory at one moment: each segment as a row of blocks and free ranges. Computes from it
 * how much free memory exists and what it can serve (docs/definitions.md, section 32). */
#ifndef TP_WEBREPORT_MEASURE_SNAPSHOT_LAYOUT_H
#define TP_WEBREPORT_MEASURE_SNAPSHOT_LAYOUT_H

#include "webreport/measure/snapshot/code_stacks.h"
#include "webreport/model/allocator/replay.h"
#include "writer/base/fields.h"

/* A block or a free range. */
struct tp_layout_part {
    uint64_t address, size;
    const struct tp_allocator_block *block; /* NULL for a free range */
};

struct tp_layout_segment {
    struct tp_segment_range range;
    size_t first, count; /* its parts, in tp_layout.parts */
};

struct tp_layout {
    struct tp_vec segments; /* elements: struct tp_layout_segment, by address */
    struct tp_vec parts;    /* elements: struct tp_layout_part, by address within each segment */
};

/* Builds a layout. blocks: allocated and pending blocks, sorted by address; borrowed. */
void tp_layout_build(struct tp_layout *layout, struct tp_arena *arena, const struct tp_segment_set *segments,
                     const struct tp_allocator_block *const *blocks, size_t block_count);

static inline const struct tp_layout_part *tp_layout_part(const struct tp_layout *layout,
                                                          const struct tp_layout_segment *segment, size_t index)
{
    return TP_AT(&layout->parts, struct tp_layout_part, segment->first + index);
}
static inline const struct tp_layout_segment *tp_layout_segment(const struct tp_layout *layout, size_t index)
{
    return TP_AT(&layout->segments, struct tp_layout_segment, index);
}

/* Amounts of free memory, bytes. */
struct tp_fragmentation {
    uint64_t reserved_bytes, segments, active_bytes, inactive_bytes;
    uint64_t inactive_split_bytes, inactive_split_blocks; /* free ranges next to blocks, in segments of fixed size */
    uint64_t releasable_bytes;                            /* what torch.cuda.empty_cache can give back to the device */
    uint64_t largest_free_bytes;                          /* largest free range */
    uint64_t free_blocks;
    uint64_t private_pool_reserved_bytes, private_pool_inactive_bytes;
};
void tp_layout_fragmentation(const struct tp_layout *layout, struct tp_fragmentation *out);
extern const struct tp_fields tp_fragmentation_fields;

/* A request for memory that the allocator could not serve. */
struct tp_memory_request {
    uint64_t block_bytes; /* rounded size */
    int64_t stream;
    uint32_t pool;
    uint64_t device_free_bytes; /* free memory of the device */
    uint64_t segment_bytes;     /* memory that the allocator asked the device for */
};

/* Free memory by the first reason why it cannot serve a request, bytes. */
struct tp_free_by_use {
    uint64_t other_pool_bytes, other_stream_bytes, too_small_bytes, usable_bytes, unusable_bytes;
};
void tp_layout_free_by_use(const struct tp_layout *layout, const struct tp_memory_request *request,
                           struct tp_free_by_use *out);
extern const struct tp_fields tp_free_by_use_fields;

/* Bytes and blocks of one line. */
struct tp_line_amount {
    struct tp_str name;
    uint64_t bytes, blocks;
};

enum { TP_TO_GO_LINES = 5, TP_PINNED_ROWS = 10 };

/* What would have to be freed so that a request succeeds. */
struct tp_to_go {
    bool has_window;   /* consecutive blocks of one segment that could serve the request are known */
    bool has_segments; /* segments that could be given back to the device are known */
    struct {
        uint64_t segment, live_bytes, blocks; /* segment: address */
        struct tp_line_amount by_line[TP_TO_GO_LINES];
        uint32_t line_count;
    } window;
    struct {
        uint64_t segments, live_bytes, freed_bytes;
    } whole;
};
void tp_layout_to_go(const struct tp_layout *layout, struct tp_code_stacks *stacks,
                     const struct tp_memory_request *request, struct tp_arena *arena, struct tp_to_go *out);
extern const struct tp_fields tp_to_go_fields;

/* A segment of which a few live bytes keep most of the memory. */
struct tp_pinned_row {
    uint64_t address, bytes, live_bytes, free_bytes, blocks;
    int64_t stream;
    struct tp_str line; /* line of the largest block */
};
struct tp_pinned {
    uint64_t segments, free_bytes, live_bytes;
    struct tp_pinned_row rows[TP_PINNED_ROWS];
    uint32_t row_count;
};
void tp_layout_pinned(const struct tp_layout *layout, struct tp_code_stacks *stacks, struct tp_arena *arena,
                      struct tp_pinned *out);
extern const struct tp_fields tp_pinned_fields;

#endif
