/* Finds the purpose of a block: see live_tables.h. */
#include "webreport/measure/snapshot/live_tables.h"

enum { SHORT_LIFE_EVENTS = 16 };

/* What is known about the end of a block's life. */
struct life {
    bool is_freed;                 /* freed in the recording */
    bool is_short;                 /* allocated and freed within SHORT_LIFE_EVENTS events */
    enum tp_code_phase free_phase; /* TP_PHASE_NONE if the stack of the free is unknown */
};

static struct life find_life(const struct tp_live_context *context, const struct tp_allocator_block *block)
{
    struct life life = {.is_freed = block->free_requested != TP_NO_EVENT && block->free_requested >= 0};
    if (life.is_freed && block->free_stack)
        life.free_phase = (enum tp_code_phase)tp_code_stack(context->stacks, block->free_stack)->phase;
    life.is_short =
        life.is_freed && block->allocated >= 0 && block->free_requested - block->allocated <= SHORT_LIFE_EVENTS;
    return life;
}

static const char *backward_category(const struct tp_live_context *context, const struct life *life)
{
    bool has_no_phase = life->free_phase == TP_PHASE_NONE && context->has_stacks;
    return life->is_freed && (life->is_short || life->free_phase == TP_PHASE_BACKWARD || has_no_phase) ? "workspace"
                                                                                                       : "gradients";
}

static const char *optimizer_category(const struct tp_allocator_block *block, const struct life *life)
{
    /* a free without a recorded stack is counted as a free of the optimizer */
    bool is_in_optimizer = life->free_phase == TP_PHASE_OPTIMIZER || !block->free_stack;
    return life->is_freed && (is_in_optimizer || life->is_short) ? "workspace" : "optimizer state";
}

static const char *category_of_phase(const struct tp_live_context *context, const struct tp_allocator_block *block,
                                     enum tp_code_phase phase)
{
    struct life life = find_life(context, block);
    switch (phase) {
    case TP_PHASE_OPTIMIZER:
        return optimizer_category(block, &life);
    case TP_PHASE_BACKWARD:
        return backward_category(context, &life);
    case TP_PHASE_RECOMPUTE:
        return life.is_short ? "workspace" : "recomputed activations";
    case TP_PHASE_FORWARD:
        return life.is_short ? "workspace" : "activations";
    case TP_PHASE_OTHER:
        return life.is_short ? "workspace" : "other";
    case TP_PHASE_COMMUNICATION:
        return "communication";
    case TP_PHASE_INPUTS:
        return "inputs";
    case TP_PHASE_WEIGHTS:
        return "weights";
    default:
        return "no Python frames";
    }
}

uint32_t tp_live_category(const struct tp_live_context *context, const struct tp_allocator_block *block)
{
    struct tp_strings *names = &context->stacks->frames.names;
    enum tp_code_phase phase = (enum tp_code_phase)tp_code_stack(context->stacks, block->stack)->phase;
    if (block->category != context->snapshot->no_text)
        return tp_strings_add(names, tp_strings_get(&context->snapshot->texts, block->category));
    if (block->allocated < 0 && block->stack == 0)
        return tp_strings_add(names, tp_str_of("before the recording"));
    if (phase == TP_PHASE_NONE && !context->has_stacks)
        return tp_strings_add(names, tp_str_of("no stack"));
    if (phase == TP_PHASE_NONE) /* the autograd thread has no Python frames */
        phase = TP_PHASE_BACKWARD;
    return tp_strings_add(names, tp_str_of(category_of_phase(context, block, phase)));
}
