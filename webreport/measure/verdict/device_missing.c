/* Implements device_missing.h: finds why a trace has no device operations. */
#include "webreport/measure/verdict/device_missing.h"

#include "webreport/measure/verdict/captures.h"

static const struct tp_memory_place *find_place(const struct tp_trace *trace)
{
    for (uint32_t i = 0; i < trace->memory_count; i++) {
        const struct tp_memory_place *place = &trace->memory_places[trace->memory[i].device];
        if (place->type == TP_DEVICE_CUDA || place->type == TP_DEVICE_HIP || place->type == TP_DEVICE_XPU)
            return place;
    }
    return NULL;
}

struct tp_device_missing tp_device_missing_find(const struct tp_model *model, struct tp_arena *arena)
{
    return (struct tp_device_missing){tp_captures_contain_all_launches(model, arena), find_place(model->trace)};
}
