/* Tests tables as text: column widths in characters, units, and characters that must not reach a terminal or a
 * spreadsheet. */
#include "webreport/document/tables/table_document.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "webreport/print/print.h"

static const uint32_t order[] = {0, 1};

static struct tp_key_averages make_averages(struct tp_key_row *rows, uint32_t count)
{
    return (struct tp_key_averages){.rows = rows, .count = count, .has_device_rows = true};
}

/* A table and the options for printing it. */
struct printing {
    const struct tp_profile_table *table;
    const struct tp_table_style *style;
    struct tp_arena arena;
    struct tp_buf out;
    bool is_csv;
};

static int print_table(void *context, struct tp_error *err)
{
    struct printing *p = context;
    const struct tp_print_options options = {.omits_column_names = true};
    struct tp_document document;
    tp_table_document(&document, p->table, p->style, p->is_csv ? TP_IN_CSV : TP_IN_TEXT, &p->arena);
    return (p->is_csv ? tp_print_csv : tp_print_text)(&p->out, &document, &options, err);
}

static void assert_table_output(const struct tp_key_averages *averages, const struct tp_table_style *style, bool is_csv,
                                const char *expected)
{
    const struct tp_profile_table table = {.label = TP_STR("=p"),
                                           .file = TP_STR("f"),
                                           .averages = averages,
                                           .order = order,
                                           .shown = order,
                                           .shown_count = averages->count,
                                           .row_limit = -1};
    struct printing printing = {.table = &table, .style = style, .is_csv = is_csv};
    tp_arena_init(&printing.arena, 0);
    tp_buf_init(&printing.out, 0);
    assert_int_equal(tp_arena_run(&printing.arena, print_table, &printing, NULL), TP_OK);
    assert_string_equal(printing.out.data ? printing.out.data : "", expected);
    tp_buf_release(&printing.out);
    tp_arena_release(&printing.arena);
}

static void assert_text_output(const struct tp_key_averages *averages, const struct tp_table_style *style,
                               const char *expected)
{
    assert_table_output(averages, style, false, expected);
}

static void widths_are_characters_not_bytes(void **state)
{
    struct tp_key_row rows[] = {
        {.key = TP_STR("h\xC3\xA9llo"), .count = 2, .self_cpu = {1500000, 1500}, .cpu = {3000000, 3000}},
        {.key = TP_STR("a\x1b[31m\nb\xC2\x9B"), .count = 1}};
    struct tp_key_averages averages = make_averages(rows, 2);
    struct tp_table_style options = TP_TABLE_STYLE;
    (void)state;
    assert_text_output(
        &averages, &options,
        "-------------  ------------  ------------  ------------  ------------  ------------  ------------  \n"
        "         Name    Self CPU %      Self CPU   CPU total %     CPU total  CPU time avg    # of Calls  \n"
        "-------------  ------------  ------------  ------------  ------------  ------------  ------------  \n"
        "        h\xC3\xA9llo       100.00%       1.500ms       200.00%       3.000ms       1.500ms             2  \n"
        "    a?[31m?b?         0.00%       0.000us         0.00%       0.000us       0.000us             1  \n"
        "-------------  ------------  ------------  ------------  ------------  ------------  ------------  \n"
        "Self CPU time total: 1.500ms\n");
}

static void long_names_are_cut_by_characters(void **state)
{
    struct tp_key_row rows[] = {{.key = TP_STR("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9"), .count = 1}};
    struct tp_key_averages averages = make_averages(rows, 1);
    struct tp_table_style options = {.max_name_width = 7};
    (void)state;
    assert_text_output(
        &averages, &options,
        "-------  ------------  ------------  ------------  ------------  ------------  ------------  \n"
        "   Name    Self CPU %      Self CPU   CPU total %     CPU total  CPU time avg    # of Calls  \n"
        "-------  ------------  ------------  ------------  ------------  ------------  ------------  \n"
        "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9...           NaN       0.000us           NaN       0.000us       "
        "0.000us             1  \n"
        "-------  ------------  ------------  ------------  ------------  ------------  ------------  \n"
        "Self CPU time total: 0.000us\n");
}

static void empty_table_gives_no_text(void **state)
{
    struct tp_key_averages averages = make_averages(NULL, 0);
    struct tp_table_style options = TP_TABLE_STYLE;
    (void)state;
    assert_text_output(&averages, &options, "");
}

static void cells_are_no_formulas(void **state)
{
    static const struct {
        struct tp_str key;
        const char *cell;
    } cases[] = {{TP_STR("=1+1"), "\"'=1+1\""},
                 {TP_STR("+a"), "\"'+a\""},
                 {TP_STR("-a"), "\"'-a\""},
                 {TP_STR("@a"), "\"'@a\""},
                 {TP_STR("\ta"), "\"'\ta\""},
                 {TP_STR("a\"b,c\nd"), "\"a\"\"b,c\nd\""},
                 {TP_STR("aten::mm"), "\"aten::mm\""},
                 {TP_STR(""), "\"\""}};
    struct tp_table_style options = TP_TABLE_STYLE;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tp_key_row rows[] = {{.key = cases[i].key, .count = 1, .self_cpu = {1234, 1.234}}};
        struct tp_key_averages averages = make_averages(rows, 1);
        char expected[128];
        snprintf(expected, sizeof expected, "%s,cpu,false,false,1,1.234,0,0,0,0,0,0,0,0,0,0,,,\"'=p\"\n",
                 cases[i].cell);
        assert_table_output(&averages, &options, true, expected);
    }
}

static void numbers_are_printed_as_torch_does(void **state)
{
    char text[TP_KEY_TEXT];
    (void)state;
    tp_key_format_time(text, 999.9996, TP_KEY_UNIT_AUTO);
    assert_string_equal(text, "1000.000us");
    tp_key_format_time(text, 1e6, TP_KEY_UNIT_AUTO);
    assert_string_equal(text, "1.000s");
    tp_key_format_time(text, -5e6, TP_KEY_UNIT_AUTO);
    assert_string_equal(text, "-5000000.000us");
    tp_key_format_time(text, 1e300, TP_KEY_UNIT_US);
    assert_int_equal(strlen(text), 301 + 4 + 2);
    tp_key_format_memory(text, INT64_MIN, TP_TORCH_2_13);
    assert_string_equal(text, "-8589934592.00 GB");
    tp_key_format_memory(text, -1024, TP_TORCH_2_6);
    assert_string_equal(text, "-1.00 Kb");
    tp_key_format_memory(text, 1023, TP_TORCH_2_13);
    assert_string_equal(text, "1023 B");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths_are_characters_not_bytes),   cmocka_unit_test(long_names_are_cut_by_characters),
        cmocka_unit_test(empty_table_gives_no_text),         cmocka_unit_test(cells_are_no_formulas),
        cmocka_unit_test(numbers_are_printed_as_torch_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
