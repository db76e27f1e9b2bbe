/* Tests comparisons of summaries made by hand: matching rows, reported changes, and causes of changes. */
#include "webreport/compare/numbered_kernels.h"
#include "webreport/compare/two/compare_build.h"
#include "webreport/document/commands/compare_document.h"
#include "webreport/document/commands/compare_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/made_comparison.h"

enum { MANY = 3 };

/* Compares MANY base runs with MANY new runs. */
static void compare_many(struct tp_compare *compare, const struct plan *base, const struct plan *new_plans)
{
    static const struct tp_calltree *const no_trees[TP_SIDES];
    static struct tp_side_input inputs[TP_SIDES];
    static struct tp_summary many[TP_SIDES][MANY];
    struct tp_compare_options options = {0};
    for (int i = 0; i < MANY; i++) {
        many[TP_BASE][i] = make_run(10000, base);
        many[TP_NEW][i] = make_run(10000, new_plans);
    }
    inputs[TP_BASE] = (struct tp_side_input){"base", many[TP_BASE], MANY, false};
    inputs[TP_NEW] = (struct tp_side_input){"new", many[TP_NEW], MANY, false};
    tp_compare_build(compare, inputs, no_trees, &options, &arena);
}

/* Checks all changes, joined to one text such as "regressed same kernel;". */
static void assert_changes(const struct tp_compare *c, const char *wanted)
{
    const struct tp_table *t = &c->tables[TP_COMPARE_CHANGES];
    char text[1024] = "";
    size_t size = 0;
    for (size_t row = 0; row < t->row_count && size < sizeof text - 200; row++)
        size +=
            (size_t)snprintf(text + size, sizeof text - size, "%.*s %.*s %.*s;",
                             (int)tp_table_text(t, TP_ROW_VERDICT)[row].len, tp_table_text(t, TP_ROW_VERDICT)[row].ptr,
                             (int)tp_table_text(t, TP_ROW_MATCH)[row].len, tp_table_text(t, TP_ROW_MATCH)[row].ptr,
                             (int)tp_table_text(t, TP_ROW_NAME)[row].len, tp_table_text(t, TP_ROW_NAME)[row].ptr);
    assert_string_equal(text, wanted);
}

static void similarity_of_names_is_computed(void **state)
{
    (void)state;
    assert_true(tp_name_similarity(TP_STR("volta_sgemm_128x64_nn"), TP_STR("VOLTA_sgemm_128x64_nn")) == 1);
    assert_true(tp_name_similarity(TP_STR("volta_sgemm_128x64_nn"), TP_STR("volta_sgemm_128x64_tn")) > 0.8);
    assert_true(tp_name_similarity(TP_STR("volta_sgemm"), TP_STR("bn_fw_tr_1C11")) < 0.2);
    assert_true(tp_name_similarity(TP_STR("a"), TP_STR("b")) == 0 && tp_name_similarity(TP_STR("a"), TP_STR("a")) == 1);
}

#define OTHERS                                                                                                         \
    KERNEL("relu", 4, 300), KERNEL("norm", 2, 200), KERNEL("add", 8, 60), KERNEL("mul", 3, 90), KERNEL("copy", 1, 150)

/* Tests that with several base runs and new runs, each row has a verdict. With one run each, only the total has a
 * verdict, and the row is a hint. The row names its operator and its modules by id. */
