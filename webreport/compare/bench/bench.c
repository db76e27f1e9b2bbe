/* Compares alternating runs of two commands. See bench.h. */
#include "webreport/compare/bench/bench.h"

#include <math.h>
#include <string.h>

#include "webreport/compare/noise/level_history.h"
#include "writer/base/stats.h"
#include "writer/base/student.h"

enum {
    LEAST_PAIRS = 3,
    LEAST_STEPS = 3,
    MIN_RUNS_FOR_OUTLIERS = 6,  /* smallest number of runs of a side with which outliers are marked */
    MIN_PAIRS_TO_WINSORIZE = 8, /* smallest number of pairs with which outliers are winsorized */
    AGREEING_CHECKS = 2,        /* number of successive checks that must find the goal reached */
    MIN_RUNS_FOR_LOAD = 4,      /* smallest number of runs of a side with which runs on a busy machine are marked */
    MAX_REMAINING_RUNS = 1000
};

const char *tp_bench_quantity_name(enum tp_bench_quantity quantity)
{
    static const char *const names[TP_BENCH_QUANTITIES] = {"step", "kernels", "host_ops", "wall", "cpu"};
    return names[quantity];
}

int tp_bench_first_side(uint64_t seed, unsigned pair)
{
    struct tp_random random = {seed ^ (pair + 1) * 0x9e3779b97f4a7c15u};
    tp_random_next(&random);
    return (int)(tp_random_next(&random) >> 63);
}

static bool is_check_due_after_pairs(unsigned pair_count)
{
    unsigned look = LEAST_PAIRS;
    while (look < pair_count)
        look += look / 3;
    return look == pair_count;
}

bool tp_bench_is_finished(struct tp_bench_checks *checks, const struct tp_bench *bench)
{
    if (is_check_due_after_pairs(bench->pair_count))
        checks->consecutive_confirmations = bench->is_goal_reached_by_runs ? checks->consecutive_confirmations + 1 : 0;
    return checks->consecutive_confirmations >= AGREEING_CHECKS;
}

/* ---- levels ---- */

static double rows_in_step(const struct tp_summary *summary, enum tp_summary_kind kind, uint32_t step)
{
    double sum = 0;
    for (uint32_t r = 0; r < summary->row_count; r++)
        if (summary->rows[r].kind == kind && summary->rows[r].by_step_ns)
            sum += (double)summary->rows[r].by_step_ns[step];
    return sum;
}

static struct tp_run_level quantity_level(const struct tp_summary *summary, enum tp_bench_quantity quantity,
                                          struct tp_arena *arena)
{
    double *values = tp_arena_array(arena, summary->step_count, sizeof *values);
    size_t count = 0;
    for (uint32_t s = 0; s < summary->step_count; s++) {
        if (summary->steps[s].is_left_out)
            continue;
        values[count++] = quantity == TP_BENCH_STEP      ? (double)summary->steps[s].total_ns
                          : quantity == TP_BENCH_KERNELS ? rows_in_step(summary, TP_SUMMARY_KERNEL, s)
                                                         : rows_in_step(summary, TP_SUMMARY_OPERATOR_HOST, s);
    }
    return count >= LEAST_STEPS ? tp_run_level_of_steps(values, count) : (struct tp_run_level){NAN, NAN, NAN};
}

double tp_bench_level(const struct tp_summary *summary, enum tp_bench_quantity quantity, struct tp_arena *arena)
{
    return quantity_level(summary, quantity, arena).level;
}

double tp_bench_step_variation(const struct tp_summary *summary, enum tp_bench_quantity quantity,
                               struct tp_arena *arena)
{
    return quantity_level(summary, quantity, arena).cv;
}

/* ---- marks ---- */

/* Collects the levels of all other runs of the same side and returns their number. If the quantity is -1, collects the
 * runs' ratios of CPU time to wall time instead. */
static size_t collect_levels_of_other_runs(double *out, const struct tp_bench *b, const struct tp_bench_run *run,
                                           int quantity)
{
    size_t count = 0;
    for (size_t i = 0; i < b->run_count; i++) {
        const struct tp_bench_run *other = &b->runs[i];
        double value = quantity < 0 ? other->busy : other->level[quantity];
        if (other->side == run->side && other != run && !isnan(value))
            out[count++] = value;
    }
    return count;
}

