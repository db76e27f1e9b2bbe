/* Finds the data that a comparison of two profilers leaves out. See left_out.h. */
#include "webreport/compare/two/left_out.h"

#include <string.h>

#include "webreport/trace/input_facts.h"

/* Without these kinds of data, the times on which the verdict is based are unknown. */
#define NEEDED (TP_UNKNOWN_KERNELS | TP_UNKNOWN_GRAPH_KERNELS | TP_UNKNOWN_COPIES | TP_UNKNOWN_SETS)
#define LINKS (TP_UNKNOWN_OPERATORS | TP_UNKNOWN_RUNTIME_CALLS)
#define COPY_NAMES (TP_UNKNOWN_COPY_DIRECTION | TP_UNKNOWN_COPY_MEMORY_KIND)

/* Returns the name of the profiler without its version; "" for torch.profiler and tracepress. */
static struct tp_str profiler_of_run(const struct tp_summary *run)
{
    struct tp_str producer = run->evidence.producer;
    size_t size = 0;
    while (producer.ptr && size < producer.len && !strchr("0123456789", producer.ptr[size]))
        size++;
    return (struct tp_str){producer.ptr ? producer.ptr : "", size};
}

/* Returns whether one profiler recorded all runs of the side, and sets *name to its name. */
static bool has_one_profiler(struct tp_str *name, const struct tp_side_input *side)
{
    for (uint32_t r = 0; r < side->run_count; r++) {
        struct tp_str own = profiler_of_run(&side->runs[r]);
        if (!side->runs[r].evidence.is_known || (r && !tp_str_equal(own, *name)))
            return false;
        *name = own;
    }
    return side->run_count > 0;
}

struct tp_damage_runs tp_left_out_runs(const struct tp_sides *sides, int side)
{
    return (struct tp_damage_runs){.runs = sides->side[side].input->runs,
                                   .count = sides->side[side].input->run_count,
                                   .left_out = sides->left_out};
}

void tp_left_out_find(struct tp_sides *sides)
{
    struct tp_str names[TP_SIDES];
    sides->left_out = 0;
    for (int s = 0; s < TP_SIDES; s++)
        if (!has_one_profiler(&names[s], sides->side[s].input))
            return;
    sides->has_two_profilers = !tp_str_equal(names[TP_BASE], names[TP_NEW]);
    if (!sides->has_two_profilers)
        return;
    struct tp_damage_runs base = tp_left_out_runs(sides, TP_BASE), new_runs = tp_left_out_runs(sides, TP_NEW);
    sides->left_out = tp_damage_data_of_one_side(&base, &new_runs) & ~(uint32_t)NEEDED;
    for (int s = 0; s < TP_SIDES; s++) {
        sides->left_out_of[s] = sides->left_out;
        for (uint32_t r = 0; r < sides->side[s].input->run_count; r++)
            sides->left_out_of[s] &= sides->side[s].input->runs[r].evidence.unknown;
    }
}

/* Returns whether the steps of the side are named. Otherwise the whole recording is one step. */
static bool has_steps(const struct tp_side_input *side)
{
    for (uint32_t r = 0; r < side->run_count; r++)
        for (uint32_t i = 0; i < side->runs[r].fact_count; i++)
            if (tp_str_equal(side->runs[r].facts[i].name, TP_STR("step.marker")) &&
                tp_str_equal(side->runs[r].facts[i].value, TP_STR("window")))
                return false;
    return true;
}

/* Returns whether a run of the side has work of a device. */
static bool has_device_work(const struct tp_side_input *side)
{
    for (uint32_t r = 0; r < side->run_count; r++)
        if (side->runs[r].evidence.present & TP_NEED_DEVICE)
            return true;
    return false;
}

const char *tp_left_out_reason(const struct tp_sides *sides)
{
    const struct tp_side_input *base = sides->side[TP_BASE].input, *new_side = sides->side[TP_NEW].input;
    if (!sides->has_two_profilers)
        return "";
    if (has_device_work(base) != has_device_work(new_side))
        return has_device_work(base) ? "new: the input shows no work of a device, but the other side does"
                                     : "base: the input shows no work of a device, but the other side does";
    if (has_steps(base) != has_steps(new_side))
        return has_steps(base) ? "new: the input names no steps, but the other side does"
                               : "base: the input names no steps, but the other side does";
    return "";
}

