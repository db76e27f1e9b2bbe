/* Finds the longest run of equal keys in two sequences. */
#ifndef TP_WEBREPORT_MEASURE_SNAPSHOT_PAIR_RUN_H
#define TP_WEBREPORT_MEASURE_SNAPSHOT_PAIR_RUN_H

#include <stdint.h>

#include "writer/base/arena.h"

/* An allocation or a free: address and sign as a key, and the time. */
struct tp_pair {
    uint64_t key;
    int64_t time_ns; /* any clock; pairs are in the order of time */
};

/* Consecutive pairs of both sequences with equal keys. */
struct tp_pair_run {
    size_t first[2]; /* index of the first pair in each sequence */
    size_t count;
};

/* Finds the longest run. Of several runs of this length, chooses the one whose first pairs are closest in time. Needs
 * n log n steps for any input. Allocates from `arena`, whose guard must be set. */
void tp_pair_run_find(struct tp_pair_run *run, const struct tp_pair *const pairs[2], const size_t counts[2],
                      struct tp_arena *arena);

#endif
