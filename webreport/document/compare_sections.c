/* Tables and sections of a comparison for the page: see compare_sections.h. */
#include "webreport/document/compare_sections.h"
#include "webreport/document/section.h"
#include "writer/text/format.h"

/* ---- tables ---- */

enum { OWN_WHERE, OWN_WHAT, OPEN_ROWS = 60 };

#define COLUMN(format, column, group, decimals)                                                                        \
    {                                                                                                                  \
        format, column, NULL, group, decimals, false, false                                                            \
    }

static const struct tp_shown_column change_columns[] = {
    COLUMN(TP_SHOW_TEXT, TP_ROW_VERDICT, 0, 0),
    {TP_SHOW_OWN, OWN_WHAT, "What", 0, 0, false, false},
    {TP_SHOW_OWN, OWN_WHERE, "Where", 0, 0, false, false},
    COLUMN(TP_SHOW_TIME, TP_ROW_BASE_TIME, 1, 0),
    COLUMN(TP_SHOW_TIME, TP_ROW_NEW_TIME, 1, 0),
    COLUMN(TP_SHOW_TIME, TP_ROW_CHANGE, 1, 0),
    COLUMN(TP_SHOW_TIME, TP_ROW_BY_COUNT, 1, 0),
    COLUMN(TP_SHOW_TIME, TP_ROW_BY_TIME, 1, 0),
    COLUMN(TP_SHOW_PERCENT, TP_ROW_SHARE, 0, 0),
    COLUMN(TP_SHOW_REAL, TP_ROW_BASE_CALLS, 0, 1),
    COLUMN(TP_SHOW_REAL, TP_ROW_NEW_CALLS, 0, 1),
};
static const struct tp_shown_column row_columns[] = {
    COLUMN(TP_SHOW_TIME, TP_ROW_BASE_TIME, 1, 0),  COLUMN(TP_SHOW_TIME, TP_ROW_NEW_TIME, 1, 0),
    COLUMN(TP_SHOW_TIME, TP_ROW_CHANGE, 1, 0),     COLUMN(TP_SHOW_TIME, TP_ROW_BY_COUNT, 1, 0),
    COLUMN(TP_SHOW_TIME, TP_ROW_BY_TIME, 1, 0),    COLUMN(TP_SHOW_PERCENT, TP_ROW_SHARE, 0, 0),
    COLUMN(TP_SHOW_REAL, TP_ROW_BASE_CALLS, 0, 1), COLUMN(TP_SHOW_REAL, TP_ROW_NEW_CALLS, 0, 1),
    COLUMN(TP_SHOW_TEXT, TP_ROW_MATCH, 0, 0),      COLUMN(TP_SHOW_TEXT, TP_ROW_VERDICT, 0, 0),
};
static const struct tp_shown_column memory_columns[] = {
    COLUMN(TP_SHOW_BYTES, TP_MEMORY_DIFF_BASE, 1, 0),         COLUMN(TP_SHOW_BYTES, TP_MEMORY_DIFF_NEW, 1, 0),
    COLUMN(TP_SHOW_BYTES, TP_MEMORY_DIFF_CHANGE, 1, 0),       COLUMN(TP_SHOW_BYTES, TP_MEMORY_DIFF_BASE_RESERVED, 1, 0),
    COLUMN(TP_SHOW_BYTES, TP_MEMORY_DIFF_NEW_RESERVED, 1, 0), COLUMN(TP_SHOW_BYTES, TP_MEMORY_DIFF_BASE_CREEP, 2, 0),
    COLUMN(TP_SHOW_BYTES, TP_MEMORY_DIFF_NEW_CREEP, 2, 0),    COLUMN(TP_SHOW_TEXT, TP_MEMORY_DIFF_VERDICT, 0, 0),
};
static const struct tp_shown_column owner_columns[] = {
    COLUMN(TP_SHOW_TEXT, TP_OWNER_DIFF_DEVICE, 0, 0),      COLUMN(TP_SHOW_TEXT, TP_OWNER_DIFF_KIND, 0, 0),
    COLUMN(TP_SHOW_BYTES, TP_OWNER_DIFF_BASE, 1, 0),       COLUMN(TP_SHOW_BYTES, TP_OWNER_DIFF_NEW, 1, 0),
    COLUMN(TP_SHOW_BYTES, TP_OWNER_DIFF_CHANGE, 1, 0),     COLUMN(TP_SHOW_COUNT, TP_OWNER_DIFF_BASE_BLOCKS, 0, 0),
    COLUMN(TP_SHOW_COUNT, TP_OWNER_DIFF_NEW_BLOCKS, 0, 0), COLUMN(TP_SHOW_TEXT, TP_OWNER_DIFF_VERDICT, 0, 0),
};
static const struct tp_shown_column finding_columns[] = {
    COLUMN(TP_SHOW_TEXT, TP_FINDING_DIFF_STATUS, 0, 0),       COLUMN(TP_SHOW_TEXT, TP_FINDING_DIFF_BASE_SEVERITY, 0, 0),
    COLUMN(TP_SHOW_TEXT, TP_FINDING_DIFF_NEW_SEVERITY, 0, 0), COLUMN(TP_SHOW_TIME, TP_FINDING_DIFF_BASE_CEILING, 1, 0),
    COLUMN(TP_SHOW_TIME, TP_FINDING_DIFF_NEW_CEILING, 1, 0),  COLUMN(TP_SHOW_COUNT, TP_FINDING_DIFF_BASE_COUNT, 0, 0),
    COLUMN(TP_SHOW_COUNT, TP_FINDING_DIFF_NEW_COUNT, 0, 0),   {TP_SHOW_OWN, OWN_WHERE, "Line", 0, 0, false, false},
};
static const struct tp_shown_column fact_columns[] = {
    {TP_SHOW_OWN, 0, "Base", 0, 0, false, false},
    {TP_SHOW_OWN, 1, "New", 0, 0, false, false},
    COLUMN(TP_SHOW_TEXT, TP_FACT_VERDICT, 0, 0),
    COLUMN(TP_SHOW_COUNT, TP_FACT_WEIGHT, 0, 0),
};

