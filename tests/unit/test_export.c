/* Tests exports: the table of formats, and names that are safe in a path. */
#include "webreport/export/export.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "writer/text/csv_cell.h"
#include "writer/text/escape.h"

static void export_format_is_found_by_name(void **state)
{
    (void)state;
    assert_string_equal(tp_export_find("tfevents")->name, "tfevents");
    assert_null(tp_export_find("nonsense"));
    assert_null(tp_export_find(""));
}

static void export_names_stay_in_their_folder(void **state)
{
    struct tp_arena arena;
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    assert_string_equal(tp_file_name_escape(&arena, TP_STR("host_1.rank-0")), "host_1.rank-0");
    assert_string_equal(tp_file_name_escape(&arena, TP_STR("../etc/passwd")), "_._etc_passwd");
    assert_string_equal(tp_file_name_escape(&arena, TP_STR("..")), "_.");
    assert_string_equal(tp_file_name_escape(&arena, TP_STR("a\0b\n\xc3\xa9")), "a_b___");
    assert_string_equal(tp_file_name_escape(&arena, TP_STR("")), "_");
    char longer[4096];
    memset(longer, 'x', sizeof longer);
    assert_int_equal(strlen(tp_file_name_escape(&arena, (struct tp_str){longer, sizeof longer})), 128);
    tp_arena_release(&arena);
}

static void assert_cell(struct tp_str text, const char *want)
{
    struct tp_buf out;
    tp_buf_init(&out, 0);
    tp_csv_put_text(&out, text);
    assert_int_equal(out.size, strlen(want));
    assert_memory_equal(out.data, want, out.size);
    tp_buf_release(&out);
}

static void csv_cells_start_no_formula(void **state)
{
    (void)state;
    assert_cell(TP_STR("a,b"), "\"a,b\"");
    assert_cell(TP_STR("say \"x\""), "\"say \"\"x\"\"\"");
    assert_cell(TP_STR("=1+1"), "\"'=1+1\"");
    assert_cell(TP_STR("@SUM(A1)"), "\"'@SUM(A1)\"");
    assert_cell(TP_STR("\tx"), "\"'\tx\"");
    assert_cell(TP_STR("a=1"), "\"a=1\"");
    assert_cell(TP_STR("a\n=1\t @x\r\n+2\n\n-3"), "\"a\n'=1\t' @x\r\n'+2\n\n'-3\"");
    assert_cell(TP_STR("  =1"), "\"'  =1\"");
    assert_cell(TP_STR("\n"), "\"'\n\"");
    assert_cell(TP_STR("\xEF\xBC\x9D"
                       "1"),
                "\"'\xEF\xBC\x9D"
                "1\""); /* a full-width equals sign also starts a formula */
    assert_cell((struct tp_str){NULL, 0}, "\"\"");
}

/* Tests that a cell is quoted if a sign such as '=' follows invisible characters, because the sign starts a formula.
 * Before a letter, invisible characters have no effect. */
static void csv_cells_start_no_formula_behind_invisible_characters(void **state)
{
    static const char *const invisible[] = {"\x01",
                                            "\x1b",
                                            "\x7f",
                                            "\xc2\x85",
                                            "\xc2\xa0",
                                            "\xc2\xad",
                                            "\xcd\x8f",
                                            "\xd8\x9c",
                                            "\xe2\x80\x8b",
                                            "\xe2\x80\x8d",
                                            "\xe2\x80\x8e",
                                            "\xe2\x80\xae",
                                            "\xe2\x80\xaf",
                                            "\xe2\x81\xa0",
                                            "\xe2\x81\xa9",
                                            "\xe3\x80\x80",
                                            "\xe3\x85\xa4",
                                            "\xef\xb8\x8f",
                                            "\xef\xbb\xbf",
                                            "\xf3\xa0\x81\x81",
                                            "\t",
                                            " \t ",
                                            "\xef\xbb\xbf\xe2\x80\x8b "};
    static const char *const signs[] = {"=", "+", "-", "@", "\xef\xbc\x9d", "\xe2\x88\x92"};
    struct tp_buf out;
    char text[32];
    (void)state;
    tp_buf_init(&out, 0);
    for (size_t i = 0; i < sizeof invisible / sizeof *invisible; i++)
        for (size_t k = 0; k < sizeof signs / sizeof *signs; k++) {
            snprintf(text, sizeof text, "%s%s1", invisible[i], signs[k]);
            tp_buf_clear(&out);
            tp_csv_put_text(&out, tp_str_of(text));
            assert_memory_equal(out.data, "\"'", 2);
            snprintf(text, sizeof text, "x%s%s1", invisible[i], signs[k]);
            tp_buf_clear(&out);
            tp_csv_put_text(&out, tp_str_of(text));
            assert_memory_equal(out.data, "\"x", 2);
        }
    tp_buf_release(&out);
    assert_cell(TP_STR("\xe2\x80\x8bname"), "\"\xe2\x80\x8bname\"");
    const char nul[] = "\0\0=1";
    tp_buf_init(&out, 0);
    tp_csv_put_text(&out, (struct tp_str){nul, sizeof nul - 1});
    assert_int_equal(out.size, 7);
    assert_memory_equal(out.data, "\"'\0\0=1\"", 7);
    tp_buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(export_format_is_found_by_name),
        cmocka_unit_test(export_names_stay_in_their_folder),
        cmocka_unit_test(csv_cells_start_no_formula),
        cmocka_unit_test(csv_cells_start_no_formula_behind_invisible_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
