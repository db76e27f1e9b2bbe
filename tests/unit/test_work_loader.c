/* Tests how functions of the data loader are counted in a trace and compared in summaries, both made by hand. */
#include "webreport/compare/two/work_sides.h"

#include <stdio.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "one_arena.h"
#include "webreport/compare/work/work_words.h"
#include "webreport/measure/summary/summary_build.h"
#include "webreport/session/trace_analysis.h"

/* ---- comparing functions ---- */

#define TRANSFORM "data.py(12): transform"
#define LOAD "data.py(30): load"
enum { OPERATORS = 6 };

/* Returns a run whose transform takes `transform_ns`. pace: speed of the machine; 1: normal, 2: half as fast. */
static struct tp_summary make_run_with_loader_function(const char *place, double transform_ns, int64_t calls,
                                                       double pace)
{
    struct tp_summary run = {.key = {.rank = TP_NULL_INT}, .row_count = OPERATORS};
    struct tp_signature *s = &run.signature;
    s->hash = 7;
    s->function_count = 2;
    s->functions = tp_arena_array(&arena, 2, sizeof *s->functions);
    s->functions[0] = (struct tp_count_function){.place = tp_str_of(place),
                                                 .calls = calls,
                                                 .seen = 160,
                                                 .low_ns = (int64_t)(transform_ns * pace),
                                                 .is_exact = true};
    s->functions[1] = (struct tp_count_function){
        .place = TP_STR(LOAD), .calls = 16, .seen = 160, .low_ns = (int64_t)(4000 * pace), .is_exact = true};
    run.rows = tp_arena_array(&arena, OPERATORS, sizeof *run.rows);
    for (int i = 0; i < OPERATORS; i++) {
        int64_t ns[16];
        char *name = tp_arena_array(&arena, 16, 1);
        snprintf(name, 16, "aten::op%d", i);
        for (int k = 0; k < 16; k++)
            ns[k] = (int64_t)((1000 << i) * pace) * (k < 12 ? 1 : 50); /* a few calls are delayed */
        run.rows[i] = (struct tp_summary_row){.kind = TP_SUMMARY_OPERATOR_HOST,
                                              .name = tp_str_of(name),
                                              .owner = TP_STR(""),
                                              .shape = TP_STR(""),
                                              .dtype = TP_STR("")};
        tp_sketch_build(&run.rows[i].time, ns, 16, &arena);
    }
    return run;
}

static struct tp_work_diff compare_runs(struct tp_summary *base, uint32_t base_count, struct tp_summary *run)
{
    struct tp_side_input inputs[TP_SIDES] = {
        [TP_BASE] = {.runs = base, .run_count = base_count}, [TP_NEW] = {.runs = run, .run_count = 1}};
    struct tp_sides sides = {.arena = &arena,
                             .side = {[TP_BASE] = {.input = &inputs[TP_BASE]}, [TP_NEW] = {.input = &inputs[TP_NEW]}}};
    struct tp_comparability c = {.workload = TP_WORKLOAD_SAME};
    struct tp_work_diff diff;
    struct tp_replaced replaced;
    tp_work_sides_build(&diff, &replaced, &sides, &c);
    return diff;
}

static void slower_function_is_named_despite_load(void **state)
{
    GUARD;
    struct tp_summary base = make_run_with_loader_function(TRANSFORM, 20000, 16, 1),
                      loaded = make_run_with_loader_function(TRANSFORM, 20000, 16, 2);
    struct tp_summary slower =
        make_run_with_loader_function("data.py(14): transform", 40000, 16, 2); /* the function moved to another line */
    assert_int_equal(compare_runs(&base, 1, &loaded).count, 0);
    struct tp_work_diff diff = compare_runs(&base, 1, &slower);
    assert_int_equal(diff.count, 1);
    assert_string_equal(
        tp_work_change_sentence(&diff.changes[0], &arena),
        "each call of transform in the data loader takes 2.00 times as long (corrected for the speed of the machine)");
    assert_true(tp_str_equal(diff.changes[0].place, TP_STR("data.py(14): transform")));
    /* slower calls fail no limit, because only changed counts fail limits */
    assert_false(tp_work_has_limited_change(&diff));
    assert_int_equal(tp_work_diff_count(&diff, TP_WORK_LOADER_FUNCTIONS), 1);
    diff = compare_runs(&slower, 1, &base); /* The loader is faster, which is reported but fails no limit. */
    assert_int_equal(diff.count, 1);
    assert_int_equal(tp_work_diff_count(&diff, TP_WORK_LOADER_FUNCTIONS), 0);
}

static void call_counts_are_exact(void **state)
{
    GUARD;
    struct tp_summary runs[2] = {make_run_with_loader_function(TRANSFORM, 20000, 16, 1),
                                 make_run_with_loader_function(TRANSFORM, 20000, 16, 1)};
    struct tp_summary more = make_run_with_loader_function(TRANSFORM, 20000, 32, 1);
    struct tp_work_diff diff = compare_runs(runs, 2, &more);
    assert_int_equal(diff.count, 1);
    assert_string_equal(tp_work_change_sentence(&diff.changes[0], &arena),
                        "+16 calls of transform per step in the data loader");
    runs[0].signature.functions[0].calls = 24; /* the two base runs differ, so their count is not exact */
    assert_int_equal(compare_runs(runs, 2, &more).count, 0);
    more.signature.function_count = 0; /* this run was recorded without stacks */
    assert_int_equal(compare_runs(runs, 2, &more).count, 0);
}

