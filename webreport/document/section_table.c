/* Prepares tables for display. See section_table.h. */
#include "webreport/document/section_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "writer/base/sort.h"
#include "writer/base/utf8.h"
#include "writer/text/format.h"

static bool has_format_unit(enum tp_shown_format format)
{
    return format == TP_SHOW_TIME || format == TP_SHOW_BYTES;
}

static bool is_text_format(enum tp_shown_format format)
{
    return format == TP_SHOW_TEXT || format == TP_SHOW_YES_NO || format == TP_SHOW_OWN_TEXT;
}

static bool is_text_column(const struct tp_shown_table *shown, const struct tp_shown_column *column)
{
    enum tp_column_type type =
        column->format == TP_SHOW_PRINTED ? shown->table->defs[column->column].type : TP_COLUMN_INT;
    return is_text_format(column->format) || type == TP_COLUMN_TEXT || type == TP_COLUMN_JSON || type == TP_COLUMN_BOOL;
}

/* Returns a cell as a number; times are in nanoseconds. Returns NaN for null and for texts. */
static double cell_number(const struct tp_shown_table *shown, const struct tp_shown_column *column, size_t row)
{
    const struct tp_table *table = shown->table;
    int64_t whole;

    if (column->format == TP_SHOW_OWN_TEXT || column->format == TP_SHOW_PRINTED)
        return NAN;
    switch (table->defs[column->column].type) {
    case TP_COLUMN_INT:
    case TP_COLUMN_NS:
    case TP_COLUMN_BYTES:
        whole = tp_table_int(table, column->column)[row];
        return whole == TP_NULL_INT ? NAN : (double)whole;
    case TP_COLUMN_REAL:
        return tp_table_real(table, column->column)[row] * (column->format == TP_SHOW_TIME ? 1000.0 : 1.0);
    case TP_COLUMN_BOOL:
        return tp_table_bool(table, column->column)[row];
    default:
        return NAN;
    }
}

/* Finds the largest magnitude in the displayed rows of a column, and the sum over all known values of the column.
 * Either is NaN if no value is known. */
static void find_maximum_and_sum_of_column(struct tp_shown_table *shown, unsigned index)
{
    const struct tp_shown_column *column = &shown->columns[index];
    double max = 0, sum = 0;
    bool is_any_known = false;

    for (size_t row = 0; row < shown->table->row_count && !is_text_format(column->format); row++) {
        double value = cell_number(shown, column, row);

        if (isnan(value))
            continue;
        sum += value;
        is_any_known = true;
        if (row < shown->row_count && fabs(value) > max)
            max = fabs(value);
    }
    shown->maxima[index] = max;
    shown->sums[index] = is_any_known ? sum : NAN;
}

static struct tp_unit find_column_unit(const struct tp_shown_table *shown, unsigned index)
{
    const struct tp_shown_column *column = &shown->columns[index];
    double max = 0;

    for (unsigned i = 0; i < shown->column_count; i++)
        if (i == index || (column->unit_group && shown->columns[i].unit_group == column->unit_group))
            max = fmax(max, shown->maxima[i]);
    if (max > 9e18)
        max = 9e18;
    return column->format == TP_SHOW_TIME ? tp_unit_for_time((int64_t)max) : tp_unit_for_bytes((int64_t)max);
}

/* ---- values for the template ---- */

static void print_number(const struct tp_shown_table *shown, unsigned index, double value, struct tp_buf *out)
{
    const struct tp_shown_column *column = &shown->columns[index];

    switch (column->format) {
    case TP_SHOW_TIME:
    case TP_SHOW_BYTES:
        tp_format_fixed(out, value / shown->units[index].divisor, shown->units[index].decimals);
        break;
    case TP_SHOW_RATIO:
        tp_format_fixed(out, 100 * value, 1);
        break;
    case TP_SHOW_SHARE:
        tp_format_fixed(out, shown->sums[index] > 0 ? 100 * value / shown->sums[index] : 0, 1);
        break;
    case TP_SHOW_PERCENT:
        tp_format_fixed(out, value, 1);
        break;
    default:
        tp_format_fixed(out, value, column->format == TP_SHOW_COUNT ? 0 : column->decimals);
    }
}