static void slower_kernel_is_reported(void **state)
{
    const struct plan base[] = {KERNEL("gemm", 2, 500),
                                OTHERS,
                                {"aten::mm", "", "[[8, 8]]", 800, TP_SUMMARY_OPERATOR_DEVICE, 4},
                                {"Net/Linear", "", "", 800, TP_SUMMARY_MODULE_DEVICE, 4},
                                END};
    const struct plan slower[] = {KERNEL("gemm", 2, 750),
                                  OTHERS,
                                  {"aten::mm", "", "[[8, 8]]", 925, TP_SUMMARY_OPERATOR_DEVICE, 4},
                                  {"Net/Linear", "", "", 925, TP_SUMMARY_MODULE_DEVICE, 4},
                                  END};
    struct tp_compare c;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    compare_many(&c, base, slower);
    assert_changes(&c, "regressed same gemm;");
    assert_int_equal(c.verdict, TP_CHANGE_REGRESSED);
    assert_int_equal(c.totals[TP_QUANTITY_KERNELS].verdict, TP_CHANGE_REGRESSED);
    assert_int_equal(c.totals[TP_QUANTITY_STEP].verdict, TP_CHANGE_NEUTRAL);
    assert_true(fabs(c.totals[TP_QUANTITY_KERNELS].change.estimate - 500.0 / 3500) < 0.01);
    const struct tp_table *kernels = &c.tables[TP_COMPARE_KERNELS];
    assert_true(tp_table_int(kernels, TP_ROW_LOW)[0] < 500000 && tp_table_int(kernels, TP_ROW_HIGH)[0] > 500000);
    assert_true(tp_table_int(&c.tables[TP_COMPARE_MODULES_DEVICE], TP_ROW_CHANGE)[0] > 450000);
    compare_many(&c, slower, base);
    assert_changes(&c, "improved same gemm;");
    assert_int_equal(c.verdict, TP_CHANGE_IMPROVED);
    compare_plans(&c, base, slower);
    assert_changes(&c, "hint same gemm;");
    assert_int_equal(c.verdict, TP_CHANGE_REGRESSED);
    assert_true(tp_compare_has_regressed(&c));
}

/* Tests that the run has not regressed if the total is faster, although one of its rows takes longer. */
static void rows_slower_than_an_improved_total_are_mixed(void **state)
{
    const struct plan base[] = {KERNEL("gemm", 4, 500), OTHERS, END};
    const struct plan later[] = {KERNEL("gemm", 4, 300),
                                 KERNEL("relu", 4, 360),
                                 KERNEL("norm", 2, 200),
                                 KERNEL("add", 8, 60),
                                 KERNEL("mul", 3, 90),
                                 KERNEL("copy", 1, 150),
                                 END};
    struct tp_compare c;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    compare_many(&c, base, later);
    assert_changes(&c, "improved same gemm;regressed same relu;");
    assert_int_equal(c.totals[TP_QUANTITY_KERNELS].verdict, TP_CHANGE_IMPROVED);
    assert_int_equal(c.verdict, TP_CHANGE_MIXED);
    assert_false(tp_compare_has_regressed(&c));
    compare_many(&c, later, base);
    assert_int_equal(c.verdict, TP_CHANGE_MIXED);
    assert_true(tp_compare_has_regressed(&c));
}

/* Tests that the comparison reports one change and no rows if all kernels are slower by the same factor. */
static void slower_clock_is_reported_once(void **state)
{
    const struct plan base[] = {KERNEL("gemm", 4, 500), OTHERS, END};
    struct plan later[sizeof base / sizeof *base];
    struct tp_compare c;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    for (size_t i = 0; i < sizeof base / sizeof *base; i++) {
        later[i] = base[i];
        later[i].call_us *= 1.05;
    }
    compare_many(&c, base, later);
    assert_changes(&c, "");
    assert_true(fabs(c.changes.shift - 0.05) < 0.005);
    assert_int_equal(c.verdict, TP_CHANGE_REGRESSED);
}

static void new_and_removed_rows_are_reported(void **state)
{
    const struct plan base[] = {KERNEL("gemm", 4, 500), {"Memcpy HtoD", "aten::to", "", 3, TP_SUMMARY_COPY, 1}, END};
    const struct plan more[] = {KERNEL("gemm", 4, 500),
                                {"Memcpy HtoD", "aten::to", "", 3, TP_SUMMARY_COPY, 2},
                                {"Memcpy DtoH", "aten::_local_scalar_dense", "", 2, TP_SUMMARY_COPY, 1},
                                {"cudaStreamSynchronize", "aten::item", "train.py(12): step", 4, TP_SUMMARY_SYNC, 1},
                                {"aten::item", "", "[[]]", 60, TP_SUMMARY_OPERATOR_HOST, 1},
                                {"cudaStreamSynchronize", "", "", 40, TP_SUMMARY_RUNTIME, 1},
                                END};
    struct tp_compare compare;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    compare_plans(&compare, base, more);
    /* The new .item() explains its copy, its operator and its runtime call. It does not explain the copy to the device.
     */
    assert_changes(&compare, "regressed new cudaStreamSynchronize;regressed same Memcpy HtoD;");
    compare_plans(&compare, more, base);
    assert_changes(&compare, "improved removed cudaStreamSynchronize;improved same Memcpy HtoD;");
}

