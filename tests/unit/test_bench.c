/* Tests alternating runs: their order, drift of the machine, when to stop, counts, and discarded runs. */
#include "webreport/compare/bench/bench.h"

#include <math.h>

#include "tests/unit/normal_draws.h"
#include "tests/unit/one_arena.h"
#include "writer/base/stats.h"

enum { MOST_PAIRS = 30 };

static const struct tp_bench_goal plain = {.effect = 0.02, .quantity = -1, .max_runs = MOST_PAIRS};

static void clear_run(struct tp_bench_run *run, int side, unsigned pair)
{
    *run = (struct tp_bench_run){.side = side, .pair = pair, .busy = 0.98};
    for (int q = 0; q < TP_BENCH_QUANTITIES; q++)
        run->level[q] = NAN;
}

/* A simulated machine: the noise of each run, and the drift between runs. */
struct machine {
    struct tp_random random;
    double noise, wander, place;
};

static double random_run_level(struct machine *machine)
{
    machine->place = 0.9 * machine->place + machine->wander * draw_normal_number(&machine->random);
    return machine->place + machine->noise * draw_normal_number(&machine->random);
}

/* Runs pairs until the result is decided, as the command `bench` does. */
static void run(struct tp_bench *bench, struct tp_bench_run *runs, struct machine *machine, double effect,
                const struct tp_bench_goal *goal)
{
    struct tp_bench_checks looks = {0};
    for (unsigned pair = 0; pair < goal->max_runs; pair++) {
        int first = tp_bench_first_side(machine->random.state, pair);
        for (int i = 0; i < 2; i++) {
            struct tp_bench_run *one = &runs[2 * pair + (unsigned)i];
            clear_run(one, first ^ i, pair);
            one->level[TP_BENCH_WALL] =
                log(2e9) + random_run_level(machine) + (one->side == TP_BENCH_B ? log1p(effect) : 0);
        }
        tp_bench_judge(bench, runs, 2 * pair + 2, goal, &arena);
        if (tp_bench_is_finished(&looks, bench))
            return;
    }
}

static void each_side_runs_first_in_half_of_the_pairs(void **state)
{
    unsigned first = 0, changes = 0;
    (void)state;
    for (unsigned pair = 0; pair < 1000; pair++) {
        first += tp_bench_first_side(7, pair) == TP_BENCH_B;
        changes += tp_bench_first_side(7, pair) != tp_bench_first_side(7, pair + 1);
        assert_int_equal(tp_bench_first_side(7, pair), tp_bench_first_side(7, pair));
    }
    assert_true(first > 430 && first < 570);
    assert_true(changes > 430 && changes < 570);
}

struct tally {
    unsigned slower, faster, same, covered, pairs, fail, pass;
};

enum { ROUNDS = 400 };

static void count_results(struct tally *tally, uint64_t seed, double wander, double effect,
                          const struct tp_bench_goal *goal)
{
    static struct tp_bench_run runs[2 * MOST_PAIRS];
    static struct tp_bench bench;
    *tally = (struct tally){0};
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct machine machine = {.random = {seed + round * 977}, .noise = 0.01, .wander = wander};
        run(&bench, runs, &machine, effect, goal);
        const struct tp_run_change *change = &bench.changes[TP_BENCH_WALL];
        tally->slower += bench.verdict == TP_BENCH_SLOWER;
        tally->faster += bench.verdict == TP_BENCH_FASTER;
        tally->same += bench.verdict == TP_BENCH_SAME;
        tally->covered += change->low <= effect && effect <= change->high;
        tally->pairs += bench.pair_count;
        tally->fail += goal->has_limit && bench.limit == TP_LIMIT_FAIL;
        tally->pass += goal->has_limit && bench.limit == TP_LIMIT_PASS;
    }
    tp_arena_release(&arena);
    tp_arena_init(&arena, 0);
}

static void print_result_counts(const char *what, const struct tally *t)
{
    print_message("%s: slower %u, faster %u, same %u, interval right %u, limit broken %u, kept %u of %d; %.1f pairs\n",
                  what, t->slower, t->faster, t->same, t->covered, t->fail, t->pass, ROUNDS, (double)t->pairs / ROUNDS);
}

static void early_stops_cause_no_false_results(void **state)
{
    struct tally equal, wanders, slower;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    count_results(&equal, 1, 0, 0, &plain);
    count_results(&wanders, 2, 0.02, 0, &plain);
    count_results(&slower, 3, 0.02, 0.03, &plain);
    print_result_counts("equal", &equal);
    print_result_counts("equal, the machine wanders", &wanders);
    print_result_counts("3 % slower, the machine wanders", &slower);
    assert_true(equal.slower + equal.faster <= ROUNDS * 25 / 1000);
    assert_true(wanders.slower + wanders.faster <= ROUNDS * 25 / 1000);
    assert_true(equal.covered >= ROUNDS * 975 / 1000 && wanders.covered >= ROUNDS * 975 / 1000);
    assert_true(slower.slower >= ROUNDS * 80 / 100 && slower.faster == 0);
    assert_true(equal.pairs < 20 * ROUNDS);
}

