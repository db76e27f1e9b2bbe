/* Tests the changes of rows (kernels by operator, or operators) over several runs.
 *
 * The shift that all rows share (another clock, a warmer board) is removed first and reported as one change. Few runs
 * show little about the noise of one row. The noise of each row is therefore shrunk towards the noise of all rows
 * (Smyth 2004: moderated t). With one run per side, rows are compared with each other, and the result is a hint. All
 * functions are pure and take scratch memory from `arena`.
 *
 * For wall clock, an outlying row may be unchanged. A busy machine delays the operators that run while it is busy,
 * often the same operators throughout a run, so that the other operators seem faster in comparison. However, a busy
 * machine never delays all steps. The short steps of a changed operator must therefore confirm the change
 * (run_change.h), relative to the short steps of the other operators. This confirmation does not change the
 * estimates. */
#ifndef TP_WEBREPORT_COMPARE_TWO_ROW_JUDGE_H
#define TP_WEBREPORT_COMPARE_TWO_ROW_JUDGE_H

#include "webreport/compare/noise/run_noise.h"

enum { TP_ROWS_LEAST = 5 };      /* smallest number of rows for a test */
#define TP_ROW_ERROR_CHANCE 0.01 /* probability that the true change is outside a row's interval */
#define TP_ROW_LIST_RATE 0.05 /* expected share of listed rows that changed only by chance (Benjamini and Hochberg) */

/* Levels of a row that every run of both sides has with equal counts. */
struct tp_row_levels {
    const double *base, *new_side; /* arrays of levels, one for each run of the side */
    /* coefficient of variation over the steps in the first run of each side */
    double base_step_variation, new_step_variation;
    double share; /* time of the row divided by the time of all rows, in BASE */
    /* levels of the short steps, one for each run; NULL for rows without short steps */
    const double *base_low_levels, *new_low_levels;
};

struct tp_row_verdict {
    double estimate;           /* relative change of the row, without the shift that all rows share */
    double p;                  /* p-value: probability of a change at least this large if nothing changed */
    struct tp_run_noise noise; /* noise between runs, shrunk towards the noise of all rows */
    double half_width;         /* half the width of the 99 % interval, as a logarithm */
    bool is_sure;              /* true: the change is significant at `doubt` for all rows together (Holm) */
    bool is_listed;            /* true: the change is listed at TP_ROW_LIST_RATE (Benjamini and Hochberg) */
    bool is_confirmed;         /* true: short steps confirm the change, which is needed only for wall clock */
};

struct tp_row_judgement {
    double low_shift; /* median shift of the short steps over the rows, a logarithm; NaN if unknown, or for a device */
    /* common difference of all rows between the levels of the new side and of the base, a logarithm; 0 with fewer than
     * TP_ROWS_LEAST rows */
    double shift;
    struct tp_row_verdict *rows; /* verdicts in the order of the rows; NULL with fewer than TP_ROWS_LEAST rows */
};

/* Tests the changes of `count` rows. run_counts: number of runs of the base and of the new side, each at least 1.
 * doubt: probability of any verdict if nothing changed. is_wall_clock: the rows are host rows, which other programs on
 * the machine disturb unequally. The noise of a host row is at least the spread of the other rows' changes. */
struct tp_row_judgement tp_rows_judge(const struct tp_row_levels *rows, size_t count, const size_t run_counts[2],
                                      double doubt, bool is_wall_clock, struct tp_arena *arena);

/* Returns the distribution of the noise of rows: a scaled inverse chi-square distribution, fitted to variances with
 * `freedom` degrees of freedom each by the moments of their logarithms. sds: standard deviations; zeros are ignored.
 * With fewer than 8 nonzero values, the freedom of the result is 0. */
struct tp_run_noise tp_row_noise_estimate(const double *sds, size_t count, double freedom);

#endif