static void mark_runs_on_busy_machine(struct tp_bench *b, struct tp_arena *arena)
{
    double *others = tp_arena_array(arena, b->run_count, sizeof *others);
    for (size_t i = 0; i < b->run_count; i++) {
        struct tp_bench_run *run = &b->runs[i];
        size_t count = collect_levels_of_other_runs(others, b, run, -1);
        run->was_machine_busy = count + 1 >= MIN_RUNS_FOR_LOAD && tp_run_was_machine_busy(run->busy, others, count);
        count = collect_levels_of_other_runs(others, b, run, b->quantity);
        /* relative difference that is normal between runs of the same program */
        double least = b->quantity == TP_BENCH_KERNELS ? 0.002 : 0.015;
        double middle = tp_median(others, count), reach = 3 * fmax(tp_robust_deviation(others, count), least);
        run->is_outlier = count + 1 >= MIN_RUNS_FOR_OUTLIERS && fabs(run->level[b->quantity] - middle) > reach;
    }
}

/* ---- changes ---- */

/* Returns whether a busy machine made the quantity of a run unusable. */
static bool is_quantity_unusable(const struct tp_bench_run *run, int quantity)
{
    return run->was_machine_busy && quantity != TP_BENCH_KERNELS;
}

/* Collects the differences B - A of the levels, for pairs in which both runs have a usable level. Returns their
 * number. */
static size_t collect_differences(double *out, const struct tp_bench *b, int quantity)
{
    size_t count = 0;
    for (unsigned pair = 0; pair < b->pair_count; pair++) {
        const struct tp_bench_run *x = &b->runs[2 * pair], *y = x + 1;
        double difference = y->level[quantity] - x->level[quantity];
        if (!isnan(difference) && !is_quantity_unusable(x, quantity) && !is_quantity_unusable(y, quantity))
            out[count++] = y->side == TP_BENCH_B ? difference : -difference;
    }
    return count;
}

/* Returns the change computed from the differences of pairs. With enough pairs, outliers (such as a stall in one
 * run) are winsorized. */
static struct tp_run_change compute_change(double *differences, size_t count, struct tp_arena *arena)
{
    double *copy = tp_arena_array(arena, count, sizeof *copy);
    memcpy(copy, differences, count * sizeof *copy);
    double middle = tp_median(copy, count), reach = 5 * tp_robust_deviation(copy, count);
    for (size_t i = 0; i < count && count >= MIN_PAIRS_TO_WINSORIZE && reach > 0; i++)
        differences[i] = fmin(fmax(differences[i], middle - reach), middle + reach);
    tp_arena_free_item(arena, copy, count * sizeof *copy);
    return tp_run_change_of_pairs(differences, count);
}

static void compare_sides_by_quantity(struct tp_bench *b, struct tp_arena *arena)
{
    double *values = tp_arena_array(arena, b->run_count, sizeof *values);
    for (int q = 0; q < TP_BENCH_QUANTITIES; q++) {
        size_t count = collect_differences(values, b, q);
        b->changes[q] = (struct tp_run_change){.base_count = count, .new_count = count};
        if (count >= 2)
            b->changes[q] = compute_change(values, count, arena);
        for (int side = 0; side < TP_BENCH_SIDES; side++) {
            count = collect_levels_of_other_runs(values, b, &(struct tp_bench_run){.side = side}, q);
            b->level[q][side] = count ? tp_median(values, count) : NAN;
        }
    }
}

static bool is_quantity_known(const struct tp_bench *b, int quantity)
{
    size_t count = 0;
    for (size_t i = 0; i < b->run_count; i++)
        count += !isnan(b->runs[i].level[quantity]);
    return count && count == b->run_count;
}

static int deciding_quantity(const struct tp_bench *b)
{
    if (b->goal->quantity >= 0)
        return b->goal->quantity;
    return is_quantity_known(b, TP_BENCH_STEP) ? TP_BENCH_STEP : TP_BENCH_WALL;
}

/* ---- the decision ---- */

static enum tp_bench_verdict verdict_of_change(const struct tp_run_change *change, double effect)
{
    if (change->base_count < LEAST_PAIRS)
        return TP_BENCH_OPEN;
    if (change->low > 0 || change->high < 0)
        return change->low > 0 ? TP_BENCH_SLOWER : TP_BENCH_FASTER;
    return change->detectable <= effect ? TP_BENCH_SAME : TP_BENCH_OPEN;
}

static bool is_goal_reached(const struct tp_bench *b, const struct tp_run_change *change)
{
    const struct tp_bench_goal *goal = b->goal;
    if (change->base_count < LEAST_PAIRS)
        return false;
    if (goal->has_limit)
        return b->limit != TP_LIMIT_UNCLEAR;
    return change->detectable <= goal->effect || change->low > goal->effect || change->high < -goal->effect;
}

/* Returns the estimated number of further pairs until the goal is reached, if the differences in these pairs vary as
 * much as in the previous pairs. Returns 0 if the number is unknown or greater than MAX_REMAINING_RUNS. */
