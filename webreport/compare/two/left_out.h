/* Finds the data that a comparison of two profilers leaves out. If the sides were recorded by different profilers, one
 * of them may not record a kind of data, such as Python stacks. Then the comparison leaves out the numbers that need
 * this data, and judges all others (docs/definitions.md, section 27). If one profiler recorded both sides, missing data
 * is damage (damage.h). */
#ifndef TP_WEBREPORT_COMPARE_TWO_LEFT_OUT_H
#define TP_WEBREPORT_COMPARE_TWO_LEFT_OUT_H

#include "webreport/compare/sides.h"
#include "webreport/compare/two/damage.h"
#include "webreport/compare/work/work_diff.h"

/* Fills sides->left_out and sides->left_out_of. The sides must be built. */
void tp_left_out_find(struct tp_sides *sides);

/* Returns the runs of a side for the functions of damage.h. */
struct tp_damage_runs tp_left_out_runs(const struct tp_sides *sides, int side);

/* Returns the reason why the times of both sides cannot be compared although their profilers differ, such as "new: the
 * input names no steps, but the other side does"; "" if the times can be compared. The text is static. */
const char *tp_left_out_reason(const struct tp_sides *sides);

/* Returns whether rows of this kind need data that only one side has. */
bool tp_left_out_has_rows(const struct tp_sides *sides, enum tp_summary_kind kind);

/* Returns whether an operator with this name, which only one side has, may be a range of the program on the other side.
 * Nsight Systems does not distinguish ranges from operators whose names have no "::". */
bool tp_left_out_has_name(const struct tp_sides *sides, struct tp_str name);

/* Returns whether the total time of the host's operators is left out: it needs data that only one side has, or contains
 * ranges of the program on one side. */
bool tp_left_out_has_host_total(const struct tp_sides *sides);

/* Removes the changes of work that need data that only one side has. */
void tp_left_out_remove_work(struct tp_work_diff *work, const struct tp_sides *sides);

#endif
