/* Tests tables in pages: open rows, empty cells, columns with one value, and columns that narrow pages hide. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "webreport/document/section_table.h"
#include "webreport/document/table_page.h"
#include "webreport/print/print.h"

static struct tp_arena arena;
static struct tp_buf out;

static int set_up(void **state)
{
    (void)state;
    tp_arena_init(&arena, 0);
    tp_buf_init(&out, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tp_buf_release(&out);
    tp_arena_release(&arena);
    return 0;
}

#define GUARD                                                                                                          \
    (void)state;                                                                                                       \
    assert_int_equal(setjmp(arena.guard), 0)

enum { NAME, CALLS, TIME, SHARE, KIND, IS_USED, COLUMNS };
static const struct tp_column_def defs[COLUMNS] = {
    {"name", "Name", "", "who", TP_COLUMN_TEXT},     {"calls", "Calls", "", "how often", TP_COLUMN_INT},
    {"time_us", "Time", "us", "when", TP_COLUMN_NS}, {"share", "Share", "%", "part", TP_COLUMN_REAL},
    {"kind", "Kind", "", "what", TP_COLUMN_TEXT},    {"is_used", "Used", "", "whether", TP_COLUMN_BOOL}};
static const struct tp_shown_column columns[] = {
    {.format = TP_SHOW_COUNT, .column = CALLS},
    {.format = TP_SHOW_TIME, .column = TIME, .is_sorted = true, .flags = TP_SHOWN_SUM},
    {.format = TP_SHOW_BAR, .column = TIME},
    {.format = TP_SHOW_PERCENT, .column = SHARE},
    {.format = TP_SHOW_TEXT, .column = KIND},
    {.format = TP_SHOW_YES_NO, .column = IS_USED},
};

/* Makes a table of `rows` operators, of which the first `max_rows` are displayed. All values of a row differ from those
 * of the other rows. */
static struct tp_shown_table *make_table(size_t rows, size_t max_rows)
{
    struct tp_table *table = tp_arena_alloc(&arena, sizeof *table);
    struct tp_shown_table *shown;

    tp_table_init(table, &arena, "t", defs, COLUMNS, rows);
    for (size_t i = 0; i < rows; i++) {
        tp_table_int(table, CALLS)[i] = (int64_t)i + 1;
        tp_table_int(table, TIME)[i] = (int64_t)(1000000 * (rows - i));
        tp_table_real(table, SHARE)[i] = (double)(rows - i) + 0.5;
        tp_table_text(table, KIND)[i] = i % 2 ? TP_STR("frame") : TP_STR("call");
        tp_table_bool(table, IS_USED)[i] = i % 2;
    }
    shown = tp_shown_table_new(&arena, table, columns, sizeof columns / sizeof *columns, max_rows);
    for (size_t i = 0; i < shown->row_count; i++)
        shown->rows[i].name = tp_str_of(tp_text_printf(&arena, "row %zu", i));
    shown->name = shown->caption = shown->noun = "operators";
    return shown;
}

static const char *print_page(struct tp_shown_table *shown)
{
    struct tp_document document;

    tp_document_init(&document, "Test", &arena);
    tp_document_add_title(&document, &(struct tp_title_block){"A title", "top", "Top"});
    tp_document_add_table(&document, shown, NULL);
    tp_buf_clear(&out);
    assert_int_equal(tp_print_html(&out, &document, &(struct tp_print_options){0}, NULL), 0);
    return strstr(out.data, "<table");
}

/* Returns the part of the page after the first `text`. */
static const char *after(const char *page, const char *text)
{
    const char *found = strstr(page, text);
    assert_non_null(found);
    return found + strlen(text);
}

static void eight_rows_are_shown_before_a_click(void **state)
{
    GUARD;
    const char *page = print_page(make_table(12, 12));
    const char *rest = after(page, "<details class=\"all\"><summary>All 12 operators</summary>");
    assert_true(strstr(page, ">row 7<") < rest);
    assert_true(strstr(page, ">row 8<") > rest);
    assert_null(strstr(print_page(make_table(8, 8)), "<details class=\"all\">"));
}

static void omitted_rows_are_counted(void **state)
{
    GUARD;
    assert_non_null(strstr(print_page(make_table(1204, 300)), "<summary>The 300 longest of 1,204 operators</summary>"));
    assert_non_null(strstr(print_page(make_table(12, 5)), "<p class=\"note\">The 5 longest of 12 operators.</p>"));
}

static void trees_show_all_their_rows(void **state)
{
    GUARD;
    struct tp_shown_table *shown = make_table(12, 12);
    shown->is_tree = true;
    assert_null(strstr(print_page(shown), "<details class=\"all\">"));
}

static void totals_follow_the_last_row(void **state)
{
    GUARD;
    struct tp_shown_table *shown = make_table(12, 12);
    shown->foot = "12 operators";
    const char *page = print_page(shown);
    assert_true(strstr(page, "<tfoot>") > strstr(page, ">row 11<"));
    assert_null(strstr(after(page, "<tfoot>"), "<tfoot>"));
    assert_non_null(strstr(page, "<th scope=\"row\">12 operators</th>"));
}

static struct tp_str cell(struct tp_shown_table *shown, unsigned index, size_t row)
{
    tp_shown_table_data(shown);
    return tp_shown_page_cell(shown, index, row);
}

