/* Analyses the levels of stored runs in their order. Finds the noise between runs and lasting changes of the level, and
 * compares a new run with the accepted level.
 *
 * The accepted level stays fixed, so that a slow drift adds up. A comparison with the previous run would miss the
 * drift. Lasting changes and drifts are not part of the noise. Levels are logarithms (run_noise.h). All functions are
 * pure and take scratch memory from `arena`. */
#ifndef TP_WEBREPORT_COMPARE_NOISE_LEVEL_HISTORY_H
#define TP_WEBREPORT_COMPARE_NOISE_LEVEL_HISTORY_H

#include "webreport/compare/noise/run_change.h"

enum { TP_ACCEPTED_RUNS = 10 }; /* number of first runs of a history that define its accepted level */

/* Returns the standard deviation between runs, computed from the differences of neighboring runs; NaN with fewer
 * than 4 levels. */
double tp_level_history_noise(const struct tp_levels *history, struct tp_arena *arena);

/* Returns the indexes of the runs at which a level begins, in ascending order from 0. *count: number of levels. A level
 * has at least two runs, so that a single outlier is not a level. sd: noise between runs; if NaN, the function calls
 * tp_level_history_noise. */
size_t *tp_level_history_changes(size_t *count, const struct tp_levels *history, double sd, struct tp_arena *arena);

/* Compares new_side (one or more levels) with the accepted runs. The estimate of the noise uses the whole history.
 * known: prior estimate of the noise, and options of the comparison. */
struct tp_run_change tp_level_history_change(const struct tp_levels *history, const struct tp_levels *accepted,
                                             const struct tp_levels *new_side, const struct tp_run_context *known,
                                             struct tp_arena *arena);

/* Returns whether a run was made on a busy machine, so that its host and wall times are unusable. ratio: CPU time
 * divided by wall time of the main thread; NaN returns false. history: ratios of `count` other runs of the program,
 * overwritten. The machine was busy if `ratio` is far below these ratios, or below 0.5 with fewer than three of
 * them. */
bool tp_run_was_machine_busy(double ratio, double *history, size_t count);

#endif
