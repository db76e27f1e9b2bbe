/* The two sides of a comparison: the steps and rows of one or several runs each, with rows summed by identity. An
 * identity is a combination of kind, name, owner, shape and dtype, and has the same index on both sides. Memory comes
 * from the arena. Texts belong to the summaries, which must outlive the sides. */
#ifndef TP_WEBREPORT_COMPARE_SIDES_H
#define TP_WEBREPORT_COMPARE_SIDES_H

#include "webreport/compare/noise/run_noise.h"
#include "webreport/measure/summary/summary.h"
#include "writer/base/keys.h"
#include "writer/base/stats.h"

enum { TP_BASE, TP_NEW, TP_SIDES };
enum { TP_LEVEL_LEAST_STEPS = 3 }; /* smallest number of analysed steps for the level of a run */
/* smallest number of runs on both sides together for a verdict on a row or on wall clock */
enum { TP_VERDICT_RUNS = 4 };

/* Input of a side: its runs. */
struct tp_side_input {
    const char *name;              /* name of the side as shown to users */
    const struct tp_summary *runs; /* summaries, one for each run of the same program */
    uint32_t run_count;            /* number of runs, at least 1 */
    bool is_one_trace;             /* true: the user named a single trace (as in struct tp_check_side) */
};

/* Levels of one quantity, one for each run of a side. */
struct tp_side_levels {
    /* for each run: level (levels) and coefficient of variation over the steps (cvs); NULL if a run lacks the quantity
     * or has too few steps */
    double *levels, *cvs;
    double *lows; /* levels of the short steps (as `low` of struct tp_run_level) */
};

/* A row, summed over all runs of a side. Sums are divided by the number of steps of the side. */
struct tp_side_row {
    bool exists; /* true: at least one run has the row */
    /* true: the summaries show the same number of calls in all steps, and there are several steps */
    bool is_count_constant;
    double ns, calls; /* mean time per step, ns, and mean calls per step */
};

struct tp_side {
    const struct tp_side_input *input;
    double *step_ns;   /* lengths of the analysed steps, ns, run after run */
    size_t *first;     /* for each run, and one more: index in step_ns of the run's first step */
    size_t step_count; /* number of analysed steps of all runs */
    /* number of used and unused steps in all runs; divides sums over whole recordings */
    size_t recorded_step_count;
    size_t *warm_up; /* for each run: number of analysed steps at its start that the levels leave out as warm-up */
    double total_ns; /* mean of step_ns, ns */
    double part_ns[TP_PART_COUNT]; /* for each part: mean per step, ns; NaN if the trace does not show the part */
    struct tp_side_levels quantities[TP_QUANTITIES]; /* levels of each quantity; TP_QUANTITY_ROW is not set */
    struct tp_side_levels loading;                   /* levels of the time in which the step waits for input */
    struct tp_side_row *rows;                        /* row of each identity */
    uint32_t *row_of; /* 1 + index of the row in the run's summary, or 0; at identity * run_count + run */
};

struct tp_identity {
    enum tp_summary_kind kind;
    struct tp_str name, owner, shape, dtype;
};

struct tp_sides {
    struct tp_arena *arena;
    struct tp_side side[TP_SIDES];
    struct tp_strings texts;
    struct tp_keys keys; /* keys (kind, name, owner, shape, dtype); the index of a key is its identity */
    uint32_t identity_count;
    /* of `diff` (compare/two/left_out.h); otherwise false and 0 */
    bool has_two_profilers;         /* true: one profiler recorded BASE, and another one NEW */
    uint32_t left_out;              /* kinds of data that only one of these shows, as bits of enum tp_unknown */
    uint32_t left_out_of[TP_SIDES]; /* the kinds among them that this side lacks */
};

/* Returns the producer of the new side's first run, which determines the vocabulary of the comparison. */
enum tp_producer tp_sides_producer(const struct tp_sides *sides);

/* Builds both sides. Allocates from `arena`, whose guard the caller sets. The inputs must outlive the sides. */
void tp_sides_build(struct tp_sides *sides, const struct tp_side_input inputs[TP_SIDES], struct tp_arena *arena);

/* Returns whether all runs of both sides are known to come from one host. */
bool tp_sides_have_one_host(const struct tp_sides *sides);

/* Returns whether all times are wall clock of the host, because neither side has kernels in every run. Other programs
 * on the machine disturb wall clock. */
bool tp_sides_have_only_wall_clock(const struct tp_sides *sides);

/* Returns whether the times allow only hints, because they are wall clock of fewer than TP_VERDICT_RUNS runs. In such
 * runs a busy machine resembles a slower program. */
bool tp_sides_allow_only_hints(const struct tp_sides *sides);

/* Returns the levels of a row in all runs of a side, in sides->arena. The levels are NULL if a run lacks the row or
 * has too few steps, or if the number of calls varies. *calls: number of calls per step, which is the same in at
 * least nine of ten steps of every run, or in all but one step. */
struct tp_side_levels tp_sides_row_levels(double *calls, const struct tp_sides *sides, int side, uint32_t identity);

/* A row, and the share (0 to 1) of its time that is added to a sum. */
struct tp_side_part {
    uint32_t identity;
    double share;
};

/* Returns the levels of the sum of `count` rows in all runs of a side, in sides->arena. The levels are NULL if a run
 * lacks the rows or has too few steps, or if the sum of a step is 0. */
struct tp_side_levels tp_sides_sum_levels(const struct tp_sides *sides, int side, const struct tp_side_part *parts,
                                          size_t count);

/* Returns the change of the short steps between the levels of both sides, as tp_short_steps_change does. */
double tp_sides_change_of_short_steps(const struct tp_sides *sides, const struct tp_side_levels levels[TP_SIDES]);

struct tp_identity tp_sides_identity(const struct tp_sides *sides, uint32_t identity);

/* Returns the source line of a row: that of the first run of the side in which the line is known; ptr NULL if unknown.
 */
struct tp_str tp_sides_line(const struct tp_sides *sides, int side, uint32_t identity);

static inline const struct tp_side_row *tp_sides_row(const struct tp_sides *sides, int side, uint32_t identity)
{
    return &sides->side[side].rows[identity];
}

#endif
