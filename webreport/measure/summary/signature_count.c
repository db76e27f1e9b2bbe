/* Orders keys, shortens their texts, and finds the most common count for all parts of a signature. See signature.h. */
#include <stdio.h>

#include "webreport/measure/summary/signature_parts.h"
#include "writer/base/limits.h"

int tp_count_key_compare(const struct tp_count_key *a, const struct tp_count_key *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    int order = tp_str_compare(a->name, b->name);
    order = order ? order : tp_str_compare(a->dims, b->dims);
    return order ? order : tp_str_compare(a->detail, b->detail);
}

const char *tp_count_kind_text(enum tp_count_kind kind)
{
    static const char *const texts[TP_COUNT_KINDS] = {"operator", "loader", "copy",      "wait",
                                                      "kernel",   "launch", "allocation"};
    return texts[kind];
}

bool tp_count_is_backward(struct tp_str name)
{
    return tp_str_starts(name, TP_BACKWARD_NODE);
}

enum { HASH_BYTES = 17 }; /* length of the hash at the end of a shortened text, bytes */

int64_t tp_count_most_common(const uint32_t *by_step, struct tp_keyed *sorted, uint32_t steps, bool *is_exact,
                             struct tp_arena *scratch)
{
    uint32_t best = 0, best_count = 0, best_first = 0;
    bool is_one = true;
    for (uint32_t i = 1; i < steps && is_one; i++)
        is_one = by_step[i] == by_step[0];
    *is_exact = is_one;
    if (is_one)
        return by_step[0];
    for (uint32_t i = 0; i < steps; i++)
        sorted[i] = (struct tp_keyed){by_step[i], i, i};
    tp_sort_keyed(sorted, steps, scratch);
    for (uint32_t i = 0, end; i < steps; i = end) {
        for (end = i; end < steps && sorted[end].key == sorted[i].key; end++)
            continue;
        if (end - i > best_count || (end - i == best_count && sorted[i].item < best_first)) {
            best = (uint32_t)sorted[i].key;
            best_count = end - i;
            best_first = sorted[i].item;
        }
    }
    *is_exact = 10ull * best_count >= 9ull * steps || steps - best_count <= 1;
    return best;
}

/* Returns whether a text ends in "~" and 16 hexadecimal digits, as shortened texts of a summary do. */
static bool has_hash(struct tp_str text)
{
    if (text.len < HASH_BYTES || text.ptr[text.len - HASH_BYTES] != '~')
        return false;
    for (size_t i = text.len - HASH_BYTES + 1; i < text.len; i++)
        if (!tp_is_digit(text.ptr[i]) && !(text.ptr[i] >= 'a' && text.ptr[i] <= 'f'))
            return false;
    return true;
}

/* Signatures shorten lists of shapes to a smaller length than rows do. The hash at the end keeps different texts
 * different. */
struct tp_str tp_count_shorten_text(struct tp_str text, struct tp_arena *arena)
{
    size_t most = TP_MAX_SIGNATURE_TEXT_BYTES;
    if (text.len <= most || (text.len <= most + HASH_BYTES && has_hash(text)))
        return text;
    char *cut = tp_arena_alloc(arena, most + HASH_BYTES + 1);
    memcpy(cut, text.ptr, most);
    if (has_hash(text))
        memcpy(cut + most, text.ptr + text.len - HASH_BYTES, HASH_BYTES);
    else
        snprintf(cut + most, HASH_BYTES + 1, "~%016llx", (unsigned long long)tp_hash_bytes(text.ptr, text.len));
    return (struct tp_str){cut, most + HASH_BYTES};
}

struct tp_str tp_count_intern_text(struct tp_summary_work *work, struct tp_str text)
{
    return tp_summary_intern_text(work, tp_count_shorten_text(text, work->scratch));
}
