/* Judges the changes of a comparison: rows, totals, data loading and functions. */
#ifndef TP_WEBREPORT_COMPARE_TWO_CHANGES_BUILD_H
#define TP_WEBREPORT_COMPARE_TWO_CHANGES_BUILD_H

#include "webreport/compare/two/changes.h"

/* Judges every match. matches must outlive the changes. Allocates from sides->arena, whose guard the caller sets. */
void tp_changes_build(struct tp_changes *changes, const struct tp_sides *sides, const struct tp_matches *matches,
                      const struct tp_replaced *replaced, const struct tp_total totals[TP_QUANTITIES],
                      const struct tp_change_limits *limits);

/* Returns whether a busy machine on one side explains the totals. All times must be wall clock, all rows must have
 * changed by one factor of at least 10 %, and no total may have changed by certainly more. */
bool tp_changes_are_of_machine(const struct tp_changes *changes, const struct tp_sides *sides,
                               const struct tp_total totals[TP_QUANTITIES], double threshold);

#endif
