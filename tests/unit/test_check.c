/* Tests the verdicts of budgets on summaries made by hand: failures, noise and unknown values. */
#include "webreport/compare/gate/gate_build.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "one_arena.h"
#include "webreport/compare/noise/level_history.h"
#include "writer/base/stats.h"

static int metric_index(const char *name)
{
    int metric = tp_metric_find(name, strlen(name));
    if (metric < 0)
        fail_msg("no metric %s", name);
    return metric;
}

/* Returns a run with these step times and with kernels. Only the metrics of steps have values. */
static struct tp_summary make_run(const int64_t *step_ns, uint32_t count)
{
    struct tp_summary run = {.key = {.rank = TP_NULL_INT, .worker = TP_STR("w")}, .step_count = count};
    double *sorted = tp_arena_array(&arena, count, sizeof *sorted);
    run.steps = tp_arena_array(&arena, count, sizeof *run.steps);
    for (uint32_t i = 0; i < count; i++) {
        run.steps[i] = (struct tp_summary_step){.name = TP_STR("s"), .total_ns = step_ns[i]};
        sorted[i] = (double)step_ns[i];
        for (int part = 0; part < TP_PART_COUNT; part++)
            run.steps[i].part_ns[part] = TP_NULL_INT;
        run.steps[i].part_ns[TP_PART_DEVICE_SUM] = step_ns[i] / 2;
    }
    for (int i = 0; i < TP_METRIC_COUNT; i++)
        run.metrics[i] = (struct tp_metric_value){.value = NAN, .why = "not made"};
    run.metrics[metric_index("step.time.median")] = (struct tp_metric_value){.value = tp_median(sorted, count)};
    return run;
}

static struct tp_summary copy_with_metric(struct tp_summary run, const char *name, double value)
{
    run.metrics[metric_index(name)] = (struct tp_metric_value){.value = value};
    return run;
}

/* Removes the kernels from a run, so that its times are wall-clock times. */
static struct tp_summary copy_without_kernels(struct tp_summary run)
{
    for (uint32_t i = 0; i < run.step_count; i++)
        run.steps[i].part_ns[TP_PART_DEVICE_SUM] = TP_NULL_INT;
    return run;
}

static const int64_t ten_steps[10] = {1000, 1004, 998, 1001, 996, 1003, 999, 1002, 997, 1000};

static struct tp_summary make_scaled_run(double factor, double noise)
{
    int64_t steps[10];
    for (int i = 0; i < 10; i++)
        steps[i] = llround(1000 * factor * ((double)ten_steps[i] + (i % 2 ? 1 : -1) * noise * 1000));
    return make_run(steps, 10);
}

/* Judges the runs by a budget. A count of 0 means that there are no new runs or no baseline. */
static struct tp_check check_runs(const char *budget_text, const struct tp_summary *runs, size_t run_count,
                                  const struct tp_summary *base, size_t base_count)
{
    struct tp_budget *budget = tp_arena_alloc(&arena, sizeof *budget);
    struct tp_check_input *input = tp_arena_alloc(&arena, sizeof *input);
    struct tp_check check;
    struct tp_error err = {0};
    if (tp_budget_parse(budget, "b", budget_text, strlen(budget_text), &arena, &err) < 0)
        fail_msg("%s", err.text);
    *input = (struct tp_check_input){
        budget, {"run", runs, run_count, false}, {base_count ? "base" : NULL, base, base_count, false}, false, false};
    tp_check_build(&check, input, &arena);
    return check;
}

static void counts_are_judged_exactly(void **state)
{
    GUARD;
    struct tp_summary run = copy_with_metric(make_scaled_run(1, 0), "kernels.per_step", 22),
                      base = copy_with_metric(make_scaled_run(1, 0), "kernels.per_step", 21);
    struct tp_check c = check_runs("kernels.per_step <= 22\nkernels.per_step == 21\n", &run, 1, NULL, 0);
    assert_int_equal(c.verdict, TP_CHECK_FAIL);
    assert_int_equal(c.counts[TP_CHECK_FAIL], 1);
    assert_int_equal(c.items[0].line->number, 2); /* failed limits come first */
    c = check_runs("kernels.per_step <= +0", &run, 1, &base, 1);
    assert_int_equal(c.verdict, TP_CHECK_FAIL);
    assert_int_equal(c.items[0].cause, TP_CAUSE_BEYOND);
    assert_true(c.items[0].change == 1);
    c = check_runs("kernels.per_step <= +5 %", &run, 1, &base, 1);
    assert_int_equal(c.verdict, TP_CHECK_PASS);
    c = check_runs("kernels.per_step <= +0", &base, 1, &run, 1);
    assert_int_equal(c.verdict, TP_CHECK_PASS);
}

