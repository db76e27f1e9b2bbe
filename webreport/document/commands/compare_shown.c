/* Prepares the tables of a comparison for display. See compare_parts.h. */
#include "webreport/document/commands/compare_parts.h"

#include <math.h>
#include <stdlib.h>

#include "webreport/document/name_text.h"
#include "webreport/document/section.h"
#include "webreport/trace/compile_log/compile_names.h"
#include "webreport/trace/frame.h"
#include "writer/base/sort.h"
#include "writer/text/format.h"

/* ---- tables ---- */

enum { OWN_WHERE, OWN_WHAT, OPEN_ROWS = 60 };

#define COLUMN(format, column, group, decimals)                                                                        \
    {                                                                                                                  \
        format, column, NULL, group, decimals, false, 0                                                                \
    }
#define WIDE(format, column, group, decimals)                                                                          \
    {                                                                                                                  \
        format, column, NULL, group, decimals, false, TP_SHOWN_WIDE                                                    \
    }
#define LESS(format, column, group)                                                                                    \
    {                                                                                                                  \
        format, column, NULL, group, 0, false, TP_SHOWN_WIDE | TP_SHOWN_LESS                                           \
    }
#define SIGNED(format, column, group)                                                                                  \
    {                                                                                                                  \
        format, column, NULL, group, 0, false, TP_SHOWN_SIGNED                                                         \
    }

