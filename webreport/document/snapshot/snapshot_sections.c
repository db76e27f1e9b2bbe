/* Adds the sections below the first screen of the page of a memory snapshot: tables, pictures and facts. See
 * snapshot_page.h. */
#include <math.h>

#include "webreport/document/section.h"
#include "webreport/document/snapshot/snapshot_page.h"
#include "writer/text/format.h"

/* ---- live blocks ---- */

enum { LIVE_NAME, LIVE_BYTES, LIVE_REQUESTED, LIVE_BLOCKS, LIVE_COLUMNS };

static const struct tp_column_def live_defs[LIVE_COLUMNS] = {
    {"name", "Name", "", "Code or property that the blocks have in common.", TP_COLUMN_TEXT},
    {"bytes", "Memory", "bytes", "Sizes of the blocks.", TP_COLUMN_BYTES},
    {"requested_bytes", "Requested", "bytes", "Bytes that the program requested for these blocks.", TP_COLUMN_BYTES},
    {"blocks", "Blocks", "", "Number of blocks.", TP_COLUMN_INT},
};

static const struct tp_shown_column live_columns[] = {
    {TP_SHOW_BYTES, LIVE_BYTES, NULL, 1, 0, true, 0},
    {TP_SHOW_SHARE, LIVE_BYTES, "Share", 0, 1, false, 0},
    {TP_SHOW_BAR, LIVE_BYTES, NULL, 0, 0, false, 0},
    {TP_SHOW_COUNT, LIVE_BLOCKS, NULL, 0, 0, false, 0},
};

/* Returns the shown name of a group; words for blocks whose property is unknown. */
static struct tp_str shown_name(const struct tp_snapshot_page *page, struct tp_str name, const char *unknown)
{
    return name.len ? tp_shown_text(&page->naming, name) : tp_str_of(unknown);
}

static struct tp_shown_table *live_table(const struct tp_snapshot_page *page, const struct tp_live_table *live,
                                         const char *name, const char *title, const char *unknown)
{
    struct tp_table *table = tp_arena_alloc(page->arena, sizeof *table);
    tp_table_init(table, page->arena, name, live_defs, LIVE_COLUMNS, live->row_count);
    for (uint64_t i = 0; i < live->row_count; i++) {
        tp_table_text(table, LIVE_NAME)[i] = live->rows[i].name;
        tp_table_int(table, LIVE_BYTES)[i] = (int64_t)live->rows[i].bytes;
        tp_table_int(table, LIVE_REQUESTED)[i] = (int64_t)live->rows[i].requested_bytes;
        tp_table_int(table, LIVE_BLOCKS)[i] = (int64_t)live->rows[i].blocks;
    }
    struct tp_shown_table *shown =
        tp_shown_table_new(page->arena, table, live_columns, sizeof live_columns / sizeof *live_columns, TP_LIVE_ROWS);
    shown->name = name;
    shown->caption = name;
    shown->name_title = title;
    shown->name_definition = "";
    for (size_t i = 0; i < shown->row_count; i++)
        shown->rows[i].name = shown_name(page, live->rows[i].name, unknown);
    return shown;
}

static void color_rows(struct tp_shown_table *shown, const struct tp_live_table *live)
{
    for (size_t i = 0; i < shown->row_count; i++)
        shown->rows[i].cause = tp_look_name(tp_snapshot_category_look(live->rows[i].name));
}

static void put_table(const struct tp_snapshot_page *page, struct tp_shown_table *shown)
{
    if (shown->row_count)
        tp_document_add_table(page->document, shown, "");
}

/* Returns whether a grouping has more than one group with a name. */
static bool is_useful(const struct tp_live_table *table)
{
    return table->row_count > 1 || (table->row_count == 1 && table->rows[0].name.len);
}