#define COLUMNS(list) list, sizeof(list) / sizeof *(list)

/* Each table with its columns, the column of the first cell, those that become own texts, and its section. */
static const struct layout {
    const struct tp_shown_column *columns;
    unsigned count;
    unsigned name;
    int own[2]; /* -1: none */
    const char *part;
} layouts[TP_COMPARE_TABLES] = {
    [TP_COMPARE_CHANGES] = {COLUMNS(change_columns), TP_ROW_NAME, {TP_ROW_OWNER, TP_ROW_KIND}, NULL},
    [TP_COMPARE_STEP] = {NULL, 0, 0, {-1, -1}, NULL},
    [TP_COMPARE_OPERATORS_DEVICE] = {COLUMNS(row_columns), TP_ROW_NAME, {-1, -1}, "operators"},
    [TP_COMPARE_OPERATORS_HOST] = {COLUMNS(row_columns), TP_ROW_NAME, {-1, -1}, "operators"},
    [TP_COMPARE_KERNELS] = {COLUMNS(row_columns), TP_ROW_NAME, {-1, -1}, "kernels"},
    [TP_COMPARE_COPIES] = {COLUMNS(row_columns), TP_ROW_NAME, {-1, -1}, "copies"},
    [TP_COMPARE_SYNCS] = {COLUMNS(row_columns), TP_ROW_NAME, {-1, -1}, "copies"},
    [TP_COMPARE_MODULES_DEVICE] = {COLUMNS(row_columns), TP_ROW_NAME, {-1, -1}, "modules"},
    [TP_COMPARE_MODULES_HOST] = {COLUMNS(row_columns), TP_ROW_NAME, {-1, -1}, "modules"},
    [TP_COMPARE_RUNTIME] = {COLUMNS(row_columns), TP_ROW_NAME, {-1, -1}, "copies"},
    [TP_COMPARE_MEMORY] = {COLUMNS(memory_columns), TP_MEMORY_DIFF_DEVICE, {-1, -1}, "memory"},
    [TP_COMPARE_OWNERS] = {COLUMNS(owner_columns), TP_OWNER_DIFF_NAME, {-1, -1}, "memory"},
    [TP_COMPARE_FINDINGS] = {COLUMNS(finding_columns), TP_FINDING_DIFF_TITLE, {TP_FINDING_DIFF_LINE, -1}, "findings"},
    [TP_COMPARE_FACTS] = {COLUMNS(fact_columns), TP_FACT_NAME, {TP_FACT_BASE, TP_FACT_NEW}, "common"},
};