static const struct tp_shown_column change_columns[] = {
    COLUMN(TP_SHOW_TEXT, TP_ROW_VERDICT, 0, 0),
    {TP_SHOW_OWN_TEXT, OWN_WHAT, "What", 0, 0, false, 0},
    {TP_SHOW_OWN_TEXT, OWN_WHERE, "Where", 0, 0, false, 0},
    COLUMN(TP_SHOW_TIME, TP_ROW_BASE_TIME, 1, 0),
    COLUMN(TP_SHOW_TIME, TP_ROW_NEW_TIME, 1, 0),
    COLUMN(TP_SHOW_TIME, TP_ROW_CHANGE, 1, 0),
    COLUMN(TP_SHOW_TIME, TP_ROW_BY_COUNT, 1, 0),
    COLUMN(TP_SHOW_TIME, TP_ROW_BY_TIME, 1, 0),
    COLUMN(TP_SHOW_PERCENT, TP_ROW_SHARE, 0, 0),
    COLUMN(TP_SHOW_REAL, TP_ROW_BASE_CALLS, 0, 1),
    COLUMN(TP_SHOW_REAL, TP_ROW_NEW_CALLS, 0, 1),
};
static const struct tp_shown_column step_columns[] = {
    COLUMN(TP_SHOW_TIME, TP_PART_BASE, 1, 0),
    COLUMN(TP_SHOW_TIME, TP_PART_NEW, 1, 0),
    SIGNED(TP_SHOW_TIME, TP_PART_CHANGE, 1),
    SIGNED(TP_SHOW_PERCENT, TP_PART_SHARE, 0),
};
static const struct tp_shown_column row_columns[] = {
    {TP_SHOW_TIME, TP_ROW_BASE_TIME, "Before", 1, 0, false, 0},
    {TP_SHOW_TIME, TP_ROW_NEW_TIME, "Now", 1, 0, false, 0},
    {TP_SHOW_TIME, TP_ROW_CHANGE, NULL, 1, 0, true, TP_SHOWN_SIGNED},
    {TP_SHOW_PERCENT, TP_ROW_SHARE, NULL, 0, 0, false, TP_SHOWN_SIGNED | TP_SHOWN_LESS},
    {TP_SHOW_REAL, TP_ROW_BASE_CALLS, "Calls before", 0, 1, false, TP_SHOWN_WIDE},
    {TP_SHOW_REAL, TP_ROW_NEW_CALLS, "Calls now", 0, 1, false, TP_SHOWN_WIDE},
    LESS(TP_SHOW_TIME, TP_ROW_BY_COUNT, 1),
    LESS(TP_SHOW_TIME, TP_ROW_BY_TIME, 1),
    LESS(TP_SHOW_TEXT, TP_ROW_MATCH, 0),
    LESS(TP_SHOW_TEXT, TP_ROW_VERDICT, 0),
};
static const struct tp_shown_column memory_columns[] = {
    COLUMN(TP_SHOW_BYTES, TP_MEMORY_DIFF_BASE, 1, 0),       COLUMN(TP_SHOW_BYTES, TP_MEMORY_DIFF_NEW, 1, 0),
    SIGNED(TP_SHOW_BYTES, TP_MEMORY_DIFF_CHANGE, 1),        WIDE(TP_SHOW_BYTES, TP_MEMORY_DIFF_BASE_RESERVED, 1, 0),
    WIDE(TP_SHOW_BYTES, TP_MEMORY_DIFF_NEW_RESERVED, 1, 0), WIDE(TP_SHOW_BYTES, TP_MEMORY_DIFF_BASE_CREEP, 2, 0),
    WIDE(TP_SHOW_BYTES, TP_MEMORY_DIFF_NEW_CREEP, 2, 0),    COLUMN(TP_SHOW_TEXT, TP_MEMORY_DIFF_VERDICT, 0, 0),
};
static const struct tp_shown_column owner_columns[] = {
    COLUMN(TP_SHOW_TEXT, TP_OWNER_DIFF_DEVICE, 0, 0),    WIDE(TP_SHOW_TEXT, TP_OWNER_DIFF_KIND, 0, 0),
    COLUMN(TP_SHOW_BYTES, TP_OWNER_DIFF_BASE, 1, 0),     COLUMN(TP_SHOW_BYTES, TP_OWNER_DIFF_NEW, 1, 0),
    SIGNED(TP_SHOW_BYTES, TP_OWNER_DIFF_CHANGE, 1),      WIDE(TP_SHOW_COUNT, TP_OWNER_DIFF_BASE_BLOCKS, 0, 0),
    WIDE(TP_SHOW_COUNT, TP_OWNER_DIFF_NEW_BLOCKS, 0, 0), WIDE(TP_SHOW_TEXT, TP_OWNER_DIFF_VERDICT, 0, 0),
};
static const struct tp_shown_column serving_columns[] = {
    COLUMN(TP_SHOW_TIME, TP_SERVING_DIFF_BASE_P50, 1, 0), COLUMN(TP_SHOW_TIME, TP_SERVING_DIFF_NEW_P50, 1, 0),
    SIGNED(TP_SHOW_TIME, TP_SERVING_DIFF_CHANGE, 1),      SIGNED(TP_SHOW_PERCENT, TP_SERVING_DIFF_PERCENT, 0),
    COLUMN(TP_SHOW_TIME, TP_SERVING_DIFF_BASE_P90, 1, 0), COLUMN(TP_SHOW_TIME, TP_SERVING_DIFF_NEW_P90, 1, 0),
};
static const struct tp_shown_column finding_columns[] = {
    COLUMN(TP_SHOW_TEXT, TP_FINDING_DIFF_STATUS, 0, 0),
    WIDE(TP_SHOW_TEXT, TP_FINDING_DIFF_BASE_SEVERITY, 0, 0),
    WIDE(TP_SHOW_TEXT, TP_FINDING_DIFF_NEW_SEVERITY, 0, 0),
    COLUMN(TP_SHOW_TIME, TP_FINDING_DIFF_BASE_CEILING, 1, 0),
    COLUMN(TP_SHOW_TIME, TP_FINDING_DIFF_NEW_CEILING, 1, 0),
    WIDE(TP_SHOW_COUNT, TP_FINDING_DIFF_BASE_COUNT, 0, 0),
    WIDE(TP_SHOW_COUNT, TP_FINDING_DIFF_NEW_COUNT, 0, 0),
    {TP_SHOW_OWN_TEXT, OWN_WHERE, "Line", 0, 0, false, TP_SHOWN_WIDE},
};
static const struct tp_shown_column fact_columns[] = {
    {TP_SHOW_OWN_TEXT, 0, "Base", 0, 0, false, 0},
    {TP_SHOW_OWN_TEXT, 1, "New", 0, 0, false, 0},
    COLUMN(TP_SHOW_TEXT, TP_FACT_VERDICT, 0, 0),
    WIDE(TP_SHOW_TEXT, TP_FACT_CLASS, 0, 0),
};