void tp_snapshot_page_put_live(const struct tp_snapshot_page *page)
{
    const struct tp_snapshot_oom *oom = tp_snapshot_page_oom(page);
    const struct tp_live_by *live = tp_snapshot_page_live(page);
    const char *when = oom ? "at the failed request" : page->device->replay.event_count ? "at the peak" : "at the end";
    static const struct {
        enum tp_live_key key;
        const char *name, *title;
    } more[] = {{TP_LIVE_SIZE, "sizes", "Size"},
                {TP_LIVE_STREAM, "streams", "Stream"},
                {TP_LIVE_POOL, "pools", "Pool"},
                {TP_LIVE_MODULE, "modules", "Module"},
                {TP_LIVE_METADATA, "metadata", "Text of the program"}};
    if (!live->blocks)
        return;
    tp_document_add_section(
        page->document,
        &(struct tp_section_block){
            .id = "live",
            .label = "Live blocks",
            .title = "What fills the memory",
            .lead = tp_text_printf(page->arena, "%s of %s are live %s.",
                                   tp_text_of_counted_noun(page->arena, (int64_t)live->blocks, "block", "blocks"),
                                   tp_snapshot_page_bytes(page, live->bytes), when)});
    tp_document_add_chart(page->document, "live_icicle", tp_snapshot_icicle(page), NULL);
    struct tp_shown_table *categories =
        live_table(page, &live->by[TP_LIVE_CATEGORY], "categories", "Category (inferred)", "unknown");
    color_rows(categories, &live->by[TP_LIVE_CATEGORY]);
    put_table(page, live_table(page, &live->by[TP_LIVE_LINE], "lines", "Line of your code", "no line of your code"));
    tp_document_add_section(page->document, &(struct tp_section_block){.id = "categories",
                                                                       .label = "Categories",
                                                                       .title = "Live blocks by category",
                                                                       .is_half = true});
    put_table(page, categories);
    tp_document_add_section(page->document, &(struct tp_section_block){
                                                .id = "sites", .title = "Live blocks by call site", .is_half = true});
    put_table(page, live_table(page, &live->by[TP_LIVE_SITE], "sites", "Call site", "no stack"));
    tp_document_add_section(page->document,
                            &(struct tp_section_block){.id = "groups",
                                                       .title = "Live blocks by size, stream, pool and module",
                                                       .is_folded = true});
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (is_useful(&live->by[more[i].key]))
            put_table(page, live_table(page, &live->by[more[i].key], more[i].name, more[i].title, "none"));
}

/* ---- free memory ---- */

enum { USE_NAME, USE_BYTES, USE_COLUMNS };

static const struct tp_column_def use_defs[USE_COLUMNS] = {
    {"name", "Name", "", "What the free memory can do for the request.", TP_COLUMN_TEXT},
    {"bytes", "Memory", "bytes", "Bytes of free ranges.", TP_COLUMN_BYTES},
};
static const struct tp_shown_column use_columns[] = {
    {TP_SHOW_BYTES, USE_BYTES, NULL, 1, 0, false, 0},
    {TP_SHOW_SHARE, USE_BYTES, "Share", 0, 1, false, 0},
    {TP_SHOW_BAR, USE_BYTES, NULL, 0, 0, false, 0},
};

static void put_use(const struct tp_snapshot_page *page, const struct tp_snapshot_oom *oom)
{
    const struct {
        const char *name;
        uint64_t bytes;
    } rows[] = {{"large enough", oom->free.usable_bytes},
                {"too small", oom->free.too_small_bytes},
                {"of another stream", oom->free.other_stream_bytes},
                {"of another pool, or for blocks of another size", oom->free.other_pool_bytes}};
    struct tp_table *table = tp_arena_alloc(page->arena, sizeof *table);
    size_t count = sizeof rows / sizeof *rows;
    tp_table_init(table, page->arena, "use", use_defs, USE_COLUMNS, count);
    for (size_t i = 0; i < count; i++) {
        tp_table_text(table, USE_NAME)[i] = tp_str_of(rows[i].name);
        tp_table_int(table, USE_BYTES)[i] = (int64_t)rows[i].bytes;
    }
    struct tp_shown_table *shown =
        tp_shown_table_new(page->arena, table, use_columns, sizeof use_columns / sizeof *use_columns, count);
    shown->name = "use";
    shown->caption = "Free memory by use for the failed request";
    shown->name_title = "Free memory";
    shown->name_definition = "The first reason why a free range cannot serve the failed request.";
    for (size_t i = 0; i < shown->row_count; i++)
        shown->rows[i].name = tp_str_of(rows[i].name);
    put_table(page, shown);
}

enum { PIN_LINE, PIN_FREE, PIN_LIVE, PIN_BLOCKS, PIN_COLUMNS };

