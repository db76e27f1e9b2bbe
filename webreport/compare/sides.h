/* The two sides of a comparison: each the samples of one or several runs, their rows added up under one identity.
 *
 * An identity is (kind, name, owner, shape, dtype), numbered the same on both sides. All memory is the arena's; texts
 * are those of the summaries, which must outlive the sides. */
#ifndef TP_WEBREPORT_COMPARE_SIDES_H
#define TP_WEBREPORT_COMPARE_SIDES_H

#include "webreport/measure/summary.h"
#include "writer/base/keys.h"
#include "writer/base/stats.h"

enum { TP_BASE, TP_NEW, TP_SIDES };
enum { TP_SIDES_LEAST_STEPS = 5, TP_SIDES_LEAST_CALLS = 8 }; /* samples behind the variance of a row */

/* What stands on a side. */
struct tp_side_input {
    const char *name;              /* as shown */
    const struct tp_summary *runs; /* samples of the same program */
    uint32_t run_count;            /* above 0 */
    bool is_one_trace;             /* as in struct tp_check_side */
};

/* A row of all runs of a side together. Per step means divided by the number of steps of the side. */
struct tp_side_row {
    bool is_there;               /* some run has it */
    bool is_count_constant;      /* the same number of calls in each of several steps, as far as the summaries tell */
    struct tp_moments ns, calls; /* per step; error NaN: too few samples to tell */
    struct tp_moments typical;   /* of ns, without the extremes: what verdicts stand on */
};

struct tp_side {
    const struct tp_side_input *input;
    double *step_ns;            /* totals of the used steps, run by run */
    size_t *first;              /* run r owns steps first[r] .. first[r + 1] */
    size_t step_count;          /* used ones of all runs */
    size_t recorded_step_count; /* with those left out: what sums over a whole recording are divided by */
    double *run_medians;        /* of step totals; of runs that have steps */
    size_t median_count;
    struct tp_moments total;                                       /* of step_ns */
    struct tp_moments parts[TP_PART_COUNT];                        /* NaN mean: the trace does not tell */
    struct tp_moments typical_total, typical_parts[TP_PART_COUNT]; /* without the extremes */
    struct tp_side_row *rows;                                      /* by identity */
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

/* Adds up both sides in `arena` (guard set by the caller). inputs must outlive them. */
/* Of the new side's first run: in whose words a comparison is. */
enum tp_producer tp_sides_producer(const struct tp_sides *sides);

void tp_sides_build(struct tp_sides *sides, const struct tp_side_input inputs[TP_SIDES], struct tp_arena *arena);

struct tp_identity tp_sides_identity(const struct tp_sides *sides, uint32_t identity);

static inline const struct tp_side_row *tp_sides_row(const struct tp_sides *sides, int side, uint32_t identity)
{
    return &sides->side[side].rows[identity];
}

#endif
