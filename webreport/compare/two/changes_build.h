/* Decides the verdicts on the changes of a comparison: rows, totals, data loading and functions. */
#ifndef TP_WEBREPORT_COMPARE_TWO_CHANGES_BUILD_H
#define TP_WEBREPORT_COMPARE_TWO_CHANGES_BUILD_H

#include "webreport/compare/two/changes.h"

/* Decides the verdict on the change of every match. The matches must outlive the changes. Allocates from sides->arena,
 * whose guard the caller sets. */
void tp_changes_build(struct tp_changes *changes, const struct tp_sides *sides, const struct tp_matches *matches,
                      const struct tp_replaced *replaced, const struct tp_total totals[TP_QUANTITIES],
                      const struct tp_change_limits *limits);

/* Returns whether a busy machine on one side explains the changes of the totals. This explanation requires that all
 * times are wall clock, and that all rows changed by one factor of at least 10 %. In addition, no total may deviate
 * significantly from this factor, by more than `threshold`. */
bool tp_changes_are_due_to_machine(const struct tp_changes *changes, const struct tp_sides *sides,
                                   const struct tp_total totals[TP_QUANTITIES], double threshold);

#endif
