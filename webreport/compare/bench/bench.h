/* Compares two commands that run alternately, and decides when there are enough runs. Runs come in pairs of A and B
 * in random order, so that slow changes of the machine affect both alike. tp_run_change_of_pairs judges the
 * differences within the pairs. The variation of these differences determines how many pairs are needed. All
 * functions are pure and take scratch memory from `arena`. */
#ifndef TP_WEBREPORT_COMPARE_BENCH_BENCH_H
#define TP_WEBREPORT_COMPARE_BENCH_BENCH_H

#include "webreport/compare/noise/run_change.h"
#include "webreport/measure/summary/summary.h"

/* Compared quantities, in the order in which reports show them. */
enum tp_bench_quantity {
    TP_BENCH_STEP,     /* wall time of a step */
    TP_BENCH_KERNELS,  /* sum of the durations of a step's kernels */
    TP_BENCH_HOST_OPS, /* sum of the self times of a step's operators on the host */
    TP_BENCH_WALL,     /* wall time of the program from start to exit */
    TP_BENCH_CPU,      /* user and system time of the program and its children */
    TP_BENCH_QUANTITIES
};

enum { TP_BENCH_A, TP_BENCH_B, TP_BENCH_SIDES };

/* Number of calls per step of one operator, kernel, copy or wait. */
struct tp_bench_count {
    enum tp_summary_kind kind; /* kind of the counted calls: operator, kernel, copy or wait */
    struct tp_str name;
    double calls; /* calls per step; NaN if the number varies between steps or is unknown */
};

struct tp_bench_run {
    int side;
    unsigned pair;                     /* number of the pair to which the run belongs, from 0 */
    double level[TP_BENCH_QUANTITIES]; /* logarithm of each quantity in nanoseconds; NaN if unknown */
    double busy;                       /* CPU time divided by wall time, a ratio; NaN if unknown */
    struct tp_bench_count *counts;     /* counts of the run's calls, sorted by kind, then by name */
    size_t exact_count_count;
    bool has_all_counts; /* true: operators and kernels that are not in `counts` were not called */
    /* set by tp_bench_judge. was_machine_busy: the times of the run are unusable. is_outlier: the level is far from
     * that of other runs on the side */
    bool was_machine_busy, is_outlier;
};

struct tp_bench_goal {
    double effect; /* relative difference (greater than 0) that the comparison must detect with a probability of 80 % */
    bool has_limit; /* true: the goal is to decide whether B exceeds `max_excess_ratio`, not to detect `effect` */
    double max_excess_ratio; /* largest allowed relative excess of B over A; 0.03 is 3 % */
    /* quantity that decides the verdict (enum tp_bench_quantity); -1: the step, or the wall time of programs without
     * steps */
    int quantity;
    unsigned max_runs; /* maximum number of runs of each side, 2 or more */
};

enum tp_bench_verdict { TP_BENCH_OPEN, TP_BENCH_SLOWER, TP_BENCH_FASTER, TP_BENCH_SAME };

/* Number of calls per step that is the same in all runs of a side but differs between the sides. */
struct tp_bench_changed {
    const struct tp_bench_count *count[TP_BENCH_SIDES]; /* count on each side; NULL if the side has no such call */
};

struct tp_bench {
    const struct tp_bench_goal *goal;
    struct tp_bench_run *runs;
    size_t run_count; /* number of runs in complete pairs, which is 2 * pair_count */
    unsigned pair_count;
    /* for each quantity: change from A to B, computed from base_count pairs of runs; with fewer than 2 pairs, all other
     * members are NaN or 0 */
    struct tp_run_change changes[TP_BENCH_QUANTITIES];
    double level[TP_BENCH_QUANTITIES][TP_BENCH_SIDES]; /* median level of each side's runs; NaN if unknown */
    int quantity;                                      /* the quantity that decides the verdict */
    /* TP_BENCH_OPEN: the difference is not significant, and a change of `effect` could be missed */
    enum tp_bench_verdict verdict;
    enum tp_limit_verdict limit;  /* verdict on goal->max_excess_ratio; only used if goal->has_limit */
    bool is_goal_reached_by_runs; /* true: the goal is reached, so that no more pairs are needed */
    /* estimated number of further runs of each side; 0 if unknown or too many (about 1,000 in total) */
    unsigned remaining_runs;
    struct tp_bench_changed *changed;
    size_t changed_count;
};

/* Returns the side that runs first in the pair, drawn from `seed`. */
int tp_bench_first_side(uint64_t seed, unsigned pair);

/* Returns the level of a summary's steps, a logarithm of ns; NaN with fewer than 3 analysed steps. quantity: step,
 * kernels or host_ops. */
double tp_bench_level(const struct tp_summary *summary, enum tp_bench_quantity quantity, struct tp_arena *arena);
/* Returns the robust standard deviation of the quantity over the summary's steps, relative to the mean step; NaN with
 * fewer than 3 analysed steps. */
double tp_bench_step_variation(const struct tp_summary *summary, enum tp_bench_quantity quantity,
                               struct tp_arena *arena);

/* Number of successive checks that found the goal reached. Set the number to zero before the first check. */
struct tp_bench_checks {
    unsigned consecutive_confirmations;
};

/* Returns whether no more pairs are needed. Call the function after each pair. Most calls do not check the goal, and
 * two successive checks must agree, because frequent checks cause more false positives. In simulations, 98 % of the
 * final 99 % intervals contain the true difference (test_bench.c). */
bool tp_bench_is_finished(struct tp_bench_checks *checks, const struct tp_bench *bench);

/* Compares the complete pairs among run_count runs, and sets was_machine_busy and is_outlier of each run. Results are
 * in the arena. */
void tp_bench_judge(struct tp_bench *bench, struct tp_bench_run *runs, size_t run_count,
                    const struct tp_bench_goal *goal, struct tp_arena *arena);

/* Returns "step", "kernels", "host_ops", "wall" or "cpu". The text is static. */
const char *tp_bench_quantity_name(enum tp_bench_quantity quantity);

#endif