static void rows_are_matched_beyond_their_names(void **state)
{
    const struct plan base[] = {KERNEL("volta_sgemm_128x64_nn", 4, 500),
                                {"add_kernel", "aten::gelu", "[[4]]", 300, TP_SUMMARY_KERNEL, 2},
                                {"mul_kernel", "aten::gelu", "[[4]]", 300, TP_SUMMARY_KERNEL, 2},
                                {"cudaStreamSynchronize", "aten::item", "a/b.py(12): f", 40, TP_SUMMARY_SYNC, 1},
                                {"aten::cat", "", "[[2, 3]]", 50, TP_SUMMARY_OPERATOR_HOST, 1},
                                END};
    const struct plan later[] = {KERNEL("ampere_sgemm_128x64_nn", 4, 500),
                                 {"fused_add_mul_kernel", "aten::gelu", "[[4]]", 600, TP_SUMMARY_KERNEL, 2},
                                 {"cudaStreamSynchronize", "aten::item", "a/b.py(17): f", 40, TP_SUMMARY_SYNC, 1},
                                 {"aten::cat", "", "[[4, 3]]", 50, TP_SUMMARY_OPERATOR_HOST, 1},
                                 END};
    struct tp_compare c;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    compare_plans(&c, base, later);
    const struct tp_table *kernels = &c.tables[TP_COMPARE_KERNELS];
    assert_int_equal(c.replaced_count, 2);
    assert_int_equal(c.changes.cause_count, 2);
    for (size_t row = 0; row < 2; row++)
        assert_true(tp_str_equal(tp_table_text(kernels, TP_ROW_MATCH)[row],
                                 tp_str_starts(tp_table_text(kernels, TP_ROW_NAME)[row], "ampere") ? TP_STR("renamed")
                                                                                                   : TP_STR("fused")));
    assert_int_equal(c.tables[TP_COMPARE_KERNELS].row_count, 2);
    assert_true(tp_str_equal(tp_table_text(&c.tables[TP_COMPARE_SYNCS], TP_ROW_MATCH)[0], TP_STR("moved")));
    assert_true(tp_str_equal(tp_table_text(&c.tables[TP_COMPARE_OPERATORS_HOST], TP_ROW_MATCH)[0], TP_STR("reshaped")));
}

static void change_splits_into_count_and_time(void **state)
{
    struct tp_compare compare;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    for (int round = 0; round < 50; round++) {
        struct plan plans[TP_SIDES][ROWS / 2];
        for (int s = 0; s < TP_SIDES; s++)
            for (unsigned i = 0; i < ROWS / 2; i++) {
                static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
                plans[s][i] = (struct plan){names[i % 6],
                                            names[i / 6],
                                            "",
                                            900 * tp_random_unit(&noise),
                                            TP_SUMMARY_KERNEL,
                                            (int)tp_random_below(&noise, 8)};
                if (!plans[s][i].calls || i == ROWS / 2 - 1) {
                    plans[s][i].calls = 0;
                    break;
                }
            }
        compare_plans(&compare, plans[TP_BASE], plans[TP_NEW]);
        for (uint32_t i = 0; i < compare.changes.count; i++) {
            const struct tp_change *change = &compare.changes.items[i];
            double calls = change->calls[TP_NEW] - change->calls[TP_BASE];
            assert_true(change->change_by_call_count_ns + change->change_by_call_time_ns == change->change_ns);
            /* if more calls take less time in total, the work has changed, but nothing has regressed */
            assert_false(change->verdict == TP_CHANGE_REGRESSED && change->change_ns <= 0);
            assert_false(change->verdict == TP_CHANGE_IMPROVED && change->change_ns >= 0);
            assert_true(fabs((double)change->change_ns - (change->ns[TP_NEW] - change->ns[TP_BASE])) <= 0.5);
            if (change->match->kind == TP_MATCH_SAME && change->identity.kind == TP_SUMMARY_KERNEL)
                assert_true(fabs((double)change->change_by_call_count_ns - calls * change->call_ns[TP_BASE]) <= 0.5);
        }
    }
}

