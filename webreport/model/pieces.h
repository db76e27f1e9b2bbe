/* Intervals that come roughly in order of start, joined on arrival so that nested and touching ones take no memory. */
#ifndef TP_WEBREPORT_MODEL_PIECES_H
#define TP_WEBREPORT_MODEL_PIECES_H

#include "writer/base/interval.h"

struct tp_pieces {
    struct tp_vec items; /* struct tp_interval */
};

static inline void tp_pieces_init(struct tp_pieces *pieces, struct tp_arena *arena)
{
    pieces->items = TP_VEC(arena, struct tp_interval);
}

/* Adds [a, b); empty ones vanish. */
static inline void tp_pieces_add(struct tp_pieces *pieces, int64_t a, int64_t b)
{
    if (b <= a)
        return;
    if (pieces->items.count) {
        struct tp_interval *last = TP_AT(&pieces->items, struct tp_interval, pieces->items.count - 1);
        if (a >= last->a && a <= last->b) {
            last->b = b > last->b ? b : last->b;
            return;
        }
    }
    *(struct tp_interval *)tp_vec_push(&pieces->items) = (struct tp_interval){a, b};
}

/* The set of everything added. */
static inline struct tp_intervals tp_pieces_union(struct tp_pieces *pieces)
{
    struct tp_intervals set = tp_intervals_union(pieces->items.arena, pieces->items.data, pieces->items.count);
    pieces->items.count = set.count;
    tp_vec_fit(&pieces->items);
    return set;
}

#endif
