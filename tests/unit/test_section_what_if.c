/* Tests the section "What if" and the line of the first screen about the critical path. */
#include "webreport/document/path_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "webreport/document/report/sections.h"
#include "writer/text/marked_text.h"

enum { MS = 1000000 };

static struct tp_arena arena;
static struct tp_model model;
static struct tp_advice advice;
static struct tp_profile profile;
static struct tp_page_limits limits;
static struct tp_section section;

/* Answers of a trace whose steps take 143 ms. */
static struct tp_what_if_row answers[] = {
    {TP_STR("copies=0"), TP_STR(""), 142 * MS + 900000, 100000, 0, 100000, 0.1, 67, TP_GROUP_HOST, 0, {NULL, 0}},
    {TP_STR("operator:aten::add=0"),
     TP_STR(""),
     135 * MS,
     8 * MS,
     7 * MS + 500000,
     8 * MS,
     5.6,
     60,
     TP_GROUP_HOST,
     0,
     {NULL, 0}},
    {TP_STR("host=1/2"), TP_STR(""), 102 * MS, 41 * MS, 39 * MS, 41 * MS, 28.7, 88, TP_GROUP_COMPUTE, 1, {NULL, 0}},
};
static struct tp_path_row path_rows[] = {
    {100 * MS, TP_STR("train.py(88): log_loss"), TP_PATH_PYTHON},
    {43 * MS, TP_STR("void gemm<float>(int)"), TP_PATH_COMPUTE},
};

static int set_up(void **state)
{
    (void)state;
    tp_arena_init(&arena, 0);
    model = (struct tp_model){.devices = {.count = 1}};
    memset(&advice, 0, sizeof advice);
    advice.verdict.class = TP_CLASS_LAUNCH_BOUND;
    advice.verdict.cause = TP_TIME_LAUNCH;
    advice.what_if = (struct tp_what_if_view){.step_count = 1,
                                              .step_ns = 143 * MS,
                                              .confidence = TP_REPLAY_CONFIDENCE_HIGH,
                                              .unexplained_percent = 0.2,
                                              .limit = TP_GROUP_HOST,
                                              .answers = answers,
                                              .answer_count = sizeof answers / sizeof *answers,
                                              .rows = path_rows,
                                              .row_count = sizeof path_rows / sizeof *path_rows};
    advice.what_if.path.group_ns[TP_GROUP_HOST] = 100 * MS;
    advice.what_if.path.group_ns[TP_GROUP_COMPUTE] = 43 * MS;
    profile = (struct tp_profile){.advice = &advice, .model = &model};
    limits = (struct tp_page_limits){.operator_rows = 10};
    section = (struct tp_section){.arena = &arena, .profile = &profile, .limits = &limits, .naming = {.arena = &arena}};
    return setjmp(arena.guard);
}

static int tear_down(void **state)
{
    (void)state;
    tp_arena_release(&arena);
    return 0;
}

static void assert_line(const char *wanted)
{
    assert_string_equal(tp_marked_plain(&arena, tp_section_critical_path_line(&section)), wanted);
}

static void line_names_the_limit_and_what_less_of_it_gains(void **state)
{
    (void)state;
    assert_line(
        "**Steps are bound by the host: 70 %** of the critical path (compute 30 %). Host twice as fast: 143 \u2192 "
        "102 to 104 ms; then compute limits. The replay explains 99.8 %. Confidence: medium.");
}

static void line_says_what_the_path_adds_to_another_headline(void **state)
{
    (void)state;
    advice.verdict.class = TP_CLASS_COMMUNICATION_BOUND;
    advice.verdict.cause = TP_TIME_COMMUNICATION;
    advice.what_if.answer_count = 0;
    assert_line("On the critical path, **the host comes first: 70 %** (communication 0 %). The replay explains 99.8 %. "
                "Confidence: high.");
}

static void withheld_line_says_why_and_how_to_record(void **state)
{
    (void)state;
    advice.what_if.withheld = 1u << TP_WITHHELD_UNEXPLAINED | 1u << TP_WITHHELD_BARE;
    advice.what_if.unexplained_percent = 27.4;
    assert_line("**No what-if for this trace:** 27 % of the critical path is unexplained. Record with launches and, on "
                "NVIDIA, with `enable_cuda_sync_events` to get one.");
    assert_int_equal(tp_section_what_if(&section).kind, TP_DATA_NONE);
}

static void line_names_the_replayed_steps_of_a_large_trace(void **state)
{
    (void)state;
    advice.what_if.has_part = true;
    advice.what_if.step_count = 135;
    advice.what_if.answer_count = 0;
    advice.what_if.part = (struct tp_replayed_part){TP_STR("573"), TP_STR("707"), 1276};
    assert_line(
        "**Steps are bound by the host: 70 %** of the critical path (compute 30 %). The replay explains 99.8 %. "
        "Confidence: high. The replay covers 135 of 1,276 steps (573\u2013707); `tracepress whatif TRACE` replays "
        "all.");
    struct tp_str name = TP_STR("training step of the second epoch");
    advice.what_if.part = (struct tp_replayed_part){name, name, 200};
    assert_line(
        "**Steps are bound by the host: 70 %** of the critical path (compute 30 %). The replay explains 99.8 %. "
        "Confidence: high. The replay covers 135 of 200 steps; `tracepress whatif TRACE` replays all.");
}