static void assert_cell(struct tp_shown_table *shown, unsigned index, size_t row, const char *wanted)
{
    struct tp_str text = cell(shown, index, row);
    assert_int_equal(text.len, strlen(wanted));
    assert_memory_equal(text.ptr, wanted, text.len);
}

static void absent_values_leave_a_cell_empty(void **state)
{
    GUARD;
    struct tp_shown_table *shown = make_table(4, 4);
    const struct tp_table *table = shown->table;
    tp_table_int(table, CALLS)[0] = 0;
    tp_table_int(table, TIME)[1] = TP_NULL_INT;
    tp_table_real(table, SHARE)[0] = NAN;
    tp_table_real(table, SHARE)[1] = 0;
    tp_table_real(table, SHARE)[2] = 0.004;
    tp_table_text(table, KIND)[0] = TP_STR("\xe2\x80\x93");
    assert_cell(shown, 0, 0, "");
    assert_cell(shown, 1, 1, "");
    assert_cell(shown, 3, 0, "");
    assert_cell(shown, 3, 1, "");
    assert_cell(shown, 3, 2, "<0.1"); /* it happened, but is too small for the precision of the column */
    assert_cell(shown, 4, 0, "");
    assert_cell(shown, 5, 0, "");
    assert_cell(shown, 5, 1, "yes");
    assert_null(strstr(print_page(shown), ">\xe2\x80\x93<"));
}

static void signed_columns_show_zero(void **state)
{
    static const struct tp_shown_column change[] = {
        {.format = TP_SHOW_PERCENT, .column = SHARE, .flags = TP_SHOWN_SIGNED}};
    GUARD;
    struct tp_shown_table *shown = make_table(3, 3);
    shown->columns = change;
    shown->column_count = 1;
    tp_table_real(shown->table, SHARE)[1] = 0;
    assert_cell(shown, 0, 1, "0.0");
}

static void column_with_one_value_becomes_a_text(void **state)
{
    GUARD;
    struct tp_shown_table *shown = make_table(4, 4);
    for (size_t i = 0; i < 4; i++) {
        tp_table_text(shown->table, KIND)[i] = TP_STR("call");
        tp_table_bool(shown->table, IS_USED)[i] = 0;
        tp_table_real(shown->table, SHARE)[i] = 25;
    }
    const char *page = print_page(shown);
    assert_non_null(strstr(page, "<p class=\"note\">All rows: Share: 25.0 %, Kind: call.</p>"));
    assert_null(strstr(page, ">Kind<"));
    assert_null(strstr(page, ">Used<"));
    /* unknown rows may have other values */
    page = print_page(make_table(4, 1));
    assert_non_null(strstr(page, ">Kind<"));
}

static void share_is_before_its_bar(void **state)
{
    GUARD;
    struct tp_shown_table *shown = make_table(4, 4);
    tp_shown_table_data(shown);
    static const uint8_t wanted[] = {0, 1, 3, 2, 4, 5};
    assert_int_equal(shown->page_column_count, sizeof wanted);
    assert_memory_equal(shown->page_columns, wanted, sizeof wanted);
}

/* Tests that the columns of each level fit next to the name, and that a narrow page keeps the sorted column. */
static void narrow_pages_hide_the_less_important_columns(void **state)
{
    enum { MANY = 20 };
    GUARD;
    struct tp_shown_column many[MANY];
    for (unsigned i = 0; i < MANY; i++)
        many[i] = (struct tp_shown_column){.format = TP_SHOW_TIME, .column = TIME, .is_sorted = i == MANY - 1};
    many[0].flags = TP_SHOWN_LESS;
    struct tp_shown_table *shown = make_table(4, 4);
    shown->columns = many;
    shown->column_count = MANY;
    tp_shown_table_data(shown);
    unsigned digits[3] = {0, 0, 0};
    for (unsigned i = 0; i < shown->page_column_count; i++)
        digits[shown->page_levels[shown->page_columns[i]]] += shown->page_widths[shown->page_columns[i]] + 1;
    assert_int_equal(shown->page_levels[MANY - 1], TP_COLUMN_ALWAYS);
    assert_int_equal(shown->page_levels[0], TP_COLUMN_IN_FULL);
    assert_in_range(digits[TP_COLUMN_ALWAYS], 10, 23);
    assert_in_range(digits[TP_COLUMN_IN_HALF], 10, 50 - digits[TP_COLUMN_ALWAYS]);
    assert_true(digits[TP_COLUMN_IN_FULL] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(eight_rows_are_shown_before_a_click, set_up, tear_down),
        cmocka_unit_test_setup_teardown(omitted_rows_are_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(trees_show_all_their_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(totals_follow_the_last_row, set_up, tear_down),
        cmocka_unit_test_setup_teardown(absent_values_leave_a_cell_empty, set_up, tear_down),
        cmocka_unit_test_setup_teardown(signed_columns_show_zero, set_up, tear_down),
        cmocka_unit_test_setup_teardown(column_with_one_value_becomes_a_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(share_is_before_its_bar, set_up, tear_down),
        cmocka_unit_test_setup_teardown(narrow_pages_hide_the_less_important_columns, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("table_layout", tests, NULL, NULL);
}
