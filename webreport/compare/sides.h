/* The two sides of a comparison: each the samples of one or several runs, their rows added up under one identity.
 *
 * An identity is (kind, name, owner, shape, dtype), numbered the same on both sides. All memory is the arena's; texts
 * are those of the summaries, which must outlive the sides. */
#ifndef TP_WEBREPORT_COMPARE_SIDES_H
#define TP_WEBREPORT_COMPARE_SIDES_H

#include "webreport/compare/noise/run_noise.h"
#include "webreport/measure/summary/summary.h"
#include "writer/base/keys.h"
#include "writer/base/stats.h"

enum { TP_BASE, TP_NEW, TP_SIDES };
enum { TP_LEVEL_LEAST_STEPS = 3 }; /* used ones of a run, to have a level */
enum { TP_VERDICT_RUNS = 4 };      /* of both sides, to judge a row by itself, or wall clock */

/* What stands on a side. */
struct tp_side_input {
    const char *name;              /* as shown */
    const struct tp_summary *runs; /* samples of the same program */
    uint32_t run_count;            /* above 0 */
    bool is_one_trace;             /* as in struct tp_check_side */
};

/* Levels of the runs of a side, one each. */
struct tp_side_levels {
    double *levels, *cvs; /* NULL: some run does not tell, or has too few steps */
    double *lows;         /* of short steps (struct tp_run_level) */
};

/* A row of all runs of a side together. Per step means divided by the number of steps of the side. */
struct tp_side_row {
    bool is_there;          /* some run has it */
    bool is_count_constant; /* the same number of calls in each of several steps, as far as the summaries tell */
    double ns, calls;       /* mean of a step */
};

struct tp_side {
    const struct tp_side_input *input;
    double *step_ns;               /* totals of the used steps, run by run */
    size_t *first;                 /* run r owns steps first[r] .. first[r + 1] */
    size_t step_count;             /* used ones of all runs */
    size_t recorded_step_count;    /* with those left out: what sums over a whole recording are divided by */
    size_t *warm_up;               /* the first used steps of each run that levels leave out */
    double total_ns;               /* mean of step_ns */
    double part_ns[TP_PART_COUNT]; /* mean of a step; NaN: the trace does not tell */
    struct tp_side_levels quantities[TP_QUANTITIES]; /* not of TP_QUANTITY_ROW */
    struct tp_side_levels loading;                   /* of what the step waits for input */
    struct tp_side_row *rows;                        /* by identity */
    uint32_t *row_of; /* row + 1 by identity * run_count + run of the input; 0: that run has none */
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

/* Of the new side's first run: in whose words a comparison is. */
enum tp_producer tp_sides_producer(const struct tp_sides *sides);

/* Adds up both sides in `arena` (guard set by the caller). inputs must outlive them. */
void tp_sides_build(struct tp_sides *sides, const struct tp_side_input inputs[TP_SIDES], struct tp_arena *arena);

/* Whether all runs of both sides are known to be of one host. */
bool tp_sides_are_of_one_host(const struct tp_sides *sides);

/* Whether all times are wall clock of the host, for no side has kernels in every run: whoever else uses the machine
 * moves them. */
bool tp_sides_are_wall_clock(const struct tp_sides *sides);

/* Whether that alone decides nothing: wall clock of fewer runs than TP_VERDICT_RUNS tells no machine from a program. */
bool tp_sides_tell_hints(const struct tp_sides *sides);

/* Levels of a row in all runs of a side, and the number of calls in a step: the same in nine of ten steps of every run
 * (or in all but one). NULL levels: some run does not tell or has too few steps, does not have the row in each, or
 * calls vary. In sides->arena. */
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

/* What the short steps of such levels changed by (tp_short_steps_change). */
double tp_sides_low_change(const struct tp_sides *sides, const struct tp_side_levels levels[TP_SIDES]);

struct tp_identity tp_sides_identity(const struct tp_sides *sides, uint32_t identity);

static inline const struct tp_side_row *tp_sides_row(const struct tp_sides *sides, int side, uint32_t identity)
{
    return &sides->side[side].rows[identity];
}

#endif