bool tp_left_out_has_rows(const struct tp_sides *sides, enum tp_summary_kind kind)
{
    static const uint32_t needs[TP_SUMMARY_KIND_COUNT] = {
        [TP_SUMMARY_OPERATOR_HOST] = LINKS, /* calls of the runtime are no part of an operator's own time */
        [TP_SUMMARY_OPERATOR_DEVICE] = LINKS,
        [TP_SUMMARY_COPY] = COPY_NAMES,
        [TP_SUMMARY_MODULE_HOST] = TP_UNKNOWN_STACKS,
        [TP_SUMMARY_MODULE_DEVICE] = TP_UNKNOWN_STACKS | TP_UNKNOWN_RUNTIME_CALLS,
        [TP_SUMMARY_SYNC] = TP_UNKNOWN_RUNTIME_CALLS,
        [TP_SUMMARY_RUNTIME] = TP_UNKNOWN_RUNTIME_CALLS,
    };
    return (sides->left_out & needs[kind]) != 0;
}

bool tp_left_out_has_name(const struct tp_sides *sides, struct tp_str name)
{
    return sides->has_two_profilers && tp_str_find(name, "::") < 0;
}

bool tp_left_out_has_host_total(const struct tp_sides *sides)
{
    for (uint32_t i = 0; i < sides->identity_count && sides->has_two_profilers; i++) {
        struct tp_identity identity = tp_sides_identity(sides, i);
        bool is_on_one_side = tp_sides_row(sides, TP_BASE, i)->exists != tp_sides_row(sides, TP_NEW, i)->exists;
        if (identity.kind == TP_SUMMARY_OPERATOR_HOST && is_on_one_side && tp_left_out_has_name(sides, identity.name))
            return true;
    }
    return tp_left_out_has_rows(sides, TP_SUMMARY_OPERATOR_HOST);
}

static uint32_t needs_of_work(const struct tp_work_change *change)
{
    switch (change->kind) {
    case TP_WORK_CHANGE_SHAPE:
        return LINKS | TP_UNKNOWN_SHAPES;
    case TP_WORK_CHANGE_TYPE:
        return LINKS | TP_UNKNOWN_SHAPES | TP_UNKNOWN_DTYPES;
    case TP_WORK_CHANGE_ALGORITHM:
    case TP_WORK_CHANGE_KERNELS:
        return LINKS;
    case TP_WORK_CHANGE_OTHER_COPY:
    case TP_WORK_CHANGE_COPIES:
        return LINKS | COPY_NAMES | TP_UNKNOWN_COPY_BYTES;
    case TP_WORK_CHANGE_LOADER:
    case TP_WORK_CHANGE_FUNCTION:
        return TP_UNKNOWN_OPERATORS | TP_UNKNOWN_STACKS;
    case TP_WORK_CHANGE_WAIT:
    case TP_WORK_CHANGE_LAUNCHES:
        return TP_UNKNOWN_RUNTIME_CALLS;
    case TP_WORK_CHANGE_ALLOCATIONS:
    case TP_WORK_CHANGE_UNFREED_MEMORY:
        return TP_UNKNOWN_ALLOCATOR;
    default:
        return TP_UNKNOWN_OPERATORS;
    }
}

/* Returns whether the change is that of an operator, or of the work of an operator, that may be a range on the other
 * side. */
static bool has_range(const struct tp_sides *sides, const struct tp_work_change *change)
{
    switch (change->kind) {
    case TP_WORK_CHANGE_RENAMED:
        return tp_left_out_has_name(sides, change->detail[TP_BASE]) ||
               tp_left_out_has_name(sides, change->detail[TP_NEW]);
    case TP_WORK_CHANGE_OPERATOR:
    case TP_WORK_CHANGE_REPLACED:
    case TP_WORK_CHANGE_ALGORITHM:
    case TP_WORK_CHANGE_KERNELS:
    case TP_WORK_CHANGE_COPIES:
    case TP_WORK_CHANGE_OTHER_COPY:
        return tp_left_out_has_name(sides, change->name);
    default:
        return false;
    }
}

void tp_left_out_remove_work(struct tp_work_diff *work, const struct tp_sides *sides)
{
    uint32_t kept = 0;
    if (sides->left_out & TP_UNKNOWN_OPERATORS) {
        *work = (struct tp_work_diff){.is_known = false};
        return;
    }
    for (uint32_t i = 0; i < work->count; i++) {
        const struct tp_work_change *change = &work->changes[i];
        if (!has_range(sides, change) && !(needs_of_work(change) & sides->left_out))
            work->changes[kept++] = work->changes[i];
    }
    work->is_same |= kept == 0 && work->count > 0 && !work->has_names_only;
    work->count = kept;
}
