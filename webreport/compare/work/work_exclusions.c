/* Finds added work that replaces more removed work, and excludes the added work from limits. See work_parts.h. */
#include "webreport/compare/work/work_parts.h"
#include "webreport/trace/frame.h"

enum { LISTED_EACH = 8 }; /* largest number of changes that are listed separately */

static bool is_operator_change(const struct tp_work_change *change)
{
    return change->kind < TP_WORK_CHANGE_SHAPE && change->times;
}

/* Returns whether an added operator is the part that remained of a removed .item(), copy, cast or wait. Such an
 * operator takes the same tensors as the removed one and is of another kind. */
static bool is_remainder_operator(const struct tp_str old[3], const struct tp_str now[3])
{
    return tp_work_kind_of_operator(old[2]) < TP_WORK_CHANGE_ALLOCATION &&
           tp_work_kind_of_operator(now[2]) >= TP_WORK_CHANGE_ALLOCATION && tp_work_has_same_tensors(old, now);
}

/* Excludes an added operator from limits if it is the part that remained of a removed .item(), copy, cast or wait in
 * the same function. */
static void exclude_remainders(struct tp_work_change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool is_done = changes[i].kind >= TP_WORK_CHANGE_ALLOCATION || changes[i].delta != -1;
        for (size_t k = 0; k < count && !is_done; k++) {
            const struct tp_str old[3] = {changes[i].detail[0], changes[i].detail[1], changes[i].name};
            const struct tp_str now[3] = {changes[k].detail[0], changes[k].detail[1], changes[k].name};
            if (changes[k].kind >= TP_WORK_CHANGE_SHAPE || changes[k].delta != 1 || !changes[k].is_counted_by_limit ||
                !tp_frame_same_function(changes[i].place, changes[k].place) || !is_remainder_operator(old, now))
                continue;
            changes[k].is_counted_by_limit = false;
            is_done = true;
        }
    }
}

/* Returns the length of the first shape in a list, such as "[256, 64]", with its brackets; 0 if none exists. *at:
 * position of the shape in the list. */
static size_t first_tensor_length(struct tp_str dims, size_t *at)
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

/* Returns whether an operator on lists of tensors replaces an operator on single tensors. For example, an optimizer
 * may update all parameters in one call. */
static bool is_replacement_of_list(const struct tp_work_change *now, const struct tp_work_change *old)
{
    char tensor[128];
    size_t at = 0, size = first_tensor_length(old->detail[0], &at);
    if (!tp_str_starts(now->detail[0], "[[[") || tp_str_starts(old->detail[0], "[[[") || !size || size >= sizeof tensor)
        return false;
    memcpy(tensor, old->detail[0].ptr + at, size);
    tensor[size] = 0;
    return tp_frame_same_function(old->place, now->place) && tp_str_find(now->detail[0], tensor) >= 0;
}

/* Excludes an operator on lists of tensors from limits if it replaces at least two operators on single tensors of the
 * same function. */
static void exclude_list_operators(struct tp_work_change *changes, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        uint32_t taken = 0;
        if (!is_operator_change(&changes[k]) || changes[k].kind < TP_WORK_CHANGE_ALLOCATION || changes[k].delta <= 0)
            continue;
        for (size_t i = 0; i < count && taken < 2; i++)
            taken += is_operator_change(&changes[i]) && changes[i].delta < 0 &&
                     is_replacement_of_list(&changes[k], &changes[i]);
        changes[k].is_counted_by_limit &= taken < 2;
    }
}

void tp_work_exclude_replacements(struct tp_work_change *changes, size_t count)
{
    exclude_remainders(changes, count);
    exclude_list_operators(changes, count);
}

static bool is_same_by_name(const struct tp_work_change *a, const struct tp_work_change *b)
{
    return a->kind == b->kind && a->kind < TP_WORK_CHANGE_SHAPE && (a->delta < 0) == (b->delta < 0) &&
           a->is_counted_by_limit == b->is_counted_by_limit && a->is_consequence == b->is_consequence &&
           tp_str_equal(a->name, b->name) && tp_str_equal(a->place, b->place);
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
        diff->changes[k].call = 0; /* removes the source line, because the merged change is at several lines */
    }
    diff->count = kept;
}
