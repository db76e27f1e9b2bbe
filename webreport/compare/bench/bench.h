/* Compares two commands that run alternately, and decides when enough runs were made.
 * Runs come in pairs of A and B in random order, so that slow changes of the machine affect both alike. The differences
 * within the pairs are judged (tp_run_change_paired); their variation determines how many pairs are needed. Pure
 * functions; scratch memory from `arena`. */
#ifndef TP_WEBREPORT_COMPARE_BENCH_BENCH_H
#define TP_WEBREPORT_COMPARE_BENCH_BENCH_H

#include "webreport/compare/noise/run_change.h"
#include "webreport/measure/summary/summary.h"

/* Compared quantities, in the order in which they are shown. */
enum tp_bench_quantity {
    TP_BENCH_STEP,     /* wall time of a step */
    TP_BENCH_KERNELS,  /* durations of a step's kernels */
    TP_BENCH_HOST_OPS, /* self time of a step's operators on the host */
    TP_BENCH_WALL,     /* wall time of the program from start to exit */
    TP_BENCH_CPU,      /* user and system time of the program and its children */
    TP_BENCH_QUANTITIES
};

enum { TP_BENCH_A, TP_BENCH_B, TP_BENCH_SIDES };

/* Number of calls per step. */
struct tp_bench_count {
    enum tp_summary_kind kind; /* operator, kernel, copy or wait */
    struct tp_str name;
    double calls; /* NaN if it varies between steps or is unknown */
};

struct tp_bench_run {
    int side;
    unsigned pair;                     /* number of its pair, from 0 */
    double level[TP_BENCH_QUANTITIES]; /* logarithms of nanoseconds; NaN if unknown */
    double busy;                       /* CPU time over wall time; NaN if unknown */
    struct tp_bench_count *counts;     /* sorted by kind, name */
    size_t count_count;
    bool has_all_counts;        /* everything else is called 0 times */
    bool is_loaded, is_outlier; /* set by tp_bench_judge: the machine was busy; the run is far from its side */
};

struct tp_bench_goal {
    double effect;     /* relative, above 0: difference to detect in 80 % of such comparisons */
    bool has_limit;    /* decide the limit `most` instead of detecting `effect` */
    double most;       /* relative: largest allowed excess of B */
    int quantity;      /* enum tp_bench_quantity, or -1 for the step (the program if it has no steps) */
    unsigned max_runs; /* runs of each side, 2 or more */
};

enum tp_bench_verdict { TP_BENCH_OPEN, TP_BENCH_SLOWER, TP_BENCH_FASTER, TP_BENCH_SAME };

/* A count that is exact on both sides and differs. */
struct tp_bench_changed {
    const struct tp_bench_count *count[TP_BENCH_SIDES]; /* NULL if the side does not call it */
};

struct tp_bench {
    const struct tp_bench_goal *goal;
    struct tp_bench_run *runs;
    size_t run_count; /* runs in complete pairs */
    unsigned pair_count;
    /* B - A of base_count pairs; other members need 2 pairs or more */
    struct tp_run_change changes[TP_BENCH_QUANTITIES];
    double level[TP_BENCH_QUANTITIES][TP_BENCH_SIDES]; /* median of the runs; NaN if unknown */
    int quantity;                                      /* the deciding quantity */
    enum tp_bench_verdict verdict; /* OPEN: the interval of the difference contains 0 and is wider than the effect */
    enum tp_limit_verdict limit;   /* only with a limit */
    bool is_decided;               /* the goal is reached */
    unsigned runs_left;            /* estimated further runs of each side; 0 if above 1,000 or unknown */
    struct tp_bench_changed *changed;
    size_t changed_count;
};

/* Returns the side that runs first in a pair. */
int tp_bench_first(uint64_t seed, unsigned pair);

/* Returns the level of a summary's steps, a logarithm of ns, or NaN. quantity: step, kernels or host_ops. */
double tp_bench_level(const struct tp_summary *summary, enum tp_bench_quantity quantity, struct tp_arena *arena);
/* Returns the robust relative variation of its steps; NaN like the level. */
double tp_bench_cv(const struct tp_summary *summary, enum tp_bench_quantity quantity, struct tp_arena *arena);

/* Number of successive checks that found the goal reached; zero it before the first check. */
struct tp_bench_looks {
    unsigned decided_count;
};

/* Returns whether no more pairs are needed; call it after each pair. Only some calls check, and two successive checks
 * must agree, because frequent checks raise the false-positive rate. In simulations, 98 % of the 99 % intervals contain
 * the true difference at the end (test_bench.c). */
bool tp_bench_is_over(struct tp_bench_looks *looks, const struct tp_bench *bench);

/* Judges the complete pairs among run_count runs and sets the marks of the runs. Results are in the arena. */
void tp_bench_judge(struct tp_bench *bench, struct tp_bench_run *runs, size_t run_count,
                    const struct tp_bench_goal *goal, struct tp_arena *arena);

/* Returns "step", "kernels", "host_ops", "wall" or "cpu". Static. */
const char *tp_bench_quantity_name(enum tp_bench_quantity quantity);

#endif
