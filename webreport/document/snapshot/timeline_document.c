/* Makes documents of memory timelines: see timeline_document.h.
 *
 * A timeline becomes a device of a snapshot without segments, so that its page has the headline, bar and curve of the
 * pages of snapshots. */
#include "webreport/document/snapshot/timeline_document.h"

#include "webreport/document/snapshot/snapshot_page.h"
#include "writer/base/json_out.h"
#include "writer/base/sort.h"
#include "writer/text/format.h"

/* Returns a number of bytes that is not negative. Damaged timelines can have negative sums. */
static uint64_t positive(int64_t bytes)
{
    return bytes > 0 ? (uint64_t)bytes : 0;
}

static struct tp_snapshot_moment moment_of(const struct tp_timeline_point *point, int64_t index)
{
    uint64_t bytes = positive(point->total);
    return (struct tp_snapshot_moment){index, point->time_us, bytes, bytes, bytes, bytes};
}

static int compare_rows(const void *x, const void *y, const void *context)
{
    const struct tp_live_row *a = x, *b = y;
    (void)context; /* all data is in the rows */
    return (a->bytes < b->bytes) - (a->bytes > b->bytes);
}

static void fill_curve(struct tp_snapshot_device *device, const struct tp_memory_timeline *timeline,
                       struct tp_arena *arena)
{
    device->point_count = (uint64_t)timeline->curve_count;
    device->points = tp_arena_array(arena, device->point_count, sizeof *device->points);
    device->categories = tp_arena_array(arena, TP_TIMELINE_CATEGORIES, sizeof *device->categories);
    for (uint64_t i = 0; i < device->point_count; i++)
        device->points[i] = moment_of(&timeline->curve[i], (int64_t)i * timeline->group_size);
    for (unsigned c = 0; c < TP_TIMELINE_CATEGORIES; c++) {
        if (timeline->largest[c] <= 0)
            continue;
        struct tp_snapshot_category *category = &device->categories[device->category_count++];
        *category = (struct tp_snapshot_category){.name = tp_str_of(tp_timeline_category_text(c)),
                                                  .bytes = tp_arena_array(arena, device->point_count, sizeof(uint64_t)),
                                                  .point_count = device->point_count};
        for (uint64_t i = 0; i < device->point_count; i++)
            category->bytes[i] = positive(timeline->curve[i].bytes[c]);
    }
}

static void fill_device(struct tp_snapshot_device *device, const struct tp_memory_timeline *timeline,
                        struct tp_arena *arena)
{
    struct tp_live_by *live = &device->peak.live_by;
    struct tp_live_table *table = &live->by[TP_LIVE_CATEGORY];
    *device = (struct tp_snapshot_device){.has_time = true,
                                          .first_us = timeline->first_us,
                                          .last_us = timeline->last_us,
                                          .window = {.cut = TP_WINDOW_WHOLE},
                                          .growth = {.bytes_per_step = TP_NULL_INT}};
    device->replay.event_count = (size_t)timeline->point_count;
    device->peak.at = device->peak_reserved = moment_of(&timeline->peak, timeline->peak_index);
    device->end.allocated_bytes = positive(timeline->end.total);
    fill_curve(device, timeline, arena);
    table->rows = tp_arena_array(arena, TP_TIMELINE_CATEGORIES, sizeof *table->rows);
    for (unsigned c = 0; c < TP_TIMELINE_CATEGORIES; c++) {
        if (timeline->peak.bytes[c] <= 0)
            continue;
        table->rows[table->row_count++] = (struct tp_live_row){.name = tp_str_of(tp_timeline_category_text(c)),
                                                               .bytes = (uint64_t)timeline->peak.bytes[c]};
        live->bytes += (uint64_t)timeline->peak.bytes[c];
    }
    table->rows_total = table->row_count;
    tp_merge_sort(arena, table->rows, table->row_count, sizeof *table->rows, compare_rows, NULL);
}

/* ---- table ---- */

enum { NAME, AT_PEAK, LARGEST, AT_END, COLUMNS };