static void recording_without_news_has_no_line(void **state)
{
    (void)state;
    advice.verdict.class = TP_CLASS_TOO_LITTLE;
    assert_null(tp_section_critical_path_line(&section));
    advice.verdict.class = TP_CLASS_CPU;
    model.devices.count = 0;
    assert_non_null(tp_section_critical_path_line(&section));
    advice.what_if.path.group_ns[TP_GROUP_COMPUTE] = 0; /* all of the path is on the host */
    assert_null(tp_section_critical_path_line(&section));
    assert_int_equal(tp_section_what_if(&section).kind, TP_DATA_NONE);
    advice.what_if.step_count = 0;
    assert_null(tp_section_critical_path_line(&section));
}

static struct tp_data member(const struct tp_data *object, const char *name)
{
    struct tp_data value = {.kind = TP_DATA_NONE};
    assert_true(object->source->member(object, tp_str_of(name), &value));
    return value;
}

static struct tp_data item(const struct tp_data *list, size_t index)
{
    struct tp_data value = {.kind = TP_DATA_NONE};
    assert_true(index < (size_t)list->number);
    list->source->item(list, index, &value);
    return value;
}

static void assert_text(const struct tp_data *object, const char *name, const char *wanted)
{
    struct tp_data value = member(object, name);
    assert_int_equal(value.number, strlen(wanted));
    assert_memory_equal(value.self, wanted, strlen(wanted));
}

static void table_has_the_largest_sure_gain_first(void **state)
{
    (void)state;
    static const char *const texts[] = {"143 \u2192 102 to 104", "39 to 41", "27 to 29", "Compute 88 %", "medium"};
    struct tp_data data = tp_section_what_if(&section), tables = member(&data, "tables"), table = item(&tables, 0);
    struct tp_data rows = member(&table, "rows"), row = item(&rows, 0), cells = member(&row, "cells");
    assert_int_equal(rows.number, 2);
    assert_text(&row, "row_name", "Host");
    assert_text(&row, "row_place", "twice as fast");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct tp_data cell = item(&cells, i);
        assert_text(&cell, "cell_text", texts[i]);
        assert_int_equal(member(&cell, "cell_is_bold").number, i == 3);
    }
    row = item(&rows, 1);
    cells = member(&row, "cells");
    struct tp_data gain = item(&cells, 1), then = item(&cells, 3);
    assert_text(&row, "row_name", "aten::add");
    assert_text(&gain, "cell_text", "8"); /* both gains are within 1 % of the step */
    assert_int_equal(member(&then, "cell_is_bold").number, 0);
    assert_text(&data, "without_effect", "Without effect (each below 1 % of the step): Copies.");
}

static void critical_path_has_rows_of_kinds_and_names(void **state)
{
    (void)state;
    struct tp_data data = tp_section_what_if(&section), tables = member(&data, "path_tables"), table = item(&tables, 0);
    struct tp_data rows = member(&table, "rows"), row = item(&rows, 0);
    assert_text(&data, "path_title", "Critical path: the host 70 %, compute 30 %");
    assert_int_equal(rows.number, 2);
    assert_text(&row, "row_name", "log_loss");
    assert_text(&row, "row_place", "train.py:88");
    assert_text(&row, "row_cause", "launch");
    row = item(&rows, 1);
    assert_text(&row, "row_cause", "gpu");
}

static void change_has_words_without_its_notation(void **state)
{
    static const struct {
        struct tp_str change;
        const char *name, *rest;
    } cases[] = {
        {TP_STR("overlap"), "Communication", "hidden behind compute"},
        {TP_STR("line:lib/train.py(3): step=0"), "train.py(3): step", "left out"},
        {TP_STR("wait:cudaStreamSynchronize a/train.py(3): step"), "cudaStreamSynchronize",
         "left out in train.py(3): step"},
        {TP_STR("wait:cudaDeviceSynchronize "), "cudaDeviceSynchronize", "left out outside of operators"},
        {TP_STR("line:[no host event]=0"), "host time without a record", "left out"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tp_what_if_row row = {.change = cases[i].change};
        struct tp_change_words words = tp_change_words_of(&section, &row);
        assert_true(tp_str_equal(words.name, tp_str_of(cases[i].name)));
        assert_string_equal(words.rest, cases[i].rest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(line_names_the_limit_and_what_less_of_it_gains, set_up, tear_down),
        cmocka_unit_test_setup_teardown(line_says_what_the_path_adds_to_another_headline, set_up, tear_down),
        cmocka_unit_test_setup_teardown(withheld_line_says_why_and_how_to_record, set_up, tear_down),
        cmocka_unit_test_setup_teardown(line_names_the_replayed_steps_of_a_large_trace, set_up, tear_down),
        cmocka_unit_test_setup_teardown(recording_without_news_has_no_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(table_has_the_largest_sure_gain_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(critical_path_has_rows_of_kinds_and_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(change_has_words_without_its_notation, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
