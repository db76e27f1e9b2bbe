/* The call tree of samples: see calltree.h. */
#include "webreport/measure/calltree_merge.h"
#include "webreport/measure/sample_view.h"
#include "writer/base/saturate.h"

/* Adds the sample to the node and to those above it. */
static void count_up(struct tp_merge *merge, uint32_t node, int64_t cpu_ns)
{
    for (uint32_t at = node; at != TP_NO_ID; at = tp_merge_node(merge, at)->parent) {
        struct tp_merge_node *counted = tp_merge_node(merge, at);
        counted->call_count++;
        counted->host_ns = tp_sat_add(counted->host_ns, cpu_ns);
    }
}

static uint32_t label_of_function(struct tp_merge *merge, struct tp_str frame)
{
    struct tp_str function = tp_sample_function(merge->arena, frame);
    uint32_t id = tp_strings_add(&merge->frames, function);
    if (id >= merge->label_of_frame.count)
        *(uint32_t *)tp_vec_push(&merge->label_of_frame) =
            tp_merge_label(merge, tp_strings_get(&merge->frames, id), TP_CALL_FRAME);
    return *TP_AT(&merge->label_of_frame, uint32_t, id);
}

static uint32_t thread_label(struct tp_merge *merge, uint32_t *labels, uint32_t thread)
{
    if (labels[thread] == 0)
        labels[thread] = tp_merge_label(merge, tp_sample_thread(merge->arena, &merge->model->trace->threads[thread]),
                                        TP_CALL_PHASE) +
                         1;
    return labels[thread] - 1;
}

void tp_merge_samples(struct tp_merge *merge, const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_trace *trace = model->trace;
    tp_merge_init(merge, model, arena);
    uint32_t *labels = tp_arena_array(arena, trace->thread_count, sizeof *labels); /* label + 1 */
    for (uint32_t i = 0; i < trace->sample_count; i++) {
        const struct tp_sample *sample = &trace->samples[i];
        uint32_t node = tp_merge_child(merge, 0, thread_label(merge, labels, sample->thread));
        struct tp_str stack = tp_strings_get(&trace->stacks, sample->stack), frame;
        while (tp_sample_outer(&stack, &frame))
            node = tp_merge_child(merge, node, label_of_function(merge, frame));
        count_up(merge, node, sample->cpu_ns);
    }
}
