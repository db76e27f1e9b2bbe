/* Finds what would have to be freed for a request, and segments that few bytes keep: see layout.h. */
#include <string.h>

#include "webreport/measure/snapshot/layout.h"
#include "webreport/model/allocator/allocator_rules.h"
#include "writer/base/sort.h"

static int compare_texts(struct tp_str a, struct tp_str b)
{
    int order = memcmp(a.ptr, b.ptr, a.len < b.len ? a.len : b.len);
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

static uint64_t live_bytes(const struct tp_layout_part *part)
{
    return part->block ? part->size : 0;
}

/* ---- consecutive blocks of one segment ---- */

/* Consecutive parts of one segment. */
struct window {
    const struct tp_layout_segment *segment;
    size_t first, last; /* indexes of parts in the segment */
    uint64_t live;
};

/* Finds the parts with the fewest live bytes that are together at least as large as the request. */
static void find_window(const struct tp_layout *layout, const struct tp_layout_segment *segment, uint64_t wanted,
                        struct window *best)
{
    uint64_t total = 0, live = 0;
    size_t first = 0;
    for (size_t i = 0; i < segment->count; i++) {
        const struct tp_layout_part *part = tp_layout_part(layout, segment, i);
        total += part->size;
        live += live_bytes(part);
        for (; first < i && total - tp_layout_part(layout, segment, first)->size >= wanted; first++) {
            total -= tp_layout_part(layout, segment, first)->size;
            live -= live_bytes(tp_layout_part(layout, segment, first));
        }
        if (total >= wanted && (!best->segment || live < best->live))
            *best = (struct window){segment, first, i, live};
    }
}

static int compare_amounts(const void *x, const void *y, const void *context)
{
    const struct tp_line_amount *a = x, *b = y;
    (void)context; /* all data is in the rows */
    return a->bytes != b->bytes ? (a->bytes < b->bytes ? 1 : -1) : compare_texts(a->name, b->name);
}

/* Lists the lines whose blocks are in a window, largest first. */
static void list_lines(const struct tp_layout *layout, struct tp_code_stacks *stacks, const struct window *window,
                       struct tp_arena *arena, struct tp_to_go *out)
{
    struct tp_vec rows = TP_VEC(arena, struct tp_line_amount);
    struct tp_id_map by_name;
    tp_id_map_init(&by_name, arena);
    for (size_t i = window->first; i <= window->last; i++) {
        const struct tp_layout_part *part = tp_layout_part(layout, window->segment, i);
        if (!part->block)
            continue;
        uint32_t name = tp_code_line_or_site(stacks, part->block->stack);
        uint32_t *row = tp_id_map_find_or_add(&by_name, name);
        if (*row == UINT32_MAX) {
            *row = (uint32_t)rows.count;
            *(struct tp_line_amount *)tp_vec_push(&rows) = (struct tp_line_amount){tp_code_name(stacks, name), 0, 0};
        }
        TP_AT(&rows, struct tp_line_amount, *row)->bytes += part->size;
        TP_AT(&rows, struct tp_line_amount, *row)->blocks++;
        out->window.blocks++;
    }
    tp_merge_sort(arena, rows.data, rows.count, sizeof(struct tp_line_amount), compare_amounts, NULL);
    for (; out->window.line_count < rows.count && out->window.line_count < TP_TO_GO_LINES; out->window.line_count++)
        out->window.by_line[out->window.line_count] = *TP_AT(&rows, struct tp_line_amount, out->window.line_count);
}

/* ---- whole segments ---- */

struct candidate {
    uint64_t live, size, address;
};

/* Orders segments by live bytes, then larger segments first, then by address. */
static int compare_candidates(const void *x, const void *y, const void *context)
{
    const struct candidate *a = x, *b = y;
    (void)context; /* all data is in the candidates */
    if (a->live != b->live)
        return a->live < b->live ? -1 : 1;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return (a->address > b->address) - (a->address < b->address);
}

static uint64_t segment_live_bytes(const struct tp_layout *layout, const struct tp_layout_segment *segment)
{
    uint64_t live = 0;
    for (size_t i = 0; i < segment->count; i++)
        live += live_bytes(tp_layout_part(layout, segment, i));
    return live;
}

static void find_segments(const struct tp_layout *layout, const struct tp_memory_request *request,
                          struct tp_arena *arena, struct tp_to_go *out)
{
    struct tp_vec candidates = TP_VEC(arena, struct candidate);
    uint64_t room = request->device_free_bytes;
    for (size_t i = 0; i < layout->segments.count; i++) {
        const struct tp_layout_segment *segment = tp_layout_segment(layout, i);
        uint64_t live = segment->range.is_expandable ? 0 : segment_live_bytes(layout, segment);
        if (live)
            *(struct candidate *)tp_vec_push(&candidates) =
                (struct candidate){live, segment->range.size, segment->range.address};
    }
    tp_merge_sort(arena, candidates.data, candidates.count, sizeof(struct candidate), compare_candidates, NULL);
    for (size_t i = 0; i < candidates.count && room < request->segment_bytes; i++) {
        const struct candidate *candidate = TP_AT(&candidates, struct candidate, i);
        room += candidate->size;
        out->whole.live_bytes += candidate->live;
        out->whole.segments++;
    }
    out->whole.freed_bytes = room - request->device_free_bytes;
    out->has_segments = room >= request->segment_bytes && out->whole.segments;
}

void tp_layout_to_go(const struct tp_layout *layout, struct tp_code_stacks *stacks,
                     const struct tp_memory_request *request, struct tp_arena *arena, struct tp_to_go *out)
{
    bool is_small = request->block_bytes <= TP_ALLOCATOR_SMALL_BLOCK;
    struct window best = {0};
    *out = (struct tp_to_go){0};
    for (size_t i = 0; i < layout->segments.count; i++) {
        const struct tp_layout_segment *segment = tp_layout_segment(layout, i);
        const struct tp_segment_range *range = &segment->range;
        if (range->pool == request->pool && range->is_small == is_small && range->stream == request->stream &&
            range->size >= request->block_bytes)
            find_window(layout, segment, request->block_bytes, &best);
    }
    if (best.segment) {
        out->has_window = true;
        out->window.segment = best.segment->range.address;
        out->window.live_bytes = best.live;
        list_lines(layout, stacks, &best, arena, out);
    }
    find_segments(layout, request, arena, out);
}

#define F struct tp_line_amount
static const struct tp_json_field line_rows[] = {
    {"name", TP_PLAIN(F, name), TP_DEFINITION("line, or call site if no line of the user is known")},
    {"bytes", TP_PLAIN(F, bytes), TP_DEFINITION("bytes of its blocks")},
    {"blocks", TP_PLAIN(F, blocks), TP_DEFINITION("number of its blocks")},
};
static const struct tp_fields line_fields = TP_FIELDS("Blocks of a line", line_rows);
#undef F
#define F struct tp_to_go
static const struct tp_json_field window_rows[] = {
    {"segment", TP_PLAIN(F, window.segment), TP_DEFINITION("address of the segment")},
    {"live_bytes", TP_PLAIN(F, window.live_bytes), TP_DEFINITION("bytes of blocks that would have to be freed")},
    {"blocks", TP_PLAIN(F, window.blocks), TP_DEFINITION("number of these blocks")},
    {"by_line", TP_RECORDS(F, window.by_line, window.line_count, &line_fields), TP_DEFINITION("these blocks by line")},
};
static const struct tp_fields window_fields = TP_FIELDS("Consecutive blocks to free", window_rows);
static const struct tp_json_field whole_rows[] = {
    {"segments", TP_PLAIN(F, whole.segments), TP_DEFINITION("number of segments")},
    {"live_bytes", TP_PLAIN(F, whole.live_bytes), TP_DEFINITION("bytes of blocks that would have to be freed")},
    {"freed_bytes", TP_PLAIN(F, whole.freed_bytes), TP_DEFINITION("bytes that the device would get back")},
};
static const struct tp_fields whole_fields = TP_FIELDS("Segments to free", whole_rows);
static const struct tp_json_field to_go_rows[] = {
    {"window", TP_PART(&window_fields), TP_ONLY_IF(F, has_window),
     TP_DEFINITION("consecutive blocks of one segment that make room for the request, with the fewest live bytes")},
    {"segments", TP_PART(&whole_fields), TP_ONLY_IF(F, has_segments),
     TP_DEFINITION("segments that make room if they are given back to the device")},
};
const struct tp_fields tp_to_go_fields = TP_FIELDS("What would have to be freed", to_go_rows);
#undef F

/* ---- segments that few live bytes keep ---- */

static int compare_pinned(const void *x, const void *y, const void *context)
{
    const struct tp_pinned_row *a = x, *b = y;
    (void)context; /* all data is in the rows */
    if (a->free_bytes != b->free_bytes)
        return a->free_bytes < b->free_bytes ? 1 : -1;
    return (a->address > b->address) - (a->address < b->address);
}

/* Returns the largest block of a segment, the one with the lowest address among equal blocks; NULL if none exists. */
static const struct tp_allocator_block *largest_block(const struct tp_layout *layout,
                                                      const struct tp_layout_segment *segment)
{
    const struct tp_allocator_block *largest = NULL;
    for (size_t i = 0; i < segment->count; i++) {
        const struct tp_allocator_block *block = tp_layout_part(layout, segment, i)->block;
        if (block && (!largest || block->size > largest->size))
            largest = block;
    }
    return largest;
}

static uint64_t count_blocks(const struct tp_layout *layout, const struct tp_layout_segment *segment)
{
    uint64_t count = 0;
    for (size_t i = 0; i < segment->count; i++)
        count += tp_layout_part(layout, segment, i)->block != NULL;
    return count;
}

void tp_layout_pinned(const struct tp_layout *layout, struct tp_code_stacks *stacks, struct tp_arena *arena,
                      struct tp_pinned *out)
{
    enum { LARGEST_LIVE_SHARE = 10 }; /* a tenth of the segment */
    struct tp_vec rows = TP_VEC(arena, struct tp_pinned_row);
    *out = (struct tp_pinned){0};
    for (size_t i = 0; i < layout->segments.count; i++) {
        const struct tp_layout_segment *segment = tp_layout_segment(layout, i);
        uint64_t live = segment->range.is_expandable ? 0 : segment_live_bytes(layout, segment);
        uint64_t free = segment->range.size - live;
        if (!live || live > segment->range.size / LARGEST_LIVE_SHARE || free < TP_ALLOCATOR_SMALL_BLOCK)
            continue;
        const struct tp_allocator_block *largest = largest_block(layout, segment);
        *(struct tp_pinned_row *)tp_vec_push(&rows) =
            (struct tp_pinned_row){.address = segment->range.address,
                                   .bytes = segment->range.size,
                                   .live_bytes = live,
                                   .free_bytes = free,
                                   .blocks = count_blocks(layout, segment),
                                   .stream = segment->range.stream,
                                   .line = tp_code_name(stacks, tp_code_line_or_site(stacks, largest->stack))};
        out->free_bytes += free;
        out->live_bytes += live;
    }
    out->segments = rows.count;
    tp_merge_sort(arena, rows.data, rows.count, sizeof(struct tp_pinned_row), compare_pinned, NULL);
    for (; out->row_count < rows.count && out->row_count < TP_PINNED_ROWS; out->row_count++)
        out->rows[out->row_count] = *TP_AT(&rows, struct tp_pinned_row, out->row_count);
}

#define F struct tp_pinned_row
static const struct tp_json_field pinned_row_rows[] = {
    {"address", TP_PLAIN(F, address), TP_DEFINITION("address of the segment")},
    {"bytes", TP_PLAIN(F, bytes), TP_DEFINITION("size of the segment")},
    {"live_bytes", TP_PLAIN(F, live_bytes), TP_DEFINITION("bytes of its blocks")},
    {"free_bytes", TP_PLAIN(F, free_bytes), TP_DEFINITION("its free bytes")},
    {"blocks", TP_PLAIN(F, blocks), TP_DEFINITION("number of its blocks")},
    {"line", TP_PLAIN(F, line), TP_DEFINITION("line, or call site, of its largest block")},
    {"stream", TP_PLAIN(F, stream), TP_DEFINITION("its CUDA stream")},
};
static const struct tp_fields pinned_row_fields = TP_FIELDS("A segment that few live bytes keep", pinned_row_rows);
#undef F
#define F struct tp_pinned
static const struct tp_json_field pinned_rows[] = {
    {"segments", TP_PLAIN(F, segments),
     TP_DEFINITION("number of segments of fixed size that have live blocks, at most a "
                   "tenth of their bytes, and at least 1 MiB of free memory")},
    {"free_bytes", TP_PLAIN(F, free_bytes), TP_DEFINITION("free bytes of these segments")},
    {"live_bytes", TP_PLAIN(F, live_bytes), TP_DEFINITION("bytes of blocks in these segments")},
    {"rows", TP_RECORDS(F, rows, row_count, &pinned_row_fields),
     TP_DEFINITION("the ten segments with the most free bytes")},
};
const struct tp_fields tp_pinned_fields = TP_FIELDS("Segments that few live bytes keep", pinned_rows);
#undef F