static const struct tp_column_def pin_defs[PIN_COLUMNS] = {
    {"line", "Line", "", "Line, or call site, of the largest block in the segment.", TP_COLUMN_TEXT},
    {"free_bytes", "Free", "bytes", "Free bytes of the segment.", TP_COLUMN_BYTES},
    {"live_bytes", "In use", "bytes", "Bytes of the blocks in the segment.", TP_COLUMN_BYTES},
    {"blocks", "Blocks", "", "Number of blocks in the segment.", TP_COLUMN_INT},
};
static const struct tp_shown_column pin_columns[] = {
    {TP_SHOW_BYTES, PIN_FREE, NULL, 0, 0, true, 0},
    {TP_SHOW_BYTES, PIN_LIVE, NULL, 0, 0, false, 0},
    {TP_SHOW_COUNT, PIN_BLOCKS, NULL, 0, 0, false, 0},
};

static void put_pinned(const struct tp_snapshot_page *page, const struct tp_pinned *pinned)
{
    struct tp_table *table = tp_arena_alloc(page->arena, sizeof *table);
    tp_table_init(table, page->arena, "pinned", pin_defs, PIN_COLUMNS, pinned->row_count);
    for (uint32_t i = 0; i < pinned->row_count; i++) {
        tp_table_text(table, PIN_LINE)[i] = pinned->rows[i].line;
        tp_table_int(table, PIN_FREE)[i] = (int64_t)pinned->rows[i].free_bytes;
        tp_table_int(table, PIN_LIVE)[i] = (int64_t)pinned->rows[i].live_bytes;
        tp_table_int(table, PIN_BLOCKS)[i] = (int64_t)pinned->rows[i].blocks;
    }
    struct tp_shown_table *shown = tp_shown_table_new(page->arena, table, pin_columns,
                                                      sizeof pin_columns / sizeof *pin_columns, pinned->row_count);
    shown->name = "pinned";
    shown->caption = "Segments that few blocks keep";
    shown->heading =
        tp_text_printf(page->arena, "%s kept by a few blocks",
                       tp_text_of_counted_noun(page->arena, (int64_t)pinned->segments, "segment is", "segments are"));
    shown->name_title = "Largest block from";
    shown->name_definition = "Line, or call site, of the largest block in the segment.";
    for (size_t i = 0; i < shown->row_count; i++)
        shown->rows[i].name = shown_name(page, pinned->rows[i].line, "code without a stack");
    put_table(page, shown);
}

/* Returns whether blocks of several lines keep segments. For one line, the action has all that the table would show. */
static bool has_several_lines(const struct tp_pinned *pinned)
{
    for (uint32_t i = 1; i < pinned->row_count; i++)
        if (!tp_str_equal(pinned->rows[i].line, pinned->rows[0].line))
            return true;
    return false;
}

/* Returns whether the page has a section next to the map of addresses. */
static bool has_use_section(const struct tp_snapshot_page *page)
{
    return tp_snapshot_page_oom(page) || has_several_lines(&page->device->end.pinned);
}

void tp_snapshot_page_put_free_memory(const struct tp_snapshot_page *page)
{
    const struct tp_snapshot_oom *oom = tp_snapshot_page_oom(page);
    const struct tp_fragmentation *f = oom ? &oom->fragmentation : &page->device->end.fragmentation;
    const struct tp_pinned *pinned = oom ? &oom->pinned : &page->device->end.pinned;
    if (!f->reserved_bytes)
        return;
    tp_document_add_section(
        page->document,
        &(struct tp_section_block){
            .id = "free",
            .label = "Free memory",
            .title = "Where memory is free",
            .lead = tp_text_printf(page->arena, "%s of %s reserved are free %s, in %s; the largest has %s.",
                                   tp_snapshot_page_bytes(page, f->inactive_bytes),
                                   tp_snapshot_page_bytes(page, f->reserved_bytes),
                                   oom ? "at the failed request" : "at the end",
                                   tp_text_of_counted_noun(page->arena, (int64_t)f->free_blocks, "part", "parts"),
                                   tp_snapshot_page_bytes(page, f->largest_free_bytes)),
            .is_half = true});
    tp_document_add_chart(page->document, "address_map", tp_snapshot_address_map(page), NULL);
    if (!has_use_section(page))
        return;
    tp_document_add_section(page->document, &(struct tp_section_block){.id = "use",
                                                                       .title = oom ? "Why free memory does not help"
                                                                                    : "Segments that few blocks keep",
                                                                       .is_half = true});
    if (oom)
        put_use(page, oom);
    if (has_several_lines(pinned))
        put_pinned(page, pinned);
}

/* ---- growth ---- */

enum { GROW_LINE, GROW_STEP, GROW_END, GROW_BLOCKS, GROW_COLUMNS };

