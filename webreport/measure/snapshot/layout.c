/* Lays out the memory of the allocator, and measures its free ranges: see layout.h. */
#include "webreport/measure/snapshot/layout.h"

#include "webreport/model/allocator/allocator_rules.h"

static void add_part(struct tp_layout *layout, struct tp_layout_segment *segment, uint64_t address, uint64_t size,
                     const struct tp_allocator_block *block)
{
    *(struct tp_layout_part *)tp_vec_push(&layout->parts) = (struct tp_layout_part){address, size, block};
    segment->count++;
}

/* Adds the parts of a segment. *next: index of the first block that does not begin before the segment. */
static void add_segment(struct tp_layout *layout, const struct tp_segment_range *range,
                        const struct tp_allocator_block *const *blocks, size_t block_count, size_t *next)
{
    struct tp_layout_segment *segment = tp_vec_push(&layout->segments);
    uint64_t at = range->address, end = range->address + range->size;
    *segment = (struct tp_layout_segment){.range = *range, .first = layout->parts.count};
    while (*next < block_count && blocks[*next]->address < range->address)
        ++*next;
    for (; *next < block_count && blocks[*next]->address < end; ++*next) {
        const struct tp_allocator_block *block = blocks[*next];
        if (block->address > at)
            add_part(layout, segment, at, block->address - at, NULL);
        add_part(layout, segment, block->address, block->size, block);
        if (block->address + block->size > at)
            at = block->address + block->size;
    }
    if (at < end)
        add_part(layout, segment, at, end - at, NULL);
}

void tp_layout_build(struct tp_layout *layout, struct tp_arena *arena, const struct tp_segment_set *segments,
                     const struct tp_allocator_block *const *blocks, size_t block_count)
{
    struct tp_address_entry entry;
    bool has_entry = tp_address_map_from(&segments->starts, 0, &entry);
    size_t next = 0;
    *layout = (struct tp_layout){TP_VEC(arena, struct tp_layout_segment), TP_VEC(arena, struct tp_layout_part)};
    for (; has_entry; has_entry = tp_address_entry_next(&entry))
        add_segment(layout, TP_AT(&segments->ranges, struct tp_segment_range, tp_address_entry_value(&entry)), blocks,
                    block_count, &next);
}

/* ---- fragmentation ---- */

/* Returns the bytes of a free range of an expandable segment that can be given back, which are whole pages. */
static uint64_t whole_pages(const struct tp_segment_range *range, const struct tp_layout_part *part)
{
    uint64_t page = range->is_small ? TP_ALLOCATOR_SMALL_SEGMENT : TP_ALLOCATOR_LARGE_SEGMENT;
    uint64_t from = part->address - range->address, to = (from + part->size) / page * page;
    from = (from + page - 1) / page * page;
    return to > from ? to - from : 0;
}

static void add_free(struct tp_fragmentation *out, const struct tp_layout_segment *segment,
                     const struct tp_layout_part *part)
{
    const struct tp_segment_range *range = &segment->range;
    out->inactive_bytes += part->size;
    out->free_blocks++;
    if (part->size > out->largest_free_bytes)
        out->largest_free_bytes = part->size;
    if (range->pool)
        out->private_pool_inactive_bytes += part->size;
    if (range->is_expandable) {
        if (!range->pool)
            out->releasable_bytes += whole_pages(range, part);
    } else if (segment->count > 1) {
        out->inactive_split_bytes += part->size;
        out->inactive_split_blocks++;
    } else if (!range->pool) {
        out->releasable_bytes += part->size;
    }
}

void tp_layout_fragmentation(const struct tp_layout *layout, struct tp_fragmentation *out)
{
    *out = (struct tp_fragmentation){.segments = layout->segments.count};
    for (size_t i = 0; i < layout->segments.count; i++) {
        const struct tp_layout_segment *segment = tp_layout_segment(layout, i);
        out->reserved_bytes += segment->range.size;
        if (segment->range.pool)
            out->private_pool_reserved_bytes += segment->range.size;
        for (size_t k = 0; k < segment->count; k++) {
            const struct tp_layout_part *part = tp_layout_part(layout, segment, k);
            if (part->block)
                out->active_bytes += part->size;
            else
                add_free(out, segment, part);
        }
    }
}

