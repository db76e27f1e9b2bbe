/* Tests the functions that sections share: leads, names of source lines, and the order of sections. */
#include "webreport/document/section.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "webreport/document/report/section_order.h"

static struct tp_arena arena;

static int set_up(void **state)
{
    (void)state;
    tp_arena_init(&arena, 0);
    return setjmp(arena.guard);
}

static int tear_down(void **state)
{
    (void)state;
    tp_arena_release(&arena);
    return 0;
}

static void assert_text(const struct tp_data *object, const char *name, const char *wanted)
{
    struct tp_data value;
    assert_true(object->source->member(object, tp_str_of(name), &value));
    assert_int_equal(value.number, strlen(wanted));
    assert_memory_equal(value.self, wanted, strlen(wanted));
}

static void lead_has_bold_parts_only_where_its_format_has_marks(void **state)
{
    struct tp_object *object = tp_object_new(&arena);
    struct tp_data whole, lead, run, is_bold;

    (void)state;
    tp_object_add_lead(object, "%s takes **%s** of 100 %%.", "a**b", "82 %");
    whole = tp_data_of_object(object);
    assert_true(whole.source->member(&whole, TP_STR("lead"), &lead));
    assert_int_equal(lead.number, 3);
    static const char *const texts[] = {"a**b takes ", "82\u00a0%", " of 100\u00a0%."};
    for (size_t i = 0; i < 3; i++) {
        lead.source->item(&lead, i, &run);
        assert_text(&run, "text", texts[i]);
        assert_true(run.source->member(&run, TP_STR("is_bold"), &is_bold));
        assert_int_equal(is_bold.number, i == 1);
    }
}

static void source_line_has_its_function_as_name(void **state)
{
    static const struct tp_column_def defs[] = {{"name", "Name", "", "", TP_COLUMN_TEXT}};
    struct tp_naming naming = {.arena = &arena};
    struct tp_table table;

    (void)state;
    tp_table_init(&table, &arena, "t", defs, 1, 3);
    tp_table_text(&table, 0)[0] = TP_STR("models/net.py(12): forward");
    tp_table_text(&table, 0)[1] = TP_STR("aten::mm");
    tp_table_text(&table, 0)[2] = TP_STR("net.py(-1): forward");
    struct tp_shown_table *shown = tp_shown_table_new(&arena, &table, NULL, 0, 3);
    tp_shown_table_set_row_names(&naming, shown, 0);
    assert_true(tp_str_equal(shown->rows[0].page_name, TP_STR("forward")));
    assert_true(tp_str_equal(shown->rows[0].page_place, TP_STR("net.py:12")));
    assert_true(tp_str_equal(shown->rows[0].full, TP_STR("models/net.py(12): forward")));
    assert_true(tp_str_equal(shown->rows[0].name, TP_STR("net.py(12): forward")));
    assert_null(shown->rows[1].page_name.ptr);
    assert_null(shown->rows[2].page_name.ptr); /* the line is unknown */
}

/* Returns whether a row of the order is before another one. */
static bool is_before(const char *const *order, const char *first, const char *second)
{
    size_t a = 0, b = 0;
    while (order[a] && strcmp(order[a], first) != 0)
        a++;
    while (order[b] && strcmp(order[b], second) != 0)
        b++;
    assert_non_null(order[a]);
    assert_non_null(order[b]);
    return a < b;
}

static void evidence_of_the_answer_comes_first(void **state)
{
    static const struct tp_rule rule = {.id = "D4"};
    struct tp_finding finding = {.rule = &rule};
    struct tp_advice *advice = tp_arena_array(&arena, 1, sizeof *advice);
    struct tp_profile profile = {.advice = advice};
    struct tp_section section = {.arena = &arena, .profile = &profile};

    (void)state;
    advice->answer.main = TP_ANSWER_KINDS;
    assert_true(is_before(tp_section_order(&section), "operators+modules", "memory"));
    advice->answer.has_device = true;
    advice->answer.main = TP_ANSWER_CODE;
    assert_true(is_before(tp_section_order(&section), "timeline", "idle+work"));
    assert_true(is_before(tp_section_order(&section), "idle+work", "kernels"));
    advice->answer.main = TP_ANSWER_LAUNCH;
    assert_true(is_before(tp_section_order(&section), "operators+idle", "kernels"));
    advice->answer.main = TP_ANSWER_WORK;
    assert_true(is_before(tp_section_order(&section), "work", "timeline"));
    advice->serving.is_present = true;
    assert_true(is_before(tp_section_order(&section), "serving", "kernels"));
    advice->recommendations.findings = &finding;
    advice->recommendations.finding_count = 1;
    assert_true(is_before(tp_section_order(&section), "memory", "timeline"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lead_has_bold_parts_only_where_its_format_has_marks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(source_line_has_its_function_as_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(evidence_of_the_answer_comes_first, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("section", tests, NULL, NULL);
}
