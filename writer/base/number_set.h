/* Stores sets of ranks as runs of consecutive numbers, which are printed as "0-3, 7". Ranks are added in ascending
 * order. */
#ifndef TP_WRITER_BASE_NUMBER_SET_H
#define TP_WRITER_BASE_NUMBER_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"

struct tp_rank_run {
    int64_t first, last;
};

struct tp_rank_set {
    struct tp_vec runs; /* runs of consecutive ranks, ascending; adjacent runs are joined; elements: struct
                           tp_rank_run */
    int64_t count;
};

void tp_rank_set_init(struct tp_rank_set *set, struct tp_arena *arena);
/* Adds a rank, which must not be smaller than the last rank. Adding the last rank again has no effect. */
void tp_rank_set_add(struct tp_rank_set *set, int64_t rank);
/* Adds all ranks from `first` to `last`. Ranks up to the largest rank in the set are ignored. */
void tp_rank_set_add_range(struct tp_rank_set *set, int64_t first, int64_t last);
bool tp_rank_set_has(const struct tp_rank_set *set, int64_t rank);

/* Returns the set as text, in `arena`; "" for an empty set. max_runs 0: all runs as "0-3,7", for scripts. Otherwise: at
 * most max_runs runs as "0-3, 7", for people, followed by ", … (N in all)" if there are more. The space keeps people
 * from reading "12,353,695" as one number. */
const char *tp_rank_set_text(struct tp_arena *arena, const struct tp_rank_set *set, size_t max_runs);

#endif
