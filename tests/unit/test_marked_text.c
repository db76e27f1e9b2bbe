/* Tests marked texts: only backticks and asterisks of the project's own texts become code and bold words. */
#include "writer/text/marked_text.h"

#include "one_arena.h"

#include <string.h>

#include "webreport/document/data.h"
#include "writer/text/format.h"

/* Writes the runs of a marked text as "(code)", "[bold]" and plain text. */
static const char *runs_of(const char *marked)
{
    struct tp_marked_walk walk = {.rest = marked};
    struct tp_marked_run run;
    const char *text = "";
    while (tp_marked_next_run(&walk, &run))
        text = tp_text_printf(&arena, "%s%s%.*s%s", text,
                              run.is_code   ? "("
                              : run.is_bold ? "["
                                            : "",
                              (int)run.text.len, run.text.ptr,
                              run.is_code   ? ")"
                              : run.is_bold ? "]"
                                            : "");
    return text;
}

static void own_texts_have_code_and_bold_words(void **state)
{
    GUARD;
    assert_string_equal(runs_of(tp_marked_text(&arena, "Load data: `num_workers=4`")), "Load data: (num_workers=4)");
    assert_string_equal(runs_of(tp_marked_text(&arena, "**Two** steps, `a` or `b`.")), "[Two] steps, (a) or (b).");
    assert_string_equal(runs_of(tp_marked_text(&arena, "2 * 3, `x**y`")), "2 * 3, (x**y)");
    assert_string_equal(runs_of(tp_marked_text(&arena, "plain")), "plain");
    assert_string_equal(runs_of(tp_marked_text(&arena, "")), "");
    assert_string_equal(runs_of(tp_marked_text(&arena, "not `closed")), "not (closed)");
}

static void plain_form_has_backticks_and_asterisks(void **state)
{
    GUARD;
    assert_string_equal(tp_marked_plain(&arena, tp_marked_text(&arena, "**Set** `a=1`")), "**Set** `a=1`");
    assert_null(tp_marked_plain(&arena, NULL));
}

static void arguments_never_get_marks(void **state)
{
    GUARD;
    const char *marked = tp_marked_printf(&arena, "Run `%s` in **%d** steps", "a`b** c", 3);
    assert_string_equal(runs_of(marked), "Run (a`b** c) in [3] steps");
    assert_string_equal(tp_marked_plain(&arena, marked), "Run `a`b** c` in **3** steps");
    /* control bytes of a trace could open code or close it, so they remove all marks */
    assert_string_equal(runs_of(tp_marked_printf(&arena, "Run `%s`", "a\002b")), "Run ab");
    assert_string_equal(runs_of(tp_marked_printf(&arena, "Run %s", "\001rm\002")), "Run rm");
    assert_string_equal(runs_of(tp_marked_printf(&arena, "Run %s", "\003x")), "Run x");
    struct tp_str clean = tp_marked_argument(&arena, TP_STR("a\001b\004`c"));
    assert_int_equal(clean.len, 4);
    assert_memory_equal(clean.ptr, "ab`c", 4);
    struct tp_str same = TP_STR("a`b");
    assert_ptr_equal(tp_marked_argument(&arena, same).ptr, same.ptr);
}

static struct tp_data member(struct tp_data object, const char *name)
{
    struct tp_data value = {0};
    assert_true(object.source->member(&object, tp_str_of(name), &value));
    return value;
}

static void data_has_one_object_for_each_run(void **state)
{
    static const struct {
        const char *text;
        bool is_code, is_bold;
    } expected[] = {{"Set ", false, false}, {"a=1", true, false}, {" in ", false, false}, {"each", false, true}};
    GUARD;
    struct tp_object *object = tp_object_new(&arena);
    tp_object_add_rich_text(object, "title_runs", tp_marked_text(&arena, "Set `a=1` in **each**"));
    struct tp_data list = member(tp_data_of_object(object), "title_runs");
    assert_int_equal(list.number, 4);
    for (size_t i = 0; i < 4; i++) {
        struct tp_data run, text;
        list.source->item(&list, i, &run);
        text = member(run, "text");
        assert_int_equal(text.number, strlen(expected[i].text));
        assert_memory_equal(text.self, expected[i].text, strlen(expected[i].text));
        assert_int_equal(member(run, "is_code").number, expected[i].is_code);
        assert_int_equal(member(run, "is_bold").number, expected[i].is_bold);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(own_texts_have_code_and_bold_words),
                                       TEST(plain_form_has_backticks_and_asterisks), TEST(arguments_never_get_marks),
                                       TEST(data_has_one_object_for_each_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
