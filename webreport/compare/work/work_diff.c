/* Returns names and counts of changes in the work of a step. See work_diff.h. */
#include "webreport/compare/work/work_diff.h"

const char *tp_work_change_text(const struct tp_work_change *change)
{
    static const char *const texts[TP_WORK_CHANGE_KINDS][2] = {
        [TP_WORK_CHANGE_ITEM] = {"added .item()", "removed .item()"},
        [TP_WORK_CHANGE_COPY] = {"added copy", "removed copy"},
        [TP_WORK_CHANGE_CAST] = {"added cast or move", "removed cast or move"},
        [TP_WORK_CHANGE_HOST_WAIT] = {"added host wait", "removed host wait"},
        [TP_WORK_CHANGE_ALLOCATION] = {"added allocation", "removed allocation"},
        [TP_WORK_CHANGE_OPERATOR] = {"added operator", "removed operator"},
        [TP_WORK_CHANGE_SHAPE] = {"changed shape", "changed shape"},
        [TP_WORK_CHANGE_TYPE] = {"changed type", "changed type"},
        [TP_WORK_CHANGE_RENAMED] = {"renamed", "renamed"},
        [TP_WORK_CHANGE_REPLACED] = {"replaced", "replaced"},
        [TP_WORK_CHANGE_ALGORITHM] = {"other algorithm", "other algorithm"},
        [TP_WORK_CHANGE_OTHER_COPY] = {"other copy", "other copy"},
        [TP_WORK_CHANGE_KERNELS] = {"kernels", "kernels"},
        [TP_WORK_CHANGE_COPIES] = {"copies", "copies"},
        [TP_WORK_CHANGE_LOADER] = {"data loader", "data loader"},
        [TP_WORK_CHANGE_WAIT] = {"new wait", "wait gone"},
        [TP_WORK_CHANGE_LAUNCHES] = {"launches", "launches"},
        [TP_WORK_CHANGE_ALLOCATIONS] = {"allocations", "allocations"},
        [TP_WORK_CHANGE_UNFREED_MEMORY] = {"memory", "memory"},
        [TP_WORK_CHANGE_FUNCTION] = {"function", "function"}};
    return texts[change->kind][change->delta < 0];
}

const char *tp_work_rule_name(enum tp_work_rule rule)
{
    static const char *const names[TP_WORK_RULES] = {"count.added", "count.copy", "count.wait",  "count.type",
                                                     "count.shape", "count.kept", "count.loader"};
    return names[rule];
}

enum tp_work_rule tp_work_rule_of_change(const struct tp_work_change *change)
{
    switch (change->kind) {
    case TP_WORK_CHANGE_COPY:
    case TP_WORK_CHANGE_COPIES:
        return TP_WORK_COPIES;
    case TP_WORK_CHANGE_ITEM:
    case TP_WORK_CHANGE_HOST_WAIT:
    case TP_WORK_CHANGE_WAIT:
        return TP_WORK_WAITS;
    case TP_WORK_CHANGE_TYPE:
        return TP_WORK_TYPES;
    case TP_WORK_CHANGE_SHAPE:
        return TP_WORK_SHAPES;
    case TP_WORK_CHANGE_UNFREED_MEMORY:
        return TP_WORK_UNFREED_MEMORY;
    case TP_WORK_CHANGE_FUNCTION:
        return TP_WORK_LOADER_FUNCTIONS;
    default:
        return TP_WORK_ADDED_OPERATORS;
    }
}

bool tp_work_change_has_rule(const struct tp_work_change *change, enum tp_work_rule rule)
{
    bool is_more = change->delta > 0 || change->ratio > 1;
    return tp_work_rule_of_change(change) == rule && !change->is_consequence &&
           (rule == TP_WORK_LOADER_FUNCTIONS ? is_more : change->is_counted_by_limit);
}

int64_t tp_work_diff_count(const struct tp_work_diff *diff, enum tp_work_rule rule)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < diff->count; i++) {
        const struct tp_work_change *change = &diff->changes[i];
        if (tp_work_change_has_rule(change, rule))
            count += change->delta > 0 ? change->delta : change->times;
    }
    return count;
}

int64_t tp_signature_operator_calls(const struct tp_signature *s, struct tp_str name)
{
    int64_t count = 0;
    if (!s->hash)
        return -1;
    for (uint32_t i = 0; i < s->key_count; i++)
        if (s->keys[i].kind == TP_COUNT_OPERATOR && tp_str_equal(s->keys[i].name, name))
            count += s->keys[i].count;
    return count;
}