#define COLUMNS(list) list, sizeof(list) / sizeof *(list)

/* For each table: its columns, the column of names, and columns whose texts are shown unchanged. */
static const struct columns {
    const struct tp_shown_column *columns;
    unsigned count;
    unsigned name;
    int own[2]; /* indexes of the columns whose texts are shown unchanged; -1 for none */
} columns_of[TP_COMPARE_TABLES] = {
    [TP_COMPARE_CHANGES] = {COLUMNS(change_columns), TP_ROW_NAME, {TP_ROW_OWNER, TP_ROW_KIND}},
    [TP_COMPARE_STEP] = {COLUMNS(step_columns), TP_PART_NAME, {-1, -1}},
    [TP_COMPARE_OPERATORS_DEVICE] = {COLUMNS(row_columns), TP_ROW_NAME, {-1, -1}},
    [TP_COMPARE_OPERATORS_HOST] = {COLUMNS(row_columns), TP_ROW_NAME, {-1, -1}},
    [TP_COMPARE_KERNELS] = {COLUMNS(row_columns), TP_ROW_NAME, {-1, -1}},
    [TP_COMPARE_COPIES] = {COLUMNS(row_columns), TP_ROW_NAME, {-1, -1}},
    [TP_COMPARE_SYNCS] = {COLUMNS(row_columns), TP_ROW_NAME, {-1, -1}},
    [TP_COMPARE_MODULES_DEVICE] = {COLUMNS(row_columns), TP_ROW_NAME, {-1, -1}},
    [TP_COMPARE_MODULES_HOST] = {COLUMNS(row_columns), TP_ROW_NAME, {-1, -1}},
    [TP_COMPARE_RUNTIME] = {COLUMNS(row_columns), TP_ROW_NAME, {-1, -1}},
    [TP_COMPARE_FUNCTIONS] = {COLUMNS(row_columns), TP_ROW_NAME, {-1, -1}},
    [TP_COMPARE_WALL] = {COLUMNS(row_columns), TP_ROW_NAME, {-1, -1}},
    [TP_COMPARE_MEMORY] = {COLUMNS(memory_columns), TP_MEMORY_DIFF_DEVICE, {-1, -1}},
    [TP_COMPARE_OWNERS] = {COLUMNS(owner_columns), TP_OWNER_DIFF_NAME, {-1, -1}},
    [TP_COMPARE_SERVING] = {COLUMNS(serving_columns), TP_SERVING_DIFF_CLASS, {-1, -1}},
    [TP_COMPARE_FINDINGS] = {COLUMNS(finding_columns), TP_FINDING_DIFF_TITLE, {TP_FINDING_DIFF_LINE, -1}},
    [TP_COMPARE_FACTS] = {COLUMNS(fact_columns), TP_FACT_NAME, {TP_FACT_BASE, TP_FACT_NEW}},
};

static struct tp_str shown_text_of_cell(const struct tp_naming *naming, const struct tp_table *table, int column,
                                        size_t row)
{
    if (column < 0 || !tp_table_text(table, (unsigned)column)[row].ptr)
        return TP_STR("");
    return tp_shown_text(naming, tp_table_text(table, (unsigned)column)[row]);
}

