/* Labels inherited down the tree, or by category: see key_labels.h. */
#include "webreport/measure/key_labels.h"

/* What a frame is called in the group; TP_NO_ID: it opens none. */
typedef uint32_t (*label_of_frame)(struct tp_key_labels *labels, const struct tp_functions *functions,
                                   uint32_t function);

static uint32_t module_label(struct tp_key_labels *labels, const struct tp_functions *functions, uint32_t function)
{
    const struct tp_event *e = tp_function_event(functions, &functions->items[function]);
    if (e->kind != TP_KIND_MODULE)
        return TP_NO_ID;
    return tp_strings_add(&labels->texts, tp_trace_name(functions->trace, e));
}

static uint32_t line_label(struct tp_key_labels *labels, const struct tp_functions *functions, uint32_t function)
{
    const struct tp_event *e = tp_function_event(functions, &functions->items[function]);
    uint32_t line = tp_frames_line(&functions->trace->frames, e->name);
    if (line == TP_NO_ID)
        return TP_NO_ID;
    return tp_strings_add(&labels->texts, tp_frames_line_text(&functions->trace->frames, line));
}

/* Every function has the label of the innermost frame around it that has one. */
static void inherit(struct tp_key_labels *labels, const struct tp_functions *functions, label_of_frame label,
                    const char *without)
{
    uint32_t outside = tp_strings_add(&labels->texts, tp_str_of(without));
    for (uint32_t i = 0; i < functions->count; i++) {
        const struct tp_function *f = &functions->items[i];
        uint32_t own = (f->flags & TP_FUNCTION_FRAME) ? label(labels, functions, i) : TP_NO_ID;
        labels->is_call[i] = own != TP_NO_ID;
        labels->of_function[i] = own != TP_NO_ID         ? own
                                 : f->parent == TP_NO_ID ? outside
                                                         : labels->of_function[f->parent];
    }
}

static struct tp_str type_of(const struct tp_functions *functions, const struct tp_function *f)
{
    static const char *const kinds[TP_KIND_COUNT] = {[TP_KIND_OPERATOR] = "cpu_op",
                                                     [TP_KIND_ANNOTATION] = "user_annotation",
                                                     [TP_KIND_RUNTIME] = "runtime",
                                                     [TP_KIND_FRAME] = "python_function",
                                                     [TP_KIND_MODULE] = "python_function",
                                                     [TP_KIND_KERNEL] = "kernel",
                                                     [TP_KIND_MEMCPY] = "gpu_memcpy",
                                                     [TP_KIND_MEMSET] = "gpu_memset",
                                                     [TP_KIND_GPU_ANNOTATION] = "gpu_user_annotation",
                                                     [TP_KIND_OVERHEAD] = "overhead"};
    const struct tp_trace *trace = functions->trace;
    const struct tp_event *e = tp_function_event(functions, f);
    if (!e)
        return TP_STR("[memory]");
    const char *text = kinds[e->kind];
    return text ? tp_str_of(text) : tp_strings_get(&trace->cats, trace->others[e->detail].cat);
}

void tp_key_labels_init(struct tp_key_labels *labels, const struct tp_functions *functions, enum tp_key_group group,
                        struct tp_arena *arena)
{
    memset(labels, 0, sizeof *labels);
    if (group == TP_KEY_NAME || group == TP_KEY_KERNEL)
        return;
    tp_strings_init(&labels->texts, arena, 0);
    labels->of_function = tp_arena_array(arena, functions->count, sizeof *labels->of_function);
    if (group == TP_KEY_TYPE) {
        for (uint32_t i = 0; i < functions->count; i++)
            labels->of_function[i] = tp_strings_add(&labels->texts, type_of(functions, &functions->items[i]));
        return;
    }
    labels->is_call = tp_arena_array(arena, functions->count, sizeof *labels->is_call);
    if (group == TP_KEY_MODULE)
        inherit(labels, functions, module_label, "(outside of modules)");
    else
        inherit(labels, functions, line_label, "(no line of the project)");
}

bool tp_key_labels_counts(const struct tp_key_labels *labels, const struct tp_functions *functions, uint32_t function)
{
    if (!labels->is_call)
        return true;
    /* outside of every group each root counts */
    return labels->is_call[function] ||
           (functions->items[function].parent == TP_NO_ID && labels->of_function[function] == 0);
}
