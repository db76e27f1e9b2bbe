/* Decides which of many statistical tests are significant, when each alone may err. Pure functions. Tests with equal p
 * get the same result. */
#ifndef TP_WRITER_BASE_MULTIPLICITY_H
#define TP_WRITER_BASE_MULTIPLICITY_H

#include <stdbool.h>
#include <stddef.h>

#include "writer/base/arena.h"

/* Sets is_kept[i] for `count` tests with `p[i]` (0 to 1): with probability 1 - `alpha` none of the kept ones is due to
 * chance (Holm 1979). Returns the number of kept tests. Scratch memory from `arena`. */
size_t tp_holm(bool *is_kept, const double *p, size_t count, double alpha, struct tp_arena *arena);

/* Does the same, but on average at most a share of `rate` of the kept ones is due to chance (Benjamini, Hochberg
 * 1995). */
size_t tp_benjamini_hochberg(bool *is_kept, const double *p, size_t count, double rate, struct tp_arena *arena);

#endif