static void different_conditions_are_no_regression(void **state)
{
    const struct plan plans[] = {KERNEL("gemm", 4, 500), END}, slower[] = {KERNEL("gemm", 4, 900), END};
    struct tp_summary_fact v100 = {TP_STR("gpu"), TP_STR("V100")}, h100 = {TP_STR("gpu"), TP_STR("H100")},
                           unknown = {TP_STR("gpu"), TP_STR("")};
    struct tp_compare compare;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    runs[TP_BASE] = make_run(10000, plans);
    runs[TP_NEW] = make_run(14000, slower);
    runs[TP_BASE].facts = &v100;
    runs[TP_NEW].facts = &v100;
    runs[TP_BASE].fact_count = runs[TP_NEW].fact_count = 1;
    compare_runs(&compare);
    assert_int_equal(compare.comparability.workload, TP_WORKLOAD_SAME);
    assert_int_equal(compare.verdict, TP_CHANGE_REGRESSED);
    runs[TP_NEW].facts = &h100;
    compare_runs(&compare);
    assert_true(compare.comparability.is_not_comparable);
    assert_int_equal(compare.verdict, TP_CHANGE_INCONCLUSIVE);
    assert_int_equal(compare.totals[TP_QUANTITY_KERNELS].verdict, TP_CHANGE_INCONCLUSIVE);
    assert_int_equal(compare.regressed_count, 0);
    assert_string_equal(tp_compare_verdict_word(&compare), "other workload");
    runs[TP_NEW].facts = &unknown; /* the GPU of the new run is unknown */
    compare_runs(&compare);
    assert_int_equal(compare.comparability.workload, TP_WORKLOAD_UNKNOWN);
    assert_int_equal(compare.totals[TP_QUANTITY_KERNELS].verdict, TP_CHANGE_INCONCLUSIVE);
    runs[TP_NEW].facts = NULL;
    runs[TP_NEW].fact_count = 0; /* a summary of an older version names no GPU */
    compare_runs(&compare);
    assert_int_equal(compare.comparability.workload, TP_WORKLOAD_SAME);
    assert_int_equal(compare.verdict, TP_CHANGE_REGRESSED);
}

static void host_times_need_equal_recorder_options(void **state)
{
    const struct plan plans[] = {KERNEL("gemm", 4, 500), END}, slower[] = {KERNEL("gemm", 4, 900), END};
    struct tp_summary_fact with = {TP_STR("with_stack"), TP_STR("1")}, without = {TP_STR("with_stack"), TP_STR("0")};
    struct tp_compare compare;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    runs[TP_BASE] = make_run(10000, plans);
    runs[TP_NEW] = make_run(20000, slower);
    runs[TP_BASE].facts = runs[TP_NEW].facts = &with;
    runs[TP_BASE].fact_count = runs[TP_NEW].fact_count = 1;
    compare_runs(&compare);
    assert_int_equal(compare.totals[TP_QUANTITY_STEP].verdict, TP_CHANGE_REGRESSED);
    runs[TP_NEW].facts = &without;
    compare_runs(&compare);
    assert_int_equal(compare.comparability.workload, TP_WORKLOAD_SAME);
    assert_int_equal(compare.totals[TP_QUANTITY_STEP].verdict, TP_CHANGE_INCONCLUSIVE);
    assert_int_equal(compare.totals[TP_QUANTITY_KERNELS].verdict, TP_CHANGE_REGRESSED);
}

static void different_numbers_of_runs_are_no_change(void **state)
{
    const struct plan plans[] = {KERNEL("gemm", 4, 500), END};
    struct tp_summary four[4];
    struct tp_compare c;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    for (unsigned i = 0; i < 4; i++)
        four[i] = make_run(10000, plans);
    runs[TP_NEW] = four[0];
    const struct tp_side_input inputs[TP_SIDES] = {{"four", four, 4, false}, {"one", &runs[TP_NEW], 1, false}};
    const struct tp_calltree *const trees[TP_SIDES] = {NULL, NULL};
    const struct tp_compare_options options = {0};
    tp_compare_build(&c, inputs, trees, &options, &arena);
    assert_int_equal(c.comparability.workload, TP_WORKLOAD_SAME);
    assert_int_equal(c.comparability.counts[TP_FACT_DIFFERS], 0);
}

