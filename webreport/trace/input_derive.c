/* Finds kinds of data that no event has: see input_derive.h. */
#include "webreport/trace/input_derive.h"

#include <math.h>

#include "webreport/trace/json/value.h"

/* Returns whether operators have shapes, but no operator has types. */
static bool lacks_types(const struct tp_trace *trace)
{
    bool has_shapes = false;
    for (uint32_t i = 0; i < trace->host_count; i++) {
        if (trace->hosts[i].types != TP_NO_ID)
            return false;
        has_shapes |= trace->hosts[i].dims != TP_NO_ID;
    }
    return has_shapes;
}

static bool has_shapes(const struct tp_trace *trace)
{
    for (uint32_t i = 0; i < trace->host_count; i++)
        if (trace->hosts[i].dims != TP_NO_ID)
            return true;
    return false;
}

/* Returns the properties that no kernel has: occupancy, or grid and block. */
static uint32_t find_unknown_of_kernels(const struct tp_trace *trace)
{
    uint32_t unknown = TP_UNKNOWN_OCCUPANCY | TP_UNKNOWN_GRID;
    bool has_kernel = false;
    for (uint32_t i = 0; i < trace->event_count && unknown; i++) {
        const struct tp_event *e = &trace->events[i];
        if (e->kind != TP_KIND_KERNEL || e->detail == TP_NO_ID)
            continue;
        const struct tp_device_setup *setup = tp_device_setup(trace, e->detail);
        has_kernel = true;
        unknown &= setup->occupancy_pct_e9 == TP_NULL_INT ? ~0u : ~(uint32_t)TP_UNKNOWN_OCCUPANCY;
        unknown &= setup->grid == TP_NO_ID ? ~0u : ~(uint32_t)TP_UNKNOWN_GRID;
    }
    return has_kernel ? unknown : 0;
}

/* Returns the kinds of data that no event has, in a file that another profiler wrote. */
static uint32_t find_unknown_of_other_profiler(const struct tp_trace *trace)
{
    const uint64_t *read = trace->reading.read;
    uint32_t unknown = 0;
    if (!read[TP_KIND_OPERATOR])
        unknown |= TP_UNKNOWN_OPERATORS;
    if (!has_shapes(trace))
        unknown |= TP_UNKNOWN_SHAPES | TP_UNKNOWN_DTYPES;
    if (!read[TP_KIND_RUNTIME])
        unknown |= TP_UNKNOWN_RUNTIME_CALLS;
    if (!trace->gpu_count)
        unknown |= TP_UNKNOWN_DEVICE_PROPERTIES;
    if (!trace->memory_count)
        unknown |= TP_UNKNOWN_ALLOCATOR;
    if (!read[TP_KIND_FRAME] && !read[TP_KIND_MODULE] && !trace->stack_texts.count)
        unknown |= TP_UNKNOWN_STACKS;
    if (!trace->flow_count)
        unknown |= TP_UNKNOWN_FORWARD_LINKS;
    if (!tp_trace_header(trace, "distributedInfo").ptr)
        unknown |= TP_UNKNOWN_RANKS;
    return unknown;
}

void tp_input_facts_derive(struct tp_trace *trace)
{
    struct tp_input_facts *facts = &trace->input;
    if (lacks_types(trace))
        facts->unknown |= TP_UNKNOWN_DTYPES;
    if (!facts->producer.ptr)
        return;
    facts->unknown |= find_unknown_of_kernels(trace);
    if (!facts->is_of_torch_profiler)
        facts->unknown |= find_unknown_of_other_profiler(trace);
}

/* ---- blocks per SM ---- */

static int64_t sm_count_of_device(const struct tp_trace *trace, int64_t device)
{
    for (uint32_t i = 0; i < trace->gpu_count; i++)
        if (trace->gpus[i].has_id && trace->gpus[i].id == device)
            return trace->gpus[i].sm_count;
    return TP_NULL_INT;
}

/* Returns the number of blocks of a grid; 0 if it is not a list of three positive numbers. grid: compact JSON. */
static double block_count_of_grid(struct tp_str grid)
{
    struct tp_str item;
    double blocks = 1;
    int dimensions = 0;
    for (size_t at = 0; tp_value_starts_with(grid, '[') && tp_value_next(grid, &at, NULL, &item); dimensions++) {
        int64_t size = tp_value_int(item);
        blocks *= size > 0 ? (double)size : 0;
    }
    return dimensions == 3 ? blocks : 0;
}

void tp_blocks_per_sm_derive(struct tp_trace *trace)
{
    const double LARGEST = 1e9; /* larger values are damage and would not fit in billionths */
    for (uint32_t i = 0; trace->input.producer.ptr && i < trace->setup_count; i++) {
        struct tp_device_setup *setup = &trace->setups[i];
        if (setup->grid == TP_NO_ID || setup->blocks_per_sm_e9 != TP_NULL_INT)
            continue;
        int64_t sm_count = sm_count_of_device(trace, setup->device);
        double blocks = block_count_of_grid(tp_strings_get(&trace->values, setup->grid));
        if (blocks > 0 && sm_count > 0 && blocks / (double)sm_count < LARGEST)
            /* Kineto writes six decimals */
            setup->blocks_per_sm_e9 = llround(blocks / (double)sm_count * 1e6) * 1000;
    }
}
