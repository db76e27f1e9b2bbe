/* Compares two sides: calls the stages of a comparison one after the other. */
#ifndef TP_WEBREPORT_COMPARE_TWO_COMPARE_BUILD_H
#define TP_WEBREPORT_COMPARE_TWO_COMPARE_BUILD_H

#include "webreport/compare/two/compare.h"

/* Compares inputs[TP_BASE] with inputs[TP_NEW]. trees: call trees by side and run, or NULL. The inputs and trees
 * must outlive the comparison. Allocates from `arena`, whose guard the caller sets. */
void tp_compare_build(struct tp_compare *compare, const struct tp_side_input inputs[TP_SIDES],
                      const struct tp_calltree *const trees[TP_SIDES], const struct tp_compare_options *options,
                      struct tp_arena *arena);

#endif
