/* false_alarms COUNT TRACE...: measures how often comparisons of a program with itself report a change. Draws COUNT
 * comparisons for each trace, noise and number of runs (three times as many for a history of ten).
 *
 * A drawn run has the steps of the trace, with random factors for each row, for all device rows, for all host rows and
 * for the step. The noise gives the spread of these factors, both between runs and between the steps of a run. Each
 * draw is compared as `diff` does, and checked as `check` does with several limits on times.
 *
 * The program prints how often `diff` reports a change, how often `diff` and `check` would exit with 1, and how often a
 * planted change is found. Exits with 1 if more than one percent of the draws of equal runs report a change, or if too
 * few planted changes are found. If COUNT is less than JUDGED, the program only prints these shares; such a run is for
 * memory checkers. Seeds are fixed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/normal_draws.h"
#include "webreport/compare/gate/gate_build.h"
#include "webreport/compare/two/compare_build.h"
#include "webreport/measure/summary/summary_build.h"
#include "webreport/session/trace_analysis.h"

enum { JUDGED = 500 };

static void load_summary(struct tp_summary *summary, struct tp_arena *arena, const char *path)
{
    struct tp_analysis analysis, *volatile a = &analysis;
    struct tp_trace_options options = {.single_thread = true};
    struct tp_error err = {0};
    tp_analysis_open(&analysis, NULL);
    if (setjmp(analysis.arena.guard)) {
        fprintf(stderr, "%s: no memory\n", path);
        exit(2);
    }
    if (tp_trace_read(&a->trace, &a->arena, path, &options, &err) != TP_OK) {
        fprintf(stderr, "%s: %s\n", path, err.text);
        exit(2);
    }
    tp_analysis_build(a, NULL, NULL);
    struct tp_summary_source source = {.key = {.rank = TP_NULL_INT, .world_size = TP_NULL_INT, .span = TP_NULL_INT},
                                       .trace = &a->trace,
                                       .order = &a->order,
                                       .model = &a->model,
                                       .views = &a->views,
                                       .advice = &a->advice};
    tp_summary_build(summary, &source, arena);
    tp_analysis_close(a);
}

/* Standard deviations of the random factors, both between runs and between the steps of a run. host: factor of wall
 * time and host rows. device: common factor of all device rows. row: factor of each row. */
struct noise {
    double host, device, row;
};

static bool is_device_kind(enum tp_summary_kind kind)
{
    return kind == TP_SUMMARY_OPERATOR_DEVICE || kind == TP_SUMMARY_KERNEL || kind == TP_SUMMARY_COPY ||
           kind == TP_SUMMARY_MODULE_DEVICE;
}

static void multiply_time(int64_t *ns, double factor)
{
    if (*ns != TP_NULL_INT)
        *ns = llround(factor * (double)*ns);
}

/* Returns random values of a row, one per step. factors: factor of each step. noise: noise of the row itself. */
static int64_t *make_random_values(struct tp_arena *arena, const int64_t *values, const double *factors, uint32_t count,
                                   double noise, struct tp_random *random)
{
    int64_t *copy = values ? tp_arena_array(arena, count, sizeof *copy) : NULL;
    double own = exp(noise * draw_normal_number(random));
    for (uint32_t i = 0; values && i < count; i++)
        copy[i] = llround(own * exp(noise * draw_normal_number(random)) * factors[i] * (double)values[i]);
    return copy;
}

static double *make_random_factors(struct tp_arena *arena, uint32_t count, double noise, struct tp_random *random)
{
    double *factors = tp_arena_array(arena, count, sizeof *factors), level = noise * draw_normal_number(random);
    for (uint32_t i = 0; i < count; i++)
        factors[i] = exp(level + noise * draw_normal_number(random));
    return factors;
}

/* The planted change of the new runs: a factor for all kernels, and a factor for one row. */
struct planted {
    double kernels, row;
    uint32_t row_at;
};

