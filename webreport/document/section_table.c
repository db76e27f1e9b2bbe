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
    if (column->flags & TP_SHOWN_NUMBER)
        return false;
    return is_text_format(column->format) || type == TP_COLUMN_TEXT || type == TP_COLUMN_JSON || type == TP_COLUMN_BOOL;
}

double tp_shown_cell_number(const struct tp_shown_table *shown, unsigned index, size_t row)
{
    const struct tp_shown_column *column = &shown->columns[index];
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
        double value = tp_shown_cell_number(shown, index, row);

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

/* ---- cells of pages ---- */

static const char *number_of_page(const struct tp_shown_table *shown, unsigned index, double value)
{
    const struct tp_shown_column *column = &shown->columns[index];

    switch (column->format) {
    case TP_SHOW_TIME:
    case TP_SHOW_BYTES:
        return tp_text_of_fixed(shown->arena, value / shown->units[index].divisor, shown->units[index].decimals);
    case TP_SHOW_RATIO:
        return tp_text_of_fixed(shown->arena, 100 * value, 1);
    case TP_SHOW_SHARE:
        return tp_text_of_fixed(shown->arena, shown->sums[index] > 0 ? 100 * value / shown->sums[index] : 0, 1);
    case TP_SHOW_PERCENT:
        return tp_text_of_fixed(shown->arena, value, 1);
    default:
        return tp_text_of_fixed(shown->arena, value, column->format == TP_SHOW_COUNT ? 0 : column->decimals);
    }
}

static bool is_zero(const char *number)
{
    return number[strspn(number, "0.")] == 0;
}

/* Returns a number for a page. Unsigned columns show nothing for zero, because nothing happened. */
static struct tp_str page_number(const struct tp_shown_table *shown, unsigned index, double value)
{
    const char *text;

    if (isnan(value))
        return TP_STR("");
    text = number_of_page(shown, index, value);
    if (shown->columns[index].flags & TP_SHOWN_SIGNED || !is_zero(text))
        return tp_str_of(text);
    if (value == 0)
        return TP_STR("");
    return tp_str_of(tp_text_printf(shown->arena, "<%.*s1", (int)strlen(text) - 1, text));
}

static struct tp_str own_or_table_text(const struct tp_shown_table *shown, unsigned index, size_t row)
{
    const struct tp_shown_column *column = &shown->columns[index];

    if (column->format == TP_SHOW_OWN_TEXT)
        return shown->own_texts[column->column][row];
    if (column->format == TP_SHOW_PRINTED)
        return shown->print(shown->arena, shown->table, column->column, row);
    return shown->table->defs[column->column].type == TP_COLUMN_TEXT ? tp_table_text(shown->table, column->column)[row]
                                                                     : TP_STR("");
}

/* Returns whether a text stands for an unknown value or for "no". */
static bool is_absent(struct tp_str text)
{
    return tp_str_equal(text, TP_STR("\xe2\x80\x93")) || tp_str_equal(text, TP_STR("-")) ||
           tp_str_equal(text, TP_STR("no"));
}

static bool has_text_cells(const struct tp_shown_column *column)
{
    return column->format == TP_SHOW_TEXT || column->format == TP_SHOW_OWN_TEXT || column->format == TP_SHOW_PRINTED;
}

struct tp_str tp_shown_page_cell(const struct tp_shown_table *shown, unsigned index, size_t row)
{
    const struct tp_shown_column *column = &shown->columns[index];

    if (row == shown->row_count)
        return column->flags & TP_SHOWN_SUM ? page_number(shown, index, shown->sums[index]) : TP_STR("");
    if (has_text_cells(column)) {
        struct tp_str text = own_or_table_text(shown, index, row);
        return is_absent(text) ? TP_STR("") : text;
    }
    if (column->format == TP_SHOW_YES_NO)
        return tp_shown_cell_number(shown, index, row) > 0 ? TP_STR("yes") : TP_STR("");
    return page_number(shown, index, tp_shown_cell_number(shown, index, row));
}

const char *tp_shown_unit_text(const struct tp_shown_table *shown, unsigned index)
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
    double number = tp_shown_cell_number(shown, index, row);
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

void tp_shown_table_measure(struct tp_shown_table *shown)
{
    for (unsigned i = 0; i < shown->column_count; i++)
        find_maximum_and_sum_of_column(shown, i);
    for (unsigned i = 0; i < shown->column_count; i++)
        if (has_format_unit(shown->columns[i].format))
            shown->units[i] = find_column_unit(shown, i);
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