static struct tp_str shown_text(const struct tp_compare_view *page, const struct tp_table *table, int column,
                                size_t row)
{
    if (column < 0 || !tp_table_text(table, (unsigned)column)[row].ptr)
        return TP_STR("");
    return tp_shown_text(page->naming, tp_table_text(table, (unsigned)column)[row]);
}

static bool is_row_table(enum tp_compare_table which)
{
    return which <= TP_COMPARE_RUNTIME && which != TP_COMPARE_STEP;
}

static bool is_kind(const struct tp_table *table, size_t row, const char *kind)
{
    return tp_str_equal(tp_table_text(table, TP_ROW_KIND)[row], tp_str_of(kind));
}

/* What a row of rows says when it is opened. */
static struct tp_data more_of(const struct tp_compare_view *page, const struct tp_table *table, size_t row)
{
    static const struct {
        const char *title;
        int column;
    } texts[] = {{"Name", TP_ROW_NAME},    {"Was", TP_ROW_BASE_NAME}, {"Operator", TP_ROW_OWNER},
                 {"Shapes", TP_ROW_SHAPE}, {"Types", TP_ROW_DTYPE},   {"Follows from", TP_ROW_CAUSE}};
    bool is_sync = is_kind(table, row, "sync");
    struct tp_object *object = tp_object_new(page->arena);
    struct tp_list *blocks = tp_object_list(object, "blocks");
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct tp_str text = shown_text(page, table, texts[i].column, row);
        if (!text.len)
            continue;
        struct tp_object *block = tp_list_object(blocks);
        tp_object_text(block, "block_title", is_sync && texts[i].column == TP_ROW_SHAPE ? "Line" : texts[i].title);
        tp_object_str(block, "full", text);
    }
    return tp_data_of_object(object);
}

/* A kernel by its short name; a synchronisation with its line. */
static void name_row(const struct tp_compare_view *page, const struct tp_table *table, struct tp_shown_row *shown,
                     size_t row)
{
    struct tp_str name = tp_table_text(table, TP_ROW_NAME)[row], line = shown_text(page, table, TP_ROW_SHAPE, row);
    if (is_kind(table, row, "kernel"))
        shown->name = tp_shown_text(page->naming, tp_kernel_short_name(page->arena, name));
    if (!is_kind(table, row, "sync") || !line.len)
        return;
    shown->name = tp_str_of(
        tp_text_printf(page->arena, "%.*s at %.*s", (int)shown->name.len, shown->name.ptr, (int)line.len, line.ptr));
    shown->href = tp_source_link(page->naming, tp_table_text(table, TP_ROW_SHAPE)[row]);
}

/* "new sync" at its line; others in their operator. */
static void describe_change(const struct tp_compare_view *page, const struct tp_table *table, struct tp_str *where,
                            struct tp_str *what, size_t row)
{
    struct tp_str match = tp_table_text(table, TP_ROW_MATCH)[row];
    if (!tp_str_equal(match, TP_STR("same")))
        *what =
            tp_str_of(tp_text_printf(page->arena, "%.*s %.*s", (int)match.len, match.ptr, (int)what->len, what->ptr));
    if (is_kind(table, row, "sync") && tp_table_text(table, TP_ROW_SHAPE)[row].len)
        *where = shown_text(page, table, TP_ROW_SHAPE, row);
}

struct tp_data tp_compare_shown_table(const struct tp_compare_view *page, enum tp_compare_table which)
{
    const struct layout *layout = &layouts[which];
    const struct tp_table *table = &page->compare->tables[which];
    struct tp_shown_table *shown =
        tp_section_new_table(page->arena, table, layout->columns, layout->count, page->max_rows);
    struct tp_str *own_texts[2];
    for (unsigned own = 0; own < 2; own++) {
        struct tp_str *texts = own_texts[own] = tp_arena_array(page->arena, shown->row_count, sizeof *texts);
        for (size_t row = 0; row < shown->row_count; row++)
            texts[row] = shown_text(page, table, layout->own[own], row);
        shown->own_texts[own] = texts;
    }
    for (size_t row = 0; row < shown->row_count; row++) {
        shown->rows[row].name = tp_shown_text(page->naming, tp_table_text(table, layout->name)[row]);
        shown->rows[row].href = tp_source_link(page->naming, tp_table_text(table, layout->name)[row]);
        if (is_row_table(which) && which != TP_COMPARE_CHANGES)
            name_row(page, table, &shown->rows[row], row);
        if (which == TP_COMPARE_CHANGES)
            describe_change(page, table, &own_texts[0][row], &own_texts[1][row], row);
        if (is_row_table(which) && row < OPEN_ROWS)
            shown->rows[row].more = more_of(page, table, row);
    }
    shown->name = tp_compare_table_key(which);
    shown->name_title = table->defs[layout->name].title;
    shown->name_definition = table->defs[layout->name].definition;
    shown->heading = shown->caption = tp_compare_table_title(which);
    return tp_shown_table_data(shown);
}

