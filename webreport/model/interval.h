/* Half-open intervals [a, b) in nanoseconds: the set algebra of both definition documents.
 *
 * A set is sorted and disjoint, touching pieces are joined, empty ones vanish. Results live in the arena given. */
#ifndef TP_WEBREPORT_MODEL_INTERVAL_H
#define TP_WEBREPORT_MODEL_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/arena.h"

struct tp_interval {
    int64_t a, b;
};

struct tp_intervals {
    struct tp_interval *items;
    size_t count;
};

/* Sorts and joins `count` intervals in place; the set uses the same memory. */
struct tp_intervals tp_intervals_union(struct tp_arena *arena, struct tp_interval *items, size_t count);
struct tp_intervals tp_intervals_meet(struct tp_arena *arena, struct tp_intervals x, struct tp_intervals y);
struct tp_intervals tp_intervals_minus(struct tp_arena *arena, struct tp_intervals x, struct tp_intervals y);
/* The first `ns` nanoseconds of the set in time order. */
struct tp_intervals tp_intervals_prefix(struct tp_arena *arena, struct tp_intervals x, int64_t ns);
int64_t tp_intervals_length(struct tp_intervals x);
/* Length of x within [a, b). */
int64_t tp_intervals_length_within(struct tp_intervals x, int64_t a, int64_t b);
/* Length of the common part of two sets, without building it. */
int64_t tp_intervals_meet_length(struct tp_intervals x, struct tp_intervals y);
bool tp_intervals_contain(struct tp_intervals x, int64_t at);

#endif