/* Prints a cell. place: index of the row; row_count for the row of totals. number: index of the displayed column. */
static void print_cell(const struct tp_data *value, struct tp_buf *out)
{
    const struct tp_shown_table *shown = value->self;
    unsigned index = (unsigned)value->number;
    const struct tp_shown_column *column = &shown->columns[index];
    double number;

    if (value->place == shown->row_count) {
        if (column->flags & TP_SHOWN_SUM && isnan(shown->sums[index]))
            tp_buf_puts(out, "\xe2\x80\x93");
        else if (column->flags & TP_SHOWN_SUM)
            print_number(shown, index, shown->sums[index], out);
        return;
    }
    number = cell_number(shown, column, value->place);
    if (column->format == TP_SHOW_BAR)
        tp_format_fixed(out, number > 0 && shown->maxima[index] > 0 ? 60 * number / shown->maxima[index] : 0, 1);
    else if (column->format == TP_SHOW_YES_NO)
        tp_buf_puts(out, number > 0 ? "yes" : "\xe2\x80\x93");
    else
        print_number(shown, index, number, out);
}

static struct tp_data cell_text(const struct tp_shown_table *shown, unsigned index, size_t row)
{
    const struct tp_shown_column *column = &shown->columns[index];

    if (column->format == TP_SHOW_OWN_TEXT)
        return tp_data_str(shown->own_texts[column->column][row]);
    if (column->format == TP_SHOW_PRINTED)
        return tp_data_str(shown->print(shown->arena, shown->table, column->column, row));
    if (column->format == TP_SHOW_TEXT && shown->table->defs[column->column].type == TP_COLUMN_TEXT)
        return tp_data_str(tp_table_text(shown->table, column->column)[row]);
    return (struct tp_data){TP_DATA_NONE, NULL, NULL, 0, 0};
}

static bool find_member_of_cell(const struct tp_data *cell, struct tp_str name, struct tp_data *out);
static bool find_member_of_row(const struct tp_data *object, struct tp_str name, struct tp_data *out);
static bool find_member_of_column(const struct tp_data *object, struct tp_str name, struct tp_data *out);
static void get_cell_of_row(const struct tp_data *list, size_t index, struct tp_data *out);
static void get_row_of_table(const struct tp_data *list, size_t index, struct tp_data *out);
static void get_column_of_table(const struct tp_data *list, size_t index, struct tp_data *out);

static const struct tp_data_source CELL = {.member = find_member_of_cell, .print = print_cell};
static const struct tp_data_source CELLS = {.item = get_cell_of_row};
static const struct tp_data_source ROW = {.member = find_member_of_row};
static const struct tp_data_source ROWS = {.item = get_row_of_table};
static const struct tp_data_source COLUMN = {.member = find_member_of_column};
static const struct tp_data_source COLUMNS = {.item = get_column_of_table};

static bool is_bar_visible(const struct tp_shown_table *shown, unsigned index, size_t row)
{
    return shown->maxima[index] > 0 &&
           cell_number(shown, &shown->columns[index], row) * 60 >= shown->maxima[index] * 0.5;
}

/* Sets *out to one of the members of a cell: cell_bar (width of a visible bar), cell_is_bar, cell_is_text or
 * cell_text. */
static bool find_member_of_cell(const struct tp_data *cell, struct tp_str name, struct tp_data *out)
{
    const struct tp_shown_table *shown = cell->self;
    unsigned index = (unsigned)cell->number;
    const struct tp_shown_column *column = &shown->columns[index];

    if (tp_str_equal(name, TP_STR("cell_text"))) {
        *out = *cell;
        out->kind = TP_DATA_PRINTED;
        if (cell->place < shown->row_count &&
            (column->format == TP_SHOW_TEXT || column->format == TP_SHOW_OWN_TEXT || column->format == TP_SHOW_PRINTED))
            *out = cell_text(shown, index, cell->place);
    } else if (tp_str_equal(name, TP_STR("cell_is_bar"))) {
        *out = tp_data_bool(column->format == TP_SHOW_BAR);
    } else if (tp_str_equal(name, TP_STR("cell_bar"))) {
        *out = *cell;
        out->kind = cell->place < shown->row_count && is_bar_visible(shown, index, cell->place) ? TP_DATA_PRINTED
                                                                                                : TP_DATA_NONE;
    } else if (tp_str_equal(name, TP_STR("cell_is_text"))) {
        *out = tp_data_bool(is_text_column(shown, column));
    } else {
        return false;
    }
    return true;
}

