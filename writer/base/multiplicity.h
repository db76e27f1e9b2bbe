/* Decides which of many statistical tests are significant, because with many tests some pass by chance. Pure functions.
 * Tests with equal p get the same result. */
#ifndef TP_WRITER_BASE_MULTIPLICITY_H
#define TP_WRITER_BASE_MULTIPLICITY_H

#include <stdbool.h>
#include <stddef.h>

#include "writer/base/arena.h"

/* Sets is_kept[i] to true if test i with `p[i]` (0 to 1) is significant, for all `count` tests. With probability 1 -
 * `alpha`, no significant test is due to chance (Holm 1979). Returns the number of significant tests. Scratch memory
 * comes from `arena`. */
size_t tp_holm(bool *is_kept, const double *p, size_t count, double alpha, struct tp_arena *arena);

/* Does the same as tp_holm with a weaker guarantee: on average, at most the share `rate` of the significant tests is
 * due to chance (Benjamini, Hochberg 1995). */
size_t tp_benjamini_hochberg(bool *is_kept, const double *p, size_t count, double rate, struct tp_arena *arena);

#endif
