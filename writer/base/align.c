/* Aligns two sequences: see align.h. The search follows diagonals: on diagonal k, it has passed k more items of `a`
 * than of `b`. After each edit, it stores how far each diagonal reaches; the path is then followed back through the
 * stored rows. */
#include "writer/base/align.h"

/* The search between the common items at both ends. Row d of `rows` has d + 1 numbers: the number of passed items of
 * `a` on the diagonals -d, -d + 2, .. d after d edits. */
struct search {
    struct tp_align_items a, b;
    struct tp_vec rows; /* elements: int32_t * */
};

static int32_t *row_of(const struct search *s, int64_t edits)
{
    return *TP_AT(&s->rows, int32_t *, edits);
}

/* Returns true if the path to diagonal k with `edits` edits comes from diagonal k + 1, so that its last edit skips an
 * item of `b`. before: row of edits - 1. */
static bool skips_item_of_b(const int32_t *before, int64_t edits, int64_t k)
{
    if (k == -edits || k == edits)
        return k == -edits;
    int64_t at = (k + edits) / 2; /* index of diagonal k + 1 in `before`; diagonal k - 1 is one earlier */
    return before[at - 1] < before[at];
}

/* Returns the number of passed items of `a` on diagonal k after one more edit, before equal items are passed. */
static int64_t position_after_edit(const int32_t *before, int64_t edits, int64_t k)
{
    int64_t at = (k + edits) / 2;
    return skips_item_of_b(before, edits, k) ? before[at] : before[at - 1] + 1;
}

/* Computes the row of `edits`. Returns true if a path reaches the end of both sequences. */
static bool add_row(struct search *s, int64_t edits)
{
    int32_t *row = tp_arena_array(s->rows.arena, (size_t)edits + 1, sizeof *row);
    const int32_t *before = edits ? row_of(s, edits - 1) : NULL;
    *(int32_t **)tp_vec_push(&s->rows) = row;
    for (int64_t k = -edits; k <= edits; k += 2) {
        int64_t x = before ? position_after_edit(before, edits, k) : 0, y = x - k;
        while (x >= 0 && y >= 0 && x < s->a.count && y < s->b.count && s->a.items[x] == s->b.items[y]) {
            x++;
            y++;
        }
        row[(k + edits) / 2] = (int32_t)x;
        if (x >= s->a.count && y >= s->b.count)
            return true;
    }
    return false;
}

/* Follows the path back from the end and appends its pairs, last pair first. offset: added to both indexes. */
static void append_path_backward(struct tp_vec *pairs, const struct search *s, uint32_t offset)
{
    int64_t x = s->a.count, y = s->b.count;
    for (int64_t edits = (int64_t)s->rows.count - 1; edits >= 0; edits--) {
        int64_t k = x - y, from = 0, from_k = 1;
        if (edits) {
            const int32_t *before = row_of(s, edits - 1);
            bool skips_b = skips_item_of_b(before, edits, k);
            from_k = skips_b ? k + 1 : k - 1;
            from = before[(from_k + edits - 1) / 2];
        }
        for (; x > from && y > from - from_k && x > 0 && y > 0; x--, y--)
            *(struct tp_align_pair *)tp_vec_push(pairs) =
                (struct tp_align_pair){offset + (uint32_t)x - 1, offset + (uint32_t)y - 1};
        x = from;
        y = from - from_k;
    }
}

static void reverse_pairs(struct tp_vec *pairs, size_t first)
{
    struct tp_align_pair *items = pairs->data;
    for (size_t i = first, j = pairs->count; i + 1 < j; i++) {
        struct tp_align_pair pair = items[i];
        items[i] = items[--j];
        items[j] = pair;
    }
}

static bool align_middle(struct tp_vec *pairs, struct search *s, uint32_t offset, uint32_t limit)
{
    uint64_t whole = (uint64_t)s->a.count + s->b.count, most = whole < limit ? whole : limit;
    bool is_found = false;
    if (!s->a.count || !s->b.count)
        return whole <= limit;
    s->rows = TP_VEC(pairs->arena, int32_t *);
    for (uint64_t edits = 0; edits <= most && !is_found; edits++)
        is_found = add_row(s, (int64_t)edits);
    if (is_found) {
        size_t first = pairs->count;
        append_path_backward(pairs, s, offset);
        reverse_pairs(pairs, first);
    }
    for (size_t i = 0; i < s->rows.count; i++)
        tp_arena_free_item(pairs->arena, row_of(s, (int64_t)i), (i + 1) * sizeof(int32_t));
    return is_found;
}

static void append_run(struct tp_vec *pairs, uint32_t a, uint32_t b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        *(struct tp_align_pair *)tp_vec_push(pairs) = (struct tp_align_pair){a + i, b + i};
}

bool tp_align(struct tp_vec *pairs, struct tp_align_items a, struct tp_align_items b, uint32_t limit)
{
    uint32_t before = 0, after = 0, least = a.count < b.count ? a.count : b.count;
    size_t old_count = pairs->count;
    while (before < least && a.items[before] == b.items[before])
        before++;
    while (after < least - before && a.items[a.count - 1 - after] == b.items[b.count - 1 - after])
        after++;
    struct search s = {.a = {a.items + before, a.count - before - after},
                       .b = {b.items + before, b.count - before - after}};
    append_run(pairs, 0, 0, before);
    if (!align_middle(pairs, &s, before, limit)) {
        pairs->count = old_count;
        return false;
    }
    append_run(pairs, a.count - after, b.count - after, after);
    return true;
}
