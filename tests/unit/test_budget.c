/* Tests budget files: the grammar, units, and the reported place of a mistake. */
#include "webreport/compare/gate/budget.h"

#include <stdio.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "one_arena.h"
#include "webreport/measure/metrics/metrics.h"
#include "writer/base/limits.h"
#include "writer/base/table.h"

static struct tp_budget parse_budget(const char *text)
{
    struct tp_budget budget;
    struct tp_error err = {0};
    if (setjmp(arena.guard))
        fail();
    if (tp_budget_parse(&budget, "b", text, strlen(text), &arena, &err) != TP_OK)
        fail_msg("%s", err.text);
    return budget;
}

static void assert_refused(const char *text, const char *message)
{
    struct tp_budget budget;
    struct tp_error err = {0};
    if (setjmp(arena.guard))
        fail();
    assert_int_equal(tp_budget_parse(&budget, "b", text, strlen(text), &arena, &err), TP_EUSAGE);
    assert_string_equal(err.text, message);
}

static void line_has_metric_comparison_and_limit(void **state)
{
    (void)state;
    struct tp_budget b = parse_budget("# all\n\n  kernels.per_step<=620  # why\r\nwarn optional finding.A4 != 0\n");
    assert_int_equal(b.count, 2);
    assert_string_equal(tp_metrics[b.lines[0].metric].name, "kernels.per_step");
    assert_int_equal(b.lines[0].op, TP_OP_LE);
    assert_int_equal(b.lines[0].kind, TP_LIMIT_ABSOLUTE);
    assert_true(b.lines[0].limit == 620);
    assert_int_equal(b.lines[0].number, 3);
    assert_true(tp_str_equal(b.lines[0].text, TP_STR("kernels.per_step<=620")));
    assert_false(b.lines[0].is_warning || b.lines[0].is_optional);
    assert_true(b.lines[1].is_warning && b.lines[1].is_optional);
    assert_int_equal(b.lines[1].op, TP_OP_NE);
    assert_int_equal(b.lines[1].number, 4);
}

