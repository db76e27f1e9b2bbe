/* Implements sets of half-open intervals [a, b) in nanoseconds, with the set algebra of docs/definitions.md section 1.
 *
 * A set is sorted and disjoint. Adjacent intervals are joined, and empty ones are dropped. Results are in the given
 * arena. */
#ifndef TP_WRITER_BASE_INTERVAL_H
#define TP_WRITER_BASE_INTERVAL_H

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

/* Returns the union of `count` intervals in any order. Sorts and joins them in place; the set uses the memory of
 * `items`. */
struct tp_intervals tp_intervals_union(struct tp_arena *arena, struct tp_interval *items, size_t count);
struct tp_intervals tp_intervals_intersection(struct tp_arena *arena, struct tp_intervals x, struct tp_intervals y);
struct tp_intervals tp_intervals_difference(struct tp_arena *arena, struct tp_intervals x, struct tp_intervals y);
/* Returns the part of the set that consists of its first `ns` nanoseconds in time order. */
struct tp_intervals tp_intervals_prefix(struct tp_arena *arena, struct tp_intervals x, int64_t ns);
int64_t tp_intervals_length(struct tp_intervals x);
/* Returns the length of x within [a, b), ns. */
int64_t tp_intervals_length_within(struct tp_intervals x, int64_t a, int64_t b);
/* Returns the length of the intersection of two sets in ns, without building the intersection. */
int64_t tp_intervals_intersection_length(struct tp_intervals x, struct tp_intervals y);
bool tp_intervals_contain(struct tp_intervals x, int64_t at);
/* Returns whether the set contains `at`. Faster than tp_intervals_contain if most calls come in time order. *near:
 * position of the previous call; 0 before the first call. *near may also come from a call for another set. */
bool tp_intervals_contain_near(struct tp_intervals x, int64_t at, size_t *near);

/* Adds the interval [a, b) to a vector, from which a set is made later. Any order is allowed. An interval that overlaps
 * or continues the last one is joined with it immediately and uses no memory. Empty intervals are dropped. */
static inline void tp_intervals_push(struct tp_vec *vec, int64_t a, int64_t b)
{
    if (b <= a)
        return;
    if (vec->count) {
        struct tp_interval *last = TP_AT(vec, struct tp_interval, vec->count - 1);
        if (a >= last->a && a <= last->b) {
            last->b = b > last->b ? b : last->b;
            return;
        }
    }
    *(struct tp_interval *)tp_vec_push(vec) = (struct tp_interval){a, b};
}

/* Adds all intervals of a set to a vector. */
static inline void tp_intervals_append(struct tp_vec *vec, struct tp_intervals x)
{
    for (size_t i = 0; i < x.count; i++)
        tp_intervals_push(vec, x.items[i].a, x.items[i].b);
}

/* Returns the set of all intervals in the vector, in the vector's memory. For a set that is soon released with
 * tp_intervals_release: the vector keeps its unused memory, so that the whole block can be reused. */
static inline struct tp_intervals tp_intervals_from_vec_temporary(struct tp_vec *vec)
{
    struct tp_intervals set = tp_intervals_union(vec->arena, vec->data, vec->count);
    vec->count = set.count;
    return set;
}

/* Gives the memory of a vector of intervals back to its arena; the vector becomes empty. */
static inline void tp_intervals_release(struct tp_vec *vec)
{
    tp_arena_free_item(vec->arena, vec->data, vec->capacity * sizeof(struct tp_interval));
    *vec = TP_VEC(vec->arena, struct tp_interval);
}

/* Returns the set of all intervals in the vector, in the vector's memory. Gives the unused memory back to the arena. */
static inline struct tp_intervals tp_intervals_from_vec(struct tp_vec *vec)
{
    struct tp_intervals set = tp_intervals_from_vec_temporary(vec);
    tp_vec_fit(vec);
    return set;
}

#endif