static void value_closest_to_failing_is_judged(void **state)
{
    GUARD;
    struct tp_summary runs[] = {copy_with_metric(make_scaled_run(1, 0), "sync.per_step", 1),
                                copy_with_metric(make_scaled_run(1, 0), "sync.per_step", 3)};
    struct tp_summary base[] = {copy_with_metric(make_scaled_run(1, 0), "sync.per_step", 4),
                                copy_with_metric(make_scaled_run(1, 0), "sync.per_step", 1)};
    struct tp_check c = check_runs("sync.per_step <= 2\n", runs, 2, NULL, 0);
    assert_int_equal(c.verdict, TP_CHECK_FAIL);
    assert_true(c.items[0].value == 3);
    c = check_runs("sync.per_step >= 2\n", runs, 2, NULL, 0);
    assert_true(c.items[0].value == 1);
    c = check_runs("sync.per_step <= +0\n", runs, 2, base, 2);
    assert_int_equal(c.verdict, TP_CHECK_PASS);
    struct tp_summary odd[] = {runs[0], runs[1], runs[0]}, same[] = {runs[0], runs[0]};
    c = check_runs("sync.per_step == +0\n", odd, 3, same, 2); /* the order of the runs does not change the value */
    assert_int_equal(c.verdict, TP_CHECK_FAIL);
    assert_true(c.items[0].value == 3);
    c = check_runs("sync.per_step == +0\n", same, 2, same, 2);
    assert_int_equal(c.verdict, TP_CHECK_PASS);
    c = check_runs("sync.per_step != +2\n", odd, 3, same, 2);
    assert_int_equal(c.verdict, TP_CHECK_FAIL);
}

static void baseline_counts_come_from_newest_runs(void **state)
{
    GUARD;
    const double counts[] = {9, 9, 5, 6, 5};
    struct tp_summary base[5], run = copy_with_metric(make_scaled_run(1, 0), "kernels.per_step", 7);
    for (int i = 0; i < 5; i++)
        base[i] = copy_with_metric(make_scaled_run(1, 0), "kernels.per_step", counts[i]);
    struct tp_check c = check_runs("kernels.per_step <= +0", &run, 1, base, 5);
    assert_int_equal(c.verdict, TP_CHECK_FAIL);
    assert_true(c.items[0].base_value == 6);
}

static struct tp_summary_fact on_one_host[] = {{TP_STR("host"), TP_STR("node-0")}};

static struct tp_summary copy_with_host_fact(struct tp_summary run)
{
    run.facts = on_one_host;
    run.fact_count = 1;
    return run;
}

/* Tests that a limit fails if the run exceeds it, passes if the run is within it, and is inconclusive if noise hides
 * the answer. One new run and one base run detect changes of 12 %, or of 25 % if the host is unknown. */