static void leak_is_reported_with_its_line(void **state)
{
    const struct plan plans[] = {KERNEL("gemm", 4, 500), END};
    struct tp_summary_owner before[] = {{TP_OWNER_LINE, TP_STR("train.py(9): forward"), 90 << 20, 40}};
    struct tp_summary_owner after[] = {{TP_OWNER_LINE, TP_STR("train.py(9): forward"), 90 << 20, 40},
                                       {TP_OWNER_LINE, TP_STR("train.py(30): log"), 40 << 20, 20}};
    struct tp_summary_memory base = {TP_STR("GPU0"), 100 << 20, 200 << 20, 0, before, 1};
    struct tp_summary_memory leaking = {TP_STR("GPU0"), 140 << 20, 200 << 20, 2 << 20, after, 2};
    struct tp_compare c;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    runs[TP_BASE] = make_run(10000, plans);
    runs[TP_NEW] = runs[TP_BASE];
    runs[TP_BASE].memory = &base;
    runs[TP_NEW].memory = &leaking;
    runs[TP_BASE].memory_count = runs[TP_NEW].memory_count = 1;
    compare_runs(&c);
    assert_int_equal(c.verdict, TP_CHANGE_REGRESSED);
    assert_int_equal(c.totals[TP_QUANTITY_STEP].verdict, TP_CHANGE_NEUTRAL);
    assert_true(tp_str_equal(tp_table_text(&c.tables[TP_COMPARE_OWNERS], TP_OWNER_DIFF_NAME)[0], after[1].name));
    assert_true(
        tp_str_equal(tp_table_text(&c.tables[TP_COMPARE_OWNERS], TP_OWNER_DIFF_VERDICT)[0], TP_STR("regressed")));
    assert_true(tp_str_equal(tp_table_text(&c.tables[TP_COMPARE_OWNERS], TP_OWNER_DIFF_VERDICT)[1], TP_STR("neutral")));
}

static void damaged_side_is_never_a_regression(void **state)
{
    const struct plan base[] = {KERNEL("gemm", 4, 500), END}, slower[] = {KERNEL("gemm", 4, 900), END};
    struct tp_compare c;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    compare_plans(&c, base, slower);
    assert_int_equal(c.verdict, TP_CHANGE_REGRESSED);
    assert_string_equal(c.damage, "");
    for (int s = 0; s < TP_SIDES; s++) {
        runs[s].evidence = (struct tp_input_evidence){.is_known = true, .eof = TP_EOF_CUT};
        compare_runs(&c);
        assert_int_equal(c.verdict, TP_CHANGE_INCONCLUSIVE);
        assert_int_equal(c.totals[TP_QUANTITY_KERNELS].verdict, TP_CHANGE_INCONCLUSIVE);
        assert_int_equal(c.regressed_count, 0);
        assert_headline(&c, s == TP_BASE ? "Input damaged: base: the file is cut, and the lost part is unknown"
                                         : "Input damaged: new: the file is cut, and the lost part is unknown");
        runs[s].evidence = (struct tp_input_evidence){.is_known = true, .eof = TP_EOF_CLEAN};
    }
    runs[TP_BASE].evidence.present = TP_NEED_DEVICE; /* the evidence of the baseline includes device events, that of the
                                                      * new run does not */
    compare_runs(&c);
    assert_string_equal(c.damage, "new: the file contains no kernels, copies or memsets, but the other side does");
    runs[TP_BASE].evidence.present = 0;
    runs[TP_BASE].key.rank = 0;
    runs[TP_NEW].key.rank = 1;
    compare_runs(&c); /* different ranks are fine if the user chose the rank of both runs */
    assert_string_equal(c.damage, "");
}

/* Adds noise of three kinds: stalls, rows that occur only in some steps, and steps that are slow as a whole. */
static void add_noise_to_run(struct tp_summary *run)
{
    for (int i = 0; i < STEPS; i++) {
        double slow = 1 + 0.05 * tp_random_unit(&noise) * (tp_random_below(&noise, 4) == 0);
        run->steps[i].total_ns = (int64_t)((double)run->steps[i].total_ns * slow);
        for (uint32_t r = 0; r < run->row_count; r++) {
            struct tp_summary_row *row = &run->rows[r];
            double stall = tp_random_below(&noise, 50) ? 1 : 3;
            row->by_step_ns[i] = (int64_t)((double)row->by_step_ns[i] * slow * stall);
            if (r % 7 == 3 && tp_random_below(&noise, 3)) /* this row occurs in a third of the steps */
                row->by_step_ns[i] = row->by_step_count[i] = 0;
        }
    }
}

