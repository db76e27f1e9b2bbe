/* Which of many tests to believe, when each alone may err. Pure functions; equal p stand or fall together. */
#ifndef TP_WRITER_BASE_MULTIPLICITY_H
#define TP_WRITER_BASE_MULTIPLICITY_H

#include <stdbool.h>
#include <stddef.h>

#include "writer/base/arena.h"

/* Sets is_kept[i] of `count` tests with `p[i]` (0 to 1): with probability 1 - `alpha` none of those kept is by chance
 * (Holm 1979). Returns how many are kept. Scratch memory from `arena`. */
size_t tp_holm(bool *is_kept, const double *p, size_t count, double alpha, struct tp_arena *arena);

/* The same: of those kept a share of `rate` at most is by chance, in the mean (Benjamini, Hochberg 1995). */
size_t tp_benjamini_hochberg(bool *is_kept, const double *p, size_t count, double rate, struct tp_arena *arena);

#endif