static bool is_row_table(enum tp_compare_table which)
{
    return which <= TP_COMPARE_WALL && which != TP_COMPARE_STEP;
}

static bool is_row_of_kind(const struct tp_table *table, size_t row, const char *kind)
{
    return tp_str_equal(tp_table_text(table, TP_ROW_KIND)[row], tp_str_of(kind));
}

/* Returns the details that appear when the user opens a row. */
static struct tp_data make_row_details(const struct tp_naming *naming, const struct tp_table *table, size_t row)
{
    static const struct {
        const char *title;
        int column;
    } texts[] = {{"Name", TP_ROW_NAME},         {"In the base", TP_ROW_BASE_NAME}, {"Operator", TP_ROW_OWNER},
                 {"Shapes", TP_ROW_SHAPE},      {"Types", TP_ROW_DTYPE},           {"Line", TP_ROW_LINE},
                 {"Follows from", TP_ROW_CAUSE}};
    bool is_sync = is_row_of_kind(table, row, "sync");
    struct tp_object *object = tp_object_new(naming->arena);
    struct tp_list *blocks = tp_object_add_list(object, "blocks");
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct tp_str text = shown_text_of_cell(naming, table, texts[i].column, row);
        if (!text.len)
            continue;
        struct tp_object *block = tp_list_add_object(blocks);
        tp_object_add_text(block, "block_title", is_sync && texts[i].column == TP_ROW_SHAPE ? "Line" : texts[i].title);
        tp_object_add_str(block, "full", text);
    }
    return tp_data_of_object(object);
}

bool tp_compare_is_named_by_line(const struct tp_compare *compare, const struct tp_table *table, size_t row)
{
    return tp_table_text(table, TP_ROW_LINE)[row].len &&
           tp_numbered_line(&compare->lines, tp_table_text(table, TP_ROW_NAME)[row]).len;
}

static struct tp_str join_name_and_line(const struct tp_naming *naming, struct tp_str name, struct tp_str line)
{
    return tp_str_of(tp_text_printf(naming->arena, "%.*s at %.*s", (int)name.len, name.ptr, (int)line.len, line.ptr));
}

struct tp_str tp_compare_row_name(const struct tp_compare *compare, const struct tp_naming *naming,
                                  const struct tp_table *table, size_t row)
{
    struct tp_str name = tp_table_text(table, TP_ROW_NAME)[row];
    if (!tp_compare_is_named_by_line(compare, table, row))
        return tp_shown_text(naming, name);
    return join_name_and_line(naming, tp_shown_text(naming, tp_compile_kernel_family(name)),
                              shown_text_of_cell(naming, table, TP_ROW_LINE, row));
}

/* Returns the family of a generated kernel as tables show it: short for kernels. */
static struct tp_str shown_family(const struct tp_naming *naming, const struct tp_table *table, size_t row)
{
    struct tp_str family = tp_compile_kernel_family(tp_table_text(table, TP_ROW_NAME)[row]);
    return is_row_of_kind(table, row, "kernel") ? tp_kernel_short_name(naming->arena, family)
                                                : tp_shown_text(naming, family);
}

/* Returns a line without its folders and function: "model.py(12)". */
static struct tp_str file_and_number(struct tp_str line)
{
    struct tp_str part = tp_line_last_part(line), function = tp_frame_function_name(part);
    enum { BETWEEN = sizeof ": " - 1 };
    return function.ptr ? (struct tp_str){part.ptr, (size_t)(function.ptr - part.ptr) - BETWEEN} : part;
}

/* Sets the names of generated kernels for narrow outputs: short family and line; if another row has the same line,
 * short family and number. */