static const struct planted nothing = {1, 1, 0};

/* Computes the metrics of a run from its steps. */
static void compute_metrics(struct tp_summary *run, struct tp_arena *arena)
{
    double *totals = tp_arena_array(arena, run->step_count, sizeof *totals), kernels = 0;
    size_t count = 0;
    for (uint32_t i = 0; i < run->step_count; i++)
        if (!run->steps[i].is_left_out) {
            totals[count++] = (double)run->steps[i].total_ns;
            kernels += (double)run->steps[i].part_ns[TP_PART_DEVICE_SUM];
        }
    const struct {
        const char *name;
        double value;
    } values[] = {{"step.time.mean", tp_sum(totals, count) / (double)count},
                  {"step.time.median", tp_median(totals, count)}, /* computed last, because tp_median sorts the array */
                  {"step.time.p90", totals[count * 9 / 10 < count ? count * 9 / 10 : count - 1]},
                  {"kernel.time.per_step", kernels / (double)count}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct tp_metric_value *metric = &run->metrics[tp_metric_find(values[i].name, strlen(values[i].name))];
        metric->value = isnan(metric->value) ? metric->value : values[i].value;
    }
}

/* Returns another random run of the same program. */
static struct tp_summary make_random_run(const struct tp_summary *run, const struct noise *noise,
                                         const struct planted *planted, struct tp_random *random,
                                         struct tp_arena *arena)
{
    struct tp_summary copy = *run;
    const double *host = make_random_factors(arena, run->step_count, noise->host, random);
    const double *device = make_random_factors(arena, run->step_count, noise->device, random);
    copy.steps = tp_arena_array(arena, run->step_count, sizeof *copy.steps);
    copy.rows = tp_arena_array(arena, run->row_count, sizeof *copy.rows);
    for (uint32_t i = 0; i < run->row_count; i++) {
        const struct tp_summary_row *row = &run->rows[i];
        copy.rows[i] = *row;
        copy.rows[i].by_step_ns = make_random_values(arena, row->by_step_ns, is_device_kind(row->kind) ? device : host,
                                                     run->step_count, noise->row, random);
        double factor = (is_device_kind(row->kind) ? planted->kernels : 1) * (i == planted->row_at ? planted->row : 1);
        for (uint32_t k = 0; copy.rows[i].by_step_ns && k < run->step_count; k++)
            multiply_time(&copy.rows[i].by_step_ns[k], factor);
    }
    for (uint32_t i = 0; i < run->step_count; i++) {
        const int64_t *row = run->rows[planted->row_at].by_step_ns;
        copy.steps[i] = run->steps[i];
        multiply_time(&copy.steps[i].total_ns, host[i]);
        for (int part = 0; part < TP_PART_COUNT; part++)
            multiply_time(&copy.steps[i].part_ns[part],
                          part == TP_PART_DEVICE_SUM ? planted->kernels * device[i] : host[i]);
        if (row && planted->row != 1)
            copy.steps[i].part_ns[TP_PART_DEVICE_SUM] += llround((planted->row - 1) * device[i] * (double)row[i]);
    }
    compute_metrics(&copy, arena);
    return copy;
}

enum { REPORTED = 1, SLOWER = 2, ROW = 4, BROKEN = 8 };

/* Compares base runs and new runs as `diff` does. Returns flags for the kinds of reported changes. */
static int compare_sides_as_diff(const struct tp_side_input inputs[TP_SIDES], uint32_t row, struct tp_arena *arena)
{
    static const struct tp_calltree *const no_trees[TP_SIDES];
    struct tp_compare compare;
    struct tp_compare_options options = {0};
    tp_compare_build(&compare, inputs, no_trees, &options, arena);
    bool is_reported = compare.verdict != TP_CHANGE_NEUTRAL || compare.regressed_count + compare.improved_count > 0;
    int found = (is_reported ? REPORTED : 0) |
                (compare.has_change_in_limited_work || tp_compare_has_regressed(&compare) ? SLOWER : 0);
    for (uint32_t i = 0; i < compare.changes.count; i++)
        if (compare.changes.items[i].verdict == TP_CHANGE_REGRESSED &&
            tp_str_equal(compare.changes.items[i].identity.name, inputs[TP_NEW].runs[0].rows[row].name))
            found |= ROW;
    return found;
}