static const struct tp_column_def grow_defs[GROW_COLUMNS] = {
    {"line", "Line", "", "Line, or call site, of the allocations.", TP_COLUMN_TEXT},
    {"bytes_per_step", "Growth per step", "bytes", "Growth of its live memory over the last four steps.",
     TP_COLUMN_BYTES},
    {"end_bytes", "After the last step", "bytes", "Its live memory after the last step.", TP_COLUMN_BYTES},
    {"blocks", "Blocks", "", "Number of its live blocks after the last step.", TP_COLUMN_INT},
};
static const struct tp_shown_column grow_columns[] = {
    {TP_SHOW_BYTES, GROW_STEP, NULL, 0, 0, true, 0},
    {TP_SHOW_BYTES, GROW_END, NULL, 0, 0, false, 0},
    {TP_SHOW_COUNT, GROW_BLOCKS, NULL, 0, 0, false, 0},
};

static const char *steps_text(const struct tp_snapshot_page *page)
{
    const struct tp_snapshot_growth *growth = &page->device->growth;
    const struct tp_snapshot_boundary *last = &growth->boundaries[growth->boundary_count - 1];
    bool is_valley = last->name.len > 6 && tp_str_starts(last->name, "valley");
    return tp_text_printf(page->arena, "%s found %s. %s",
                          tp_text_of_counted_noun(page->arena, (int64_t)growth->boundary_count, "step is", "steps are"),
                          is_valley ? "at the lows of the curve" : tp_text_printf(page->arena, "by %s", growth->by),
                          growth->growing_count ? "The memory of these lines rises in each of the last steps."
                                                : "No line of code has more live memory after each of the last steps.");
}

void tp_snapshot_page_put_growth(const struct tp_snapshot_page *page)
{
    const struct tp_snapshot_growth *growth = &page->device->growth;
    if (!growth->boundary_count)
        return;
    tp_document_add_section(page->document, &(struct tp_section_block){.id = "growth",
                                                                       .label = "Growth",
                                                                       .title = "Growth from step to step",
                                                                       .lead = steps_text(page),
                                                                       .is_half = growth->growing_count > 0});
    struct tp_table *table = tp_arena_alloc(page->arena, sizeof *table);
    tp_table_init(table, page->arena, "growth", grow_defs, GROW_COLUMNS, growth->growing_count);
    for (uint64_t i = 0; i < growth->growing_count; i++) {
        const struct tp_snapshot_growing *row = &growth->growing[i];
        tp_table_text(table, GROW_LINE)[i] = row->name;
        tp_table_int(table, GROW_STEP)[i] = (int64_t)row->bytes_per_step;
        tp_table_int(table, GROW_END)[i] = (int64_t)row->live_bytes[row->live_count - 1];
        tp_table_int(table, GROW_BLOCKS)[i] = (int64_t)row->blocks;
    }
    struct tp_shown_table *shown = tp_shown_table_new(
        page->arena, table, grow_columns, sizeof grow_columns / sizeof *grow_columns, growth->growing_count);
    shown->name = "growth";
    shown->caption = "Lines whose live memory grows";
    shown->name_title = "Line";
    shown->name_definition = "Line, or call site, of the allocations.";
    for (size_t i = 0; i < shown->row_count; i++)
        shown->rows[i].name = shown_name(page, growth->growing[i].name, "no stack");
    put_table(page, shown);
}

/* ---- allocations ---- */

enum { CHURN_LINE, CHURN_CALLS, CHURN_BYTES, CHURN_LIFE, CHURN_COLUMNS };

static const struct tp_column_def churn_defs[CHURN_COLUMNS] = {
    {"line", "Line", "", "Line, or call site, of the allocations.", TP_COLUMN_TEXT},
    {"calls", "Calls", "", "Number of allocations.", TP_COLUMN_INT},
    {"bytes", "Requested", "bytes", "Bytes that these allocations requested.", TP_COLUMN_BYTES},
    {"mean_life_events", "Life", "", "Mean number of events from the allocation to the free.", TP_COLUMN_REAL},
};
static const struct tp_shown_column churn_columns[] = {
    {TP_SHOW_BYTES, CHURN_BYTES, NULL, 0, 0, true, 0},
    {TP_SHOW_COUNT, CHURN_CALLS, NULL, 0, 0, false, 0},
    {TP_SHOW_REAL, CHURN_LIFE, NULL, 0, 0, false, 0},
};