#define F struct tp_fragmentation
static const struct tp_json_field fragmentation_rows[] = {
    {"reserved_bytes", TP_PLAIN(F, reserved_bytes), TP_DEFINITION("bytes of all segments")},
    {"segments", TP_PLAIN(F, segments), TP_DEFINITION("number of segments")},
    {"active_bytes", TP_PLAIN(F, active_bytes),
     TP_DEFINITION("bytes of blocks that the program uses, or whose free waits for another stream")},
    {"inactive_bytes", TP_PLAIN(F, inactive_bytes), TP_DEFINITION("free bytes in segments")},
    {"inactive_split_bytes", TP_PLAIN(F, inactive_split_bytes),
     TP_DEFINITION(
         "free bytes next to blocks, in segments of fixed size; torch.cuda.empty_cache cannot give them back")},
    {"inactive_split_blocks", TP_PLAIN(F, inactive_split_blocks), TP_DEFINITION("number of these free ranges")},
    {"releasable_bytes", TP_PLAIN(F, releasable_bytes),
     TP_DEFINITION("bytes that torch.cuda.empty_cache can give back: free segments, and whole free pages of expandable "
                   "segments, outside of private pools")},
    {"largest_free_bytes", TP_PLAIN(F, largest_free_bytes), TP_DEFINITION("size of the largest free range")},
    {"free_blocks", TP_PLAIN(F, free_blocks), TP_DEFINITION("number of free ranges")},
    {"private_pool_reserved_bytes", TP_PLAIN(F, private_pool_reserved_bytes),
     TP_DEFINITION("bytes of the segments of private pools, such as those of CUDA graphs")},
    {"private_pool_inactive_bytes", TP_PLAIN(F, private_pool_inactive_bytes),
     TP_DEFINITION("free bytes in segments of private pools")},
};
const struct tp_fields tp_fragmentation_fields = TP_FIELDS("Free memory of the allocator", fragmentation_rows);
#undef F

/* ---- use of free memory ---- */

void tp_layout_free_by_use(const struct tp_layout *layout, const struct tp_memory_request *request,
                           struct tp_free_by_use *out)
{
    bool is_small = request->block_bytes <= TP_ALLOCATOR_SMALL_BLOCK;
    *out = (struct tp_free_by_use){0};
    for (size_t i = 0; i < layout->segments.count; i++) {
        const struct tp_layout_segment *segment = tp_layout_segment(layout, i);
        const struct tp_segment_range *range = &segment->range;
        for (size_t k = 0; k < segment->count; k++) {
            const struct tp_layout_part *part = tp_layout_part(layout, segment, k);
            if (part->block)
                continue;
            if (range->pool != request->pool || range->is_small != is_small)
                out->other_pool_bytes += part->size;
            else if (range->stream != request->stream)
                out->other_stream_bytes += part->size;
            else if (part->size < request->block_bytes)
                out->too_small_bytes += part->size;
            else
                out->usable_bytes += part->size;
        }
    }
    out->unusable_bytes = out->other_pool_bytes + out->other_stream_bytes + out->too_small_bytes;
}

#define F struct tp_free_by_use
static const struct tp_json_field use_rows[] = {
    {"other_pool_bytes", TP_PLAIN(F, other_pool_bytes), TP_DEFINITION("free bytes of another pool")},
    {"other_stream_bytes", TP_PLAIN(F, other_stream_bytes), TP_DEFINITION("free bytes of another stream")},
    {"too_small_bytes", TP_PLAIN(F, too_small_bytes), TP_DEFINITION("bytes of free ranges that are too small")},
    {"usable_bytes", TP_PLAIN(F, usable_bytes), TP_DEFINITION("bytes of free ranges that could serve the request")},
    {"unusable_bytes", TP_PLAIN(F, unusable_bytes), TP_DEFINITION("sum of the first three numbers")},
};
const struct tp_fields tp_free_by_use_fields = TP_FIELDS("Free memory by use for a request", use_rows);
#undef F