static void limit_is_decided_correctly(void **state)
{
    const struct tp_bench_goal goal = {
        .effect = 0.02, .has_limit = true, .max_excess_ratio = 0.03, .quantity = -1, .max_runs = MOST_PAIRS};
    struct tally at, above, below;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    count_results(&at, 4, 0, 0.03, &goal);
    count_results(&above, 5, 0, 0.06, &goal);
    count_results(&below, 6, 0, 0, &goal);
    print_result_counts("as slow as the limit", &at);
    print_result_counts("6 % of 3 % allowed", &above);
    print_result_counts("0 % of 3 % allowed", &below);
    assert_true(at.fail <= ROUNDS * 2 / 100 && at.pass <= ROUNDS * 2 / 100);
    assert_true(above.fail >= ROUNDS * 99 / 100 && above.pass == 0);
    assert_true(below.pass >= ROUNDS * 99 / 100 && below.fail == 0);
    assert_true(above.pairs < 12 * ROUNDS && below.pairs < 12 * ROUNDS);
}

static void loaded_runs_are_discarded_and_stalls_limited(void **state)
{
    struct tp_bench_run runs[20];
    struct tp_bench bench;
    struct machine machine = {.random = {9}, .noise = 0.004};
    (void)state;
    if (setjmp(arena.guard))
        fail();
    for (unsigned i = 0; i < 20; i++) {
        clear_run(&runs[i], (int)(i % 2), i / 2);
        runs[i].level[TP_BENCH_WALL] = 20 + random_run_level(&machine);
    }
    /* Other processes doubled the wall time of this run, but not its CPU time. */
    runs[4].level[TP_BENCH_WALL] += 0.7;
    runs[4].busy = 0.5;
    runs[9].level[TP_BENCH_WALL] += 0.4;
    tp_bench_judge(&bench, runs, 20, &plain, &arena);
    for (unsigned i = 0; i < 20; i++) {
        assert_int_equal(runs[i].was_machine_busy, i == 4);
        assert_int_equal(runs[i].is_outlier, i == 4 || i == 9);
    }
    assert_int_equal(bench.changes[TP_BENCH_WALL].base_count, 9);
    assert_true(fabs(bench.changes[TP_BENCH_WALL].estimate) < 0.01);
    /* the value would be 0.18 if runs 4 and 9 were not treated as outliers */
    assert_true(bench.changes[TP_BENCH_WALL].detectable < 0.03);
    assert_true(bench.verdict == TP_BENCH_SAME || bench.verdict == TP_BENCH_OPEN);
}

static void step_time_decides_if_all_runs_have_steps(void **state)
{
    struct tp_bench_run runs[8];
    struct tp_bench bench;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    for (unsigned i = 0; i < 8; i++) {
        clear_run(&runs[i], (int)(i % 2), i / 2);
        runs[i].level[TP_BENCH_WALL] = 20 + 0.001 * (i % 3);
        runs[i].level[TP_BENCH_STEP] = 10 + 0.001 * (i % 3) + 0.05 * (i % 2);
    }
    tp_bench_judge(&bench, runs, 8, &plain, &arena);
    assert_int_equal(bench.quantity, TP_BENCH_STEP);
    assert_int_equal(bench.verdict, TP_BENCH_SLOWER);
    assert_true(bench.is_goal_reached_by_runs);
    runs[3].level[TP_BENCH_STEP] = NAN;
    tp_bench_judge(&bench, runs, 8, &plain, &arena);
    assert_int_equal(bench.quantity, TP_BENCH_WALL);
    tp_bench_judge(&bench, runs, 2, &plain, &arena); /* one pair is not enough for a verdict */
    assert_false(bench.is_goal_reached_by_runs);
    assert_int_equal(bench.verdict, TP_BENCH_OPEN);
}

static void exact_counts_are_compared(void **state)
{
    struct tp_bench_count a[] = {{TP_SUMMARY_OPERATOR_HOST, TP_STR("aten::add"), 4},
                                 {TP_SUMMARY_OPERATOR_HOST, TP_STR("aten::mm"), 9},
                                 {TP_SUMMARY_KERNEL, TP_STR("gemm"), NAN}},
                          b[] = {{TP_SUMMARY_OPERATOR_HOST, TP_STR("aten::add"), 4},
                                 {TP_SUMMARY_OPERATOR_HOST, TP_STR("aten::item"), 1},
                                 {TP_SUMMARY_OPERATOR_HOST, TP_STR("aten::mm"), 12},
                                 {TP_SUMMARY_KERNEL, TP_STR("gemm"), 3}};
    struct tp_bench_run runs[4];
    struct tp_bench bench;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    for (unsigned i = 0; i < 4; i++) {
        clear_run(&runs[i], (int)(i % 2), i / 2);
        runs[i].counts = i % 2 ? b : a;
        runs[i].exact_count_count = i % 2 ? 4 : 3;
        runs[i].has_all_counts = true;
    }
    tp_bench_judge(&bench, runs, 4, &plain, &arena);
    assert_int_equal(bench.changed_count, 2);
    assert_true(bench.changed[0].count[0]->calls == 9 && bench.changed[0].count[1]->calls == 12);
    assert_null(bench.changed[1].count[0]);
    assert_true(tp_str_equal(bench.changed[1].count[1]->name, TP_STR("aten::item")));
    runs[2].has_all_counts = false; /* the number of calls of aten::item is unknown in this run */
    tp_bench_judge(&bench, runs, 4, &plain, &arena);
    assert_int_equal(bench.changed_count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_side_runs_first_in_half_of_the_pairs),
        cmocka_unit_test(early_stops_cause_no_false_results),
        cmocka_unit_test(limit_is_decided_correctly),
        cmocka_unit_test(loaded_runs_are_discarded_and_stalls_limited),
        cmocka_unit_test(step_time_decides_if_all_runs_have_steps),
        cmocka_unit_test(exact_counts_are_compared),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