/* Compares a thousand pairs of runs of the same program. */
static void noise_raises_no_alarm(void **state)
{
    enum { PAIRS = 1000 };
    static const enum tp_summary_kind kinds[] = {TP_SUMMARY_OPERATOR_HOST, TP_SUMMARY_KERNEL, TP_SUMMARY_SYNC,
                                                 TP_SUMMARY_MODULE_HOST};
    static char names[ROWS][16];
    static int alarms;
    struct plan plans[ROWS];
    (void)state;
    for (unsigned i = 0; i < ROWS; i++) {
        snprintf(names[i], sizeof names[i], "row%u", i);
        plans[i] = (struct plan){names[i], "", "", 20.0 + 20 * i, kinds[i % 4], 1 + (int)(i % 5)};
    }
    plans[ROWS - 1].calls = 0;
    for (int pair = 0; pair < PAIRS; pair++) {
        struct tp_compare compare;
        end(NULL);
        tp_arena_init(&arena, 0);
        if (setjmp(arena.guard))
            fail();
        for (int s = 0; s < TP_SIDES; s++) {
            runs[s] = make_run(10000, plans);
            add_noise_to_run(&runs[s]);
        }
        compare_runs(&compare);
        alarms += compare.verdict != TP_CHANGE_NEUTRAL || compare.changes.cause_count > 0;
    }
    print_message("           %d false alarms in %d comparisons: %.1f %%\n", alarms, PAIRS, 100.0 * alarms / PAIRS);
    assert_true(alarms * 100 <= PAIRS);
}

/* Tests that modules of only one run are neither added nor removed, because recording modules is optional. */
static void modules_of_one_side_are_no_change(void **state)
{
    const struct plan base[] = {KERNEL("gemm", 4, 500), KERNEL("relu", 4, 200), END};
    const struct plan with[] = {KERNEL("gemm", 4, 500),
                                KERNEL("relu", 4, 200),
                                {"Net_0/Linear_0", "", "", 900, TP_SUMMARY_MODULE_DEVICE, 1},
                                END};
    struct tp_compare c;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    for (int round = 0; round < 2; round++) {
        compare_plans(&c, round ? with : base, round ? base : with);
        assert_int_equal(c.verdict, TP_CHANGE_NEUTRAL);
        assert_int_equal(c.tables[TP_COMPARE_CHANGES].row_count, 0);
    }
}

/* Compares ten runs with an eleventh one. peaks[i] is the host memory peak of run i, in bytes. */
static enum tp_change_verdict compare_memory_peaks(const int64_t peaks[11])
{
    static const struct plan plans[] = {KERNEL("gemm", 4, 500), END};
    static const struct tp_calltree *const no_trees[TP_SIDES];
    struct tp_summary of[11];
    struct tp_summary_memory memory[11];
    struct tp_compare_options options = {0};
    struct tp_compare compare;
    for (int i = 0; i < 11; i++) {
        of[i] = make_run(10000, plans);
        memory[i] = (struct tp_summary_memory){.device = TP_STR("CPU"), .peak_allocated_bytes = peaks[i]};
        of[i].memory = &memory[i];
        of[i].memory_count = 1;
        of[i].signature.hash = 1;
    }
    const struct tp_side_input inputs[TP_SIDES] = {{"base", of, 10, false}, {"new", of + 10, 1, false}};
    tp_compare_build(&compare, inputs, no_trees, &options, &arena);
    assert_true(compare.work.is_same);
    return compare.memory_verdict;
}

/* Tests that one run with a higher host memory peak is no change if the peaks of the ten other runs differ by more.
 * Peaks of equal work are mostly equal. */
