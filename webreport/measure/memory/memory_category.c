/* Implements memory_category.h: finds the purpose of a block of memory.
 *
 * A training step allocates activations in its forward pass and releases them in its backward pass. Gradients are
 * allocated in the backward pass and released after it. Optimizer state is allocated in the optimizer's step and
 * released after it. A block is workspace if the operator that allocates it also releases it. */
#include "webreport/measure/memory/memory_category.h"

#include "webreport/trace/frame.h"

/* limit of enclosing events that are checked for one record; only damaged traces have more */
enum { MAX_ANCESTORS = 1024 };

static const char *const texts[TP_MEMORY_CATEGORIES] = {
    [TP_MEMORY_WEIGHTS] = "weights",
    [TP_MEMORY_GRADIENTS] = "gradients",
    [TP_MEMORY_OPTIMIZER_STATE] = "optimizer state",
    [TP_MEMORY_ACTIVATIONS] = "activations",
    [TP_MEMORY_INPUTS] = "inputs",
    [TP_MEMORY_WORKSPACE] = "workspace",
    [TP_MEMORY_NEVER_RELEASED] = "kept to the end",
    [TP_MEMORY_BEFORE_RECORDING] = "from before the recording",
    [TP_MEMORY_RESERVED] = "cache of the allocator",
};

const char *tp_memory_category_text(enum tp_memory_category category)
{
    return texts[category];
}

/* The events that run on a record's thread at the time of the record; TP_NO_ID: no such event. */
struct around {
    uint32_t outer;         /* the outermost operator */
    uint32_t node;          /* the node of the backward pass; TP_NO_ID if the backward pass repeats the forward pass */
    uint32_t optimizer;     /* the step of the optimizer */
    bool is_module;         /* true if a module is running */
    bool is_loading;        /* true if the data loader is running */
    bool is_making_weights; /* true if the program is creating, loading or moving a model */
};

/* Returns whether a frame creates, loads or moves the tensors of a model. */
static bool is_frame_that_makes_weights(struct tp_str name)
{
    static const char *const functions[] = {"__init__",       "reset_parameters",      "_apply",
                                            "to_empty",       "_load_from_state_dict", "load_state_dict",
                                            "from_pretrained"};
    static const char *const paths[] = {"torch/nn/init.py", "torch/serialization.py", "safetensors/torch.py"};
    struct tp_frame frame;
    if (!tp_frame_parse(&frame, name))
        return false;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (tp_str_ends(frame.path, paths[i]))
            return true;
    if (tp_str_find(frame.path, "torch/nn/") < 0 && !tp_str_equal(frame.function, TP_STR("from_pretrained")))
        return false;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (tp_str_equal(frame.function, tp_str_of(functions[i])))
            return true;
    return false;
}

static void examine_enclosing_event(struct around *a, const struct tp_model *model, uint32_t event)
{
    const struct tp_event *e = &model->trace->events[event];
    uint64_t marks = model->marks[e->name];
    if (e->kind == TP_KIND_OPERATOR)
        a->outer = event;
    if (marks & TP_MARK_BACKWARD_NODE && !a->is_module)
        a->node = event;
    a->is_module |= (marks & TP_MARK_MODULE) != 0;
    if (marks & TP_MARK_OPTIMIZER_STEP)
        a->optimizer = event;
    a->is_loading |= tp_event_range_kind(model, e) == TP_RANGE_INPUT;
    a->is_making_weights |=
        tp_kind_is_frame(e->kind) && is_frame_that_makes_weights(tp_trace_event_name(model->trace, e));
}

static struct around find_enclosing_events(const struct tp_model *model, const struct tp_memory *m)
{
    struct around a = {.outer = TP_NO_ID, .node = TP_NO_ID, .optimizer = TP_NO_ID};
    uint32_t event = tp_innermost_event(model, m->thread, m->ts_ns);
    for (unsigned i = 0; event != TP_NO_ID && i < MAX_ANCESTORS;
         event = tp_find_next_event_around(model, event, m->ts_ns), i++)
        examine_enclosing_event(&a, model, event);
    return a;
}

/* Returns whether operator `op` moves a tensor to another device or type. */
static bool is_tensor_move(const struct tp_model *model, uint32_t op)
{
    static const char *const names[] = {"aten::to", "aten::_to_copy", "aten::pin_memory", "aten::copy_"};
    if (op == TP_NO_ID)
        return false;
    struct tp_str name = tp_trace_event_name(model->trace, &model->trace->events[op]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tp_str_equal(name, tp_str_of(names[i])))
            return true;
    return false;
}

static enum tp_memory_category category_of_forward_block(const struct tp_model *model, const struct around *made,
                                                         const struct around *freed)
{
    if (made->is_loading)
        return TP_MEMORY_INPUTS;
    if (freed && made->outer != TP_NO_ID && freed->outer == made->outer)
        return TP_MEMORY_WORKSPACE;
    if (made->is_making_weights)
        return TP_MEMORY_WEIGHTS;
    if (!made->is_module && is_tensor_move(model, made->outer))
        return TP_MEMORY_INPUTS;
    return freed ? TP_MEMORY_ACTIVATIONS : TP_MEMORY_NEVER_RELEASED;
}

enum tp_memory_category tp_memory_category_of_block(const struct tp_model *model, const struct tp_memory *made,
                                                    const struct tp_memory *freed)
{
    struct around begin = find_enclosing_events(model, made), end = {.node = TP_NO_ID, .optimizer = TP_NO_ID};
    if (freed)
        end = find_enclosing_events(model, freed);
    if (begin.optimizer != TP_NO_ID)
        return freed && end.optimizer == begin.optimizer ? TP_MEMORY_WORKSPACE : TP_MEMORY_OPTIMIZER_STATE;
    if (begin.node != TP_NO_ID)
        return freed && end.node != TP_NO_ID ? TP_MEMORY_WORKSPACE : TP_MEMORY_GRADIENTS;
    return category_of_forward_block(model, &begin, freed ? &end : NULL);
}