static void units_are_converted_to_ns_bytes_and_percent(void **state)
{
    (void)state;
    const struct {
        const char *text;
        double limit;
    } cases[] = {
        {"step.time.median <= 180 ms", 180e6},  {"step.time.median <= 1.5s", 1.5e9},
        {"step.time.median <= 7 µs", 7e3},      {"step.time.median <= 0", 0},
        {"memory.peak <= 18 GiB", 19327352832}, {"memory.peak <= 18GB", 18e9},
        {"memory.peak <= 512 KiB", 524288},     {"memory.peak <= 17", 17},
        {"gemm.fp32.share <= 1 %", 1},          {"idle.host <= .5%", 0.5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tp_budget b = parse_budget(cases[i].text);
        assert_true(b.lines[0].limit == cases[i].limit && b.lines[0].kind == TP_LIMIT_ABSOLUTE);
    }
}

static void sign_makes_a_limit_relative_to_the_baseline(void **state)
{
    (void)state;
    struct tp_budget b = parse_budget("step.time.median <= +3 %\nkernels.per_step <= +0\nmemory.peak <= +64 MiB\n"
                                      "step.time.median <= -5%\nidle.host <= +2 points\nidle.host <= +2 %\n");
    assert_int_equal(b.lines[0].kind, TP_LIMIT_RELATIVE);
    assert_true(b.lines[0].limit == 3);
    assert_int_equal(b.lines[1].kind, TP_LIMIT_DELTA);
    assert_true(b.lines[2].kind == TP_LIMIT_DELTA && b.lines[2].limit == 67108864);
    assert_true(b.lines[3].kind == TP_LIMIT_RELATIVE && b.lines[3].limit == -5);
    assert_true(b.lines[4].kind == TP_LIMIT_DELTA && b.lines[4].limit == 2);
    assert_true(b.lines[5].kind == TP_LIMIT_RELATIVE && b.lines[5].limit == 2);
}

static void line_may_select_a_worker_or_rank(void **state)
{
    (void)state;
    struct tp_budget b =
        parse_budget("memory.peak <= 1 GiB @host-1_2\nmemory.peak <= 2 GiB @12\nmemory.peak <= 3 @1x\n");
    assert_true(tp_str_equal(b.lines[0].worker, TP_STR("host-1_2")));
    assert_int_equal(b.lines[0].rank, TP_NULL_INT);
    assert_int_equal(b.lines[1].rank, 12);
    assert_null(b.lines[1].worker.ptr);
    assert_true(tp_str_equal(b.lines[2].worker, TP_STR("1x")));
}

static void name_of_a_range_may_contain_any_characters(void **state)
{
    (void)state;
    struct tp_budget b = parse_budget("range[## forward ##].device <= +3 % # why\n"
                                      "warn range[Optimizer.step#SGD.step].host <= 2 ms # range[x].host\n"
                                      "# range[a].device <= 1 s\nop[a <= b].calls <= +0\n");
    assert_int_equal(b.count, 3);
    assert_string_equal(tp_metrics[b.lines[0].metric].name, "range[NAME].device");
    assert_true(tp_str_equal(b.lines[0].operator, TP_STR("## forward ##")));
    assert_int_equal(b.lines[0].kind, TP_LIMIT_RELATIVE);
    assert_true(tp_str_equal(b.lines[0].text, TP_STR("range[## forward ##].device <= +3 %")));
    assert_string_equal(tp_metrics[b.lines[1].metric].name, "range[NAME].host");
    assert_true(tp_str_equal(b.lines[1].operator, TP_STR("Optimizer.step#SGD.step")));
    assert_true(b.lines[1].limit == 2e6);
    assert_true(tp_str_equal(b.lines[2].operator, TP_STR("a <= b")));
}

static void change_may_contain_any_characters(void **state)
{
    (void)state;
    struct tp_asked_changes asked;
    struct tp_budget b = parse_budget("whatif[host=1/2].gain_low_us <= 5 ms # why\n"
                                      "whatif[kernel:void k<a # b>(int)=0.8].gain_low_us <= +3 %\n"
                                      "step.time.median <= 1 s\n");
    assert_int_equal(b.count, 3);
    assert_string_equal(tp_metrics[b.lines[0].metric].name, "whatif[CHANGE].gain_low_us");
    assert_true(tp_str_equal(b.lines[0].operator, TP_STR("host=1/2")));
    assert_true(b.lines[0].limit == 5e6);
    assert_true(tp_str_equal(b.lines[1].operator, TP_STR("kernel:void k<a # b>(int)=0.8")));
    assert_int_equal(b.lines[1].kind, TP_LIMIT_RELATIVE);
    if (setjmp(arena.guard))
        fail();
    assert_true(tp_budget_find_changes(&asked, &b, &arena));
    assert_int_equal(asked.count, 2);
    assert_true(tp_str_equal(asked.texts[0], TP_STR("host=1/2")));
}

static void only_metrics_of_the_critical_path_need_a_replay(void **state)
{
    (void)state;
    struct tp_asked_changes asked;
    struct tp_budget without = parse_budget("step.time.median <= 1 s\nidle.host <= 12 %\n");
    struct tp_budget with = parse_budget("critical.host_share <= 20 %\n");
    if (setjmp(arena.guard))
        fail();
    assert_false(tp_budget_find_changes(&asked, &without, &arena));
    assert_true(tp_budget_find_changes(&asked, &with, &arena));
    assert_int_equal(asked.count, 0);
}

static void mistake_is_reported_with_place_and_nearest_name(void **state)
{
    (void)state;
    assert_refused("\nkernel.per_step <= 620",
                   "b:2:1: no metric is named \"kernel.per_step\"; did you mean kernels.per_step?");
    assert_refused("warn xyzzy < 1",
                   "b:1:6: no metric is named \"xyzzy\"; 'tracepress check --list-metrics' prints all metrics");
    assert_refused("step.count => 1", "b:1:12: not a comparison: \"=>\"; use <= >= == != < or >");
    assert_refused("step.count 1", "b:1:12: not a comparison: \"1\"; use <= >= == != < or >");
    assert_refused("step.count <=", "b:1:14: a limit is missing after \"<=\"");
    assert_refused("step.count <= many", "b:1:15: not a number: \"many\"");
    assert_refused("step.count <= 1.2.3", "b:1:15: not a number: \"1.2.3\"");
    assert_refused("step.count <= +", "b:1:15: not a number: \"+\"");
    assert_refused("step.time.median <= 180",
                   "b:1:24: a unit is missing for \"step.time.median\"; times are in ns, us, ms or s");
    assert_refused("step.time.median <= 180 MiB",
                   "b:1:25: not a unit of this metric: \"MiB\"; times are in ns, us, ms or s");
    assert_refused("step.time.median <= 1 µS",
                   "b:1:23: not a unit of this metric: \"µS\"; times are in ns, us, ms or s");
    assert_refused("step.count <= 5 %",
                   "b:1:17: not a unit of this metric: \"%\"; the metric is a number without a unit");
    assert_refused("step.time.median <= 1 µs more",
                   "b:1:26: unexpected \"more\"; only @WORKER or @RANK can follow the limit");
    assert_refused("fail",
                   "b:1:5: a metric is missing before \"\"; 'tracepress check --list-metrics' prints all metrics");
    assert_refused("step.time.p90 == +3 %", "b:1:18: a time never equals a baseline exactly: \"+3\"; use <= >= < or >");
    assert_refused("# nothing\n", "b: the budget has no limit");
    assert_refused("", "b: the budget has no limit");
}

static void huge_file_is_refused(void **state)
{
    (void)state;
    static char text[TP_MAX_BUDGET_BYTES + 1];
    struct tp_budget budget;
    struct tp_error err = {0};
    memset(text, ' ', sizeof text);
    if (setjmp(arena.guard))
        fail();
    assert_int_equal(tp_budget_parse(&budget, "b", text, sizeof text, &arena, &err), TP_ELIMIT);
}

static void metric_is_found_by_name_or_nearest_name(void **state)
{
    (void)state;
    for (int i = 0; i < TP_METRIC_COUNT; i++) {
        /* each name occurs once, so the search finds the metric itself */
        assert_int_equal(tp_metric_find(tp_metrics[i].name, strlen(tp_metrics[i].name)), i);
        assert_true(strlen(tp_metrics[i].name) <= 40);
    }
    assert_string_equal(tp_metric_nearest_name("memory.peek", 11), "memory.peak");
    assert_string_equal(tp_metric_nearest_name("sync.per_setp", 13), "sync.per_step");
    assert_null(tp_metric_nearest_name("weather", 7));
    assert_null(tp_metric_nearest_name("", 0));
    assert_int_equal(tp_metric_find("memory", 6), -1);
}

/* Tests which undamaged data each metric needs. Names in the list are prefixes of metrics, and the first matching
 * prefix applies. */
static void each_metric_names_its_required_data(void **state)
{
    enum { F = TP_NEED_FILE, H = TP_NEED_HOST, D = TP_NEED_DEVICE, R = TP_NEED_RUNTIME, C = TP_NEED_CLOCK };
    static const struct {
        const char *name;
        unsigned needs;
    } wanted[] = {
        {"trace.events", TP_NEED_ALL},
        {"trace.", 0}, /* these metrics describe damage, so they need no undamaged data */
        {"finding.", TP_NEED_ALL},
        {"step.count", F | H},
        {"kernels.per_step", F | H | D},
        {"kernels.distinct", F | D},
        {"kernel.time.mean", F | D | C},
        {"operators.", F | H},
        {"runtime.", F | H | R},
        {"h2d.bytes", F | D},
        {"memory.", F | H | C | TP_NEED_MEMORY},
        {"collectives.", F | H | D | R | C},
        {"sync.", TP_NEED_ALL & ~(unsigned)TP_NEED_MEMORY},
        {"idle.", TP_NEED_ALL & ~(unsigned)TP_NEED_MEMORY},
        {"step.time", TP_NEED_ALL & ~(unsigned)TP_NEED_MEMORY},
    };
    (void)state;
    for (int i = 0; i < TP_METRIC_COUNT; i++) {
        const struct tp_metric *metric = &tp_metrics[i];
        struct tp_str name = tp_str_of(metric->name);
        size_t k = 0;
        while (k < sizeof wanted / sizeof *wanted && !tp_str_starts(name, wanted[k].name))
            k++;
        if (k < sizeof wanted / sizeof *wanted && metric->needs != wanted[k].needs)
            fail_msg("%s needs %x, not %x", metric->name, metric->needs, wanted[k].needs);
        if (metric->needs && !(metric->needs & TP_NEED_FILE))
            fail_msg("%s does not need the whole file", metric->name);
        if (metric->needs && metric->is_timed && !(metric->needs & TP_NEED_CLOCK))
            fail_msg("%s is a time and needs no clock", metric->name);
        if (tp_str_ends(name, ".per_step") && !(metric->needs & TP_NEED_HOST))
            fail_msg("%s does not need the steps", metric->name);
    }
}

static void each_rule_has_a_metric(void **state)
{
    (void)state;
    for (unsigned i = 0; i < TP_RULE_COUNT; i++) {
        char name[16];
        int length = snprintf(name, sizeof name, "finding.%s", tp_rule_at(i)->id);
        int metric = tp_metric_find(name, (size_t)length);
        assert_true(metric >= 0);
        assert_ptr_equal(tp_metric_title(&tp_metrics[metric]), tp_rule_at(i)->title);
    }
}

static void built_in_budget_is_parsed(void **state)
{
    (void)state;
    struct tp_budget budget;
    if (setjmp(arena.guard))
        fail();
    tp_budget_default(&budget, &arena);
    assert_int_equal(budget.count, 11);
    assert_null(budget.file);
    for (size_t i = 0; i < budget.count; i++) /* the default budget has no limits on findings */
        assert_int_not_equal(strncmp(tp_metrics[budget.lines[i].metric].name, "finding.", 8), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_has_metric_comparison_and_limit),
        cmocka_unit_test(units_are_converted_to_ns_bytes_and_percent),
        cmocka_unit_test(sign_makes_a_limit_relative_to_the_baseline),
        cmocka_unit_test(line_may_select_a_worker_or_rank),
        cmocka_unit_test(name_of_a_range_may_contain_any_characters),
        cmocka_unit_test(change_may_contain_any_characters),
        cmocka_unit_test(only_metrics_of_the_critical_path_need_a_replay),
        cmocka_unit_test(mistake_is_reported_with_place_and_nearest_name),
        cmocka_unit_test(huge_file_is_refused),
        cmocka_unit_test(metric_is_found_by_name_or_nearest_name),
        cmocka_unit_test(each_metric_names_its_required_data),
        cmocka_unit_test(each_rule_has_a_metric),
        cmocka_unit_test(built_in_budget_is_parsed),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
