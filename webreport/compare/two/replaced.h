/* Compares the time of operators and kernels with the time of those that they replace, each as a sum.
 *
 * A sum adds the times of kernels and copies if a side has kernels, otherwise the operators' own host times. The sum is
 * slower or faster if its 99 % interval excludes 0. The shift of the other rows (clock, load) is removed first. For
 * wall clock, the spread of the other rows is part of the noise, and short steps must confirm the change. */
#ifndef TP_WEBREPORT_COMPARE_TWO_REPLACED_H
#define TP_WEBREPORT_COMPARE_TWO_REPLACED_H

#include "webreport/compare/comparability.h"
#include "webreport/compare/two/totals.h"
#include "webreport/compare/work/work_diff.h"

/* Shift that all rows of a kind share, and the spread of the rows around it, both as logarithms; 0 with fewer than
 * five rows. */
struct tp_row_shift {
    enum tp_summary_kind kind;
    double shift, spread;
    double least_ns; /* smallest change of a sum that gets a verdict, ns */
    bool is_open;    /* true: no verdicts are allowed, because of damage, other recording options or another workload */
};

/* Rows of each side whose times are added up. */
struct tp_row_sum {
    struct tp_vec parts[TP_SIDES]; /* elements: struct tp_side_part */
};

struct tp_replaced_sum {
    double ns[TP_SIDES]; /* mean time per step, ns */
    bool is_known;       /* true: the runs are precise enough to detect a change by a factor of two */
    bool is_host;        /* true: the sum is the operators' own host time; false: device time */
    struct tp_confidence_interval interval; /* 99 % interval of the change, ns; NaN if the change was not tested */
    enum tp_change_verdict verdict;
};

struct tp_replaced {
    /* for each identity: number of its group of operators that replace each other, or 0 */
    uint32_t *group_of[TP_SIDES];
    double *part_of[TP_SIDES];      /* for each identity: share (0 to 1) of its calls that belongs to the group */
    struct tp_replaced_sum *groups; /* sums by number of the group; group_count + 1 items, item 0 is unused */
    uint32_t group_count;
    /* shifts of device rows and of host rows; algorithm: shift of device rows, for other kernels of the same
     * operator */
    struct tp_row_shift device, host, algorithm;
};

/* Adds up the times of each group in `work` and tests the sums. Allocates from sides->arena, whose guard the caller
 * sets. */
void tp_replaced_build(struct tp_replaced *replaced, const struct tp_sides *sides,
                       const struct tp_comparability *comparability, const struct tp_work_diff *work);

/* Tests whether the sum of the given rows changed, and returns the result. */
struct tp_replaced_sum tp_replaced_judge(const struct tp_sides *sides, const struct tp_row_sum *rows,
                                         const struct tp_row_shift *shift);

/* Sets is_counted_by_limit of replacements and changed algorithms that are slower, and of replacements by more
 * operators whose times are unknown. */
void tp_replaced_mark_limited(struct tp_work_diff *work, const struct tp_sides *sides,
                              const struct tp_replaced *replaced);

#endif