static void set_short_names_of_generated(const struct tp_compare *compare, const struct tp_naming *naming,
                                         struct tp_shown_table *shown)
{
    for (size_t i = 0; i < shown->row_count; i++) {
        struct tp_shown_row *row = &shown->rows[i];
        struct tp_str line = shown_text_of_cell(naming, shown->table, TP_ROW_LINE, i),
                      name = tp_table_text(shown->table, TP_ROW_NAME)[i], family = tp_compile_kernel_family(name);
        if (!tp_compare_is_named_by_line(compare, shown->table, i))
            continue;
        bool is_unchanged =
            tp_str_equal(row->name, join_name_and_line(naming, shown_family(naming, shown->table, i), line));
        const char *number = family.ptr + family.len + 1; /* the character between both is "_" */
        family = tp_kernel_short_name(naming->arena, family);
        row->short_name = is_unchanged
                              ? join_name_and_line(naming, family, file_and_number(line))
                              : tp_str_of(tp_text_printf(naming->arena, "%.*s (number %.*s)", (int)family.len,
                                                         family.ptr, (int)(name.ptr + name.len - number), number));
    }
}

/* Sets the name of a row: the short name of a kernel, or a synchronization or a generated kernel and its line. */
static void set_row_name(const struct tp_compare *compare, const struct tp_naming *naming, const struct tp_table *table,
                         struct tp_shown_row *shown, size_t row)
{
    struct tp_str name = tp_table_text(table, TP_ROW_NAME)[row],
                  line = shown_text_of_cell(naming, table, TP_ROW_SHAPE, row);
    if (tp_compare_is_named_by_line(compare, table, row))
        shown->name = join_name_and_line(naming, shown_family(naming, table, row),
                                         shown_text_of_cell(naming, table, TP_ROW_LINE, row));
    else if (is_row_of_kind(table, row, "kernel"))
        shown->name = tp_shown_kernel_name(naming, name);
    if (!is_row_of_kind(table, row, "sync") || !line.len)
        return;
    shown->name = join_name_and_line(naming, shown->name, line);
    shown->short_name = join_name_and_line(naming, name, tp_line_last_part(line));
    shown->href = tp_source_link(naming, tp_table_text(table, TP_ROW_SHAPE)[row]);
}

/* Describes the place of a change: the line of a synchronization, or operator and line of another row. A line in the
 * name of the row is left out. */
static void describe_place_of_change(const struct tp_compare *compare, const struct tp_naming *naming,
                                     struct tp_str *where, struct tp_str *what, size_t row)
{
    const struct tp_table *table = &compare->tables[TP_COMPARE_CHANGES];
    struct tp_str match = tp_table_text(table, TP_ROW_MATCH)[row];
    if (!tp_str_equal(match, TP_STR("same")))
        *what =
            tp_str_of(tp_text_printf(naming->arena, "%.*s %.*s", (int)match.len, match.ptr, (int)what->len, what->ptr));
    if (is_row_of_kind(table, row, "sync") && tp_table_text(table, TP_ROW_SHAPE)[row].len)
        *where = shown_text_of_cell(naming, table, TP_ROW_SHAPE, row);
    struct tp_str line = shown_text_of_cell(naming, table, TP_ROW_LINE, row);
    if (line.len && !tp_compare_is_named_by_line(compare, table, row))
        *where = tp_str_of(tp_text_printf(naming->arena, "%.*s%s%.*s", (int)where->len, where->ptr,
                                          where->len ? " at " : "", (int)line.len, line.ptr));
}

/* ---- rows with equal names ---- */

enum { MAX_DISTINCTION_BYTES = 90 }; /* longest text that is added to distinguish rows, bytes */

static int compare_by_shown_name(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_shown_row *rows = context;
    int order = tp_str_compare(rows[x].name, rows[y].name);
    return order ? order : (x > y) - (x < y);
}

/* Makes the names of a group of rows different. Adds the part that differs, such as " 8x64x56x56", or numbers if
 * nothing differs. */