static void rare_host_memory_peak_is_no_change(void **state)
{
    const int64_t mib = 1 << 20;
    int64_t peaks[11];
    (void)state;
    if (setjmp(arena.guard))
        fail();
    for (int i = 0; i < 11; i++)
        peaks[i] = 100 * mib;
    assert_int_equal(compare_memory_peaks(peaks), TP_CHANGE_NEUTRAL);
    peaks[10] = 60 * mib;
    /* the ten other peaks are equal, so any difference is a change */
    assert_int_equal(compare_memory_peaks(peaks), TP_CHANGE_IMPROVED);
    peaks[3] += 64;
    assert_int_equal(compare_memory_peaks(peaks), TP_CHANGE_NEUTRAL);
    peaks[10] = 140 * mib;
    assert_int_equal(compare_memory_peaks(peaks), TP_CHANGE_NEUTRAL);
}

/* Tests which kernels of the base are paired with two new kernels, whose numbers differ. The new kernels are called in
 * the order 5, 4. Without a list of generated kernels, as in older summaries, numbers show the order. A hash that only
 * one side has does not matter. */
static void numbered_kernels_are_paired_by_hash_then_by_first_call(void **state)
{
    static const struct plan base[] = {KERNEL("triton_poi_fused_add_0", 1, 500),
                                       KERNEL("triton_poi_fused_add_1", 1, 900), END};
    static const struct plan new_plans[] = {KERNEL("triton_poi_fused_add_4", 1, 500),
                                            KERNEL("triton_poi_fused_add_5", 1, 900), END};
    struct tp_summary_generated of_base[] = {{TP_STR("triton_poi_fused_add_0"), TP_STR(""), 0},
                                             {TP_STR("triton_poi_fused_add_1"), TP_STR(""), 0}};
    struct tp_summary_generated of_new[] = {{TP_STR("triton_poi_fused_add_5"), TP_STR(""), 7},
                                            {TP_STR("triton_poi_fused_add_4"), TP_STR(""), 8}};
    struct tp_side_input in[TP_SIDES], out[TP_SIDES];
    (void)state;
    if (setjmp(arena.guard))
        fail();
    for (int form = 0; form < 4; form++) { /* 0: no lists; 1: only NEW has a list; 2: no hashes in BASE; 3: hashes */
        runs[TP_BASE] = make_run(10000, base);
        runs[TP_NEW] = make_run(10000, new_plans);
        of_base[0].hash = form == 3 ? 8 : 0;
        of_base[1].hash = form == 3 ? 7 : 0;
        runs[TP_BASE].generated = of_base;
        runs[TP_BASE].generated_count = form >= 2 ? 2 : 0;
        runs[TP_NEW].generated = of_new;
        runs[TP_NEW].generated_count = form >= 1 ? 2 : 0;
        for (int s = 0; s < TP_SIDES; s++)
            in[s] = (struct tp_side_input){"side", &runs[s], 1, false};
        tp_numbered_make_names_equal(out, in, NULL, &arena);
        const char *first = form == 2 ? "triton_poi_fused_add_5" : "triton_poi_fused_add_4";
        assert_true(tp_str_equal(out[TP_BASE].runs[0].rows[0].name, tp_str_of(first)));
    }
}

/* Compares five runs with one run that loads data three times as slowly, in all steps or only in the long steps. */
static enum tp_change_verdict compare_slower_data_loading(const struct plan *plans, bool is_in_all)
{
    static const struct tp_calltree *const no_trees[TP_SIDES];
    struct tp_summary of[6];
    struct tp_compare_options options = {0};
    struct tp_compare compare;
    for (int i = 0; i < 6; i++) {
        of[i] = make_run(10000, plans);
        for (int k = 0; k < STEPS; k++) {
            int times = i == 5 && (is_in_all || k % 4) ? 3 : 1;
            of[i].steps[k].part_ns[TP_PART_DEVICE_SUM] = 0;
            of[i].steps[k].part_ns[TP_PART_DATALOADER] = (int64_t)(1e6 * times * jitter());
        }
    }
    const struct tp_side_input inputs[TP_SIDES] = {{"base", of, 5, false}, {"new", of + 5, 1, false}};
    tp_compare_build(&compare, inputs, no_trees, &options, &arena);
    assert_true(tp_sides_have_only_wall_clock(&compare.sides));
    return compare.changes.items[compare.changes.count - 1].verdict;
}

/* Tests that slower data loading is a change only if short steps are slower, too. On a busy machine only some steps are
 * slow, but a slower loader makes all steps slower. The test has five operators, because their times show the pace of
 * the machine. */
