/* Work that came in place of more work that went: no limit counts it. See work_parts.h. */
#include "webreport/compare/work/work_parts.h"
#include "webreport/trace/frame.h"

enum { LISTED_EACH = 8 }; /* changes up to which each is told by itself */

static bool is_operator(const struct tp_work_change *change)
{
    return change->kind < TP_WORK_CHANGE_SHAPE && change->times;
}

/* Whether an operator that came takes the tensors of an item, copy, cast or wait that went, and is none of these: it is
 * what is left of that one. */
static bool is_left_of(const struct tp_str old[3], const struct tp_str now[3])
{
    return tp_work_kind_of(old[2]) < TP_WORK_CHANGE_ALLOCATION && tp_work_kind_of(now[2]) >= TP_WORK_CHANGE_ALLOCATION &&
           tp_work_takes_the_same(old, now);
}

/* No limit counts an operator that came when it is what is left of an item, copy, cast or wait at the same place. */
static void allow_left(struct tp_work_change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool is_done = changes[i].kind >= TP_WORK_CHANGE_ALLOCATION || changes[i].delta != -1;
        for (size_t k = 0; k < count && !is_done; k++) {
            const struct tp_str old[3] = {changes[i].detail[0], changes[i].detail[1], changes[i].name};
            const struct tp_str now[3] = {changes[k].detail[0], changes[k].detail[1], changes[k].name};
            if (changes[k].kind >= TP_WORK_CHANGE_SHAPE || changes[k].delta != 1 || !changes[k].is_gated ||
                !tp_frame_same_function(changes[i].place, changes[k].place) || !is_left_of(old, now))
                continue;
            changes[k].is_gated = false;
            is_done = true;
        }
    }
}

/* Length of the first tensor in a list of shapes, with its brackets, from *at on: "[256, 64]". 0: none. */
static size_t first_tensor(struct tp_str dims, size_t *at)
{
    size_t begin = 0, end;
    while (begin < dims.len && dims.ptr[begin] == '[')
        begin++;
    if (begin == 0)
        return 0;
    for (end = begin; end < dims.len && dims.ptr[end] != ']'; end++)
        continue;
    *at = begin - 1;
    return end < dims.len ? end + 1 - *at : 0;
}

/* Whether an operator that takes lists of tensors took over what another did to one tensor: optimizers that update all
 * parameters in one call. */
static bool absorbs(const struct tp_work_change *now, const struct tp_work_change *old)
{
    char tensor[128];
    size_t at = 0, size = first_tensor(old->detail[0], &at);
    if (!tp_str_starts(now->detail[0], "[[[") || tp_str_starts(old->detail[0], "[[[") || !size || size >= sizeof tensor)
        return false;
    memcpy(tensor, old->detail[0].ptr + at, size);
    tensor[size] = 0;
    return tp_frame_same_function(old->place, now->place) && tp_str_find(now->detail[0], tensor) >= 0;
}

/* No limit counts an operator on lists of tensors that took over at least two operators of its function, nor one that
 * such a function calls on lists instead of on tensors. */
static void allow_lists(struct tp_work_change *changes, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        uint32_t taken = 0;
        if (!is_operator(&changes[k]) || changes[k].kind < TP_WORK_CHANGE_ALLOCATION || changes[k].delta <= 0)
            continue;
        for (size_t i = 0; i < count && taken < 2; i++)
            taken += is_operator(&changes[i]) && changes[i].delta < 0 && absorbs(&changes[k], &changes[i]);
        changes[k].is_gated &= taken < 2;
    }
}

void tp_work_allow_net(struct tp_work_change *changes, size_t count)
{
    allow_left(changes, count);
    allow_lists(changes, count);
}

static bool is_same_by_name(const struct tp_work_change *a, const struct tp_work_change *b)
{
    return a->kind == b->kind && a->kind < TP_WORK_CHANGE_SHAPE && (a->delta < 0) == (b->delta < 0) &&
           a->is_gated == b->is_gated && a->is_consequence == b->is_consequence && tp_str_equal(a->name, b->name) &&
           tp_str_equal(a->place, b->place);
}

void tp_work_merge_by_name(struct tp_work_diff *diff)
{
    uint32_t kept = 0;
    if (diff->count <= LISTED_EACH)
        return;
    for (uint32_t i = 0; i < diff->count; i++) {
        uint32_t k = 0;
        while (k < kept && !is_same_by_name(&diff->changes[k], &diff->changes[i]))
            k++;
        if (k == kept) {
            diff->changes[kept++] = diff->changes[i];
            continue;
        }
        diff->changes[k].delta += diff->changes[i].delta;
        diff->changes[k].times += diff->changes[i].times;
        diff->changes[k].call = 0; /* several lines of the function */
    }
    diff->count = kept;
}
