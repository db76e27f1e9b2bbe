/* Counts host events in the analysed steps: see step_counts.h. */
#include "webreport/model/step_counts.h"

#include <string.h>

/* A position in the list of steps. The position only increases, because the events of a thread are visited in order of
 * start. */
struct cursor {
    const struct tp_model *model;
    uint32_t step;
};

/* Returns true if the host time `at`, ns, is within the marker of an analysed step. The times must ascend from call to
 * call. */
static bool is_in_step(struct cursor *cursor, int64_t at)
{
    const struct tp_model *model = cursor->model;
    if (model->step_marker == TP_MARKER_WINDOW)
        return true;
    while (cursor->step < model->step_count && model->steps[cursor->step].host_end_ns <= at)
        cursor->step++;
    return cursor->step < model->step_count && model->steps[cursor->step].host_start_ns <= at &&
           tp_step_is_used(&model->steps[cursor->step]);
}

static void count_host_events(struct tp_step_counts *counts, const struct tp_model *model)
{
    for (uint32_t t = 0; t < model->trace->thread_count; t++) {
        struct cursor operators = {model, 0}, calls = {model, 0};
        for (uint32_t i = model->operators.thread_first[t]; i < model->operators.thread_first[t + 1]; i++)
            counts->operators += is_in_step(&operators, tp_operator_event(model, i)->ts_ns);
        for (uint32_t i = model->launches.thread_first[t]; i < model->launches.thread_first[t + 1]; i++)
            counts->runtime_calls += is_in_step(&calls, tp_launch_event(model, i)->ts_ns);
    }
    for (uint32_t i = model->operators.finished_count; i < model->operators.count; i++)
        counts->operators += tp_is_in_used_step(model, tp_step_of_host_time(model, tp_operator_event(model, i)->ts_ns));
}

static void count_allocations(struct tp_step_counts *counts, const struct tp_model *model)
{
    const struct tp_trace *trace = model->trace;
    uint32_t near = 0;
    for (uint32_t i = 0; i < trace->memory_count; i++) {
        const struct tp_memory *record = &trace->memory[i];
        if (record->bytes == TP_NULL_INT || record->bytes <= 0 || (record->flags & TP_MEMORY_OUT_OF_MEMORY) ||
            !tp_is_in_used_step(model, tp_step_of_host_time_near(model, record->ts_ns, &near)))
            continue;
        *(tp_memory_is_on_device(trace, record) ? &counts->device_allocations : &counts->host_allocations) += 1;
    }
}

void tp_step_counts_build(struct tp_step_counts *counts, const struct tp_model *model)
{
    memset(counts, 0, sizeof *counts);
    count_host_events(counts, model);
    count_allocations(counts, model);
    for (uint32_t i = 0; i < model->collectives.count; i++)
        counts->collectives += tp_is_in_used_step(model, tp_step_of_collective(model, &model->collectives.items[i]));
}
