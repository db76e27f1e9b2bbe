/* Builds the call tree of samples. Part of calltree.h. */
#include "webreport/measure/charts/calltree_merge.h"
#include "webreport/measure/views/sample_view.h"
#include "writer/base/saturate.h"

static uint32_t function_label(struct tp_merge *merge, const struct tp_sample_functions *functions, uint32_t id)
{
    uint32_t *known = &merge->label_of_frame[id];
    if (!*known)
        *known = tp_merge_add_label(merge, tp_strings_get(&functions->texts, id), TP_CALL_FRAME) + 1;
    return *known - 1;
}

static uint32_t thread_label(struct tp_merge *merge, uint32_t *labels, uint32_t thread)
{
    if (labels[thread] == 0)
        labels[thread] =
            tp_merge_add_label(merge, tp_sample_thread_name(merge->arena, &merge->model->trace->threads[thread]),
                               TP_CALL_PHASE) +
            1;
    return labels[thread] - 1;
}

void tp_merge_add_samples(struct tp_merge *merge, const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_trace *trace = model->trace;
    tp_merge_init(merge, model, arena);
    struct tp_sample_functions functions;
    /* for each thread: label + 1; 0: no label yet */
    uint32_t *labels = tp_arena_array(arena, trace->thread_count, sizeof *labels);
    tp_sample_functions_init(&functions, trace, arena);
    for (uint32_t i = 0; i < trace->sample_count; i++) {
        const struct tp_sample *sample = &trace->samples[i];
        uint32_t node = tp_merge_find_or_add_child(merge, 0, thread_label(merge, labels, sample->thread));
        tp_sample_functions_read(&functions, sample);
        for (size_t k = 0; k < functions.path.count; k++)
            node = tp_merge_find_or_add_child(merge, node,
                                              function_label(merge, &functions, *TP_AT(&functions.path, uint32_t, k)));
        tp_merge_add_sample(merge, node, tp_input_sample_weight(&trace->input, sample->cpu_ns));
    }
}