static void data_loading_change_needs_short_steps(void **state)
{
#define OPERATOR(name, us)                                                                                             \
    {                                                                                                                  \
        name, "", "", us, TP_SUMMARY_OPERATOR_HOST, 2                                                                  \
    }
    const struct plan many[] = {OPERATOR("mm", 900),  OPERATOR("relu", 300), OPERATOR("add", 250),
                                OPERATOR("sum", 200), OPERATOR("mul", 150),  END};
    (void)state;
    if (setjmp(arena.guard))
        fail();
    assert_int_equal(compare_slower_data_loading(many, true), TP_CHANGE_REGRESSED);
    assert_int_equal(compare_slower_data_loading(many, false), TP_CHANGE_HINT);
    assert_int_equal(compare_slower_data_loading(many + 1, true), TP_CHANGE_HINT);
}

/* Compares the steps of five runs with those of one run, in which all steps or three of four steps take three times as
 * long. */
static void wall_clock_change_needs_short_steps(void **state)
{
    static const struct tp_calltree *const no_trees[TP_SIDES];
    const struct plan plans[] = {OPERATOR("mm", 900), END};
    struct tp_compare_options options = {0};
    (void)state;
    if (setjmp(arena.guard))
        fail();
    for (int is_in_all = 0; is_in_all < 2; is_in_all++) {
        struct tp_summary of[6];
        struct tp_compare compare;
        for (int i = 0; i < 6; i++) {
            of[i] = make_run(10000, plans);
            for (int k = 0; k < STEPS; k++) {
                of[i].steps[k].part_ns[TP_PART_DEVICE_SUM] = 0;
                of[i].steps[k].total_ns *= i == 5 && (is_in_all || k % 4) ? 3 : 1;
            }
        }
        const struct tp_side_input inputs[TP_SIDES] = {{"base", of, 5, false}, {"new", of + 5, 1, false}};
        tp_compare_build(&compare, inputs, no_trees, &options, &arena);
        assert_int_equal(compare.totals[TP_QUANTITY_STEP].verdict, is_in_all ? TP_CHANGE_REGRESSED : TP_CHANGE_HINT);
        assert_int_equal(compare.verdict, is_in_all ? TP_CHANGE_REGRESSED : TP_CHANGE_INCONCLUSIVE);
        if (!is_in_all)
            assert_non_null(
                strstr(tp_compare_verdict(&compare, &arena).headline, "; the shortest steps do not show this change"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(similarity_of_names_is_computed, begin, end),
        cmocka_unit_test_setup_teardown(slower_kernel_is_reported, begin, end),
        cmocka_unit_test_setup_teardown(rows_slower_than_an_improved_total_are_mixed, begin, end),
        cmocka_unit_test_setup_teardown(slower_clock_is_reported_once, begin, end),
        cmocka_unit_test_setup_teardown(new_and_removed_rows_are_reported, begin, end),
        cmocka_unit_test_setup_teardown(rows_are_matched_beyond_their_names, begin, end),
        cmocka_unit_test_setup_teardown(change_splits_into_count_and_time, begin, end),
        cmocka_unit_test_setup_teardown(different_conditions_are_no_regression, begin, end),
        cmocka_unit_test_setup_teardown(host_times_need_equal_recorder_options, begin, end),
        cmocka_unit_test_setup_teardown(different_numbers_of_runs_are_no_change, begin, end),
        cmocka_unit_test_setup_teardown(damaged_side_is_never_a_regression, begin, end),
        cmocka_unit_test_setup_teardown(leak_is_reported_with_its_line, begin, end),
        cmocka_unit_test_setup_teardown(noise_raises_no_alarm, begin, end),
        cmocka_unit_test_setup_teardown(wall_clock_change_needs_short_steps, begin, end),
        cmocka_unit_test_setup_teardown(data_loading_change_needs_short_steps, begin, end),
        cmocka_unit_test_setup_teardown(rare_host_memory_peak_is_no_change, begin, end),
        cmocka_unit_test_setup_teardown(numbered_kernels_are_paired_by_hash_then_by_first_call, begin, end),
        cmocka_unit_test_setup_teardown(modules_of_one_side_are_no_change, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
