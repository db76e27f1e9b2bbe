/* Analyses the levels of stored runs in order: their noise, their lasting changes, and a new run compared with the
 * accepted level.
 * The accepted level stays fixed, so that a slow drift adds up against it, which comparisons with the run before would
 * miss. Lasting changes and drifts do not count as noise. Levels are logarithms (run_noise.h). Pure functions; scratch
 * memory from `arena`. */
#ifndef TP_WEBREPORT_COMPARE_NOISE_LEVEL_HISTORY_H
#define TP_WEBREPORT_COMPARE_NOISE_LEVEL_HISTORY_H

#include "webreport/compare/noise/run_change.h"

enum { TP_ACCEPTED_RUNS = 10 }; /* first runs of a history that define its accepted level */

/* Returns the standard deviation between runs, from the differences of neighbours; NaN with fewer than 4 levels. */
double tp_level_history_noise(const struct tp_levels *history, struct tp_arena *arena);

/* Returns the numbers of the runs at which a level begins, ascending, beginning with 0. *count: their number. A level
 * has two runs or more, so a single outlier is not a level. sd: noise between runs, or NaN for
 * tp_level_history_noise. */
size_t *tp_level_history_changes(size_t *count, const struct tp_levels *history, double sd, struct tp_arena *arena);

/* Compares new_side (one level or more) with the accepted runs. The whole history contributes to the noise. known:
 * further knowledge of the noise. */
struct tp_run_change tp_level_history_change(const struct tp_levels *history, const struct tp_levels *accepted,
                                             const struct tp_levels *new_side, const struct tp_run_context *known,
                                             struct tp_arena *arena);

/* Returns whether a run was made on a busy machine, so that its host and wall times are unusable. ratio: CPU time over
 * wall time of the main thread; NaN gives false. The run counts as busy if its ratio is far below those of `count`
 * other runs of the program, or below a half with fewer than three of them. Overwrites history. */
bool tp_run_is_loaded(double ratio, double *history, size_t count);

#endif