/* ---- sections ---- */

static const struct part {
    const char *id, *label, *title, *lead;
} parts[] = {
    {"operators", "Operators", "Operators",
     "Self times per step, the largest change first. A change is by count and by time per call."},
    {"kernels", "Kernels", "Kernels",
     "By name, operator and shapes; renamed, fused and split kernels are matched inside their operator."},
    {"copies", "Copies, waits", "Copies, synchronisations, runtime calls",
     "Synchronisations stand by source line; each that comes or goes counts, whatever it takes."},
    {"modules", "Modules", "Modules", "Times with everything below, by path."},
    {"memory", "Memory", "Memory", "The peak of each device, and who holds it."},
    {"findings", "Findings", "Findings", "What the rules say about both sides."},
    {"calltree", "Call tree", "Call tree", NULL},
    {"common", "In common", "What both sides have in common", NULL},
};
enum { PARTS = sizeof parts / sizeof *parts };

static bool has_rows(const struct tp_compare_view *page, const char *part)
{
    for (unsigned i = 0; i < TP_COMPARE_TABLES; i++)
        if (layouts[i].part && strcmp(layouts[i].part, part) == 0 && page->compare->tables[i].row_count)
            return true;
    return strcmp(part, "calltree") == 0 && page->compare->tree.count > 1;
}

static void put_part(const struct tp_compare_view *page, struct tp_list *list, const struct part *part)
{
    struct tp_object *object = tp_list_object(list);
    struct tp_list *tables = tp_object_list(object, "tables");
    bool is_tree = strcmp(part->id, "calltree") == 0, is_common = strcmp(part->id, "common") == 0;
    tp_object_text(object, "part_id", part->id);
    tp_object_text(object, "part_title", part->title);
    tp_object_text(object, "lead", part->lead);
    if (is_common)
        tp_object_printf(object, "lead", "%s. Below %d every result is inconclusive.",
                         tp_compare_facts_text(page->compare), TP_COMPARABLE_FROM);
    if (is_tree) {
        tp_object_printf(object, "lead",
                         "%s per step of both sides, merged by callers. Width is the greater of both sides.",
                         page->compare->tree.has_device ? "GPU time" : "CPU time");
        tp_object_put(object, "tree", tp_compare_icicle(page->compare, page->naming));
        struct tp_data table = tp_compare_tree_table(page->compare, page->naming, page->max_rows);
        if (table.kind != TP_DATA_NONE)
            tp_list_add(tables, table);
    }
    for (enum tp_compare_table i = 0; page->max_rows && i < TP_COMPARE_TABLES; i++)
        if (layouts[i].part && strcmp(layouts[i].part, part->id) == 0 && page->compare->tables[i].row_count)
            tp_list_add(tables, tp_compare_shown_table(page, i));
}

void tp_compare_put_parts(const struct tp_compare_view *page, struct tp_object *object)
{
    struct tp_list *list = tp_object_list(object, "parts");
    for (unsigned i = 0; i < PARTS; i++)
        if (has_rows(page, parts[i].id))
            put_part(page, list, &parts[i]);
}

void tp_compare_put_links(const struct tp_compare_view *page, struct tp_list *links)
{
    for (unsigned i = 0; i < PARTS; i++) {
        if (!has_rows(page, parts[i].id))
            continue;
        struct tp_object *link = tp_list_object(links);
        tp_object_printf(link, "target", "diff-%s", parts[i].id);
        tp_object_text(link, "label", parts[i].label);
    }
}
