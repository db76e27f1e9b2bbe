/* Tests the blocks of a document in every output format: equal texts, escaped for the format, in order. Omitted rows
 * are counted. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "webreport/print/print.h"
#include "writer/text/marked_text.h"

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

static const char *print_document(tp_print *print, const struct tp_document *document,
                                  const struct tp_print_options *options)
{
    tp_buf_clear(&out);
    assert_int_equal(print(&out, document, options, NULL), 0);
    assert_int_equal(out.failed, 0);
    return out.data;
}

static const struct tp_column_def defs[] = {{"name", "Name", "", "who", TP_COLUMN_TEXT},
                                            {"time_us", "Time", "us", "how long", TP_COLUMN_NS},
                                            {"share", "Share", "%", "part", TP_COLUMN_REAL},
                                            {"note", "Note", "", "what", TP_COLUMN_TEXT}};
static const struct tp_shown_column columns[] = {
    {.format = TP_SHOW_TIME, .column = 1, .flags = TP_SHOWN_SIGNED},
    {.format = TP_SHOW_BAR, .column = 1},
    {.format = TP_SHOW_PERCENT, .column = 2, .title = "Of all"},
    {.format = TP_SHOW_TEXT, .column = 3, .flags = TP_SHOWN_WIDE},
};

static struct tp_shown_table *make_small_table(size_t max_rows)
{
    struct tp_table *table = tp_arena_alloc(&arena, sizeof *table);
    tp_table_init(table, &arena, "t", defs, 4, 2);
    tp_table_int(table, 1)[0] = 1500;
    tp_table_int(table, 1)[1] = TP_NULL_INT;
    tp_table_real(table, 2)[0] = 25;
    tp_table_real(table, 2)[1] = NAN;
    struct tp_shown_table *shown = tp_shown_table_new(&arena, table, columns, 4, max_rows);
    shown->rows[0].name = TP_STR("a|b");
    if (max_rows > 1)
        shown->rows[1].name = TP_STR("c\033[31m");
    return shown;
}

static void text_table_has_units_in_cells_and_fewer_columns(void **state)
{
    struct tp_document document;
    GUARD;
    tp_document_init(&document, "Test", &arena);
    tp_document_add_table(&document, make_small_table(2), NULL);
    assert_string_equal(print_document(tp_print_text, &document, &(struct tp_print_options){0}),
                        "Name       Time  Of all\n"
                        "a|b     +1.5 \xc2\xb5s  25.0 %\n"
                        "c?[31m        \xe2\x80\x93       \xe2\x80\x93\n");
    assert_string_equal(print_document(tp_print_markdown, &document, &(struct tp_print_options){0}),
                        "| Name | Time | Of all |\n|---|--:|--:|\n"
                        "| `a\\|b` | +1.5 \xc2\xb5s | 25.0 % |\n"
                        "| c \\[31m | \xe2\x80\x93 | \xe2\x80\x93 |\n");
    tp_document_init(&document, "Test", &arena);
    tp_document_add_table(&document, make_small_table(1), "; all shows all");
    assert_non_null(strstr(print_document(tp_print_text, &document, &(struct tp_print_options){0}),
                           "\n(1 of 2 rows; all shows all)\n"));
    assert_non_null(
        strstr(print_document(tp_print_markdown, &document, &(struct tp_print_options){0}), "\nand 1 more rows\n"));
}

static const struct tp_rule_block rule = {"kernels", "Kernels", "how many"};
static const struct tp_place_block places[] = {
    {.file_line = TP_STR("/src/a<b.py(7): f"), .text = TP_STR("a <wait>"), .function = TP_STR("f")}};

static void make_findings(struct tp_document *document)
{
    static struct tp_finding_block items[] = {
        {.tone = TP_TONE_BAD,
         .status = "fail",
         .title = "kernels <= 5",
         .value = "7",
         .reasons = {"too many", "by far"},
         .places = places,
         .place_count = 1,
         .rule = &rule,
         .cause = "beyond",
         .message = "7 kernels",
         .line = 3},
        {.tone = TP_TONE_UNSURE,
         .status = "inconclusive",
         .title = "x",
         .rule = &rule,
         .message = "cannot tell",
         .line = 4},
        {.tone = TP_TONE_GOOD, .status = "pass", .title = "y", .rule = &rule, .message = "good", .line = 5}};
    tp_document_init(document, "Test", &arena);
    tp_document_add_verdict(
        document,
        &(struct tp_verdict_block){.tone = TP_TONE_BAD, .class = "fail", .headline = "1 of 3 broken", .text = "a run"});
    tp_document_add_findings(document, &(struct tp_findings_block){.title_column_title = "limit",
                                                                   .value_title = "value",
                                                                   .name = "tracepress check",
                                                                   .source = "ci/b.txt",
                                                                   .is_source_file = true,
                                                                   .items = items,
                                                                   .count = 3,
                                                                   .shown = 2,
                                                                   .open_count = 2,
                                                                   .more = "; --json lists all"});
}

static void findings_are_equal_on_terminal_and_in_markdown(void **state)
{
    struct tp_document document;
    GUARD;
    make_findings(&document);
    assert_string_equal(print_document(tp_print_text, &document, &(struct tp_print_options){0}),
                        "fail: 1 of 3 broken\na run\n"
                        "fail         kernels <= 5                                         7\n"
                        "             too many\n             by far\n"
                        "             /src/a<b.py(7): f: a <wait>\n"
                        "inconclusive x                                                    -\n"
                        "(2 of 3 rows; --json lists all)\n");
    assert_non_null(strstr(print_document(tp_print_text, &document, &(struct tp_print_options){.has_color = true}),
                           "\033[1;31mfail\033[0m"));
    assert_string_equal(print_document(tp_print_markdown, &document, &(struct tp_print_options){0}),
                        "**fail: 1 of 3 broken**  \na run\n\n"
                        "| | limit | value |  |\n|---|---|--:|---|\n"
                        "| fail | kernels &lt;= 5 | 7 | too many; by far |\n"
                        "| inconclusive | x | \xe2\x80\x93 |  |\n"
                        "\n- `/src/a<b.py(7)`: f: a `<wait>`\n");
}

static void only_code_of_the_project_is_code_in_markdown(void **state)
{
    struct tp_document document;
    GUARD;
    tp_document_init(&document, "", &arena);
    struct tp_finding_block finding = {.status = "high", .title = "Run `a`|b` *now*", .value = "1 ms"};
    finding.marked_title = tp_marked_printf(&arena, "Run `%s` *now*", "a`|b");
    tp_document_add_findings(&document, &(struct tp_findings_block){.title_column_title = "finding",
                                                                    .value_title = "estimate",
                                                                    .items = &finding,
                                                                    .count = 1,
                                                                    .shown = 1,
                                                                    .open_count = 1});
    assert_non_null(strstr(print_document(tp_print_markdown, &document, &(struct tp_print_options){0}),
                           "| high | Run ``a`\\|b`` `*now*` | 1 ms |"));
    assert_non_null(
        strstr(print_document(tp_print_text, &document, &(struct tp_print_options){0}), "Run `a`|b` *now*"));
}

static void findings_have_levels_in_machine_formats(void **state)
{
    struct tp_document document;
    struct tp_print_options options = {.source_root = "/src/"};
    GUARD;
    make_findings(&document);
    const char *text = print_document(tp_print_junit, &document, &options);
    assert_non_null(
        strstr(text, "<testsuite name=\"tracepress check\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\""));
    assert_non_null(strstr(text, "<failure message=\"7 kernels\" type=\"beyond\">7 kernels\n/src/a&lt;b.py(7): f: "));
    assert_non_null(strstr(text, "name=\"y\" file=\"ci/b.txt\" line=\"5\" time=\"0\"/>"));
    text = print_document(tp_print_sarif, &document, &options);
    assert_non_null(
        strstr(text, "\"rules\":[{\"id\":\"kernels\",\"shortDescription\":{\"text\":\"Kernels\"},\"help\":"));
    assert_non_null(strstr(text, "\"level\":\"error\",\"message\":{\"text\":\"a <wait> (7 kernels)\"}"));
    assert_non_null(strstr(text, "\"artifactLocation\":{\"uri\":\"a%3Cb.py\"},\"region\":{\"startLine\":7}"));
    assert_non_null(strstr(text, "\"artifactLocation\":{\"uri\":\"ci/b.txt\"},\"region\":{\"startLine\":4}"));
    assert_null(strstr(text, "good"));
    assert_non_null(strstr(print_document(tp_print_badge, &document, &options), "performance: failing"));
}

static void lines_beyond_the_limit_are_omitted_and_counted(void **state)
{
    struct tp_document document;
    GUARD;
    make_findings(&document);
    tp_document_add_note(&document, "a note at the end");
    size_t whole = strlen(print_document(tp_print_markdown, &document, &(struct tp_print_options){0}));
    assert_null(strstr(out.data, "left out"));
    for (size_t end = 1; end < whole; end++) {
        const char *text = print_document(tp_print_markdown, &document, &(struct tp_print_options){.end = end});
        text = text ? text : "";
        assert_true(strlen(text) <= end);
        assert_true(!*text || text[strlen(text) - 1] == '\n');
        assert_true(end < 128 || strstr(text, " left out.\n"));
    }
}

static void record_is_json_with_nulls(void **state)
{
    struct tp_document document;
    GUARD;
    tp_document_init(&document, "Test", &arena);
    tp_object_add_text(document.record, "text", "a\"b");
    tp_object_add_text(document.record, "absent", NULL);
    tp_object_add_int_or_null(document.record, "whole", TP_NULL_INT);
    tp_object_add_ns(document.record, "time_us", 1500);
    tp_object_add_real(document.record, "real", 0.5);
    tp_object_add_real(document.record, "infinite", INFINITY);
    tp_object_add_bool(document.record, "is", true);
    struct tp_list *list = tp_object_add_list(document.record, "list");
    tp_object_add_int(tp_list_add_object(list), "n", 1);
    tp_object_add_list(document.record, "empty");
    tp_object_add_table(document.record, "rows", make_small_table(2)->table);
    assert_string_equal(print_document(tp_print_json, &document, &(struct tp_print_options){0}),
                        "{\"text\":\"a\\\"b\",\"absent\":null,\"whole\":null,\"time_us\":1.5,\"real\":0.5,"
                        "\"infinite\":null,\"is\":true,\"list\":[{\"n\":1}],\"empty\":[],\"rows\":[{\"name\":null,"
                        "\"time_us\":1.5,\"share\":25.0,\"note\":null},{\"name\":null,\"time_us\":null,\"share\":null,"
                        "\"note\":null}]}\n");
}

static struct tp_shown_table *make_long_table(size_t rows)
{
    struct tp_table *table = tp_arena_alloc(&arena, sizeof *table);
    tp_table_init(table, &arena, "t", defs, 4, rows);
    struct tp_shown_table *shown = tp_shown_table_new(&arena, table, columns, 4, rows);
    for (size_t i = 0; i < rows; i++)
        shown->rows[i].name = TP_STR("row<name>");
    shown->name = shown->caption = "t";
    return shown;
}

static size_t count_occurrences(const char *text, const char *what)
{
    size_t count = 0;
    for (; (text = strstr(text, what)); text++)
        count++;
    return count;
}

static void page_keeps_its_maximum_size_and_lists_omissions(void **state)
{
    struct tp_document document;
    struct tp_error err = {0};
    GUARD;
    tp_document_init(&document, "Test", &arena);
    tp_document_add_title(&document, &(struct tp_title_block){"A title", "top", "Top"});
    tp_document_add_verdict(
        &document,
        &(struct tp_verdict_block){.tone = TP_TONE_GOOD, .class = "Even", .headline = "All is well", .text = ""});
    document.places = TP_IN_MARKDOWN;
    tp_document_add_note(&document, "not in a page");
    document.places = TP_EVERYWHERE;
    tp_document_add_section(&document, &(struct tp_section_block){.id = "rows", .label = "Rows", .title = "The rows"});
    tp_document_add_table(&document, make_long_table(400), NULL);
    const char *page = print_document(tp_print_html, &document, &(struct tp_print_options){0});
    assert_int_equal(count_occurrences(page, "row&lt;name&gt;</"), 400);
    assert_non_null(strstr(page, "<a href=\"#rows\">Rows</a>"));
    assert_null(strstr(page, "not in a page"));
    size_t whole = out.size;
    page = print_document(tp_print_html, &document, &(struct tp_print_options){.max_bytes = whole - 1});
    assert_true(out.size < whole);
    assert_int_equal(count_occurrences(page, "row&lt;name&gt;</"), 100);
    assert_non_null(strstr(page, "The first 100 of 400 rows</summary>"));
    tp_buf_clear(&out);
    assert_int_equal(tp_print_html(&out, &document, &(struct tp_print_options){.max_bytes = 1000}, &err), TP_ELIMIT);
    print_document(tp_print_text, &document, &(struct tp_print_options){0});
    /* the document still has all rows, although the page shows 100 */
    assert_int_equal(count_occurrences(out.data, "row<name>"), 400);
    for (int64_t limit = -1; limit < 3; limit++) {
        print_document(tp_print_text, &document, &(struct tp_print_options){.row_limit = &limit});
        assert_int_equal(count_occurrences(out.data, "row<name>"), limit < 0 ? 400 : limit);
    }
}

