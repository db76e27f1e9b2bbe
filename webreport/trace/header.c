/* Reads the top-level members of a trace document: see header.h. They may come before or after the events. */
#include "webreport/trace/header.h"

#include "webreport/trace/json/value.h"
#include "writer/base/limits.h"

struct tp_str tp_trace_header(const struct tp_trace *trace, const char *key)
{
    for (uint32_t i = 0; i < trace->header_count; i++)
        if (tp_str_equal(trace->header[i].key, tp_str_of(key)))
            return trace->header[i].value;
    return (struct tp_str){NULL, 0};
}

int64_t tp_trace_base_ns(const struct tp_trace *trace, int64_t first_ns)
{
    const int64_t year_2000_ns = 946684800ll * 1000000000;
    int64_t base = trace->base_time_ns;
    return base > 0 && base < TP_MAX_TIME_NS && first_ns < year_2000_ns ? base : 0;
}

static struct tp_gpu_property read_gpu(struct tp_arena *arena, struct tp_str json)
{
    struct tp_gpu_property gpu = {0};
    struct tp_str id = tp_value_member(json, "id"), warp = tp_value_member(json, "warpSize");
    struct tp_str name = tp_value_member(json, "name");
    gpu.has_id = id.ptr && !tp_str_equal(id, TP_STR("null"));
    gpu.id = tp_value_int(id);
    gpu.has_warp_size = warp.ptr != NULL;
    gpu.warp_size = tp_value_int(warp);
    gpu.total_memory_bytes = tp_value_int(tp_value_member(json, "totalGlobalMem"));
    gpu.major = tp_value_int(tp_value_member(json, "computeMajor"));
    gpu.minor = tp_value_int(tp_value_member(json, "computeMinor"));
    gpu.sm_count = tp_value_int(tp_value_member(json, "numSms"));
    gpu.name = tp_value_text(arena, name);
    gpu.major_text = tp_value_text(arena, tp_value_member(json, "computeMajor"));
    gpu.minor_text = tp_value_text(arena, tp_value_member(json, "computeMinor"));
    return gpu;
}

static void read_gpus(struct tp_trace *trace)
{
    struct tp_str list = tp_trace_header(trace, "deviceProperties"), item;
    struct tp_vec gpus = TP_VEC(trace->arena, struct tp_gpu_property);
    trace->has_gpu_list = tp_value_starts_with(list, '[');
    for (size_t at = 0; trace->has_gpu_list && tp_value_next(list, &at, NULL, &item);)
        if (tp_value_starts_with(item, '{'))
            *(struct tp_gpu_property *)tp_vec_push(&gpus) = read_gpu(trace->arena, item);
    trace->gpus = gpus.data;
    trace->gpu_count = (uint32_t)gpus.count;
}

void tp_header_finish(struct tp_trace *trace, const struct tp_vec *members)
{
    static const struct {
        const char *key;
        unsigned option;
    } options[] = {{"record_shapes", TP_OPTION_RECORD_SHAPES},
                   {"with_stack", TP_OPTION_WITH_STACK},
                   {"profile_memory", TP_OPTION_PROFILE_MEMORY},
                   {"with_modules", TP_OPTION_WITH_MODULES},
                   {"with_flops", TP_OPTION_WITH_FLOPS}};
    trace->header = members->data;
    trace->header_count = (uint32_t)members->count;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (tp_trace_header(trace, options[i].key).ptr)
            trace->options |= options[i].option;
    int64_t base = tp_value_int(tp_trace_header(trace, "baseTimeNanoseconds"));
    trace->base_time_ns = base == TP_NULL_INT ? 0 : base;
    read_gpus(trace);
    struct tp_str distributed = tp_trace_header(trace, "distributedInfo");
    struct tp_str rank = tp_value_member(distributed, "rank");
    bool has_rank = rank.ptr && !tp_str_equal(rank, TP_STR("null"));
    trace->reading.notices[TP_NOTICE_ID_RANGE] += has_rank && tp_value_rank(distributed) == TP_NULL_INT;
}