static void get_cell_of_row(const struct tp_data *list, size_t index, struct tp_data *out)
{
    const struct tp_shown_table *shown = list->self;
    *out = (struct tp_data){TP_DATA_OBJECT, &CELL, shown, shown->page_columns[index], list->place};
}

static struct tp_data row_cells(const struct tp_shown_table *shown, size_t row)
{
    return (struct tp_data){TP_DATA_LIST, &CELLS, shown, shown->page_column_count, row};
}

static bool find_member_of_row(const struct tp_data *object, struct tp_str name, struct tp_data *out)
{
    const struct tp_shown_table *shown = object->self;
    const struct tp_shown_row *row = &shown->rows[object->place];

    if (tp_str_equal(name, TP_STR("cells")))
        *out = row_cells(shown, object->place);
    else if (tp_str_equal(name, TP_STR("row_name")))
        *out = tp_data_str(row->name);
    else if (tp_str_equal(name, TP_STR("row_prefix")))
        *out = tp_data_str(row->prefix);
    else if (tp_str_equal(name, TP_STR("row_is_place")))
        *out = tp_data_bool(row->is_place);
    else if (tp_str_equal(name, TP_STR("row_href")))
        *out = row->href ? tp_data_text(row->href) : (struct tp_data){TP_DATA_NONE, NULL, NULL, 0, 0};
    else if (tp_str_equal(name, TP_STR("row_more")))
        *out = shown->open_count && object->place >= shown->open_count ? (struct tp_data){.kind = TP_DATA_NONE}
                                                                       : row->more;
    else if (tp_str_equal(name, TP_STR("row_depth")))
        *out = row->depth ? tp_data_int(row->depth < 12 ? row->depth : 12)
                          : (struct tp_data){TP_DATA_NONE, NULL, NULL, 0, 0};
    else if (tp_str_equal(name, TP_STR("row_is_deep")))
        *out = tp_data_bool(shown->is_tree && row->depth > shown->open_depth);
    else if (tp_str_equal(name, TP_STR("row_is_faint")))
        *out = tp_data_bool(row->is_uncertain);
    else
        return false;
    return true;
}

static void get_row_of_table(const struct tp_data *list, size_t index, struct tp_data *out)
{
    *out = (struct tp_data){TP_DATA_OBJECT, &ROW, list->self, 0, index};
}

static const char *unit_text(const struct tp_shown_table *shown, unsigned index)
{
    const struct tp_shown_column *column = &shown->columns[index];

    switch (column->format) {
    case TP_SHOW_TIME:
    case TP_SHOW_BYTES:
        return shown->units[index].text;
    case TP_SHOW_PERCENT:
    case TP_SHOW_RATIO:
    case TP_SHOW_SHARE:
        return "%";
    default:
        return "";
    }
}

static bool find_member_of_column(const struct tp_data *object, struct tp_str name, struct tp_data *out)
{
    const struct tp_shown_table *shown = object->self;
    const struct tp_shown_column *column = &shown->columns[object->place];

    if (tp_str_equal(name, TP_STR("column_title")))
        *out = tp_data_text(tp_shown_column_title(shown, (unsigned)object->place));
    else if (tp_str_equal(name, TP_STR("column_unit")))
        *out = tp_data_text(unit_text(shown, (unsigned)object->place));
    else if (tp_str_equal(name, TP_STR("column_definition")))
        *out = tp_data_text(shown->definitions[object->place]);
    else if (tp_str_equal(name, TP_STR("column_is_bar")))
        *out = tp_data_bool(column->format == TP_SHOW_BAR);
    else if (tp_str_equal(name, TP_STR("column_is_text")))
        *out = tp_data_bool(is_text_column(shown, column));
    else if (tp_str_equal(name, TP_STR("column_is_sorted")))
        *out = tp_data_bool(column->is_sorted);
    else
        return false;
    return true;
}

static void get_column_of_table(const struct tp_data *list, size_t index, struct tp_data *out)
{
    const struct tp_shown_table *shown = list->self;
    *out = (struct tp_data){TP_DATA_OBJECT, &COLUMN, shown, 0, shown->page_columns[index]};
}

/* ---- cells with their units ---- */

