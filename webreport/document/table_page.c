/* Makes the data of tables for templates. See table_page.h. */
#include "webreport/document/table_page.h"

#include <math.h>

#include "webreport/document/table_layout.h"
#include "writer/base/utf8.h"
#include "writer/text/format.h"

enum { LONG_NAME_BYTES = 32 }; /* longer names may be cut off in pages, so that they get a tooltip */

/* ---- cells, rows, columns ---- */

/* Prints the width of the bar in a cell, percent of the cell. place: index of the row. number: index of the column. */
static void print_bar(const struct tp_data *value, struct tp_buf *out)
{
    const struct tp_shown_table *shown = value->self;
    unsigned index = (unsigned)value->number;
    double number = tp_shown_cell_number(shown, index, value->place);

    tp_format_fixed(out, number > 0 && shown->maxima[index] > 0 ? 100 * number / shown->maxima[index] : 0, 1);
}

static bool find_member_of_cell(const struct tp_data *cell, struct tp_str name, struct tp_data *out);
static bool find_member_of_row(const struct tp_data *object, struct tp_str name, struct tp_data *out);
static bool find_member_of_column(const struct tp_data *object, struct tp_str name, struct tp_data *out);
static void get_cell_of_row(const struct tp_data *list, size_t index, struct tp_data *out);
static void get_row_of_table(const struct tp_data *list, size_t index, struct tp_data *out);
static void get_column_of_table(const struct tp_data *list, size_t index, struct tp_data *out);

static const struct tp_data_source CELL = {.member = find_member_of_cell, .print = print_bar};
static const struct tp_data_source CELLS = {.item = get_cell_of_row};
static const struct tp_data_source ROW = {.member = find_member_of_row};
static const struct tp_data_source ROWS = {.item = get_row_of_table};
static const struct tp_data_source COLUMN = {.member = find_member_of_column};
static const struct tp_data_source COLUMNS = {.item = get_column_of_table};

static bool is_bar_visible(const struct tp_shown_table *shown, unsigned index, size_t row)
{
    return shown->maxima[index] > 0 && tp_shown_cell_number(shown, index, row) * 100 >= shown->maxima[index] * 0.8;
}

/* Returns the classes of a column's cells in style sheets: "t" for texts, "b" for bars, and the level of the column. */
static struct tp_data column_class(const struct tp_shown_table *shown, unsigned index)
{
    static const char *const classes[][TP_COLUMN_IN_FULL + 1] = {
        {"", "x", "y"}, {"t", "t x", "t y"}, {"b", "b x", "b y"}};
    unsigned kind = shown->columns[index].format == TP_SHOW_BAR ? 2 : tp_shown_is_text_column(shown, index);
    return tp_data_text(classes[kind][shown->page_levels[index]]);
}

/* Returns the class of a column's level; "" for a column that is always shown. */
static struct tp_data column_level(const struct tp_shown_table *shown, unsigned index)
{
    static const char *const classes[] = {"", "x", "y"};
    return tp_data_text(classes[shown->page_levels[index]]);
}

/* Returns whether a text is longer than its column, so that the page also shows it as a tooltip. */
static bool is_cut_off(const struct tp_shown_table *shown, unsigned index, struct tp_str text)
{
    return tp_utf8_count(text.ptr, text.len) > shown->page_widths[index];
}

/* Sets *out to one of the members of a cell: cell_bar (width of a visible bar), cell_is_bar, cell_is_bold,
 * cell_class, cell_cause, cell_text or cell_title. */
