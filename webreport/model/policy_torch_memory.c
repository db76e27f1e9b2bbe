/* Computes prefix sums of memory records, so that the sum within an interval is one subtraction: see
 * policy_torch_memory.h. */
#include "webreport/model/policy_torch_memory.h"

#include "writer/base/ratio.h"
#include "writer/base/saturate.h"

struct tp_memory_bytes tp_memory_record_bytes(const struct tp_trace *trace, const struct tp_memory *record)
{
    int64_t type = tp_memory_place(trace, record)->type;
    switch (type == TP_NULL_INT ? TP_DEVICE_CPU : type) {
    case TP_DEVICE_CPU:
    case TP_DEVICE_MKLDNN:
    case TP_DEVICE_IDEEP:
        return (struct tp_memory_bytes){.cpu = record->bytes};
    case TP_DEVICE_CUDA:
    case TP_DEVICE_HIP:
    case TP_DEVICE_XPU:
    case TP_DEVICE_PRIVATE_USE:
        return (struct tp_memory_bytes){.gpu = record->bytes};
    default:
        return (struct tp_memory_bytes){0};
    }
}

void tp_memory_sums_build(struct tp_memory_sums *sums, const struct tp_trace *trace, const uint32_t *order,
                          bool is_coarse, struct tp_arena *arena)
{
    size_t count = trace->memory_count;
    *sums = (struct tp_memory_sums){.trace = trace, .is_coarse = is_coarse, .last = INT64_MIN};
    sums->index = tp_arena_array(arena, count, sizeof *sums->index);
    sums->at = tp_arena_array(arena, count, sizeof *sums->at);
    sums->before = tp_arena_array(arena, count + 1, sizeof *sums->before);
    sums->covered = tp_arena_array(arena, count + 1, sizeof *sums->covered);
    for (uint32_t i = 0, n = 0; i < count; i++) {
        const struct tp_memory *record = &trace->memory[order[i]];
        if (record->flags & TP_MEMORY_OUT_OF_MEMORY)
            continue;
        struct tp_memory_bytes bytes = tp_memory_record_bytes(trace, record);
        sums->index[n] = order[i];
        sums->at[n] = record->ts_ns;
        sums->before[n + 1][0] = sums->before[n][0] + bytes.cpu;
        sums->before[n + 1][1] = sums->before[n][1] + bytes.gpu;
        sums->count = ++n;
    }
}

/* Returns a time, ns, rounded in the same way as the doubles of older releases of torch. */
static double round_to_old_precision(const struct tp_trace *trace, int64_t ns)
{
    double us = tp_ratio(tp_sat_add(ns, trace->base_time_ns), 1000);
    return us * 1000 - (double)trace->base_time_ns;
}

/* Returns the number of records before the time `at`, ns; if is_included is true, also includes records at this time.
 * low: lower bound of the result. Searches from `low` in doubling steps, then by bisection. */
static uint32_t count_before(const struct tp_memory_sums *sums, uint32_t low, int64_t at, bool is_included)
{
    double limit = sums->is_coarse ? round_to_old_precision(sums->trace, at) : 0;
    uint32_t high = sums->count, step = 1;
    while (low < high) {
        uint32_t middle = step && high - low > step ? low + step - 1 : low + (high - low) / 2;
        double time = (double)sums->at[middle];
        bool is_before = sums->is_coarse ? time < limit || (is_included && time <= limit)
                                         : sums->at[middle] < at || (is_included && sums->at[middle] <= at);
        if (is_before)
            low = middle + 1;
        else
            high = middle;
        step = is_before ? step * 2 : 0; /* 0 for bisection, once the search has passed the time `at` */
    }
    return low;
}

static int64_t saturated_difference(__int128 x, __int128 y)
{
    return x - y > INT64_MAX ? INT64_MAX : x - y < INT64_MIN + 1 ? INT64_MIN + 1 : (int64_t)(x - y);
}

struct tp_memory_bytes tp_memory_sums_within(struct tp_memory_sums *sums, int64_t start, int64_t end)
{
    uint32_t first = count_before(sums, start < sums->last ? 0 : sums->first, start, false);
    uint32_t behind = count_before(sums, first, end, true);
    sums->first = first;
    sums->last = start;
    if (behind <= first)
        return (struct tp_memory_bytes){0};
    sums->covered[first]++;
    sums->covered[behind]--;
    return (struct tp_memory_bytes){saturated_difference(sums->before[behind][0], sums->before[first][0]),
                                    saturated_difference(sums->before[behind][1], sums->before[first][1])};
}

uint32_t tp_memory_sums_list_outside(const struct tp_memory_sums *sums, uint32_t *outside)
{
    uint32_t count = 0;
    int64_t depth = 0;
    for (uint32_t i = 0; i < sums->count; i++) {
        depth += sums->covered[i];
        if (depth == 0)
            outside[count++] = sums->index[i];
    }
    for (uint32_t i = 0; i < sums->trace->memory_count; i++)
        if (sums->trace->memory[i].flags & TP_MEMORY_OUT_OF_MEMORY)
            outside[count++] = i;
    return count;
}