const char *tp_shown_column_title(const struct tp_shown_table *shown, unsigned index)
{
    const struct tp_shown_column *column = &shown->columns[index];
    const char *title = column->title                        ? column->title
                        : column->format == TP_SHOW_OWN_TEXT ? ""
                                                             : shown->table->defs[column->column].title;
    return tp_speech_text(shown->speech, title, shown->arena);
}

bool tp_shown_is_text_column(const struct tp_shown_table *shown, unsigned index)
{
    return is_text_column(shown, &shown->columns[index]);
}

static const char *number_text(const struct tp_shown_table *shown, unsigned index, double value)
{
    const struct tp_shown_column *column = &shown->columns[index];
    double within = fmin(fmax(value, -9e18), 9e18);

    switch (column->format) {
    case TP_SHOW_TIME:
        return tp_text_of_time(shown->arena, isnan(value) ? TP_NULL_INT : (int64_t)llround(within));
    case TP_SHOW_BYTES:
        return tp_text_of_bytes(shown->arena, isnan(value) ? TP_NULL_INT : (int64_t)llround(within));
    case TP_SHOW_COUNT:
        return tp_text_of_count(shown->arena, isnan(value) ? TP_NULL_INT : (int64_t)llround(within));
    case TP_SHOW_RATIO:
        return tp_text_of_percent(shown->arena, 100 * value);
    case TP_SHOW_SHARE:
        return tp_text_of_percent(shown->arena, shown->sums[index] > 0 ? 100 * value / shown->sums[index] : 0);
    case TP_SHOW_PERCENT:
        return tp_text_of_percent(shown->arena, value);
    default:
        return tp_text_of_fixed(shown->arena, value, column->decimals);
    }
}

struct tp_str tp_shown_cell_text(const struct tp_shown_table *shown, unsigned index, size_t row)
{
    const struct tp_shown_column *column = &shown->columns[index];
    double number = cell_number(shown, column, row);
    const char *text;

    switch (column->format) {
    case TP_SHOW_OWN_TEXT:
        return shown->own_texts[column->column][row];
    case TP_SHOW_TEXT:
        return tp_table_text(shown->table, column->column)[row];
    case TP_SHOW_PRINTED:
        return shown->print(shown->arena, shown->table, column->column, row);
    case TP_SHOW_YES_NO:
        return number > 0 ? TP_STR("yes") : TP_STR("\xe2\x80\x93");
    default:
        text = number_text(shown, index, number);
        return tp_str_of(column->flags & TP_SHOWN_SIGNED && number > 0 ? tp_text_printf(shown->arena, "+%s", text)
                                                                       : text);
    }
}

/* ---- making a table ---- */

struct tp_shown_table *tp_shown_table_new(struct tp_arena *arena, const struct tp_table *table,
                                          const struct tp_shown_column *columns, unsigned column_count, size_t max_rows)
{
    struct tp_shown_table *shown = tp_arena_alloc(arena, sizeof *shown);
    *shown = (struct tp_shown_table){
        .arena = arena, .table = table, .columns = columns, .column_count = column_count, .name_title = "Name"};
    shown->row_count = table->row_count < max_rows ? table->row_count : max_rows;
    shown->rows = tp_arena_array(arena, shown->row_count, sizeof(*shown->rows));
    return shown;
}

static const char *omitted_rows_note(const struct tp_shown_table *shown)
{
    if (shown->row_count == shown->table->row_count)
        return NULL;
    return tp_text_printf(shown->arena, "The first %s of %s rows are shown%s.",
                          tp_text_of_count(shown->arena, (int64_t)shown->row_count),
                          tp_text_of_count(shown->arena, (int64_t)shown->table->row_count),
                          shown->foot ? ". The last line is the sum of all rows" : "");
}

void tp_shown_table_measure(struct tp_shown_table *shown)
{
    for (unsigned i = 0; i < shown->column_count; i++)
        find_maximum_and_sum_of_column(shown, i);
}

/* Orders the columns for pages. The column that rows are sorted by comes first with its bar and share, so that narrow
 * screens show it. The other columns keep their order. */
