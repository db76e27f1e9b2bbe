/* Exports: the table of formats, names that are safe in a path. */
#include "webreport/export/export.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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
    tp_csv_text(&out, text);
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
                "1\""); /* of full width */
    assert_cell((struct tp_str){NULL, 0}, "\"\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(export_format_is_found_by_name),
        cmocka_unit_test(export_names_stay_in_their_folder),
        cmocka_unit_test(csv_cells_start_no_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