/* Checks base runs and new runs as `check` does, with limits on times that equal runs exceed only by chance. Returns
 * BROKEN or 0. */
static int check_sides_with_limits(const struct tp_side_input inputs[TP_SIDES], struct tp_arena *arena)
{
    static const char text[] = "step.time.median <= +0 %\nstep.time.mean <= +0 %\nstep.time.p90 <= +0 %\n"
                               "optional kernel.time.per_step <= +0 %\ncount.added <= +0\n";
    struct tp_budget budget;
    struct tp_check check;
    if (tp_budget_parse(&budget, "budget", text, strlen(text), arena, NULL) < 0)
        exit(2);
    const struct tp_check_input input = {
        &budget,
        {"run", inputs[TP_NEW].runs, inputs[TP_NEW].run_count, true},
        {"baseline", inputs[TP_BASE].runs, inputs[TP_BASE].run_count, true},
        false,
        false,
    };
    tp_check_build(&check, &input, arena);
    return check.verdict == TP_CHECK_FAIL ? BROKEN : 0;
}

/* The inputs of one draw. */
struct draw {
    const struct tp_summary *run;
    uint32_t counts[TP_SIDES];
    const struct noise *noise;
    const struct planted *planted;
    bool has_check;
};

static int judge_random_comparison(const struct draw *draw, struct tp_random *random)
{
    struct tp_arena arena;
    struct tp_side_input inputs[TP_SIDES] = {{"base", NULL, draw->counts[TP_BASE], true},
                                             {"new", NULL, draw->counts[TP_NEW], true}};
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        exit(2);
    for (int side = 0; side < TP_SIDES; side++) {
        struct tp_summary *runs = tp_arena_array(&arena, draw->counts[side], sizeof *runs);
        for (uint32_t i = 0; i < draw->counts[side]; i++)
            runs[i] =
                make_random_run(draw->run, draw->noise, side == TP_NEW ? draw->planted : &nothing, random, &arena);
        inputs[side].runs = runs;
    }
    int found = compare_sides_as_diff(inputs, draw->planted->row_at, &arena);
    if (draw->has_check)
        found |= check_sides_with_limits(inputs, &arena);
    tp_arena_release(&arena);
    return found;
}

struct shares {
    double reported, slower, row, broken; /* shares of the draws with this result, percent */
};

static struct shares repeat_random_comparisons(const struct draw *draw, int count)
{
    struct tp_random random = {2026};
    struct shares shares = {0, 0, 0, 0};
    for (int i = 0; i < count; i++) {
        int found = judge_random_comparison(draw, &random);
        shares.reported += !!(found & REPORTED) * 100.0 / count;
        shares.slower += !!(found & SLOWER) * 100.0 / count;
        shares.row += !!(found & ROW) * 100.0 / count;
        shares.broken += !!(found & BROKEN) * 100.0 / count;
    }
    return shares;
}