static void order_page_columns(struct tp_shown_table *shown)
{
    unsigned first = 0, behind;

    while (first < shown->column_count && !shown->columns[first].is_sorted)
        first++;
    behind = first < shown->column_count ? first + 1 : first;
    while (behind < shown->column_count &&
           (shown->columns[behind].format == TP_SHOW_BAR || shown->columns[behind].format == TP_SHOW_SHARE))
        behind++;
    shown->page_column_count = 0;
    for (unsigned i = 0; i < shown->column_count; i++) {
        unsigned column = i < behind - first ? first + i : i < behind ? i - (behind - first) : i;
        if (!(shown->columns[column].flags & TP_SHOWN_NARROW))
            shown->page_columns[shown->page_column_count++] = (uint8_t)column;
    }
}

struct tp_data tp_shown_table_data(struct tp_shown_table *shown)
{
    struct tp_object *object = tp_object_new(shown->arena);

    tp_shown_table_measure(shown);
    order_page_columns(shown);
    for (unsigned i = 0; i < shown->column_count; i++) {
        const struct tp_shown_column *column = &shown->columns[i];
        const char *definition =
            column->format == TP_SHOW_OWN_TEXT ? NULL : shown->table->defs[column->column].definition;
        shown->definitions[i] = definition ? tp_speech_text(shown->speech, definition, shown->arena) : "";
        if (has_format_unit(shown->columns[i].format))
            shown->units[i] = find_column_unit(shown, i);
    }
    tp_object_add_text(object, "table_name", shown->name);
    tp_object_add_text(object, "table_caption", shown->caption);
    tp_object_add_text(object, "table_heading", shown->heading);
    tp_object_add_text(object, "name_title", tp_speech_text(shown->speech, shown->name_title, shown->arena));
    tp_object_add_text(object, "name_definition", tp_speech_text(shown->speech, shown->name_definition, shown->arena));
    tp_object_add_text(object, "table_foot", shown->foot);
    tp_object_add_text(object, "table_note", shown->note);
    tp_object_add_text(object, "table_cut", omitted_rows_note(shown));
    tp_object_add_bool(object, "table_is_tree", shown->is_tree);
    tp_object_add_value(object, "columns",
                        (struct tp_data){TP_DATA_LIST, &COLUMNS, shown, shown->page_column_count, 0});
    tp_object_add_value(object, "rows", (struct tp_data){TP_DATA_LIST, &ROWS, shown, (int64_t)shown->row_count, 0});
    tp_object_add_value(object, "foot_cells", row_cells(shown, shown->row_count));
    return tp_data_of_object(object);
}

static size_t cell_size(enum tp_column_type type)
{
    switch (type) {
    case TP_COLUMN_TEXT:
    case TP_COLUMN_JSON:
        return sizeof(struct tp_str);
    case TP_COLUMN_BOOL:
        return sizeof(uint8_t);
    default:
        return sizeof(int64_t); /* integers and doubles have the same size */
    }
}

struct tp_table *tp_table_copy_rows(struct tp_arena *arena, const struct tp_table *table, const size_t *rows,
                                    size_t count)
{
    struct tp_table *picked = tp_arena_alloc(arena, sizeof(*picked));

    tp_table_init(picked, arena, table->name, table->defs, table->column_count, count);
    picked->title = table->title;
    for (unsigned column = 0; column < table->column_count; column++) {
        size_t size = cell_size(table->defs[column].type);
        char *to = picked->cells[column];
        const char *from = table->cells[column];

        for (size_t i = 0; i < count && from; i++)
            memcpy(to + i * size, from + rows[i] * size, size);
    }
    return picked;
}

struct keyed_row {
    int64_t key;
    size_t row;
};

static int compare_rows(const void *a, const void *b)
{
    const struct keyed_row *x = a, *y = b;

    if (x->key != y->key)
        return x->key > y->key ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

struct tp_table *tp_table_copy_sorted(struct tp_arena *arena, const struct tp_table *table, unsigned column)
{
    struct keyed_row *keyed = tp_arena_array(arena, table->row_count, sizeof(*keyed));
    size_t *rows = tp_arena_array(arena, table->row_count, sizeof(*rows));

    for (size_t i = 0; i < table->row_count; i++)
        keyed[i] = (struct keyed_row){tp_table_int(table, column)[i], i};
    qsort(keyed, table->row_count, sizeof(*keyed), compare_rows);
    for (size_t i = 0; i < table->row_count; i++)
        rows[i] = keyed[i].row;
    return tp_table_copy_rows(arena, table, rows, table->row_count);
}