static void set_distinct_names_of_group(const struct tp_naming *naming, struct tp_shown_table *shown,
                                        const uint32_t *rows, uint32_t count)
{
    static const unsigned columns[] = {TP_ROW_OWNER, TP_ROW_SHAPE, TP_ROW_DTYPE};
    struct tp_str *texts = tp_arena_array(naming->arena, count, sizeof *texts);
    uint32_t *counts = tp_arena_array(naming->arena, (size_t)count + 1, sizeof *counts);
    struct tp_strings seen;
    bool differs[3] = {false};
    tp_strings_init(&seen, naming->arena, UINT64_MAX);
    for (unsigned c = 0; c < 3; c++)
        for (uint32_t i = 1; i < count; i++)
            differs[c] |= !tp_str_equal(tp_table_text(shown->table, columns[c])[rows[i]],
                                        tp_table_text(shown->table, columns[c])[rows[0]]);
    for (uint32_t i = 0; i < count; i++) {
        const char *text = "";
        for (unsigned c = 0; c < 3; c++) {
            struct tp_str part =
                differs[c] ? shown_text_of_cell(naming, shown->table, (int)columns[c], rows[i]) : TP_STR("");
            if (columns[c] == TP_ROW_SHAPE)
                part = tp_shapes_text(naming->arena, part);
            if (part.len)
                text = tp_text_printf(naming->arena, "%s%s%.*s", text, *text ? " " : "", (int)part.len, part.ptr);
        }
        texts[i] = tp_text_shorten(naming->arena, tp_str_of(text), MAX_DISTINCTION_BYTES);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t same = counts[tp_strings_add(&seen, texts[i])]++;
        struct tp_str name = shown->rows[rows[i]].name;
        const char *number = same ? tp_text_printf(naming->arena, " (%u)", same + 1) : "";
        if (texts[i].len || *number)
            shown->rows[rows[i]].name =
                tp_str_of(tp_text_printf(naming->arena, "%.*s%s%.*s%s", (int)name.len, name.ptr,
                                         texts[i].len ? " " : "", (int)texts[i].len, texts[i].ptr, number));
    }
}

/* Makes all names different: first with the full names of kernels, then with other parts of a row. */
static void distinguish_rows(const struct tp_naming *naming, struct tp_shown_table *shown)
{
    tp_shown_rows_distinguish_names(naming, shown->rows, tp_table_text(shown->table, TP_ROW_NAME), NULL,
                                    shown->row_count);
    uint32_t count = (uint32_t)shown->row_count, *order = tp_arena_array(naming->arena, count, sizeof *order);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    tp_sort_rows(order, count, compare_by_shown_name, shown->rows, naming->arena);
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && tp_str_equal(shown->rows[order[i]].name, shown->rows[order[end]].name); end++)
            continue;
        if (end - i > 1)
            set_distinct_names_of_group(naming, shown, order + i, end - i);
    }
}

/* ---- operators by name ---- */

static const struct tp_shown_column name_columns[] = {
    {TP_SHOW_TIME, TP_ROW_BASE_TIME, "Before", 1, 0, false, 0},
    {TP_SHOW_TIME, TP_ROW_NEW_TIME, "Now", 1, 0, false, 0},
    {TP_SHOW_TIME, TP_ROW_CHANGE, NULL, 1, 0, true, TP_SHOWN_SIGNED},
    {TP_SHOW_REAL, TP_ROW_BASE_CALLS, "Calls before", 0, 0, false, 0},
    {TP_SHOW_REAL, TP_ROW_NEW_CALLS, "Calls now", 0, 0, false, 0},
};

/* A sum of rows with one name. */
struct name_sum {
    struct tp_str name, line; /* line: line of the first row; ptr is NULL without one */
    int64_t base_ns, new_ns;
    double base_calls, new_calls;
};

static int compare_by_change(const void *x, const void *y, const void *context)
{
    const struct name_sum *a = x, *b = y;
    int64_t p = llabs(a->new_ns - a->base_ns), q = llabs(b->new_ns - b->base_ns);
    (void)context;
    return p != q ? (p < q) - (p > q) : tp_str_compare(a->name, b->name);
}