static bool check_alarms_of_equal_programs(const struct tp_summary *run, int count)
{
    static const struct noise noises[] = {
        {0.003, 0.0006, 0.0003}, {0.015, 0.002, 0.001}, {0.02, 0.003, 0.003}, {0.05, 0.003, 0.003}};
    static const uint32_t counts[][TP_SIDES] = {{1, 1}, {3, 3}, {10, 1}, {24, 1}};
    bool is_bad = false;
    for (size_t n = 0; n < sizeof noises / sizeof *noises; n++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            if (counts[i][TP_BASE] > 10 && n > 0) /* skipped, because drawing long histories takes long */
                continue;
            struct draw draw = {run, {counts[i][TP_BASE], counts[i][TP_NEW]}, &noises[n], &nothing, true};
            /* with a history of ten runs the noise is not guessed, so the limit is strict and needs more draws */
            int draws = counts[i][TP_BASE] == 10 ? 3 * count : count;
            struct shares s = repeat_random_comparisons(&draw, draws);
            bool is_wrong = count >= JUDGED && (s.reported > 1 || s.broken > 1);
            is_bad |= is_wrong;
            printf("runs %4.1f %% (kernels %.1f %%, rows %.1f %%), %2u + %u: diff %5.2f %% of %d reported, %5.2f %% "
                   "exit 1; "
                   "check %5.2f %% exit 1%s\n",
                   100 * noises[n].host, 100 * noises[n].device, 100 * noises[n].row, counts[i][TP_BASE],
                   counts[i][TP_NEW], s.reported, draws, s.slower, s.broken, is_wrong ? "  BAD" : "");
        }
    return is_bad;
}

/* Returns the kernel with the most time, or UINT32_MAX without kernels. Sets *share to its share of the time of all
 * kernels. */
static uint32_t longest_kernel(const struct tp_summary *run, double *share)
{
    int64_t most = 0, all = 0;
    uint32_t at = UINT32_MAX;
    for (uint32_t i = 0; i < run->row_count; i++)
        if (run->rows[i].kind == TP_SUMMARY_KERNEL) {
            all += run->rows[i].time.sum_ns;
            at = run->rows[i].time.sum_ns > most ? i : at;
            most = run->rows[i].time.sum_ns > most ? run->rows[i].time.sum_ns : most;
        }
    *share = all ? (double)most / (double)all : 0;
    return at;
}

/* Checks that a history of ten runs detects +0.3 % in the time of all kernels, and +2 % in one kernel. The single
 * kernel is found less often, because all rows are compared. */
static bool check_planted_changes_are_found(const struct tp_summary *run, int count)
{
    static const struct noise quiet = {0.02, 0.0005, 0.0003}, usual = {0.02, 0.003, 0.003};
    double share;
    uint32_t row = longest_kernel(run, &share);
    if (row == UINT32_MAX)
        return false;
    const double least_kernels = 80, least_row = 75;
    const struct planted of_all = {1.003, 1, row}, of_row = {1, 1.02, row};
    struct shares kernels = repeat_random_comparisons(&(struct draw){run, {10, 1}, &quiet, &of_all, false}, count);
    struct shares rows = repeat_random_comparisons(&(struct draw){run, {10, 1}, &usual, &of_row, false}, count);
    printf("kernels (runs 0.05 %%), 10 + 1: +0.3 %% found in %5.2f %%%s\n", kernels.slower,
           kernels.slower < least_kernels ? "  BAD" : "");
    printf("a kernel of %.0f %% (runs 0.3 %%), 10 + 1: +2 %% found in %5.2f %%%s\n", 100 * share, rows.row,
           rows.row < least_row ? "  BAD" : "");
    return count >= JUDGED && (kernels.slower < least_kernels || rows.row < least_row);
}

static bool check_false_alarms_of_trace(const char *path, int count)
{
    struct tp_arena arena;
    struct tp_summary run;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        exit(2);
    load_summary(&run, &arena, path);
    bool is_bad = check_alarms_of_equal_programs(&run, count);
    is_bad |= check_planted_changes_are_found(&run, count);
    tp_arena_release(&arena);
    return is_bad;
}

int main(int argc, char **argv)
{
    int count = argc > 2 ? atoi(argv[1]) : 0;
    bool is_bad = false;
    if (count <= 0) {
        fprintf(stderr, "usage: false_alarms COUNT TRACE...\n");
        return 2;
    }
    for (int i = 2; i < argc; i++)
        is_bad |= check_false_alarms_of_trace(argv[i], count);
    return is_bad;
}