/* Tests that a line break never separates a number from its unit. Other spaces stay ordinary, even before words that
 * begin like a unit. */
static void sentence_keeps_numbers_with_their_units(void **state)
{
    (void)state;
    static const struct {
        const char *text, *wanted;
    } cases[] = {
        {"2.95 ms (worker 0) to 44.2 \u00b5s", "2.95\u00a0ms (worker 0) to 44.2\u00a0\u00b5s"},
        {"33 %", "33\u00a0%"},
        {"12 streams, 3 minutes, 4 seconds", "12 streams, 3 minutes, 4 seconds"},
        {"x s 1 ", "x s 1 "},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tp_object *object = tp_object_new(&arena);
        tp_object_add_sentence(object, "text", tp_str_of(cases[i].text));
        const struct tp_member *member = object->members.data;
        assert_int_equal(object->members.count, 1);
        assert_true(tp_str_equal((struct tp_str){member->value.self, (size_t)member->value.number},
                                 tp_str_of(cases[i].wanted)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(text_table_has_units_in_cells_and_fewer_columns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(findings_are_equal_on_terminal_and_in_markdown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_code_of_the_project_is_code_in_markdown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(findings_have_levels_in_machine_formats, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lines_beyond_the_limit_are_omitted_and_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(record_is_json_with_nulls, set_up, tear_down),
        cmocka_unit_test_setup_teardown(page_keeps_its_maximum_size_and_lists_omissions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sentence_keeps_numbers_with_their_units, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
