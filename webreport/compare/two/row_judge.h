/* Rows (kernels by operator, operators) of several runs judged together.
 *
 * What all rows did together (another clock, a warmer board) is taken out first and told as one change. Each row's
 * noise is its own, shrunk to that of all rows (Smyth 2004: the moderated t), for few runs tell little of one row. With
 * one run a side the rows are each other's control, and what comes out is a hint. Pure functions; scratch from `arena`.
 *
 * Of wall clock a row that stands out is not yet one that changed: a busy machine takes its time from whichever
 * operators run when it is busy, in all of a run the same ones, and the others seem faster beside them. It never takes
 * it from all steps. An operator that changed did so in the short steps, too: they must back it (run_change.h), beside
 * the other operators' short steps. Where the estimates come from is not touched by that. */
#ifndef TP_WEBREPORT_COMPARE_TWO_ROW_JUDGE_H
#define TP_WEBREPORT_COMPARE_TWO_ROW_JUDGE_H

#include "webreport/compare/noise/run_noise.h"

enum { TP_ROWS_LEAST = 5 };   /* to judge any */
#define TP_ROW_DOUBT 0.01     /* true changes outside of a row's interval, of all */
#define TP_ROW_LIST_RATE 0.05 /* of rows that are listed, those that are by chance (Benjamini, Hochberg) */

/* A row that every run of both sides has, with equal counts. */
struct tp_row_levels {
    const double *base, *new_side; /* levels, one a run */
    double base_cv, new_cv;        /* of the steps of each side's first run */
    double share;                  /* of the time of all rows in the first run of the base */
    const double *base_low, *new_low; /* of short steps, one a run; NULL: not told */
};

struct tp_row_verdict {
    double estimate;           /* relative, the shift that is common to all rows taken out */
    double p;                  /* as in struct tp_run_change */
    struct tp_run_noise noise; /* of a run, shrunk */
    double half;               /* half of the 99 % interval, of logarithms */
    bool is_sure;              /* after Holm: by chance with `doubt`, all rows together */
    bool is_listed;            /* after Benjamini and Hochberg */
    bool is_backed;            /* by its short steps, where whoever else uses the machine may draw out the others */
};

struct tp_row_judgement {
    double low_shift; /* the same of short steps, by the median of the rows; NaN: not told, or of a device */
    double shift; /* level of the new side less that of the base, in common; 0 with fewer than TP_ROWS_LEAST rows */
    struct tp_row_verdict *rows; /* in the order of the rows; NULL with fewer than TP_ROWS_LEAST */
};

/* Judges `count` rows of run_counts runs of the base and of the new side (each above 0); doubt: of a verdict on any
 * row, when chance alone moves them. is_wall_clock: rows of the host, which others that use the machine move apart: no
 * row is taken to be quieter than what the other rows changed by. */
struct tp_row_judgement tp_rows_judge(const struct tp_row_levels *rows, size_t count, const size_t run_counts[2],
                                      double doubt, bool is_wall_clock, struct tp_arena *arena);

/* Noise of rows in general: the scaled inverse chi-square distribution that variances with `freedom` degrees each come
 * from, by the moments of their logarithms. sds: standard deviations, those of 0 tell nothing. freedom 0: fewer than 8
 * of them tell. */
struct tp_run_noise tp_row_noise_fit(const double *sds, size_t count, double freedom);

#endif