static void time_limit_passes_fails_or_is_inconclusive(void **state)
{
    GUARD;
    const struct {
        double factor, noise;
        const char *limit;
        enum tp_check_status status;
        enum tp_check_cause cause;
    } cases[] = {
        {1.00, 0.00, "+15 %", TP_CHECK_PASS, TP_CAUSE_WITHIN},
        {0.80, 0.00, "+3 %", TP_CHECK_PASS, TP_CAUSE_WITHIN},
        {1.00, 0.00, "+3 %", TP_CHECK_INCONCLUSIVE, TP_CAUSE_NOISE},
        {1.02, 0.00, "+3 %", TP_CHECK_INCONCLUSIVE, TP_CAUSE_NOISE},
        {1.10, 0.00, "+3 %", TP_CHECK_INCONCLUSIVE, TP_CAUSE_NOISE},
        {1.20, 0.00, "+3 %", TP_CHECK_FAIL, TP_CAUSE_BEYOND},
        {1.20, 0.20, "+3 %", TP_CHECK_INCONCLUSIVE, TP_CAUSE_NOISE},
        {9.00, 0.20, "+3 %", TP_CHECK_FAIL, TP_CAUSE_BEYOND},
        {1.00, 0.00, "+200 us", TP_CHECK_PASS, TP_CAUSE_WITHIN},
        {1.00, 0.00, "+20 us", TP_CHECK_INCONCLUSIVE, TP_CAUSE_NOISE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tp_summary base = copy_with_host_fact(make_scaled_run(1, 0)),
                          run = copy_with_host_fact(make_scaled_run(cases[i].factor, cases[i].noise));
        const char *text = tp_arena_alloc(&arena, 64);
        snprintf((char *)text, 64, "step.time.median <= %s", cases[i].limit);
        struct tp_check c = check_runs(text, &run, 1, &base, 1);
        assert_int_equal(c.items[0].status, cases[i].status);
        assert_int_equal(c.items[0].cause, cases[i].cause);
        assert_true(c.items[0].base_runs == 1 && c.items[0].runs == 1 && c.items[0].low < c.items[0].high);
        if (cases[i].cause == TP_CAUSE_NOISE)
            assert_non_null(strstr(c.items[0].reason, "1 + 1 runs detect changes from "));
    }
    struct tp_summary base = make_scaled_run(1, 0),
                      run = make_scaled_run(1.2, 0); /* this host is unknown, so noise can be larger */
    struct tp_check c = check_runs("step.time.median <= +3 %", &run, 1, &base, 1);
    assert_int_equal(c.items[0].cause, TP_CAUSE_NOISE);
    c = check_runs("warn step.time.median <= +3 %", &run, 1, &base, 1);
    assert_int_equal(c.verdict, TP_CHECK_WARN);
}

/* Tests that a limit below the smallest detectable change never passes. The reason gives the number of runs that the
 * limit needs. */
static void inconclusive_limit_names_the_needed_runs(void **state)
{
    GUARD;
    struct tp_summary base = copy_with_host_fact(make_scaled_run(1, 0)), run = base;
    struct tp_check c = check_runs("step.time.median <= +3 %", &run, 1, &base, 1);
    assert_non_null(strstr(c.items[0].reason, " more runs would be enough to decide"));
    c = check_runs("step.time.median <= +0.01 %", &run, 1, &base, 1);
    assert_non_null(strstr(c.items[0].reason, "even 200 runs per side cannot detect so small a change"));
    c = check_runs("step.time.median <= +0 %", &run, 1, &base, 1);
    assert_non_null(strstr(c.items[0].reason, "no number of runs can show that nothing changed"));
    assert_int_equal(c.verdict, TP_CHECK_INCONCLUSIVE);
    assert_false(c.is_damaged);
}

static void noise_is_learned_from_history(void **state)
{
    GUARD;
    struct tp_summary quiet[10], loud[10], run = copy_with_host_fact(make_scaled_run(1.015, 0));
    for (int i = 0; i < 10; i++) {
        quiet[i] = copy_with_host_fact(make_scaled_run(1 + 0.0005 * (i % 3 - 1), 0));
        loud[i] = copy_with_host_fact(make_scaled_run(1 + 0.05 * (i % 3 - 1), 0));
    }
    struct tp_check c = check_runs("step.time.median <= +0.5 %", &run, 1, quiet, 10);
    assert_int_equal(c.items[0].cause, TP_CAUSE_BEYOND);
    assert_true(c.items[0].detectable < 0.5);
    run = copy_with_host_fact(make_scaled_run(1.08, 0));
    c = check_runs("step.time.median <= +3 %", &run, 1, loud, 10);
    assert_int_equal(c.items[0].cause, TP_CAUSE_NOISE);
    assert_true(c.items[0].detectable > 10);
}

/* Tests runs that get slower by 0.5 % each. The new run is within the limit relative to the ten newest runs, but not
 * relative to the first ten, which are the accepted level. */
static void limits_refer_to_the_accepted_level(void **state)
{
    GUARD;
    struct tp_summary base[24], run = copy_with_host_fact(make_scaled_run(1.08, 0));
    for (int i = 0; i < 24; i++)
        base[i] = copy_with_host_fact(make_scaled_run(1 + 0.0005 * (i % 3 - 1) + (i > 9 ? 0.005 * (i - 9) : 0), 0));
    struct tp_check c = check_runs("step.time.median <= +5 %", &run, 1, base, 24);
    assert_int_equal(c.items[0].cause, TP_CAUSE_BEYOND);
    assert_true(fabs(c.items[0].change - 8) < 0.2);
    assert_int_equal(c.items[0].base_runs, TP_ACCEPTED_RUNS);
    c = check_runs("step.time.median <= +5 %", &run, 1, base + 14, 10);
    assert_true(c.items[0].cause != TP_CAUSE_BEYOND && c.items[0].change < 4);
}

/* Tests that one new run and one base run cannot distinguish a busy machine from a slower program, but a baseline of
 * three runs can. */
static void one_run_by_wall_clock_fails_no_limit(void **state)
{
    GUARD;
    struct tp_summary base[3], run = copy_with_host_fact(copy_without_kernels(make_scaled_run(1.9, 0)));
    for (int i = 0; i < 3; i++)
        base[i] = copy_with_host_fact(copy_without_kernels(make_scaled_run(1 + 0.005 * i, 0)));
    struct tp_check c = check_runs("step.time.median <= +3 %", &run, 1, base, 1);
    assert_int_equal(c.items[0].status, TP_CHECK_INCONCLUSIVE);
    assert_int_equal(c.items[0].cause, TP_CAUSE_NOISE);
    assert_non_null(strstr(c.items[0].reason, "can change the wall-clock time of 2 runs by as much"));
    c = check_runs("step.time.median <= +3 %", &run, 1, base, 3);
    assert_int_equal(c.items[0].cause, TP_CAUSE_BEYOND);
    /* an absolute limit has no baseline, so noise between runs does not matter */
    c = check_runs("step.time.median <= 1 us", &run, 1, base, 1);
    assert_int_equal(c.items[0].cause, TP_CAUSE_BEYOND);
}

/* Compares four runs with one run that takes 30 % longer: in all steps, or in all steps but the two shortest steps. */
static void wall_clock_fails_only_if_short_steps_change(void **state)
{
    GUARD;
    int64_t steps[10];
    struct tp_summary base[4], all = copy_without_kernels(make_scaled_run(1.3, 0)), most, gain;
    for (int i = 0; i < 4; i++)
        base[i] = copy_without_kernels(make_scaled_run(1, 0));
    for (int i = 0; i < 10; i++)
        steps[i] = ten_steps[i] < 998 ? 1000 * ten_steps[i] : 1300 * ten_steps[i];
    most = copy_without_kernels(make_run(steps, 10));
    struct tp_check c = check_runs("step.time.median <= +3 %", &all, 1, base, 4);
    assert_int_equal(c.verdict, TP_CHECK_FAIL);
    c = check_runs("step.time.median <= +3 %", &most, 1, base, 4);
    assert_int_equal(c.verdict, TP_CHECK_INCONCLUSIVE);
    assert_non_null(strstr(c.items[0].reason, "; the shortest steps do not show this change"));
    most = copy_with_metric(most, "step.time.p90", 1300e3); /* a limit on long steps does not need slower short steps */
    for (int i = 0; i < 4; i++)
        base[i] = copy_with_metric(base[i], "step.time.p90", 1003e3);
    c = check_runs("step.time.p90 <= +3 %", &most, 1, base, 4);
    assert_int_equal(c.verdict, TP_CHECK_FAIL);
    for (int i = 0; i < 10; i++)
        steps[i] = ten_steps[i] < 998 ? 800 * ten_steps[i] : 1000 * ten_steps[i];
    gain = copy_without_kernels(make_run(steps, 10)); /* this run is a fifth faster, but only in the short steps */
    c = check_runs("step.time.median <= -15 %", &gain, 1, base, 4);
    assert_int_equal(c.verdict, TP_CHECK_INCONCLUSIVE);
    c = check_runs("step.time.median <= -15 %", base, 1, base, 4);
    assert_int_equal(c.verdict, TP_CHECK_FAIL);
}

static void missing_required_speedup_fails(void **state)
{
    GUARD;
    struct tp_summary base = copy_with_host_fact(make_scaled_run(1, 0)), same = base,
                      fast = copy_with_host_fact(make_scaled_run(0.8, 0));
    struct tp_check c = check_runs("step.time.median <= -15 %", &same, 1, &base, 1);
    assert_int_equal(c.verdict, TP_CHECK_FAIL);
    c = check_runs("step.time.median <= -5 %", &fast, 1, &base, 1);
    assert_int_equal(c.verdict, TP_CHECK_PASS);
    c = check_runs("step.time.median >= -5 %", &fast, 1, &base, 1);
    assert_int_equal(c.verdict, TP_CHECK_FAIL);
    c = check_runs("step.time.median <= -5 us", &fast, 1, &base, 1); /* the run is 200 us faster, more than the 5 us of
                                                                      * this limit */
    assert_int_equal(c.verdict, TP_CHECK_PASS);
}

static void missing_metric_is_inconclusive_unless_optional(void **state)
{
    GUARD;
    struct tp_summary run = make_scaled_run(1, 0), base = copy_with_metric(make_scaled_run(1, 0), "memory.peak", 5);
    struct tp_check c =
        check_runs("memory.peak <= 1 GiB\noptional memory.peak <= 1 GiB\nwarn memory.peak <= 1", &run, 1, NULL, 0);
    assert_int_equal(c.counts[TP_CHECK_INCONCLUSIVE], 1);
    assert_int_equal(c.counts[TP_CHECK_WARN], 1);
    assert_int_equal(c.counts[TP_CHECK_PASS], 1);
    assert_string_equal(c.items[0].reason, "missing: not made");
    assert_true(c.is_damaged);
    c = check_runs("memory.peak <= +0", &base, 1, &run, 1);
    assert_int_equal(c.verdict, TP_CHECK_INCONCLUSIVE);
    assert_string_equal(c.items[0].reason, "missing: in the baseline, not made");
}

static void missing_baseline_is_inconclusive(void **state)
{
    GUARD;
    struct tp_summary run = make_scaled_run(1, 0);
    struct tp_check c = check_runs("step.time.median <= +3 %\nstep.time.median <= 10 ms", &run, 1, NULL, 0);
    assert_int_equal(c.verdict, TP_CHECK_INCONCLUSIVE);
    assert_int_equal(c.items[0].cause, TP_CAUSE_NO_BASELINE);
    assert_int_equal(c.counts[TP_CHECK_PASS], 1);
}

static void incomparable_sides_are_inconclusive(void **state)
{
    GUARD;
    static struct tp_summary_fact a[] = {{TP_STR("gpu"), TP_STR("A")}, {TP_STR("operators.shapes"), TP_STR("1")}};
    static struct tp_summary_fact b[] = {{TP_STR("gpu"), TP_STR("B")}, {TP_STR("operators.shapes"), TP_STR("2")}};
    struct tp_summary base = copy_with_metric(make_scaled_run(1, 0), "kernels.per_step", 1),
                      run = copy_with_metric(make_scaled_run(2, 0), "kernels.per_step", 2);
    base.facts = a;
    run.facts = b;
    base.fact_count = run.fact_count = 2;
    struct tp_check c =
        check_runs("kernels.per_step <= +0\nstep.time.median <= +3 %\nkernels.per_step <= 2", &run, 1, &base, 1);
    assert_int_equal(c.verdict, TP_CHECK_INCONCLUSIVE);
    assert_int_equal(c.counts[TP_CHECK_INCONCLUSIVE], 2);
    assert_int_equal(c.items[0].cause, TP_CAUSE_NOT_COMPARABLE);
    assert_non_null(strstr(c.items[0].reason, "gpu A \xe2\x86\x92 B"));
}

static void host_times_need_equal_recorder_options(void **state)
{
    GUARD;
    static struct tp_summary_fact with_stack = {TP_STR("with_stack"), TP_STR("1")};
    static struct tp_summary_fact without = {TP_STR("with_stack"), TP_STR("0")};
    struct tp_summary base = copy_with_metric(make_scaled_run(1, 0), "step.kernel.time", 1000),
                      run = copy_with_metric(make_scaled_run(2, 0), "step.kernel.time", 2000);
    base.facts = &without;
    run.facts = &with_stack;
    base.fact_count = run.fact_count = 1;
    struct tp_check c = check_runs("step.time.median <= +3 %", &run, 1, &base, 1);
    assert_int_equal(c.items[0].cause, TP_CAUSE_NOT_COMPARABLE);
    assert_non_null(strstr(c.items[0].reason, "with_stack 0 \xe2\x86\x92 1"));
    c = check_runs("step.kernel.time <= +3 %", &run, 1, &base, 1);
    assert_int_equal(c.items[0].cause, TP_CAUSE_BEYOND);
    run.facts = &without;
    c = check_runs("step.time.median <= +3 %", &run, 1, &base, 1);
    assert_int_equal(c.items[0].cause, TP_CAUSE_BEYOND);
}

static void ranks_are_compared_with_the_same_rank(void **state)
{
    GUARD;
    struct tp_summary runs[] = {copy_with_metric(make_scaled_run(1, 0), "kernels.per_step", 5),
                                copy_with_metric(make_scaled_run(1, 0), "kernels.per_step", 9)};
    struct tp_summary base[] = {copy_with_metric(make_scaled_run(1, 0), "kernels.per_step", 9),
                                copy_with_metric(make_scaled_run(1, 0), "kernels.per_step", 4)};
    runs[0].key.rank = base[1].key.rank = 0;
    runs[1].key.rank = base[0].key.rank = 1;
    struct tp_check c = check_runs("kernels.per_step <= +0\n", runs, 2, base, 2);
    assert_int_equal(c.count, 2);
    assert_int_equal(c.counts[TP_CHECK_FAIL], 1);
    assert_true(tp_str_equal(c.items[0].subject, TP_STR("rank 0")));
    c = check_runs("kernels.per_step <= 5 @0\nkernels.per_step <= 9 @1\nkernels.per_step <= 1 @7\n", runs, 2, NULL, 0);
    assert_int_equal(c.count, 3);
    assert_int_equal(c.counts[TP_CHECK_INCONCLUSIVE], 1);
    assert_int_equal(c.items[0].cause, TP_CAUSE_MISSING); /* no run has rank 7, so the item has no value */
}

/* ---- damage ---- */

static struct tp_summary copy_with_lost_events(struct tp_summary run, enum tp_lost lost)
{
    run.evidence = (struct tp_input_evidence){.is_known = true, .crc = TP_CRC_OK, .eof = TP_EOF_CLEAN};
    run.evidence.lost[lost] = 1;
    return run;
}

static void damaged_run_is_inconclusive(void **state)
{
    GUARD;
    struct tp_summary whole = copy_with_metric(copy_with_metric(make_scaled_run(1, 0), "kernels.per_step", 5),
                                               "memory.peak", 9),
                      run;
    static const char lines[] = "kernels.per_step <= 4\nkernels.per_step <= 5\nmemory.peak <= 8\nmemory.peak <= 9\n"
                                "warn memory.peak <= 9\noptional memory.peak <= 9\ntrace.repaired <= 0";
    whole = copy_with_metric(whole, "trace.repaired", 0);
    struct tp_check c = check_runs(lines, &whole, 1, NULL, 0);
    assert_int_equal(c.counts[TP_CHECK_FAIL], 2);
    assert_false(c.is_damaged);
    run = copy_with_lost_events(whole, TP_LOST_MEMORY);
    /* memory records are damaged, but limits on other metrics still give results */
    c = check_runs(lines, &run, 1, NULL, 0);
    assert_int_equal(c.counts[TP_CHECK_FAIL], 1);
    assert_int_equal(c.counts[TP_CHECK_INCONCLUSIVE], 4);
    assert_int_equal(c.items[1].cause, TP_CAUSE_DAMAGED);
    assert_string_equal(c.items[1].reason, "input damaged: 1 memory record contradicts the total of the record before");
    assert_true(isnan(c.items[1].value));
    assert_false(c.is_damaged); /* the failing limit needs only undamaged data */
    run = copy_with_lost_events(whole, TP_LOST_BROKEN);
    c = check_runs(lines, &run, 1, NULL, 0);
    assert_int_equal(c.counts[TP_CHECK_INCONCLUSIVE], 6);
    /* only the limit on trace.repaired passes, because this metric measures the damage itself */
    assert_int_equal(c.counts[TP_CHECK_PASS], 1);
    assert_int_equal(c.verdict, TP_CHECK_INCONCLUSIVE);
    assert_true(c.is_damaged);
}

static void damaged_baseline_is_inconclusive(void **state)
{
    GUARD;
    struct tp_summary run = copy_with_metric(make_scaled_run(1, 0), "kernels.per_step", 5);
    struct tp_summary base =
        copy_with_lost_events(copy_with_metric(make_scaled_run(1, 0), "kernels.per_step", 4), TP_LOST_DEVICE);
    struct tp_check c = check_runs("kernels.per_step <= +0\nkernels.per_step <= 5", &run, 1, &base, 1);
    assert_int_equal(c.items[0].cause, TP_CAUSE_DAMAGED);
    assert_string_equal(
        c.items[0].reason,
        "input damaged: the baseline: 1 device operation is missing, although its launch is in the file");
    assert_int_equal(c.items[1].status, TP_CHECK_PASS);
    assert_true(c.is_damaged);
}

static void missing_category_counts_as_damage(void **state)
{
    GUARD;
    struct tp_summary run = copy_with_metric(make_scaled_run(1, 0), "operators.per_step", 5), base = run;
    base.evidence = run.evidence = (struct tp_input_evidence){.is_known = true, .present = TP_NEED_HOST};
    base.evidence.present |= TP_NEED_MEMORY;
    static const char lines[] = "operators.per_step <= 5\noptional memory.peak <= 1";
    struct tp_check c = check_runs(lines, &run, 1, &base, 1);
    assert_int_equal(c.items[0].cause, TP_CAUSE_DAMAGED);
    assert_string_equal(c.items[0].reason,
                        "input damaged: the file contains no memory records, but the other side does");
    assert_int_equal(c.items[1].status, TP_CHECK_PASS);
    /* the recording of the baseline requested memory records, that of the run did not */
    base.evidence.requested = TP_NEED_MEMORY;
    assert_int_equal(check_runs(lines, &run, 1, &base, 1).verdict, TP_CHECK_PASS);
}

static void missing_ranks_are_inconclusive(void **state)
{
    GUARD;
    struct tp_summary runs[3], base[3];
    for (int i = 0; i < 3; i++) {
        runs[i] = base[i] = copy_with_metric(make_scaled_run(1, 0), "kernels.per_step", 5);
        runs[i].key.rank = base[i].key.rank = i;
        runs[i].key.world_size = 3;
    }
    assert_int_equal(check_runs("kernels.per_step <= 5", runs, 3, NULL, 0).verdict, TP_CHECK_PASS);
    struct tp_check c = check_runs("kernels.per_step <= 5\nkernels.per_step <= 5 @0", runs, 2, NULL, 0);
    assert_int_equal(c.count, 4); /* items: two for rank 0, one for rank 1, one for the missing rank */
    assert_int_equal(c.items[0].cause, TP_CAUSE_DAMAGED);
    assert_string_equal(c.items[0].reason, "input damaged: rank 2 of the job is missing");
    assert_int_equal(check_runs("kernels.per_step <= 4", runs, 2, NULL, 0).verdict, TP_CHECK_FAIL);
    runs[0].key.world_size = runs[1].key.world_size = TP_NULL_INT;
    assert_int_equal(check_runs("kernels.per_step <= 5", runs, 2, NULL, 0).verdict, TP_CHECK_PASS);
    assert_true(check_runs("kernels.per_step <= 5", runs, 2, base, 3).is_damaged); /* the baseline also has rank 2,
                                                                                    * which the runs lack */
    assert_true(check_runs("kernels.per_step <= +0", runs, 3, base, 2).is_damaged);
    assert_true(check_runs("kernels.per_step <= +0", runs, 3, base, 1).is_damaged);
}

static void line_for_a_worker_uses_only_its_runs(void **state)
{
    GUARD;
    struct tp_summary runs[] = {copy_with_metric(make_scaled_run(1, 0), "kernels.per_step", 5),
                                copy_with_metric(make_scaled_run(1, 0), "kernels.per_step", 9)};
    runs[1].key.worker = TP_STR("other");
    struct tp_check c = check_runs("kernels.per_step <= 5 @w\nkernels.per_step <= 5 @other\nkernels.per_step <= 9\n"
                                   "optional kernels.per_step <= 1 @nobody\n",
                                   runs, 2, NULL, 0);
    assert_int_equal(c.count, 4);
    assert_int_equal(c.counts[TP_CHECK_FAIL], 1);
    assert_true(tp_str_equal(c.items[0].subject, TP_STR("other")) && c.items[0].value == 9);
    assert_int_equal(c.items[3].cause, TP_CAUSE_SKIPPED);
}

static void counts_per_step_tolerate_less_than_half(void **state)
{
    GUARD;
    struct tp_summary base = copy_with_metric(make_run(ten_steps, 10), "kernels.per_step", 100.1);
    struct tp_summary run = copy_with_metric(make_run(ten_steps, 5), "kernels.per_step", 100.2);
    assert_int_equal(check_runs("kernels.per_step <= +0", &run, 1, &base, 1).verdict, TP_CHECK_PASS);
    run = copy_with_metric(run, "kernels.per_step", 101.2);
    assert_int_equal(check_runs("kernels.per_step <= +0", &run, 1, &base, 1).verdict, TP_CHECK_FAIL);
    run = copy_with_metric(make_run(ten_steps, 10), "kernels.per_step", 100.2);
    assert_int_equal(check_runs("kernels.per_step <= +0", &run, 1, &base, 1).verdict, TP_CHECK_FAIL);
}

static void failed_line_names_new_waits_and_findings(void **state)
{
    GUARD;
    struct tp_summary_row rows[2] = {
        {.kind = TP_SUMMARY_SYNC, .name = TP_STR("wait"), .owner = TP_STR("op"), .shape = TP_STR("a.py(1): f")},
        {.kind = TP_SUMMARY_SYNC, .name = TP_STR("wait"), .owner = TP_STR("op"), .shape = TP_STR("b.py(2): g")},
    };
    struct tp_summary_finding finding = {
        .rule = TP_STR("A5"), .title = TP_STR("t"), .file_line = TP_STR("c.py(3): h"), .severity = TP_SEVERITY_HIGH};
    struct tp_summary base = copy_with_metric(copy_with_metric(make_scaled_run(1, 0), "sync.per_step", 1),
                                              "finding.high", 0),
                      run;
    rows[0].time.count = rows[1].time.count = 10;
    base.rows = rows;
    base.row_count = 1;
    run = copy_with_metric(copy_with_metric(base, "sync.per_step", 2), "finding.high", 1);
    run.row_count = 2;
    run.findings = &finding;
    run.finding_count = 1;
    struct tp_check c = check_runs("sync.per_step <= +0\nfinding.high == 0\n", &run, 1, &base, 1);
    assert_int_equal(c.count, 2);
    assert_int_equal(c.items[0].place_count, 1);
    assert_true(tp_str_equal(c.items[0].places[0].file_line, TP_STR("b.py(2): g")));
    assert_int_equal(c.items[1].place_count, 1);
    assert_true(tp_str_equal(c.items[1].places[0].rule, TP_STR("A5")));
    assert_true(tp_str_equal(c.items[1].places[0].file_line, TP_STR("c.py(3): h")));
}

/* Returns a run whose steps vary by about 5 %, and whose mean step time varies by about 2 % between runs. */
static struct tp_summary make_noisy_run(double factor, struct tp_random *random)
{
    int64_t steps[20];
    double level = tp_random_unit(random) + tp_random_unit(random) + tp_random_unit(random) - 1.5;
    for (int i = 0; i < 20; i++) {
        double noise = tp_random_unit(random) + tp_random_unit(random) + tp_random_unit(random) - 1.5;
        steps[i] = llround(1e6 * factor * (1 + 0.04 * level) * (1 + 0.1 * noise));
    }
    return make_run(steps, 20);
}

/* Compares a history of ten runs with another run of the same program, a thousand times. At most 1 % of these runs are
 * allowed to fail, but runs that are 15 % slower must fail. With a single base run, almost no run is allowed to
 * fail. */
static void equal_programs_fail_in_less_than_one_percent(void **state)
{
    GUARD;
    struct tp_random random = {42};
    int alarms = 0, found = 0, alone = 0;
    for (int trial = 0; trial < 1000; trial++) {
        struct tp_summary base[10], same = make_noisy_run(1, &random), slow = make_noisy_run(1.15, &random);
        for (int i = 0; i < 10; i++)
            base[i] = make_noisy_run(1, &random);
        alarms += check_runs("step.time.median <= +0 %", &same, 1, base, 10).verdict == TP_CHECK_FAIL;
        found += check_runs("step.time.median <= +0 %", &slow, 1, base, 10).verdict == TP_CHECK_FAIL;
        alone += check_runs("step.time.median <= +0 %", &same, 1, base, 1).verdict == TP_CHECK_FAIL;
    }
    if (alarms > 10 || found < 950 || alone > 1)
        fail_msg("%d false alarms, %d of one to one; %d of 1000 slower runs found", alarms, alone, found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_judged_exactly),
        cmocka_unit_test(value_closest_to_failing_is_judged),
        cmocka_unit_test(baseline_counts_come_from_newest_runs),
        cmocka_unit_test(time_limit_passes_fails_or_is_inconclusive),
        cmocka_unit_test(inconclusive_limit_names_the_needed_runs),
        cmocka_unit_test(noise_is_learned_from_history),
        cmocka_unit_test(limits_refer_to_the_accepted_level),
        cmocka_unit_test(one_run_by_wall_clock_fails_no_limit),
        cmocka_unit_test(wall_clock_fails_only_if_short_steps_change),
        cmocka_unit_test(missing_required_speedup_fails),
        cmocka_unit_test(missing_metric_is_inconclusive_unless_optional),
        cmocka_unit_test(missing_baseline_is_inconclusive),
        cmocka_unit_test(incomparable_sides_are_inconclusive),
        cmocka_unit_test(host_times_need_equal_recorder_options),
        cmocka_unit_test(ranks_are_compared_with_the_same_rank),
        cmocka_unit_test(damaged_run_is_inconclusive),
        cmocka_unit_test(damaged_baseline_is_inconclusive),
        cmocka_unit_test(missing_category_counts_as_damage),
        cmocka_unit_test(missing_ranks_are_inconclusive),
        cmocka_unit_test(line_for_a_worker_uses_only_its_runs),
        cmocka_unit_test(counts_per_step_tolerate_less_than_half),
        cmocka_unit_test(failed_line_names_new_waits_and_findings),
        cmocka_unit_test(equal_programs_fail_in_less_than_one_percent),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
