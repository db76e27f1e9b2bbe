/* The model: counts of the events, then one stage after another. See facts.h and build.h. */
#include "webreport/model/build.h"

/* Counts what the views keep, and finds the earliest start. */
static void count_events(struct tp_model *model)
{
    const struct tp_trace *trace = model->trace;
    int64_t first = INT64_MAX;
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *e = &trace->events[i];
        model->kind_count[e->kind]++;
        if (e->kind != TP_KIND_NONE && e->ts_ns < first)
            first = e->ts_ns;
    }
    for (uint32_t i = 0; i < trace->memory_count; i++) {
        const struct tp_memory *record = &trace->memory[i];
        if (!(record->flags & TP_MEMORY_IN_VIEWS))
            continue;
        bool is_out_of_memory = record->flags & TP_MEMORY_OUT_OF_MEMORY;
        model->memory_count += !is_out_of_memory;
        model->out_of_memory_count += is_out_of_memory;
        first = record->ts_ns < first ? record->ts_ns : first;
    }
    model->event_count =
        trace->event_count - model->kind_count[TP_KIND_NONE] + model->memory_count + model->out_of_memory_count;
    model->first_ns = model->event_count ? first : 0;
}

void tp_model_build(struct tp_model *model, const struct tp_trace *trace, const struct tp_order *order,
                    struct tp_arena *arena)
{
    memset(model, 0, sizeof *model);
    model->trace = trace;
    model->order = order;
    model->arena = arena;
    count_events(model);
    model->marks = tp_marks_build(trace, arena);
    tp_model_nest(model);
    tp_model_host_times(model);
    tp_model_link_devices(model);
    tp_model_operator_numbers(model);
    tp_model_group_gpus(model);
    tp_collectives_build(model);
    tp_model_find_roles(model);
    tp_model_find_steps(model);
}

const char *tp_program_kind_text(enum tp_program_kind program)
{
    static const char *const texts[] = {
        [TP_RECORDED_GPU] = "gpu",
        [TP_RECORDED_OTHER_DEVICE] = "other_device",
        [TP_RECORDED_DEVICE_MISSING] = "device_missing",
        [TP_RECORDED_CPU] = "cpu",
        [TP_RECORDED_EMPTY] = "empty",
    };
    return texts[program];
}
