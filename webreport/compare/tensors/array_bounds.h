/* Compares two tensors of which only statistics were recorded.
 *
 * The results are bounds, not estimates. x is an element of NEW, y of BASE, n their number, all finite on both sides:
 *   max |x - y| >= |max x - max y|, |min x - min y|, and what follows for the RMSE
 *   RMSE        >= sqrt((mean x - mean y)^2 + (std x - std y)^2), and the error above over sqrt n
 *   cosine      <= (mean x mean y + std x std y) / (rms x rms y)
 * (a tensor is its mean and a vector across it of length std sqrt n, and the parts across add up at best when
 * parallel). Other kinds of elements (finite, NaN, infinite) in other numbers prove that many mismatches. */
#ifndef TP_WEBREPORT_COMPARE_TENSORS_ARRAY_BOUNDS_H
#define TP_WEBREPORT_COMPARE_TENSORS_ARRAY_BOUNDS_H

#include "webreport/compare/tensors/array_compare.h"
#include "writer/tensor.h"

/* Fills the difference and returns whether no statistic differs. Errors and mismatches are lower bounds, the cosine is
 * an upper bound, unknown values are NaN, counts of NaN and infinite elements are exact; places are unknown. Both must
 * have the same count. */
bool tp_statistics_compare(struct tp_difference *difference, const struct tp_tensor_stats *base,
                           const struct tp_tensor_stats *new, const struct tp_tolerance *tolerance);

#endif