static bool find_member_of_cell(const struct tp_data *cell, struct tp_str name, struct tp_data *out)
{
    const struct tp_shown_table *shown = cell->self;
    unsigned index = (unsigned)cell->number;
    const struct tp_shown_column *column = &shown->columns[index];
    bool is_bar = column->format == TP_SHOW_BAR;

    if (tp_str_equal(name, TP_STR("cell_text"))) {
        *out = is_bar ? (struct tp_data){.kind = TP_DATA_NONE}
                      : tp_data_str(tp_shown_page_cell(shown, index, cell->place));
    } else if (tp_str_equal(name, TP_STR("cell_title"))) {
        struct tp_str text = cell->place < shown->row_count && tp_shown_is_text_column(shown, index)
                                 ? tp_shown_page_cell(shown, index, cell->place)
                                 : TP_STR("");
        *out = tp_data_str(is_cut_off(shown, index, text) ? text : TP_STR(""));
    } else if (tp_str_equal(name, TP_STR("cell_is_bold"))) {
        *out = tp_data_bool(cell->place < shown->row_count && shown->rows[cell->place].bold_columns >> index & 1);
    } else if (tp_str_equal(name, TP_STR("cell_is_bar"))) {
        *out = tp_data_bool(is_bar);
    } else if (tp_str_equal(name, TP_STR("cell_bar"))) {
        *out = *cell;
        out->kind = cell->place < shown->row_count && is_bar_visible(shown, index, cell->place) ? TP_DATA_PRINTED
                                                                                                : TP_DATA_NONE;
    } else if (tp_str_equal(name, TP_STR("cell_class"))) {
        *out = column_class(shown, index);
    } else if (tp_str_equal(name, TP_STR("cell_cause"))) {
        const char *cause = cell->place < shown->row_count ? shown->rows[cell->place].cause : NULL;
        *out = tp_data_text(cause ? cause : "gpu");
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

static struct tp_data text_or_none(const char *text)
{
    return text ? tp_data_text(text) : (struct tp_data){.kind = TP_DATA_NONE};
}

/* Sets *out to one of the parts of a row's name. Returns false for other members. */
static bool find_part_of_row_name(const struct tp_shown_row *row, struct tp_str name, struct tp_data *out)
{
    bool has_page_name = row->page_name.ptr != NULL;

    if (tp_str_equal(name, TP_STR("row_name")))
        *out = tp_data_str(has_page_name ? row->page_name : row->name);
    else if (tp_str_equal(name, TP_STR("row_prefix")))
        *out = tp_data_str(has_page_name ? TP_STR("") : row->prefix);
    else if (tp_str_equal(name, TP_STR("row_place")))
        *out = tp_data_str(has_page_name ? row->page_place : TP_STR(""));
    else if (tp_str_equal(name, TP_STR("row_title")))
        *out = tp_data_str(row->full.ptr && (has_page_name || !tp_str_equal(row->full, row->name)) ? row->full
                           : row->name.len > LONG_NAME_BYTES                                       ? row->name
                                                                                                   : TP_STR(""));
    else if (tp_str_equal(name, TP_STR("row_cause")))
        *out = text_or_none(row->cause);
    else if (tp_str_equal(name, TP_STR("row_is_place")))
        *out = tp_data_bool(row->is_place);
    else if (tp_str_equal(name, TP_STR("row_href")))
        *out = text_or_none(row->href);
    else
        return false;
    return true;
}

static bool find_member_of_row(const struct tp_data *object, struct tp_str name, struct tp_data *out)
{
    const struct tp_shown_table *shown = object->self;
    const struct tp_shown_row *row = &shown->rows[object->place];

    if (tp_str_equal(name, TP_STR("cells")))
        *out = row_cells(shown, object->place);
    else if (tp_str_equal(name, TP_STR("row_marks")))
        *out = text_or_none(row->marks);
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
        return find_part_of_row_name(row, name, out);
    return true;
}

static void get_row_of_table(const struct tp_data *list, size_t index, struct tp_data *out)
{
    /* the place of a list is its first row */
    *out = (struct tp_data){TP_DATA_OBJECT, &ROW, list->self, 0, list->place + index};
}

static bool find_member_of_column(const struct tp_data *object, struct tp_str name, struct tp_data *out)
{
    const struct tp_shown_table *shown = object->self;
    const struct tp_shown_column *column = &shown->columns[object->place];

    if (tp_str_equal(name, TP_STR("column_title")))
        *out = tp_data_text(tp_shown_column_title(shown, (unsigned)object->place));
    else if (tp_str_equal(name, TP_STR("column_unit")))
        *out = tp_data_text(tp_shown_unit_text(shown, (unsigned)object->place));
    else if (tp_str_equal(name, TP_STR("column_definition")))
        *out = tp_data_text(shown->definitions[object->place]);
    else if (tp_str_equal(name, TP_STR("column_is_bar")))
        *out = tp_data_bool(column->format == TP_SHOW_BAR);
    else if (tp_str_equal(name, TP_STR("column_class")))
        *out = column_class(shown, (unsigned)object->place);
    else if (tp_str_equal(name, TP_STR("column_is_sorted")))
        *out = tp_data_bool(column->is_sorted);
    else if (tp_str_equal(name, TP_STR("column_width")))
        *out = tp_data_int(shown->page_widths[object->place]);
    else if (tp_str_equal(name, TP_STR("column_level")))
        *out = column_level(shown, (unsigned)object->place);
    else
        return false;
    return true;
}

static void get_column_of_table(const struct tp_data *list, size_t index, struct tp_data *out)
{
    const struct tp_shown_table *shown = list->self;
    *out = (struct tp_data){TP_DATA_OBJECT, &COLUMN, shown, 0, shown->page_columns[index]};
}

/* ---- the whole table ---- */

/* Returns the text for the number of displayed rows, such as "300 longest" for a table that is sorted by time. */
static const char *number_of_first_rows(const struct tp_shown_table *shown)
{
    const char *count = tp_text_of_count(shown->arena, (int64_t)shown->row_count);

    for (unsigned i = 0; i < shown->column_count; i++)
        if (shown->columns[i].is_sorted)
            return tp_text_printf(shown->arena, "%s %s", count,
                                  shown->columns[i].format == TP_SHOW_TIME ? "longest" : "largest");
    return tp_text_printf(shown->arena, "first %s", count);
}

/* Returns a text on the rows of the table, such as "All 49 operators" or "The 300 longest of 1,204 kernels". */
static const char *rows_text(const struct tp_shown_table *shown)
{
    const char *all = tp_text_of_count(shown->arena, (int64_t)shown->table->row_count);
    const char *noun = tp_speech_text(shown->speech, shown->noun ? shown->noun : "rows", shown->arena);

    if (shown->row_count == shown->table->row_count)
        return tp_text_printf(shown->arena, "All %s %s", all, noun);
    return tp_text_printf(shown->arena, "The %s of %s %s", number_of_first_rows(shown), all, noun);
}

/* Adds the rows: those that the page shows, and in `rest` those that the reader opens. */
static void put_rows(struct tp_shown_table *shown, struct tp_object *object)
{
    bool is_split = shown->row_count > TP_OPEN_ROWS && !shown->is_tree && !shown->shows_all_rows;
    size_t open = is_split ? TP_OPEN_ROWS : shown->row_count;
    bool is_cut = shown->row_count < shown->table->row_count;
    struct tp_object *rest;

    tp_object_add_value(object, "rows", (struct tp_data){TP_DATA_LIST, &ROWS, shown, (int64_t)open, 0});
    tp_object_add_text(object, "table_cut",
                       is_cut && !is_split ? tp_text_printf(shown->arena, "%s.", rows_text(shown)) : NULL);
    if (!is_split) {
        tp_object_add_bool(object, "rest", false);
        return;
    }
    rest = tp_object_add_object(object, "rest");
    tp_object_add_text(rest, "rest_title", rows_text(shown));
    tp_object_add_value(rest, "rest_rows",
                        (struct tp_data){TP_DATA_LIST, &ROWS, shown, (int64_t)(shown->row_count - open), open});
}

struct tp_data tp_shown_table_data(struct tp_shown_table *shown)
{
    struct tp_object *object = tp_object_new(shown->arena);

    tp_shown_table_measure(shown);
    for (unsigned i = 0; i < shown->column_count; i++) {
        const struct tp_shown_column *column = &shown->columns[i];
        const char *definition =
            column->format == TP_SHOW_OWN_TEXT ? NULL : shown->table->defs[column->column].definition;
        shown->definitions[i] = definition ? tp_speech_text(shown->speech, definition, shown->arena) : "";
    }
    tp_table_layout_fill(shown);
    tp_object_add_text(object, "table_name", shown->name);
    tp_object_add_text(object, "table_caption", shown->caption);
    tp_object_add_text(object, "table_heading", shown->heading);
    tp_object_add_text(object, "name_title", tp_speech_text(shown->speech, shown->name_title, shown->arena));
    tp_object_add_text(object, "name_definition", tp_speech_text(shown->speech, shown->name_definition, shown->arena));
    tp_object_add_text(object, "table_foot", shown->foot);
    tp_object_add_text(object, "table_note", shown->note);
    tp_object_add_text(object, "table_same", shown->same_values);
    tp_object_add_bool(object, "table_is_tree", shown->is_tree);
    tp_object_add_value(object, "columns",
                        (struct tp_data){TP_DATA_LIST, &COLUMNS, shown, shown->page_column_count, 0});
    put_rows(shown, object);
    tp_object_add_value(object, "foot_cells", row_cells(shown, shown->row_count));
    return tp_data_of_object(object);
}
