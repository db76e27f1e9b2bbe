/* Decides which of many statistical tests are significant, although some tests pass by chance. Pure functions. Tests
 * with equal p get the same result. */
#ifndef TP_WRITER_BASE_MULTIPLICITY_H
#define TP_WRITER_BASE_MULTIPLICITY_H

#include <stdbool.h>
#include <stddef.h>

#include "writer/base/arena.h"

/* Sets is_kept[i] to whether test i with `p[i]` (0 to 1) is significant, for `count` tests. With probability 1 -
 * `alpha` no kept test is due to chance (Holm 1979). Returns the number of kept tests. Scratch memory comes from
 * `arena`. */
size_t tp_holm(bool *is_kept, const double *p, size_t count, double alpha, struct tp_arena *arena);

/* Works like tp_holm, but on average at most a share of `rate` of the kept tests is due to chance (Benjamini, Hochberg
 * 1995). */
size_t tp_benjamini_hochberg(bool *is_kept, const double *p, size_t count, double rate, struct tp_arena *arena);

#endif