void tp_snapshot_page_put_churn(const struct tp_snapshot_page *page)
{
    const struct tp_snapshot_churn *churn = &page->device->churn;
    /* the section shares a row with the one before it if that one has no other neighbor */
    bool is_half = (page->device->growth.growing_count > 0) != !has_use_section(page);
    if (!churn->row_count)
        return;
    tp_document_add_section(
        page->document, &(struct tp_section_block){
                            .id = "allocations",
                            .label = "Allocations",
                            .title = "Allocations by line",
                            .lead = tp_text_printf(page->arena, "%s request %s; %s of them live shortly.",
                                                   tp_text_of_counted_noun(page->arena, (int64_t)churn->alloc_calls,
                                                                           "allocation", "allocations"),
                                                   tp_snapshot_page_bytes(page, churn->alloc_bytes),
                                                   tp_text_of_count(page->arena, (int64_t)churn->short_lived_calls)),
                            .is_half = is_half});
    struct tp_table *table = tp_arena_alloc(page->arena, sizeof *table);
    tp_table_init(table, page->arena, "allocations", churn_defs, CHURN_COLUMNS, churn->row_count);
    for (uint64_t i = 0; i < churn->row_count; i++) {
        tp_table_text(table, CHURN_LINE)[i] = churn->rows[i].name;
        tp_table_int(table, CHURN_CALLS)[i] = (int64_t)churn->rows[i].calls;
        tp_table_int(table, CHURN_BYTES)[i] = (int64_t)churn->rows[i].bytes;
        tp_table_real(table, CHURN_LIFE)[i] = churn->rows[i].mean_life_events;
    }
    struct tp_shown_table *shown = tp_shown_table_new(page->arena, table, churn_columns,
                                                      sizeof churn_columns / sizeof *churn_columns, churn->row_count);
    shown->name = "allocations";
    shown->caption = "Allocations by line";
    shown->name_title = "Line";
    shown->name_definition = "Line, or call site, of the allocations.";
    for (size_t i = 0; i < shown->row_count; i++)
        shown->rows[i].name = shown_name(page, churn->rows[i].name, "no stack");
    put_table(page, shown);
}

/* ---- facts ---- */

static void put_settings(const struct tp_snapshot_page *page)
{
    const struct tp_snapshot_settings *settings = &page->result->snapshot->settings;
    const char *text = settings->is_expandable ? "expandable segments" : "segments of fixed size";
    if (settings->max_split_bytes > 0)
        text = tp_text_printf(page->arena, "%s, blocks from %s on are not split", text,
                              tp_snapshot_page_bytes(page, (uint64_t)settings->max_split_bytes));
    for (unsigned i = 0; i < 16; i++)
        if (settings->roundup_divisions[i] > 1) {
            text = tp_text_printf(page->arena, "%s, sizes are rounded up to parts of powers of two", text);
            break;
        }
    tp_document_add_fact(page->document, "Allocator", text);
}

void tp_snapshot_page_put_details(const struct tp_snapshot_page *page)
{
    const struct tp_snapshot_device *device = page->device;
    const struct tp_replay *replay = &device->replay;
    tp_document_add_section(
        page->document,
        &(struct tp_section_block){.id = "about", .label = "About", .title = "About this snapshot", .is_folded = true});
    tp_document_add_fact(page->document, "File",
                         tp_text_printf(page->arena, "pickle protocol %u, written by %s",
                                        page->result->snapshot->protocol,
                                        page->result->snapshot->protocol == 2 ? "torch's C++ code" : "Python"));
    put_settings(page);
    tp_document_add_fact(
        page->document, "Replay",
        !replay->event_count ? "no events"
        : replay->is_exact
            ? "The replay of the events ends in the recorded end in every block."
            : tp_text_printf(
                  page->arena,
                  "The replay of the events differs from the recorded end in %s (%s), so amounts before the end "
                  "are approximate.",
                  tp_text_of_counted_noun(page->arena, (int64_t)replay->wrong_blocks, "block", "blocks"),
                  tp_snapshot_page_bytes(page, replay->wrong_bytes)));
    tp_document_add_fact(page->document, "Categories",
                         "inferred from the frames of the allocation and of the free, and from the life of a block");
    tp_document_add_fact(
        page->document, "Older blocks",
        tp_text_printf(page->arena, "%s with %s are older than the first event",
                       tp_text_of_counted_noun(page->arena, (int64_t)device->window.older_blocks, "block", "blocks"),
                       tp_snapshot_page_bytes(page, device->window.older_bytes)));
}
