/* The rules by which PyTorch's CUDA allocator rounds sizes, chooses the size of a segment, and splits blocks
 * (docs/definitions.md, section 32). Source: c10/cuda/CUDACachingAllocator.cpp of PyTorch 2.13. */
#ifndef TP_WEBREPORT_MODEL_ALLOCATOR_ALLOCATOR_RULES_H
#define TP_WEBREPORT_MODEL_ALLOCATOR_ALLOCATOR_RULES_H

#include "webreport/trace/snapshot/snapshot.h"

enum {
    TP_ALLOCATOR_MIN_BLOCK = 512,
    TP_ALLOCATOR_SMALL_BLOCK = 1 << 20,     /* largest block of a small segment */
    TP_ALLOCATOR_SMALL_SEGMENT = 2 << 20,   /* size of a small segment; also the page size of small expandable ones */
    TP_ALLOCATOR_LARGE_SEGMENT = 20 << 20,  /* size of a segment for blocks below TP_ALLOCATOR_LARGE_BLOCK */
    TP_ALLOCATOR_LARGE_BLOCK = 10 << 20,    /* smallest block that gets a segment of its own size */
    TP_ALLOCATOR_SEGMENT_ROUNDING = 2 << 20 /* larger segments are multiples of this size */
};

/* Returns the size of the block for a request of `size` bytes. */
uint64_t tp_allocator_round(const struct tp_snapshot_settings *settings, uint64_t size);

/* Returns the size of the segment that is allocated for a block of `block_bytes`. */
uint64_t tp_allocator_segment_bytes(uint64_t block_bytes);

/* The place from which a block is taken. */
struct tp_allocator_gap {
    bool is_small, is_expandable; /* properties of the segment */
};

/* Returns whether the allocator splits a free block: `block_bytes` become the block, and `rest_bytes` stay free. */
bool tp_allocator_splits(const struct tp_snapshot_settings *settings, struct tp_allocator_gap gap, uint64_t block_bytes,
                         uint64_t rest_bytes);

#endif