static int64_t known_int(int64_t value)
{
    return value == TP_NULL_INT ? 0 : value;
}

static double known_real(double value)
{
    return isnan(value) ? 0 : value;
}

/* Returns the sums of a table of rows by name, largest change first. */
static struct tp_vec sum_by_name(const struct tp_table *rows, struct tp_arena *arena)
{
    struct tp_vec sums = TP_VEC(arena, struct name_sum);
    struct tp_strings names;
    tp_strings_init(&names, arena, UINT64_MAX);
    for (size_t i = 0; i < rows->row_count; i++) {
        struct tp_str name = tp_table_text(rows, TP_ROW_NAME)[i];
        uint32_t at = tp_strings_add(&names, name);
        if (at == sums.count)
            *(struct name_sum *)tp_vec_push(&sums) =
                (struct name_sum){.name = name, .line = tp_table_text(rows, TP_ROW_LINE)[i]};
        struct name_sum *sum = TP_AT(&sums, struct name_sum, at);
        sum->base_ns += known_int(tp_table_int(rows, TP_ROW_BASE_TIME)[i]);
        sum->new_ns += known_int(tp_table_int(rows, TP_ROW_NEW_TIME)[i]);
        sum->base_calls += known_real(tp_table_real(rows, TP_ROW_BASE_CALLS)[i]);
        sum->new_calls += known_real(tp_table_real(rows, TP_ROW_NEW_CALLS)[i]);
    }
    tp_merge_sort(arena, sums.data, sums.count, sizeof(struct name_sum), compare_by_change, NULL);
    return sums;
}

/* Returns the shapes of an operator with their changes, for the row that the reader opens. */
static struct tp_data make_shape_details(const struct tp_naming *naming, const struct tp_table *rows,
                                         struct tp_str name)
{
    enum { SHOWN = 8 };
    struct tp_object *object = tp_object_new(naming->arena);
    struct tp_object *block = tp_list_add_object(tp_object_add_list(object, "blocks"));
    struct tp_list *items = tp_object_add_list(block, "items");
    unsigned count = 0;
    tp_object_add_text(block, "block_title", "Shapes with the largest change");
    tp_object_add_bool(block, "has_items", true);
    for (size_t i = 0; i < rows->row_count && count < SHOWN; i++) {
        if (!tp_str_equal(tp_table_text(rows, TP_ROW_NAME)[i], name))
            continue;
        struct tp_object *item = tp_list_add_object(items);
        struct tp_str shape = shown_text_of_cell(naming, rows, TP_ROW_SHAPE, i);
        tp_object_add_str(item, "code", shape.len ? tp_shapes_text(naming->arena, shape) : TP_STR("no shapes"));
        tp_object_add_formatted(item, "note", "%s \xe2\x86\x92 %s",
                                tp_text_of_time(naming->arena, tp_table_int(rows, TP_ROW_BASE_TIME)[i]),
                                tp_text_of_time(naming->arena, tp_table_int(rows, TP_ROW_NEW_TIME)[i]));
        count++;
    }
    return tp_data_of_object(object);
}