static unsigned estimate_remaining_runs(const struct tp_bench *b, const struct tp_run_change *change)
{
    const struct tp_bench_goal *goal = b->goal;
    double wanted =
        goal->has_limit ? fabs(log1p(change->estimate) - log1p(goal->max_excess_ratio)) : log1p(goal->effect);
    double power = goal->has_limit ? 0 : 1;
    unsigned too_few = (unsigned)change->base_count, enough = MAX_REMAINING_RUNS;
    if (change->base_count < 2)
        return 0;
    while (too_few + 1 < enough) {
        unsigned n = too_few + (enough - too_few) / 2;
        double t = tp_student_quantile(1 - TP_RUN_ERROR_CHANCE / 2, n - 1) + power * tp_student_quantile(0.8, n - 1);
        *(t * change->noise.sd / sqrt(n) <= wanted ? &enough : &too_few) = n;
    }
    return enough == MAX_REMAINING_RUNS ? 0 : enough - (unsigned)change->base_count;
}

/* ---- counts ---- */

static int compare_count_keys(const struct tp_bench_count *a, const struct tp_bench_count *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return tp_str_compare(a->name, b->name);
}

static const struct tp_bench_count *find_count(const struct tp_bench_run *run, const struct tp_bench_count *wanted)
{
    size_t from = 0, to = run->exact_count_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = compare_count_keys(&run->counts[middle], wanted);
        if (order == 0)
            return &run->counts[middle];
        *(order < 0 ? &from : &to) = order < 0 ? middle + 1 : middle;
    }
    return NULL;
}

/* Returns whether all runs of the side have the same number of calls. Sets *count to the entry of the last run, or to
 * NULL if that run does not call the operator or kernel. */
static bool is_count_exact(const struct tp_bench *b, int side, const struct tp_bench_count *wanted,
                           const struct tp_bench_count **count)
{
    double calls = NAN;
    *count = NULL;
    for (size_t i = 0; i < b->run_count; i++) {
        const struct tp_bench_run *run = &b->runs[i];
        const struct tp_bench_count *own = run->side == side ? find_count(run, wanted) : NULL;
        if (run->side != side)
            continue;
        double value = own ? own->calls : run->has_all_counts ? 0 : NAN;
        if (isnan(value) || (!isnan(calls) && value != calls))
            return false;
        calls = value;
        *count = own;
    }
    return true;
}

static const struct tp_bench_run *first_run_of_side(const struct tp_bench *b, int side)
{
    for (size_t i = 0; i < b->run_count; i++)
        if (b->runs[i].side == side)
            return &b->runs[i];
    return NULL;
}

static void compare_counts(struct tp_bench *b, struct tp_arena *arena)
{
    const struct tp_bench_run *sides[] = {first_run_of_side(b, TP_BENCH_A), first_run_of_side(b, TP_BENCH_B)};
    if (!sides[0] || !sides[1])
        return;
    b->changed = tp_arena_array(arena, sides[0]->exact_count_count + sides[1]->exact_count_count, sizeof *b->changed);
    for (int side = 0; side < TP_BENCH_SIDES; side++)
        for (size_t i = 0; i < sides[side]->exact_count_count; i++) {
            const struct tp_bench_count *wanted = &sides[side]->counts[i];
            struct tp_bench_changed changed;
            if (side == TP_BENCH_B && find_count(sides[TP_BENCH_A], wanted))
                continue; /* this count was already compared in the loop over side A */
            bool is_known_exactly = is_count_exact(b, TP_BENCH_A, wanted, &changed.count[0]) &&
                                    is_count_exact(b, TP_BENCH_B, wanted, &changed.count[1]);
            double before = is_known_exactly && changed.count[0] ? changed.count[0]->calls : 0;
            double after = is_known_exactly && changed.count[1] ? changed.count[1]->calls : 0;
            if (before != after)
                b->changed[b->changed_count++] = changed;
        }
}

void tp_bench_judge(struct tp_bench *bench, struct tp_bench_run *runs, size_t run_count,
                    const struct tp_bench_goal *goal, struct tp_arena *arena)
{
    *bench = (struct tp_bench){.goal = goal, .runs = runs, .pair_count = (unsigned)(run_count / 2)};
    bench->run_count = 2 * (size_t)bench->pair_count;
    bench->quantity = deciding_quantity(bench);
    mark_runs_on_busy_machine(bench, arena);
    compare_sides_by_quantity(bench, arena);
    compare_counts(bench, arena);
    const struct tp_run_change *change = &bench->changes[bench->quantity];
    bench->limit = change->base_count < LEAST_PAIRS ? TP_LIMIT_UNCLEAR
                                                    : tp_run_change_limit_verdict(change, goal->max_excess_ratio);
    bench->verdict = verdict_of_change(change, goal->effect);
    bench->is_goal_reached_by_runs = is_goal_reached(bench, change);
    bench->remaining_runs = bench->is_goal_reached_by_runs ? 0 : estimate_remaining_runs(bench, change);
}
