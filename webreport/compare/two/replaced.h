/* What operators and kernels that replace others take: the sum of all of them against the sum of those that they
 * replace.
 * Kernels and copies are summed where a side has kernels, else the operators' own times on the host. The sum is slower
 * or faster when its 99 % interval excludes 0. What the other rows changed by is taken out of it (clock, load). Of wall
 * clock, the spread of the other rows is part of the noise and the short steps must show the change, too. */
#ifndef TP_WEBREPORT_COMPARE_TWO_REPLACED_H
#define TP_WEBREPORT_COMPARE_TWO_REPLACED_H

#include "webreport/compare/comparability.h"
#include "webreport/compare/two/totals.h"
#include "webreport/compare/work/work_diff.h"

/* What all rows of a kind have in common, and how far they are apart. Logarithms; 0 of fewer than five rows. */
struct tp_row_shift {
    enum tp_summary_kind kind;
    double shift, spread;
    double least_ns; /* change of a sum below which it has no verdict */
    bool is_open;    /* damaged, recorded otherwise or not the same workload: no sum has a verdict */
};

/* Rows of a side that are added up: identities, each with the share of its time that counts. */
struct tp_row_sum {
    struct tp_vec parts[TP_SIDES]; /* struct tp_side_part */
};

struct tp_replaced_sum {
    double ns[TP_SIDES]; /* mean of a step */
    bool is_known;       /* the runs would see a change by a factor of two */
    bool is_host;        /* own time of operators on the host */
    struct tp_bounds interval; /* 99 %, of the change in ns; NaN: not judged */
    enum tp_change_verdict verdict;
};

struct tp_replaced {
    uint32_t *group_of[TP_SIDES];    /* by identity: its group in the work, 0: none */
    double *part_of[TP_SIDES];       /* by identity: share of its calls that is in the group */
    struct tp_replaced_sum *groups;  /* group_count + 1 of them; [0] is unused */
    uint32_t group_count;
    struct tp_row_shift device, host, algorithm; /* algorithm: of the device, for other kernels of the same operator */
};

/* Sums up the groups of `work` in sides->arena (guard set by the caller). */
void tp_replaced_build(struct tp_replaced *replaced, const struct tp_sides *sides,
                       const struct tp_comparability *comparability, const struct tp_work_diff *work);

/* Judges the sum of some rows. */
struct tp_replaced_sum tp_replaced_judge(const struct tp_sides *sides, const struct tp_row_sum *rows,
                                         const struct tp_row_shift *shift);

/* Gates replacements and other kernel algorithms that are slower, and replacements by more operators whose times are
 * not known. */
void tp_replaced_gate(struct tp_work_diff *work, const struct tp_sides *sides, const struct tp_replaced *replaced);

#endif