struct tp_shown_table *tp_compare_names_table(const struct tp_compare *compare, const struct tp_naming *naming,
                                              enum tp_compare_table which, size_t max_rows)
{
    const struct tp_table *rows = &compare->tables[which];
    struct tp_arena *arena = naming->arena;
    struct tp_vec sums = sum_by_name(rows, arena);
    struct tp_table *table = tp_arena_alloc(arena, sizeof *table);
    tp_table_init(table, arena, rows->name, rows->defs, TP_ROW_COLUMNS, sums.count);
    struct tp_shown_table *shown =
        tp_shown_table_new(arena, table, name_columns, sizeof name_columns / sizeof *name_columns, max_rows);
    for (size_t i = 0; i < sums.count; i++) {
        const struct name_sum *sum = TP_AT(&sums, struct name_sum, i);
        tp_table_text(table, TP_ROW_NAME)[i] = sum->name;
        tp_table_text(table, TP_ROW_LINE)[i] = sum->line;
        tp_table_int(table, TP_ROW_BASE_TIME)[i] = sum->base_ns;
        tp_table_int(table, TP_ROW_NEW_TIME)[i] = sum->new_ns;
        tp_table_int(table, TP_ROW_CHANGE)[i] = sum->new_ns - sum->base_ns;
        tp_table_real(table, TP_ROW_BASE_CALLS)[i] = sum->base_calls;
        tp_table_real(table, TP_ROW_NEW_CALLS)[i] = sum->new_calls;
    }
    for (size_t i = 0; i < shown->row_count; i++) {
        struct tp_shown_row *row = &shown->rows[i];
        row->name = tp_compare_row_name(compare, naming, table, i);
        row->cause = which == TP_COMPARE_OPERATORS_DEVICE ? "gpu" : "launch";
        if (i < OPEN_ROWS)
            row->more = make_shape_details(naming, rows, tp_table_text(table, TP_ROW_NAME)[i]);
    }
    tp_shown_rows_distinguish_names(naming, shown->rows, tp_table_text(table, TP_ROW_NAME), NULL, shown->row_count);
    set_short_names_of_generated(compare, naming, shown);
    shown->name = tp_compare_table_key(which);
    shown->name_title = "Operator";
    shown->name_definition = rows->defs[TP_ROW_NAME].definition;
    shown->caption = tp_compare_table_title(which);
    shown->noun = "operators";
    return shown;
}

struct tp_shown_table *tp_compare_shown_table(const struct tp_compare *compare, const struct tp_naming *naming,
                                              enum tp_compare_table which, size_t max_rows)
{
    const struct columns *columns = &columns_of[which];
    const struct tp_table *table = &compare->tables[which];
    struct tp_arena *arena = naming->arena;
    struct tp_shown_table *shown = tp_shown_table_new(arena, table, columns->columns, columns->count, max_rows);
    struct tp_str *own_texts[2];
    for (unsigned own = 0; own < 2; own++) {
        struct tp_str *texts = own_texts[own] = tp_arena_array(arena, shown->row_count, sizeof *texts);
        for (size_t row = 0; row < shown->row_count; row++)
            texts[row] = shown_text_of_cell(naming, table, columns->own[own], row);
        shown->own_texts[own] = texts;
    }
    for (size_t row = 0; row < shown->row_count; row++) {
        shown->rows[row].name = is_row_table(which) ? tp_compare_row_name(compare, naming, table, row)
                                                    : tp_shown_text(naming, tp_table_text(table, columns->name)[row]);
        shown->rows[row].href = tp_source_link(naming, tp_table_text(table, columns->name)[row]);
        if (is_row_table(which) && which != TP_COMPARE_CHANGES)
            set_row_name(compare, naming, table, &shown->rows[row], row);
        if (which == TP_COMPARE_CHANGES)
            describe_place_of_change(compare, naming, &own_texts[0][row], &own_texts[1][row], row);
        if (is_row_table(which) && row < OPEN_ROWS)
            shown->rows[row].more = make_row_details(naming, table, row);
    }
    if (is_row_table(which) && which != TP_COMPARE_CHANGES) {
        distinguish_rows(naming, shown);
        set_short_names_of_generated(compare, naming, shown);
    }
    shown->name = tp_compare_table_key(which);
    shown->name_title = table->defs[columns->name].title;
    shown->name_definition = table->defs[columns->name].definition;
    shown->heading = shown->caption = tp_compare_table_title(which);
    if (which == TP_COMPARE_STEP) {
        shown->name_title = "Mean step";
        shown->heading = NULL;
    }
    return shown;
}
