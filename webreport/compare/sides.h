/* The two sides of a comparison: the steps and rows of one or several runs each, with rows summed by identity.
 * An identity is (kind, name, owner, shape, dtype) and has the same number on both sides. Memory comes from the arena;
 * texts belong to the summaries, which must outlive the sides. */
#ifndef TP_WEBREPORT_COMPARE_SIDES_H
#define TP_WEBREPORT_COMPARE_SIDES_H

#include "webreport/compare/noise/run_noise.h"
#include "webreport/measure/summary/summary.h"
#include "writer/base/keys.h"
#include "writer/base/stats.h"

enum { TP_BASE, TP_NEW, TP_SIDES };
enum { TP_LEVEL_LEAST_STEPS = 3 }; /* used steps that a run needs to have a level */
enum { TP_VERDICT_RUNS = 4 };      /* runs of both sides together that a verdict on a row or on wall clock needs */

/* Input of a side. */
struct tp_side_input {
    const char *name;              /* as shown */
    const struct tp_summary *runs; /* samples of the same program */
    uint32_t run_count;            /* above 0 */
    bool is_one_trace;             /* as in struct tp_check_side */
};

/* Levels of the runs of a side, one per run. */
struct tp_side_levels {
    double *levels, *cvs; /* NULL if some run lacks the quantity or has too few steps */
    double *lows;         /* levels of short steps (struct tp_run_level) */
};

/* A row, summed over all runs of a side. Per step: divided by the number of steps of the side. */
struct tp_side_row {
    bool is_there;          /* some run has the row */
    bool is_count_constant; /* the same number of calls in each of several steps, as far as the summaries show */
    double ns, calls;       /* mean of a step */
};

struct tp_side {
    const struct tp_side_input *input;
    double *step_ns;               /* totals of the used steps, run by run */
    size_t *first;                 /* run r owns steps first[r] .. first[r + 1] */
    size_t step_count;             /* used steps of all runs */
    size_t recorded_step_count;    /* all steps of all runs; divisor of sums over whole recordings */
    size_t *warm_up;               /* by run: number of first used steps that levels leave out */
    double total_ns;               /* mean of step_ns */
    double part_ns[TP_PART_COUNT]; /* mean per step; NaN if the trace does not show it */
    struct tp_side_levels quantities[TP_QUANTITIES]; /* without TP_QUANTITY_ROW */
    struct tp_side_levels loading;                   /* of the time that the step waits for input */
    struct tp_side_row *rows;                        /* by identity */
    uint32_t *row_of; /* by identity * run_count + run: index of the row in the run's summary + 1, or 0 */
};

struct tp_identity {
    enum tp_summary_kind kind;
    struct tp_str name, owner, shape, dtype;
};

struct tp_sides {
    struct tp_arena *arena;
    struct tp_side side[TP_SIDES];
    struct tp_strings texts;
    struct tp_keys keys; /* identity = number of the tuple */
    uint32_t identity_count;
};

/* Returns the producer of the new side's first run; it decides the vocabulary of the comparison. */
enum tp_producer tp_sides_producer(const struct tp_sides *sides);

/* Builds both sides in `arena` (guard set by the caller). inputs must outlive them. */
void tp_sides_build(struct tp_sides *sides, const struct tp_side_input inputs[TP_SIDES], struct tp_arena *arena);

/* Returns whether all runs of both sides are known to be of one host. */
bool tp_sides_are_of_one_host(const struct tp_sides *sides);

/* Returns whether all times are wall clock of the host, because no side has kernels in every run. Other programs on the
 * machine disturb such times. */
bool tp_sides_are_wall_clock(const struct tp_sides *sides);

/* Returns whether the times allow hints only: wall clock with fewer than TP_VERDICT_RUNS runs, where a busy machine
 * looks like a slower program. */
bool tp_sides_tell_hints(const struct tp_sides *sides);

/* Returns the levels of a row in all runs of a side, in sides->arena. *calls: number of calls per step, equal in nine
 * of ten steps of every run (or in all but one). The levels are NULL if some run lacks the row or steps, or if calls
 * vary. */
struct tp_side_levels tp_sides_row_levels(double *calls, const struct tp_sides *sides, int side, uint32_t identity);

/* A row and the share of its time that counts. */
struct tp_side_part {
    uint32_t identity;
    double share;
};

/* Returns the levels of the sum of `count` rows in all runs of a side, in sides->arena. The levels are NULL if a run
 * does not have the rows or has too few steps, or if the sum of a step is 0. */
struct tp_side_levels tp_sides_sum_levels(const struct tp_sides *sides, int side, const struct tp_side_part *parts,
                                          size_t count);

/* Returns the change of the short steps of such levels (tp_short_steps_change). */
double tp_sides_low_change(const struct tp_sides *sides, const struct tp_side_levels levels[TP_SIDES]);

struct tp_identity tp_sides_identity(const struct tp_sides *sides, uint32_t identity);

static inline const struct tp_side_row *tp_sides_row(const struct tp_sides *sides, int side, uint32_t identity)
{
    return &sides->side[side].rows[identity];
}

#endif
