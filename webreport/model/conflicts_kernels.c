/* Groups kernels by name, so that the configurations of two names can be compared: see conflicts_parts.h. */
#include "webreport/model/conflicts_parts.h"

static bool is_same_setup(const struct tp_device_setup *x, const struct tp_device_setup *y)
{
    return x->grid == y->grid && x->block == y->block && x->registers == y->registers &&
           x->shared_memory == y->shared_memory;
}

static void group_kernels(struct tp_name_kernels *kernels, const struct tp_trace *trace, struct tp_arena *arena)
{
    if (kernels->first)
        return;
    kernels->first = tp_arena_array(arena, trace->names.count + 2u, sizeof *kernels->first);
    kernels->rows = tp_arena_array(arena, trace->device_count + 1u, sizeof *kernels->rows);
    for (uint32_t i = 0; i < trace->event_count; i++)
        if (trace->events[i].kind == TP_KIND_KERNEL)
            kernels->first[trace->events[i].name + 2]++;
    for (uint32_t n = 2; n < trace->names.count + 2; n++)
        kernels->first[n] += kernels->first[n - 1];
    for (uint32_t i = 0; i < trace->event_count; i++)
        if (trace->events[i].kind == TP_KIND_KERNEL)
            kernels->rows[kernels->first[trace->events[i].name + 1]++] = trace->events[i].detail;
}

bool tp_name_has_setup(struct tp_name_kernels *kernels, const struct tp_trace *trace, uint32_t name,
                       struct tp_arena *arena)
{
    group_kernels(kernels, trace, arena);
    const struct tp_device_setup *setup = tp_device_setup(trace, kernels->rows[kernels->first[name]]);
    return setup->grid != TP_NO_ID && setup->block != TP_NO_ID && setup->registers != TP_NO_ID &&
           setup->shared_memory != TP_NO_ID;
}

bool tp_name_has_equal_setup(struct tp_name_kernels *kernels, const struct tp_trace *trace, uint32_t name,
                             uint32_t other, struct tp_arena *arena)
{
    group_kernels(kernels, trace, arena);
    const struct tp_device_setup *setup = tp_device_setup(trace, kernels->rows[kernels->first[name]]);
    for (uint32_t i = kernels->first[other]; i < kernels->first[other + 1]; i++)
        if (is_same_setup(tp_device_setup(trace, kernels->rows[i]), setup))
            return true;
    return false;
}

void tp_name_kernels_free(struct tp_name_kernels *kernels, const struct tp_trace *trace, struct tp_arena *arena)
{
    if (!kernels->first)
        return;
    tp_arena_free_item(arena, kernels->first, (trace->names.count + 2u) * sizeof *kernels->first);
    tp_arena_free_item(arena, kernels->rows, (trace->device_count + 1u) * sizeof *kernels->rows);
}