static void put_categories(const struct tp_snapshot_page *page, const struct tp_memory_timeline *timeline)
{
    static const struct tp_column_def defs[COLUMNS] = {
        {"name", "Category", "", "Category of torch.profiler.", TP_COLUMN_TEXT},
        {"peak_bytes", "At the peak", "bytes", "Bytes at the peak.", TP_COLUMN_BYTES},
        {"largest_bytes", "Largest", "bytes", "Largest bytes of the category at any time.", TP_COLUMN_BYTES},
        {"end_bytes", "At the end", "bytes", "Bytes at the last point.", TP_COLUMN_BYTES}};
    static const struct tp_shown_column columns[] = {{TP_SHOW_BYTES, AT_PEAK, NULL, 1, 0, false, 0},
                                                     {TP_SHOW_BAR, AT_PEAK, NULL, 0, 0, false, 0},
                                                     {TP_SHOW_BYTES, LARGEST, NULL, 1, 0, false, 0},
                                                     {TP_SHOW_BYTES, AT_END, NULL, 1, 0, false, 0}};
    struct tp_table *table = tp_arena_alloc(page->arena, sizeof *table);
    tp_table_init(table, page->arena, "categories", defs, COLUMNS, TP_TIMELINE_CATEGORIES);
    struct tp_shown_table *shown =
        tp_shown_table_new(page->arena, table, columns, sizeof columns / sizeof *columns, TP_TIMELINE_CATEGORIES);
    for (unsigned c = 0; c < TP_TIMELINE_CATEGORIES; c++) {
        struct tp_str name = tp_table_text(table, NAME)[c] = tp_str_of(tp_timeline_category_text(c));
        tp_table_int(table, AT_PEAK)[c] = timeline->peak.bytes[c];
        tp_table_int(table, LARGEST)[c] = timeline->largest[c];
        tp_table_int(table, AT_END)[c] = timeline->end.bytes[c];
        shown->rows[c] = (struct tp_shown_row){.name = name, .cause = tp_look_name(tp_snapshot_category_look(name))};
    }
    shown->name = "categories";
    shown->caption = "Memory by category";
    shown->name_title = "Category";
    shown->name_definition = "Category of torch.profiler.";
    shown->shows_all_rows = true;
    tp_document_add_section(page->document,
                            &(struct tp_section_block){.id = "categories",
                                                       .label = "Categories",
                                                       .title = "Memory by category",
                                                       .lead = "torch.profiler infers the categories."});
    tp_document_add_table(page->document, shown, "");
}

/* ---- the document ---- */

static void write_members(const struct tp_data *value, struct tp_json *json)
{
    tp_fields_json(&tp_memory_timeline_fields, value->self, NULL, json);
}

void tp_timeline_document(struct tp_document *document, const struct tp_memory_timeline *timeline, struct tp_str file,
                          bool redact, struct tp_arena *arena)
{
    static const struct tp_data_source source = {.write = write_members};
    struct tp_snapshot_device *device = tp_arena_alloc(arena, sizeof *device);
    struct tp_snapshot_page page = {
        .document = document, .arena = arena, .device = device, .naming = {.arena = arena, .redact = redact}};
    struct tp_str name = tp_shown_text(&page.naming, file);
    tp_document_init(document, "Memory timeline", arena);
    document->written_record = (struct tp_data){.kind = TP_DATA_WRITTEN, .source = &source, .self = timeline};
    fill_device(device, timeline, arena);
    tp_document_add_title(document, &(struct tp_title_block){tp_text_printf(arena, "%.*s", (int)name.len, name.ptr),
                                                             "memory", "Overview"});
    tp_document_add_fact(document, "", "memory timeline of torch.profiler");
    tp_document_add_fact(document, "",
                         tp_text_printf(arena, "%s points in %s", tp_text_of_count(arena, timeline->point_count),
                                        tp_text_of_time(arena, (timeline->last_us - timeline->first_us) * 1000)));
    tp_snapshot_page_put_answer(&page);
    tp_snapshot_page_put_bar(&page);
    tp_snapshot_page_put_curve(&page);
    put_categories(&page, timeline);
}
