/* Levels of stored runs in their order: their noise, where they changed for good, and a new run against the accepted
 * level.
 *
 * The accepted level never rolls: a drift that each comparison with the run before would miss adds up against it.
 * Neither a step nor a drift counts as noise. Levels are logarithms (run_noise.h). Pure functions; scratch from
 * `arena`. */
#ifndef TP_WEBREPORT_COMPARE_NOISE_LEVEL_HISTORY_H
#define TP_WEBREPORT_COMPARE_NOISE_LEVEL_HISTORY_H

#include "webreport/compare/noise/run_change.h"

enum { TP_ACCEPTED_RUNS = 10 }; /* the first ones of a history make its accepted level */

/* Standard deviation between runs, from the differences of neighbours; NaN with fewer than 4 levels. */
double tp_level_history_noise(const struct tp_levels *history, struct tp_arena *arena);

/* Numbers of the runs with which a level begins, ascending, the first 0; *count is how many. A level has two runs or
 * more; a single outlier is none. sd: noise between runs; NaN: as tp_level_history_noise says. */
size_t *tp_level_history_changes(size_t *count, const struct tp_levels *history, double sd, struct tp_arena *arena);

/* new_side (one level or more) against the accepted runs; the whole history teaches the noise. known: what is known
 * beside it. */
struct tp_run_change tp_level_history_change(const struct tp_levels *history, const struct tp_levels *accepted,
                                             const struct tp_levels *new_side, const struct tp_run_context *known,
                                             struct tp_arena *arena);

/* Whether a run was made on a loaded machine, which makes its host and wall times worthless: its CPU time over wall
 * time of the main thread lies far below that of `count` other runs of the program; without three of them, below a
 * half. ratio NaN: not known, false. Overwrites history. */
bool tp_run_is_loaded(double ratio, double *history, size_t count);

#endif
