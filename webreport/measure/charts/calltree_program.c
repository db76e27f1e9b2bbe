/* Builds the call tree of a program recorded by `record --outside`. Part of calltree.h. */
#include "webreport/measure/charts/calltree_merge.h"
#include "writer/base/saturate.h"

/* Returns the last program that a process executed, without arguments and folders. */
static struct tp_str program_name(struct tp_str command)
{
    size_t size = 0;
    command = tp_last_program_of_command(command);
    if (tp_str_starts(command, "(")) /* a process without a name, such as "(not recorded)" */
        return command;
    while (size < command.len && command.ptr[size] != ' ')
        size++;
    command.len = size;
    const char *slash = size ? memrchr(command.ptr, '/', size) : NULL;
    if (slash && slash + 1 < command.ptr + size)
        command = (struct tp_str){slash + 1, size - (size_t)(slash + 1 - command.ptr)};
    return command.len ? command : TP_STR("(no name)");
}

/* Makes a label for each process. Processes of the same program share a label. */
static uint32_t *make_program_labels(struct tp_merge *merge, const struct tp_program_view *view, struct tp_arena *arena)
{
    uint32_t count = view->tree.process_count;
    uint32_t *labels = tp_arena_array(arena, count + 1, sizeof *labels), *of_name = labels;
    struct tp_strings names;
    struct tp_vec known = TP_VEC(arena, uint32_t);
    tp_strings_init(&names, arena, 0);
    for (uint32_t i = 0; i < count; i++) {
        struct tp_str name = program_name(tp_table_text(&view->processes, TP_PROGRAM_PROCESS_COMMAND)[i]);
        uint32_t id = tp_strings_add(&names, name);
        if (id == known.count)
            *(uint32_t *)tp_vec_push(&known) = tp_merge_add_label(merge, tp_strings_get(&names, id), TP_CALL_PHASE);
        of_name[i] = *TP_AT(&known, uint32_t, id);
    }
    return labels;
}

static enum tp_call_kind kind_of_function(const struct tp_program_view *view, uint32_t number)
{
    static const enum tp_call_kind kinds[TP_FUNCTION_KINDS] = {[TP_FUNCTION_NATIVE] = TP_CALL_OPERATOR,
                                                               [TP_FUNCTION_PYTHON] = TP_CALL_FRAME,
                                                               [TP_FUNCTION_KERNEL] = TP_CALL_KERNEL};
    for (unsigned i = 0; i < view->answer.segment_count; i++)
        if (view->answer.segments[i].function == number)
            return i ? TP_CALL_SECOND : TP_CALL_LARGEST;
    return kinds[tp_program_function_at(&view->functions, number)->kind];
}

static uint32_t process_label(struct tp_merge *merge, struct tp_vec *labels, const struct tp_program_view *view,
                              uint32_t number)
{
    while (labels->count <= number)
        *(uint32_t *)tp_vec_push(labels) = TP_NO_ID;
    uint32_t *label = TP_AT(labels, uint32_t, number);
    const struct tp_program_function *f = tp_program_function_at(&view->functions, number);
    if (*label == TP_NO_ID)
        *label = tp_merge_add_label(merge, f->name, kind_of_function(view, number));
    return *label;
}

uint32_t tp_merge_add_program(struct tp_merge *merge, const struct tp_program_view *view, uint32_t *node_of_sample,
                              struct tp_arena *arena)
{
    const struct tp_trace *trace = view->tree.trace;
    /* a copy suffices, because the view has already read all stacks and adds no more functions */
    struct tp_program_functions functions = view->functions;
    struct tp_vec labels = TP_VEC(arena, uint32_t);
    const uint32_t *programs = make_program_labels(merge, view, arena);
    uint32_t longest = 0;
    functions.path = functions.frames = TP_VEC(arena, uint32_t);
    for (uint32_t i = 0; i < trace->sample_count; i++) {
        uint32_t node = tp_merge_find_or_add_child(merge, 0, programs[view->tree.process_of_sample[i]]);
        tp_program_functions_of_stack(&functions, trace->samples[i].stack);
        longest = functions.path.count > longest ? (uint32_t)functions.path.count : longest;
        for (size_t k = 0; k < functions.path.count; k++) {
            uint32_t number = *TP_AT(&functions.path, uint32_t, k);
            bool is_recursive = k && *TP_AT(&functions.path, uint32_t, k - 1) == number;
            if (!is_recursive)
                node = tp_merge_find_or_add_child(merge, node, process_label(merge, &labels, view, number));
        }
        tp_merge_add_sample(merge, node, view->tree.weight_of_sample_ns[i]);
        if (node_of_sample)
            node_of_sample[i] = node;
    }
    return longest;
}
