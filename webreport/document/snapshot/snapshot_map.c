/* Draws the address map of a snapshot: one row for each segment, with its blocks in the order of their addresses. See
 * snapshot_page.h. */
#include "webreport/document/charts/chart.h"
#include "webreport/document/snapshot/snapshot_page.h"
#include "writer/base/sort.h"
#include "writer/text/format.h"

enum { MOST_ROWS = 28, ROW_PIXELS = 12, BAR_PIXELS = 9, MERGED_SHARE = 400 };

/* Orders segments by size, largest first, then by address. */
static int compare_segments(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_layout *layout = context;
    const struct tp_segment_range *a = &tp_layout_segment(layout, x)->range, *b = &tp_layout_segment(layout, y)->range;
    if (a->size != b->size)
        return a->size < b->size ? 1 : -1;
    return (a->address > b->address) - (a->address < b->address);
}

/* Consecutive parts of one color. */
struct run {
    uint64_t from, bytes;
    const char *look; /* NULL: free */
};

static const char *look_of(const struct tp_snapshot_page *page, const struct tp_allocator_block *block)
{
    const struct tp_live_context *context = &page->device->context;
    if (!block)
        return NULL;
    if (block->free_requested != TP_NO_EVENT && block->free_requested < 0)
        return tp_look_name(TP_LOOK_HATCH);
    return tp_look_name(tp_snapshot_category_look(tp_code_name(context->stacks, tp_live_category(context, block))));
}

static void put_run(struct tp_list *parts, const struct tp_segment_range *range, double width, const struct run *run)
{
    if (!run->look || !run->bytes)
        return;
    struct tp_object *part = tp_list_add_object(parts);
    tp_chart_put_percent(part, "x", width * (double)run->from / (double)range->size);
    tp_chart_put_percent(part, "w", width * (double)run->bytes / (double)range->size);
    tp_object_add_text(part, "look", run->look);
}

/* Adds the blocks of a segment. Neighbors of one color are one part, and parts that are too small to see join their
 * neighbor. */
static void put_parts(struct tp_list *parts, const struct tp_snapshot_page *page, const struct tp_layout *layout,
                      const struct tp_layout_segment *segment, double width)
{
    struct run run = {0};
    for (size_t i = 0; i < segment->count; i++) {
        const struct tp_layout_part *part = tp_layout_part(layout, segment, i);
        const char *look = look_of(page, part->block);
        bool is_same = run.bytes && run.look == look;
        bool is_tiny = run.bytes && part->size * MERGED_SHARE < segment->range.size && run.look && look;
        if (is_same || is_tiny) {
            run.bytes += part->size;
            continue;
        }
        put_run(parts, &segment->range, width, &run);
        run = (struct run){part->address - segment->range.address, part->size, look};
    }
    put_run(parts, &segment->range, width, &run);
}

static uint64_t used_bytes(const struct tp_layout *layout, const struct tp_layout_segment *segment)
{
    uint64_t used = 0;
    for (size_t i = 0; i < segment->count; i++)
        used += tp_layout_part(layout, segment, i)->block ? tp_layout_part(layout, segment, i)->size : 0;
    return used;
}

static void put_segment(struct tp_list *list, const struct tp_snapshot_page *page, const struct tp_layout *layout,
                        const struct tp_layout_segment *segment, uint64_t largest, unsigned row)
{
    struct tp_object *object = tp_list_add_object(list);
    double width = 100 * (double)segment->range.size / (double)largest;
    tp_object_add_int(object, "y", (int64_t)row * ROW_PIXELS);
    tp_object_add_int(object, "h", BAR_PIXELS);
    tp_chart_put_percent(object, "w", width);
    tp_object_add_formatted(
        object, "tip", "segment of %s, %s in use, stream %lld", tp_snapshot_page_bytes(page, segment->range.size),
        tp_snapshot_page_bytes(page, used_bytes(layout, segment)), (long long)segment->range.stream);
    put_parts(tp_object_add_list(object, "parts"), page, layout, segment, width);
}

struct tp_data tp_snapshot_address_map(const struct tp_snapshot_page *page)
{
    const struct tp_snapshot_oom *oom = tp_snapshot_page_oom(page);
    const struct tp_layout *layout = oom ? &oom->layout : &page->device->end_layout;
    struct tp_object *chart = tp_object_new(page->arena);
    struct tp_list *list = tp_object_add_list(chart, "segments");
    uint32_t count = (uint32_t)layout->segments.count;
    uint32_t *order = tp_arena_array(page->arena, count, sizeof *order);
    uint64_t rest = 0;
    if (!count)
        return (struct tp_data){.kind = TP_DATA_NONE};
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    tp_sort_rows(order, count, compare_segments, layout, page->arena);
    uint64_t largest = tp_layout_segment(layout, order[0])->range.size;
    uint32_t shown = count < MOST_ROWS ? count : MOST_ROWS;
    for (uint32_t i = 0; i < shown && largest; i++)
        put_segment(list, page, layout, tp_layout_segment(layout, order[i]), largest, i);
    for (uint32_t i = shown; i < count; i++)
        rest += tp_layout_segment(layout, order[i])->range.size;
    tp_object_add_int(chart, "height", (int64_t)shown * ROW_PIXELS);
    tp_object_add_text(chart, "map_label",
                       oom ? "Segments at the failed request, largest first" : "Segments at the end, largest first");
    if (count > shown)
        tp_object_add_formatted(
            chart, "map_note", "and %s with %s",
            tp_text_of_counted_noun(page->arena, count - shown, "smaller segment", "smaller segments"),
            tp_snapshot_page_bytes(page, rest));
    return tp_data_of_object(chart);
}
