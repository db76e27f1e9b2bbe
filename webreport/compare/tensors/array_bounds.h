/* Compares two tensors of which only statistics were recorded.
 *
 * The results are bounds, not estimates. x is an element of NEW, y of BASE, n their number, all finite on both sides:
 *   max |x - y| >= |max x - max y| and >= |min x - min y|
 *   RMSE        >= sqrt((mean x - mean y)^2 + (std x - std y)^2), and >= the bound of max |x - y| divided by sqrt n
 *   cosine      <= (mean x mean y + std x std y) / (rms x rms y)
 * Reason: a tensor is the sum of its mean and a perpendicular vector of length std sqrt n. Their product is largest if
 * these vectors are parallel. A different number of finite, NaN or infinite elements proves as many mismatches. */
#ifndef TP_WEBREPORT_COMPARE_TENSORS_ARRAY_BOUNDS_H
#define TP_WEBREPORT_COMPARE_TENSORS_ARRAY_BOUNDS_H

#include "webreport/compare/tensors/array_compare.h"
#include "writer/tensor.h"

/* Fills the difference, and returns whether all statistics are equal. Errors and mismatches are lower bounds; the
 * cosine is an upper bound. Unknown values are NaN. Counts of NaN and infinite elements are exact. The positions
 * `worst` and `first_mismatch` are not filled. Both tensors must have the same number of elements. */
bool tp_statistics_compare(struct tp_difference *difference, const struct tp_tensor_stats *base,
                           const struct tp_tensor_stats *new, const struct tp_tolerance *tolerance);

#endif
