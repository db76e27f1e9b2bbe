/* Finds the change that causes each reported change. See changes.h.
 *
 * One cause changes many rows. A slower kernel changes its operator, every module around the operator, and the wait for
 * the device. An added `.item()` changes two operators, a copy, a runtime call and a synchronisation. Reports show only
 * the cause. Each row therefore refers to the row that explains its change. A cause always has a lower rank than its
 * effect, so that the result is a tree. */
#include <math.h>

#include "webreport/compare/two/changes.h"

enum rank {
    RANK_CALL, /* an added or removed synchronisation, or data loading */
    RANK_KERNEL,
    RANK_COPY,
    RANK_WAIT, /* a synchronisation whose time per call changed */
    RANK_OPERATOR_DEVICE,
    RANK_OPERATOR_HOST,
    RANK_MODULE,
    RANK_RUNTIME
};
enum { MAX_CAUSES = 512 }; /* largest number of candidate causes for an effect */

static enum rank rank_as_cause(const struct tp_change *change)
{
    switch (change->identity.kind) {
    case TP_SUMMARY_SYNC:
        return change->is_count_change ? RANK_CALL : RANK_WAIT;
    case TP_SUMMARY_KERNEL:
        return RANK_KERNEL;
    case TP_SUMMARY_COPY:
        return RANK_COPY;
    case TP_SUMMARY_OPERATOR_DEVICE:
        return RANK_OPERATOR_DEVICE;
    case TP_SUMMARY_OPERATOR_HOST:
        return RANK_OPERATOR_HOST;
    case TP_SUMMARY_RUNTIME:
        return RANK_RUNTIME;
    case TP_SUMMARY_MODULE_HOST:
    case TP_SUMMARY_MODULE_DEVICE:
        return RANK_MODULE;
    default:
        return RANK_CALL;
    }
}

static bool is_same_direction(const struct tp_change *a, const struct tp_change *b)
{
    return (a->change_ns >= 0) == (b->change_ns >= 0);
}

static double additional_calls(const struct tp_change *change)
{
    return change->calls[TP_NEW] - change->calls[TP_BASE];
}

/* Returns whether both rows gained, or both lost, the same number of calls per step. */
static bool is_same_count_change(const struct tp_change *a, const struct tp_change *b)
{
    return a->is_count_change && b->is_count_change && fabs(additional_calls(a) - additional_calls(b)) < 1e-6;
}

static bool is_wait_call(struct tp_str api)
{
    return tp_str_find(api, "Sync") >= 0 || tp_str_find(api, "Memcpy") >= 0 || tp_str_find(api, "Wait") >= 0 ||
           tp_str_find(api, "Finish") >= 0;
}

static bool does_change_explain_operator(const struct tp_change *cause, const struct tp_change *effect)
{
    bool is_own = tp_str_equal(cause->identity.owner, effect->identity.name);
    bool is_of_device = rank_as_cause(cause) <= RANK_WAIT;
    if (is_of_device)
        return (is_own && is_same_direction(cause, effect)) || is_same_count_change(cause, effect);
    return tp_str_equal(cause->identity.name, effect->identity.name) && is_same_direction(cause, effect);
}

static bool does_change_explain_runtime_call(const struct tp_change *cause, const struct tp_change *effect)
{
    if (is_same_count_change(cause, effect) || tp_str_equal(cause->identity.name, effect->identity.name))
        return true;
    return rank_as_cause(cause) <= RANK_OPERATOR_DEVICE && is_wait_call(effect->identity.name) &&
           is_same_direction(cause, effect);
}

/* Returns whether a change explains the change of a module. The cause must be an inner module, or explain at least half
 * of the module's change in time. */
static bool does_change_explain_module(const struct tp_change *cause, const struct tp_change *effect)
{
    struct tp_str inner = cause->identity.name, outer = effect->identity.name;
    if (!is_same_direction(cause, effect))
        return false;
    if (rank_as_cause(cause) == RANK_MODULE)
        return inner.len > outer.len && inner.ptr[outer.len] == '/' && memcmp(inner.ptr, outer.ptr, outer.len) == 0;
    return fabs((double)cause->change_ns) >= 0.5 * fabs((double)effect->change_ns);
}

/* Returns whether a change explains the change of a copy or memory set. An added .item() explains a copy even if the
 * synchronisation of the .item() is in another operator. A changed algorithm explains a memory set of the same
 * operator. */
static bool does_change_explain_copy(const struct tp_change *cause, const struct tp_change *effect)
{
    bool is_own = tp_str_equal(cause->identity.owner, effect->identity.owner);
    if (rank_as_cause(cause) == RANK_CALL)
        return is_same_count_change(cause, effect) && (is_own || tp_str_find(effect->identity.name, "DtoH") >= 0);
    return is_own && tp_str_equal(cause->identity.shape, effect->identity.shape);
}

static bool can_change_explain_other(const struct tp_change *cause, const struct tp_change *effect)
{
    enum rank first = rank_as_cause(cause), then = rank_as_cause(effect);
    if (first > then || (first == then && then != RANK_MODULE))
        return false;
    switch (then) {
    case RANK_COPY:
        return does_change_explain_copy(cause, effect);
    case RANK_WAIT:
        return is_same_direction(cause, effect);
    case RANK_OPERATOR_DEVICE:
    case RANK_OPERATOR_HOST:
        return does_change_explain_operator(cause, effect);
    case RANK_MODULE:
        return does_change_explain_module(cause, effect);
    case RANK_RUNTIME:
        return does_change_explain_runtime_call(cause, effect);
    default:
        return false;
    }
}

static bool is_better_cause(const struct tp_changes *changes, uint32_t cause, uint32_t best)
{
    if (best == TP_NO_ID)
        return true;
    const struct tp_change *a = &changes->items[cause], *b = &changes->items[best];
    if (rank_as_cause(a) != rank_as_cause(b))
        return rank_as_cause(a) < rank_as_cause(b);
    return fabs((double)a->change_ns) > fabs((double)b->change_ns);
}

void tp_changes_find_causes(struct tp_changes *changes)
{
    uint32_t reported[MAX_CAUSES], count = 0;
    for (uint32_t i = 0; i < changes->count && count < MAX_CAUSES; i++)
        if (changes->items[i].is_reported)
            reported[count++] = i;
    changes->cause_count = 0;
    for (uint32_t i = 0; i < changes->count; i++) {
        struct tp_change *effect = &changes->items[i];
        if (!effect->is_reported)
            continue;
        for (uint32_t k = 0; k < count; k++)
            if (reported[k] != i && can_change_explain_other(&changes->items[reported[k]], effect) &&
                is_better_cause(changes, reported[k], effect->cause))
                effect->cause = reported[k];
        changes->cause_count += effect->cause == TP_NO_ID;
    }
}
