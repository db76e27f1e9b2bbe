/* Finds the operator and the scope of each call: see spool_gpu.h.
 *
 * The rule is torch's: a call belongs to the range that is innermost on its thread when the call begins. Operators
 * take precedence over scopes, because torch links kernels to operators. A call outside of operators belongs to its
 * scope. */
#include "writer/spool/spool_gpu.h"

/* An open range, with the ids of the innermost operator and the innermost scope around its calls. */
struct open_range {
    int64_t end_ns, operator_id, scope_id;
    uint32_t scope;
};

static uint32_t add_scope_of_range(struct tp_spool_conversion *c, const struct tp_spool_range *range, uint32_t parent)
{
    char name[32];
    struct tp_gpu_scope *scope = tp_vec_push(&c->gpu->scopes);
    scope->name = tp_spool_trace_name(c, range->record);
    if (range->record->kind == TP_SPOOL_STEP) {
        int n = snprintf(name, sizeof name, "ProfilerStep#%u", range->record->name);
        scope->name = (struct tp_str){tp_arena_copy(c->arena, name, (size_t)n), (size_t)n};
    }
    scope->external_id = range->external_id;
    scope->parent = parent;
    return (uint32_t)(c->gpu->scopes.count - 1);
}

static void push_range_on_stack(struct tp_spool_conversion *c, struct tp_vec *stack, const struct tp_spool_range *range)
{
    struct open_range fresh = {.end_ns = range->start_ns + range->dur_ns};
    if (stack->count) {
        struct open_range below = *TP_AT(stack, struct open_range, stack->count - 1);
        below.end_ns = fresh.end_ns;
        fresh = below;
    }
    if (range->record->kind == TP_SPOOL_OPERATOR) {
        fresh.operator_id = range->external_id;
    } else if (range->record->kind != TP_SPOOL_MODULE) {
        fresh.scope = add_scope_of_range(c, range, fresh.scope);
        fresh.scope_id = range->external_id;
    }
    *(struct open_range *)tp_vec_push(stack) = fresh;
}

static void close_ended_ranges(struct tp_vec *stack, int64_t now_ns)
{
    while (stack->count && TP_AT(stack, struct open_range, stack->count - 1)->end_ns <= now_ns)
        stack->count--;
}

/* Returns the index of the first call of a thread that begins at `ns` or later. */
static size_t first_call_at_or_after(const struct tp_spool_gpu *gpu, uint64_t tid, int64_t ns)
{
    size_t low = 0, high = gpu->calls.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct tp_gpu_call *call = TP_AT(&gpu->calls, struct tp_gpu_call, middle);
        if (call->tid < tid || (call->tid == tid && call->start_ns < ns))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void tp_spool_gpu_link(struct tp_spool_conversion *c, uint64_t tid)
{
    struct tp_spool_gpu *gpu = c->gpu;
    struct tp_vec stack = TP_VEC(c->arena, struct open_range);
    if (!gpu || !c->ranges.count)
        return;
    size_t next = 0,
           i = first_call_at_or_after(gpu, tid, TP_AT(&c->ranges, struct tp_spool_range, 0)->start_ns + c->base_ns);
    for (; i < gpu->calls.count && gpu->steps_left; i++, gpu->steps_left--) {
        struct tp_gpu_call *call = TP_AT(&gpu->calls, struct tp_gpu_call, i);
        int64_t now_ns = call->start_ns - c->base_ns;
        if (call->tid != tid)
            break;
        for (; next < c->ranges.count; next++) {
            const struct tp_spool_range *range = TP_AT(&c->ranges, struct tp_spool_range, next);
            if (range->start_ns > now_ns)
                break;
            close_ended_ranges(&stack, range->start_ns);
            /* a range that has ended or crosses other ranges contains neither this call nor a later one */
            if (range->start_ns + range->dur_ns > now_ns && !range->is_crossing)
                push_range_on_stack(c, &stack, range);
        }
        close_ended_ranges(&stack, now_ns);
        const struct open_range *top = stack.count ? TP_AT(&stack, struct open_range, stack.count - 1) : NULL;
        if (top) {
            call->external_id = top->operator_id ? top->operator_id : top->scope_id;
            call->scope = top->scope;
        }
    }
}
