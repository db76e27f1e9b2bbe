/* Compares the memory blocks of two runs that are not freed. See work_parts.h.
 *
 * The owner of a block is an operator in a function. The source line is ignored, because every edit moves lines. An
 * owner can have several counts. If one of them is not exact on one side, all counts of this owner are ignored, because
 * they cannot be matched. */
#include "webreport/compare/work/work_parts.h"
#include "webreport/trace/frame.h"
#include "writer/base/saturate.h"

/* smallest number of bytes per step that a limit counts, because a training loss that is kept for logging is not a
 * leak */
enum { LEAST_BYTES = 1024 };

static bool is_same_owner(const struct tp_count_kept *a, const struct tp_count_kept *b)
{
    return tp_str_equal(a->operator, b->operator) && tp_frame_same_function(a->place, b->place);
}

/* The blocks that one owner has on one side, added up. */
struct sum {
    int64_t blocks, bytes;
    uint32_t count; /* number of entries of the owner in the signature */
    bool is_exact;
};

static struct sum sum_of_owner(const struct tp_signature *s, const struct tp_count_kept *owner)
{
    struct sum sum = {.is_exact = true};
    for (uint32_t i = 0; i < s->kept_count; i++)
        if (is_same_owner(&s->kept[i], owner)) {
            sum.blocks = tp_sat_add(sum.blocks, s->kept[i].blocks);
            sum.bytes = tp_sat_add(sum.bytes, s->kept[i].bytes);
            sum.is_exact &= s->kept[i].is_exact;
            sum.count++;
        }
    return sum;
}

/* Returns whether the list has an entry with the same owner before `owner`. */
static bool has_earlier_entry(const struct tp_signature *s, const struct tp_count_kept *owner)
{
    for (const struct tp_count_kept *one = s->kept; one < owner; one++)
        if (is_same_owner(one, owner))
            return true;
    return false;
}

void tp_work_mark_differing_memory(struct tp_signature *s, const struct tp_signature *other, struct tp_arena *arena)
{
    struct tp_signature all = *s;
    s->are_unfreed_blocks_known &= other->are_unfreed_blocks_known;
    all.kept = tp_arena_array(arena, (size_t)s->kept_count + other->kept_count, sizeof *all.kept);
    for (uint32_t i = 0; i < s->kept_count; i++)
        all.kept[i] = s->kept[i];
    for (uint32_t i = 0; i < other->kept_count; i++)
        if (!sum_of_owner(s, &other->kept[i]).count)
            all.kept[all.kept_count++] = other->kept[i];
    for (uint32_t i = 0; i < all.kept_count; i++)
        all.kept[i].is_exact &= sum_of_owner(s, &all.kept[i]).blocks == sum_of_owner(other, &all.kept[i]).blocks;
    s->kept = all.kept;
    s->kept_count = all.kept_count;
}

/* Returns 1 + index of the only call of the operator at its place; 0 if there is no call, or several. */
static uint32_t find_call_of_owner(const struct tp_signature *s, const struct tp_count_kept *owner)
{
    uint32_t call = 0;
    for (uint32_t i = 0; i < s->call_count; i++)
        if (tp_str_equal(s->keys[s->calls[i].key].name, owner->operator) &&
            tp_str_equal(s->places[s->calls[i].place], owner->place)) {
            if (call)
                return 0;
            call = i + 1;
        }
    return call;
}

void tp_work_add_unfreed_memory(struct tp_work_compared *c)
{
    if (!c->side[TP_BASE]->are_unfreed_blocks_known || !c->side[TP_NEW]->are_unfreed_blocks_known)
        return;
    for (int s = TP_NEW; s >= TP_BASE; s--)
        for (uint32_t i = 0; i < c->side[s]->kept_count; i++) {
            const struct tp_count_kept *owner = &c->side[s]->kept[i];
            struct sum base = sum_of_owner(c->side[TP_BASE], owner), now = sum_of_owner(c->side[TP_NEW], owner);
            int64_t delta = tp_sat_sub(now.blocks, base.blocks), bytes = tp_sat_sub(now.bytes, base.bytes);
            if (!delta || (delta > 0) != (s == TP_NEW) || !base.is_exact || !now.is_exact ||
                has_earlier_entry(c->side[s], owner))
                continue;
            struct tp_work_change *change = tp_vec_push(&c->changes);
            *change = (struct tp_work_change){.kind = TP_WORK_CHANGE_UNFREED_MEMORY,
                                              .name = owner->operator,
                                              .detail = {TP_STR(""), TP_STR("")},
                                              .place = owner->place,
                                              .delta = delta,
                                              .bytes = bytes,
                                              .times = 1,
                                              .call = find_call_of_owner(c->side[s], owner),
                                              .is_counted_by_limit = delta > 0 && bytes >= LEAST_BYTES};
        }
}
