/* Aligns two sequences. See work_align.h. */
#include "webreport/compare/work/work_align.h"

#include <stdbool.h>
#include <string.h>

enum { WIDTH = 2 * TP_ALIGN_EDITS + 3, MIDDLE = TP_ALIGN_EDITS + 1 };

/* State of one search. far[edits][MIDDLE + k]: number of passed items of `a` on diagonal k, or -1. On diagonal k, the
 * search has passed k more items of `a` than of `b`. */
struct search {
    const struct tp_align_sequence *a, *b;
    uint32_t a0, b0; /* indexes in `a` and `b` at which this search starts */
    int32_t (*far)[WIDTH];
    uint8_t *is_out, *is_in; /* for each item of `a`: 1 if removed; for each item of `b`: 1 if inserted */
};

/* The end of a path: on diagonal k, after `edits` edits, with x passed items of `a`. */
struct way {
    int edits, k;
    int32_t x;
};

/* Returns the number of passed items of `a` on diagonal k after one more edit; -1 if no edit leads there. *is_in:
 * true if the edit inserts an item of `b`, false if it removes an item of `a`. */
static int32_t position_after_edit(const struct search *s, int edits, int k, bool *is_in)
{
    const int32_t *before = s->far[edits - 1];
    int32_t out = before[MIDDLE + k - 1], in = before[MIDDLE + k + 1];
    out = out >= 0 && (uint32_t)out < s->a->count - s->a0 ? out + 1 : -1;
    in = in >= 0 && (uint32_t)(in - k) <= s->b->count - s->b0 ? in : -1;
    *is_in = in >= out;
    return *is_in ? in : out;
}

static int32_t skip_equal_items(const struct search *s, int32_t x, int k)
{
    uint32_t i = s->a0 + (uint32_t)x, j = s->b0 + (uint32_t)(x - k), from = i;
    while (i < s->a->count && j < s->b->count && s->a->items[i] == s->b->items[j]) {
        i++;
        j++;
    }
    return x + (int32_t)(i - from);
}

/* Returns the shortest path to the end of both sequences. If the path needs more than TP_ALIGN_EDITS edits, returns
 * the furthest path with that many edits. */
static struct way find_shortest_path(const struct search *s)
{
    struct way best = {0, 0, 0};
    int64_t most = -1, whole = (int64_t)(s->a->count - s->a0) + (s->b->count - s->b0);
    memset(s->far, 0xFF, (TP_ALIGN_EDITS + 1) * sizeof *s->far);
    for (int edits = 0; edits <= TP_ALIGN_EDITS && most < whole; edits++)
        for (int k = -edits; k <= edits && most < whole; k += 2) {
            bool is_in;
            int32_t x = edits ? position_after_edit(s, edits, k, &is_in) : 0;
            if (x < 0)
                continue;
            x = s->far[edits][MIDDLE + k] = skip_equal_items(s, x, k);
            if (2 * (int64_t)x - k > most) {
                most = 2 * (int64_t)x - k;
                best = (struct way){edits, k, x};
            }
        }
    return best;
}

/* Follows a path backwards and marks its removed and inserted items. */
static void mark_edits_of_path(const struct search *s, struct way way)
{
    for (; way.edits > 0; way.edits--) {
        bool is_in;
        int32_t x = position_after_edit(s, way.edits, way.k, &is_in);
        if (is_in)
            s->is_in[s->b0 + (uint32_t)(x - way.k) - 1] = 1;
        else
            s->is_out[s->a0 + (uint32_t)x - 1] = 1;
        way.k += is_in ? 1 : -1;
    }
}

/* Moves a block of insertions, or of removals, to the position where its first item has the lowest depth. The block
 * then begins with the caller of its other items. A block can move back by one item while the item before the block
 * equals the last item of the block. */
static void move_block_to_caller(const struct tp_align_sequence *s, uint32_t *first, uint32_t *end, uint32_t least,
                                 uint32_t *other)
{
    uint32_t best = 0, shift = 0;
    while (*first - shift > least && s->items[*first - shift - 1] == s->items[*end - shift - 1]) {
        shift++;
        if (s->depth[*first - shift] < s->depth[*first - best])
            best = shift;
    }
    *first -= best;
    *end -= best;
    *other -= best;
}

static void add_blocks(struct tp_vec *blocks, const struct search *s)
{
    uint32_t i = 0, j = 0, a_least = 0, b_least = 0;
    while (i < s->a->count || j < s->b->count) {
        struct tp_align_block block = {i, i, j, j};
        while (block.end_in_a < s->a->count && s->is_out[block.end_in_a])
            block.end_in_a++;
        while (block.end_in_b < s->b->count && s->is_in[block.end_in_b])
            block.end_in_b++;
        i = block.end_in_a + 1;
        j = block.end_in_b + 1;
        if (block.a == block.end_in_a && block.b == block.end_in_b)
            continue;
        if (block.a == block.end_in_a) {
            move_block_to_caller(s->b, &block.b, &block.end_in_b, b_least, &block.a);
            block.end_in_a = block.a;
        } else if (block.b == block.end_in_b) {
            move_block_to_caller(s->a, &block.a, &block.end_in_a, a_least, &block.b);
            block.end_in_b = block.b;
        }
        a_least = block.end_in_a;
        b_least = block.end_in_b;
        *(struct tp_align_block *)tp_vec_push(blocks) = block;
    }
}

void tp_align_sequences(struct tp_vec *blocks, const struct tp_align_sequence *a, const struct tp_align_sequence *b)
{
    struct search s = {.a = a, .b = b};
    s.far = tp_arena_array(blocks->arena, TP_ALIGN_EDITS + 1, sizeof *s.far);
    s.is_out = tp_arena_array(blocks->arena, (size_t)a->count + 1, 1);
    s.is_in = tp_arena_array(blocks->arena, (size_t)b->count + 1, 1);
    while (s.a0 < a->count || s.b0 < b->count) {
        struct way way = find_shortest_path(&s);
        mark_edits_of_path(&s, way);
        s.a0 += (uint32_t)way.x;
        s.b0 += (uint32_t)(way.x - way.k);
    }
    add_blocks(blocks, &s);
    tp_arena_free_item(blocks->arena, s.far, (TP_ALIGN_EDITS + 1) * sizeof *s.far);
}
