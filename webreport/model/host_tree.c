/* One pass per thread over events in key order, with one stack: an event's parent is the innermost one that has not
 * ended. What sticks out of its parent is clipped to it for nesting. Each stack entry carries what the calls below it
 * ask for. */
#include "webreport/model/host_tree.h"

enum { AHEAD = 12 }; /* events are read in order of time, which is not quite that of the file */

struct open_event {
    int64_t nest_end;
    uint32_t event, line, top_op, inner_op, gemm_op;
    uint8_t has_shape_op, has_scalar_op, has_fused, has_fill;
};

static const struct open_event no_event = {INT64_MAX, TP_NO_ID, TP_NO_ID, TP_NO_ID, TP_NO_ID, TP_NO_ID, 0, 0, 0, 0};

static void take_list(struct tp_host *host, const struct tp_order *order)
{
    host->list = order->host;
    host->thread_first = order->thread_first;
    host->list_count = order->host_count;
}

static uint32_t count_calls(const struct tp_host *host)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < host->list_count; i++)
        count += host->trace->events[host->list[i]].kind == TP_KIND_RUNTIME;
    return count;
}

/* What an event adds to what stood above it. */
static struct open_event opened(struct tp_host *host, const struct open_event *above, uint32_t id)
{
    const struct tp_event *e = &host->trace->events[id];
    uint64_t marks = host->marks[e->name];
    struct open_event x = *above;
    x.event = id;
    x.has_fused |= (marks & TP_NAME_FUSED) != 0;
    x.has_fill |= (marks & TP_NAME_FILL_OP) != 0;
    if (tp_old_role(e) == TP_KIND_OPERATOR) {
        x.inner_op = id;
        if (x.top_op == TP_NO_ID)
            x.top_op = id;
        if (marks & TP_NAME_GEMM_OP)
            x.gemm_op = id;
        x.has_shape_op |= (marks & TP_NAME_SHAPE_OP) != 0;
        x.has_scalar_op |= (marks & TP_NAME_SCALAR_OP) != 0;
    } else if (tp_old_role(e) == TP_KIND_FRAME) {
        uint32_t line = tp_host_frames_line(&host->frames, e->name);
        if (line != TP_NO_ID)
            x.line = line;
    }
    return x;
}

static void add_call(struct tp_host *host, const struct tp_event *e, const struct open_event *x)
{
    host->calls[host->call_count++] = (struct tp_host_call){
        .ts_ns = e->ts_ns,
        .dur_ns = e->dur_ns,
        .name = e->name,
        .thread = e->thread,
        .event = x->event,
        .line = x->line,
        .top_op = x->top_op,
        .inner_op = x->inner_op,
        .gemm_op = x->gemm_op,
        .first_op = TP_NO_ID,
        .has_shape_op = x->has_shape_op,
        .has_scalar_op = x->has_scalar_op,
        .has_fused = x->has_fused,
        .has_fill = x->has_fill,
    };
}

/* Events that single regions bear: the rules ask for them again and again. */
static bool is_region(const struct tp_host *host, const struct tp_event *e)
{
    return (tp_old_role(e) == TP_KIND_ANNOTATION || tp_old_role(e) == TP_KIND_OPERATOR) &&
           host->marks[e->name] & TP_NAME_REGION;
}

static void build_thread(struct tp_host *host, uint32_t thread, struct tp_vec *stack, struct tp_vec *marked)
{
    stack->count = 0;
    for (uint32_t i = host->thread_first[thread]; i < host->thread_first[thread + 1]; i++) {
        uint32_t id = host->list[i];
        const struct tp_event *e = &host->trace->events[id];
        __builtin_prefetch(&host->trace->events[host->list[i + AHEAD < host->list_count ? i + AHEAD : i]]);
        while (stack->count && e->ts_ns >= TP_AT(stack, struct open_event, stack->count - 1)->nest_end)
            stack->count--;
        const struct open_event *above = &no_event;
        if (stack->count)
            above = TP_AT(stack, struct open_event, stack->count - 1);
        struct open_event x = opened(host, above, id);
        x.nest_end = tp_event_end(e);
        if (x.nest_end > above->nest_end) {
            x.nest_end = above->nest_end;
            host->bad_nesting++;
        }
        host->parent[id] = above->event;
        if (tp_old_role(e) == TP_KIND_RUNTIME)
            add_call(host, e, &x);
        else if (is_region(host, e))
            *(uint32_t *)tp_vec_push(marked) = id;
        *(struct open_event *)tp_vec_push(stack) = x;
    }
}

void tp_host_tree_build(struct tp_host *host, const struct tp_order *order)
{
    uint32_t threads = host->trace->thread_count;
    take_list(host, order);
    host->parent = tp_arena_array(host->arena, host->trace->event_count, sizeof *host->parent);
    host->calls = tp_arena_array(host->arena, count_calls(host), sizeof *host->calls);
    host->thread_calls = tp_arena_array(host->arena, (size_t)threads + 1, sizeof *host->thread_calls);
    struct tp_vec stack = TP_VEC(host->arena, struct open_event), marked = TP_VEC(host->arena, uint32_t);
    for (uint32_t t = 0; t < threads; t++) {
        host->thread_calls[t] = host->call_count;
        build_thread(host, t, &stack, &marked);
    }
    host->thread_calls[threads] = host->call_count;
    host->marked = marked.data;
    host->marked_count = (uint32_t)marked.count;
}
