/* Two commands run in turns: what their runs say about the difference, and when enough of them were made.
 *
 * Runs come in pairs, A and B next to each other, in an order that is drawn for each pair: what a machine does over
 * minutes meets both alike. Judged are the differences within the pairs (tp_run_change_paired). How many pairs are
 * needed follows from how much these differ. Pure functions; scratch memory from `arena`. */
#ifndef TP_WEBREPORT_COMPARE_BENCH_BENCH_H
#define TP_WEBREPORT_COMPARE_BENCH_BENCH_H

#include "webreport/compare/noise/run_change.h"
#include "webreport/measure/summary/summary.h"

/* What is compared, in the order in which it is shown. */
enum tp_bench_quantity {
    TP_BENCH_STEP,     /* wall time of a step */
    TP_BENCH_KERNELS,  /* durations of a step's kernels */
    TP_BENCH_HOST_OPS, /* self time of a step's operators on the host */
    TP_BENCH_WALL,     /* of the program, from its start to its end */
    TP_BENCH_CPU,      /* of the program and its children, in and outside of the kernel */
    TP_BENCH_QUANTITIES
};

enum { TP_BENCH_A, TP_BENCH_B, TP_BENCH_SIDES };

/* How often a step calls something. */
struct tp_bench_count {
    enum tp_summary_kind kind; /* operator, kernel, copy or wait */
    struct tp_str name;
    double calls; /* NaN: not the same in all steps, or not known */
};

struct tp_bench_run {
    int side;
    unsigned pair;                     /* from 0; its runs stand in the order in which they were made */
    double level[TP_BENCH_QUANTITIES]; /* logarithms of nanoseconds; NaN: not known */
    double busy;                       /* CPU time over wall time; NaN: not known */
    struct tp_bench_count *counts;     /* by kind, name */
    size_t count_count;
    bool has_all_counts;        /* what is not among them is not called */
    bool is_loaded, is_outlier; /* set by tp_bench_judge: others used the machine; it lies far from its side */
};

struct tp_bench_goal {
    double effect;     /* relative, above 0: what shall be seen in four of five such comparisons */
    bool has_limit;    /* `most` shall be decided, whatever is seen */
    double most;       /* relative: B may take so much more */
    int quantity;      /* enum tp_bench_quantity; -1: the step, without steps the program */
    unsigned max_runs; /* of each side, 2 or more */
};

enum tp_bench_verdict { TP_BENCH_OPEN, TP_BENCH_SLOWER, TP_BENCH_FASTER, TP_BENCH_SAME };

/* A count that is exact on both sides and differs. */
struct tp_bench_changed {
    const struct tp_bench_count *count[TP_BENCH_SIDES]; /* NULL: not called */
};

struct tp_bench {
    const struct tp_bench_goal *goal;
    struct tp_bench_run *runs;
    size_t run_count; /* of whole pairs */
    unsigned pair_count;
    struct tp_run_change changes[TP_BENCH_QUANTITIES]; /* B - A; base_count pairs, below 2: nothing else holds */
    double level[TP_BENCH_QUANTITIES][TP_BENCH_SIDES]; /* median of the runs; NaN: not known */
    int quantity;                                      /* that decides */
    enum tp_bench_verdict verdict; /* OPEN: the interval of a difference holds 0, and an effect could hide in it */
    enum tp_limit_verdict limit;   /* only with a limit */
    bool is_decided;               /* what is wanted can be told */
    unsigned runs_left;            /* of each side, as far as can be told; 0: more than 1,000, or not known */
    struct tp_bench_changed *changed;
    size_t changed_count;
};

/* The side that is first in a pair. */
int tp_bench_first(uint64_t seed, unsigned pair);

/* The level of `steps` of a summary in nanoseconds, or NaN: step, kernels, host_ops of enum tp_bench_quantity. */
double tp_bench_level(const struct tp_summary *summary, enum tp_bench_quantity quantity, struct tp_arena *arena);
/* What its steps vary by, robust, as a part of it; NaN like the level. */
double tp_bench_cv(const struct tp_summary *summary, enum tp_bench_quantity quantity, struct tp_arena *arena);

/* How often the runs were looked at in succession and found decided; zeroed at first. */
struct tp_bench_looks {
    unsigned decided_count;
};

/* To be asked after each pair: whether no more are needed. Looks are rare, and two in succession must agree, for who
 * looks often sees chance once: simulated, of 99 % intervals 98 % hold where it ended (test_bench.c). */
bool tp_bench_is_over(struct tp_bench_looks *looks, const struct tp_bench *bench);

/* Judges the whole pairs among run_count runs; sets their marks. Results live in the arena. */
void tp_bench_judge(struct tp_bench *bench, struct tp_bench_run *runs, size_t run_count,
                    const struct tp_bench_goal *goal, struct tp_arena *arena);

/* "step", "kernels", "host_ops", "wall", "cpu". */
const char *tp_bench_quantity_name(enum tp_bench_quantity quantity);

#endif