static void additional_calls_are_reported_from_a_fiftieth_on(void **state)
{
    GUARD;
    struct tp_summary base = make_run_with_loader_function(TRANSFORM, 300, 16, 1),
                      more = make_run_with_loader_function(TRANSFORM, 300, 32, 1);
    assert_int_equal(compare_runs(&base, 1, &more).count, 1); /* added calls take 4.8 of 68.8 us */
    base = make_run_with_loader_function(TRANSFORM, 50, 16, 1);
    more = make_run_with_loader_function(TRANSFORM, 50, 32, 1);
    assert_int_equal(compare_runs(&base, 1, &more).count, 0); /* added calls take 0.8 of 64.8 us */
}

static void change_uses_texts_of_the_summary(void **state)
{
    GUARD;
    struct tp_summary base = make_run_with_loader_function(TRANSFORM, 20000, 16, 1),
                      more = make_run_with_loader_function(TRANSFORM, 20000, 32, 1);
    struct tp_work_diff diff = compare_runs(&base, 1, &more);
    assert_int_equal(diff.count,
                     1); /* a change must not use the memory of the comparison, because `check` keeps it longer */
    assert_ptr_equal(diff.changes[0].place.ptr, more.signature.functions[0].place.ptr);
}

/* ---- counting functions ---- */

/* Makes a trace of four steps. In each step the loader calls load, which calls transform twice. A call of transform
 * takes 10 us, but 500 us in the last step. */
static void calls_in_the_loader_are_counted(void **state)
{
    GUARD;
    static char text[1 << 14];
    static size_t n; /* static, because setjmp can lose local variables */
#define PUT(cat, name, ts, dur)                                                                                        \
    n += (size_t)snprintf(text + n, sizeof text - n,                                                                   \
                          "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d}",  \
                          n > 16 ? "," : "", cat, name, ts, dur)
    n += (size_t)snprintf(text, sizeof text, "{\"traceEvents\":[");
    for (int s = 0; s < 4; s++) {
        char step[32];
        int at = 2000 * s, dur = s < 3 ? 10 : 500;
        snprintf(step, sizeof step, "ProfilerStep#%d", s);
        PUT("user_annotation", step, at, 2000);
        PUT("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at + 10, 1500);
        PUT("python_function", LOAD, at + 20, 1200);
        PUT("python_function", TRANSFORM, at + 30, dur);
        PUT("python_function", TRANSFORM, at + 600, dur);
        PUT("python_function", TRANSFORM, at + 1700, 100); /* calls transform outside of the loader */
    }
    n += (size_t)snprintf(text + n, sizeof text - n, "]}");
    struct tp_trace_options options = {.single_thread = true};
    struct tp_analysis analysis;
    struct tp_summary summary;
    tp_analysis_open(&analysis, NULL);
    if (setjmp(analysis.arena.guard))
        fail();
    assert_int_equal(tp_trace_read_bytes(&analysis.trace, &analysis.arena, text, n, &options, NULL), 0);
    analysis.extent = TP_ANALYSIS_WHOLE;
    tp_analysis_build(&analysis, NULL, NULL);
    struct tp_summary_source source = {.key = {TP_STR("job"), TP_NULL_INT, TP_NULL_INT, TP_STR("worker0"), TP_NULL_INT},
                                       .file = TP_STR("a.json"),
                                       .sha256 = TP_STR(""),
                                       .extent = TP_SUMMARY_WHOLE,
                                       .trace = &analysis.trace,
                                       .order = &analysis.order,
                                       .model = &analysis.model,
                                       .views = &analysis.views,
                                       .advice = &analysis.advice};
    tp_summary_build(&summary, &source, &arena);
    tp_analysis_close(&analysis);
    const struct tp_signature *s = &summary.signature;
    assert_int_equal(s->function_count, 2);
    assert_true(tp_str_equal(s->functions[0].place, TP_STR(TRANSFORM)));
    assert_int_equal(s->functions[0].calls, 2);
    assert_int_equal(s->functions[0].seen, 8);
    assert_int_equal(s->functions[0].low_ns, 10000);
    assert_true(s->functions[0].is_exact);
    assert_true(tp_str_equal(s->functions[1].place, TP_STR(LOAD)));
    assert_int_equal(s->functions[1].low_ns, 200000); /* lowest time of load, in the last step: 1200 us minus two calls
                                                       * of 500 us */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(slower_function_is_named_despite_load, begin, end),
        cmocka_unit_test_setup_teardown(call_counts_are_exact, begin, end),
        cmocka_unit_test_setup_teardown(additional_calls_are_reported_from_a_fiftieth_on, begin, end),
        cmocka_unit_test_setup_teardown(change_uses_texts_of_the_summary, begin, end),
        cmocka_unit_test_setup_teardown(calls_in_the_loader_are_counted, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
