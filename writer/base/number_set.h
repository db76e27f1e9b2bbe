/* Sets of ranks as runs of numbers, printed "0-3, 7". Numbers are added in ascending order, as ranks come. */
#ifndef TP_WRITER_BASE_NUMBER_SET_H
#define TP_WRITER_BASE_NUMBER_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"

struct tp_rank_run {
    int64_t first, last;
};

struct tp_rank_set {
    struct tp_vec runs; /* struct tp_rank_run, ascending, none touches the next */
    int64_t count;
};

void tp_rank_set_init(struct tp_rank_set *set, struct tp_arena *arena);
/* rank: at least the last one added; that one again changes nothing. */
void tp_rank_set_add(struct tp_rank_set *set, int64_t rank);
/* All of first .. last, which lie behind what was added before. */
void tp_rank_set_add_run(struct tp_rank_set *set, int64_t first, int64_t last);
bool tp_rank_set_has(const struct tp_rank_set *set, int64_t rank);

/* The runs, in `arena`; "" for no rank. max_runs 0, for programs: all of them, "0-3,7". Else for people: "0-3, 7", and
 * behind so many runs ", … (N in all)"; without the blank "12,353,695" looks like one number. */
const char *tp_rank_set_text(struct tp_arena *arena, const struct tp_rank_set *set, size_t max_runs);

#endif
