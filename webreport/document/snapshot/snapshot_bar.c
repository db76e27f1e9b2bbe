/* Shows the reserved memory as a bar: live blocks by category, and what the headline is about. See snapshot_page.h. */
#include "webreport/document/charts/causes.h"
#include "webreport/document/snapshot/snapshot_page.h"
#include "writer/text/format.h"

/* The bar while it is filled. Segments have bytes instead of times. */
struct bar {
    const struct tp_snapshot_page *page;
    enum tp_snapshot_topic topic;
    struct tp_bar_segment segments[TP_BAR_SEGMENTS];
    size_t count;
};

static void add(struct bar *bar, const char *label, uint64_t bytes, enum tp_look look, bool is_topic)
{
    if (!bytes || bar->count == TP_BAR_SEGMENTS)
        return;
    bar->segments[bar->count++] = (struct tp_bar_segment){.label = label,
                                                          .ns = (int64_t)bytes,
                                                          .look = look,
                                                          .is_avoidable = is_topic,
                                                          .cause_ns = is_topic ? (int64_t)bytes : 0,
                                                          .amount = tp_snapshot_page_bytes(bar->page, bytes)};
}

/* Returns the live bytes of the growing line, of blocks of a category or, with ptr NULL, of all categories. */
static uint64_t growing_bytes(const struct tp_snapshot_page *page, struct tp_str category)
{
    const struct tp_snapshot_device *device = page->device;
    struct tp_code_stacks *stacks = device->context.stacks;
    struct tp_str line = device->growth.growing[0].name;
    uint64_t bytes = 0;
    for (size_t i = 0; i < device->peak_block_count; i++) {
        const struct tp_allocator_block *block = device->peak_blocks[i];
        if (!tp_str_equal(tp_code_name(stacks, tp_code_line_or_site(stacks, block->stack)), line))
            continue;
        if (!category.ptr || tp_str_equal(tp_code_name(stacks, tp_live_category(&device->context, block)), category))
            bytes += block->size;
    }
    return bytes;
}

static void add_categories(struct bar *bar)
{
    enum { NAMED = 8 };
    const struct tp_live_by *live = tp_snapshot_page_live(bar->page);
    const struct tp_live_table *table = &live->by[TP_LIVE_CATEGORY];
    /* without events, the headline names no category */
    bool is_topic = bar->topic == TP_TOPIC_CATEGORY && bar->page->device->replay.event_count;
    uint64_t named = 0;
    for (uint64_t i = 0; i < table->row_count && i < NAMED; i++) {
        const struct tp_live_row *row = &table->rows[i];
        struct tp_str shown = tp_shown_text(&bar->page->naming, row->name);
        uint64_t bytes = row->bytes;
        if (bar->topic == TP_TOPIC_GROWTH)
            bytes -= growing_bytes(bar->page, row->name);
        add(bar, tp_text_printf(bar->page->arena, "%.*s", (int)shown.len, shown.ptr), bytes,
            tp_snapshot_category_look(row->name), is_topic);
        named += row->bytes;
    }
    add(bar, "all others", live->bytes - named, TP_LOOK_NONE, false);
}

void tp_snapshot_page_put_bar(const struct tp_snapshot_page *page)
{
    struct bar bar = {.page = page, .topic = tp_snapshot_page_topic(page)};
    const struct tp_snapshot_oom *oom = tp_snapshot_page_oom(page);
    uint64_t free_bytes = oom ? oom->fragmentation.inactive_bytes : page->device->peak.fragmentation.inactive_bytes;
    bool is_wasted = bar.topic == TP_TOPIC_FREE_PARTS;
    if (bar.topic == TP_TOPIC_GROWTH)
        add(&bar, "growing line", growing_bytes(page, (struct tp_str){NULL, 0}), TP_LOOK_WASTED, true);
    add_categories(&bar);
    add(&bar, "free in the cache", free_bytes, is_wasted ? TP_LOOK_WASTED : TP_LOOK_HATCH, is_wasted);
    if (bar.topic == TP_TOPIC_FREE_GPU)
        add(&bar, "free on the GPU", oom->device_free_bytes, TP_LOOK_WASTED, true);
    tp_document_add_chart(page->document, "causes",
                          tp_chart_causes(page->arena,
                                          !page->result ? "Memory at the peak, by category"
                                          : oom         ? "Reserved memory at the failed request, by category"
                                          : page->device->replay.event_count
                                              ? "Reserved memory at the peak, by category"
                                              : "Reserved memory at the end, by category",
                                          oom                                ? "At failure"
                                          : page->device->replay.event_count ? "At the peak"
                                                                             : "At the end",
                                          bar.segments, bar.count),
                          NULL);
}
