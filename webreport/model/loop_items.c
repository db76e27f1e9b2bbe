/* Collects the outermost work of the main thread: see loop_items.h. */
#include "webreport/model/loop_items.h"

#include "webreport/model/numbers.h"
#include "writer/base/sort.h"

/* Returns true if an annotation is a range that the user named. It must not be a region of torch, the profiler's span,
 * a collective or a step. */
static bool is_user_range(const struct tp_model *model, const struct tp_event *e)
{
    return e->kind == TP_KIND_ANNOTATION &&
           !(model->marks[e->name] & (TP_MARK_REGION | TP_MARK_PROFILER_SPAN | TP_MARK_HOST_COMM | TP_MARK_STEP));
}

static bool is_loop_item(const struct tp_model *model, const struct tp_event *e, bool has_ranges)
{
    if (e->flags & TP_EVENT_UNFINISHED)
        return false;
    if (e->kind == TP_KIND_MODULE || e->kind == TP_KIND_OPERATOR)
        return true;
    return (e->kind == TP_KIND_ANNOTATION && model->marks[e->name] & TP_MARK_LOADER) ||
           (has_ranges && is_user_range(model, e));
}

static bool is_backward(const struct tp_model *model, const struct tp_event *e)
{
    return e->kind == TP_KIND_OPERATOR && model->marks[e->name] & TP_MARK_BACKWARD_NODE &&
           !(e->flags & TP_EVENT_UNFINISHED);
}

/* Adds the outermost items of a thread to `found`. On threads other than the main thread, only backward nodes are
 * items. */
static void collect_thread(const struct tp_model *model, uint32_t thread, bool has_ranges, struct tp_vec *found)
{
    const struct tp_order *order = model->order;
    int64_t end_ns = INT64_MIN;
    for (uint32_t i = order->thread_first[thread]; i < order->thread_first[thread + 1]; i++) {
        const struct tp_event *e = &model->trace->events[order->host[i]];
        bool is_wanted = thread == model->host_main ? is_loop_item(model, e, has_ranges) : is_backward(model, e);
        if (!is_wanted || e->ts_ns < end_ns)
            continue;
        *(struct tp_keyed *)tp_vec_push(found) = (struct tp_keyed){e->ts_ns, (uint32_t)found->count, order->host[i]};
        end_ns = tp_event_end(e);
    }
}

/* Makes items from events that are sorted by start. Consecutive backward nodes become one backward pass. */
static struct tp_loop_items make_items(const struct tp_model *model, const struct tp_vec *found, struct tp_arena *arena)
{
    struct tp_loop_items out = {tp_arena_array(arena, found->count, sizeof *out.items), 0};
    uint32_t backward = tp_loop_backward_name(model);
    for (size_t i = 0; i < found->count; i++) {
        uint32_t event = TP_AT(found, struct tp_keyed, i)->item;
        const struct tp_event *e = &model->trace->events[event];
        bool is_node = is_backward(model, e);
        struct tp_loop_item *last = out.count ? &out.items[out.count - 1] : NULL;
        if (is_node && last && last->name == backward)
            last->end_ns = tp_ns_max(last->end_ns, tp_event_end(e));
        else
            out.items[out.count++] =
                (struct tp_loop_item){e->ts_ns, tp_event_end(e), is_node ? backward : e->name, event};
    }
    return out;
}

struct tp_loop_items tp_loop_items_collect(const struct tp_model *model, bool has_ranges, struct tp_arena *arena)
{
    struct tp_vec found = TP_VEC(arena, struct tp_keyed);
    collect_thread(model, model->host_main, has_ranges, &found);
    for (uint32_t t = 0; t < model->trace->thread_count; t++)
        if (t != model->host_main)
            collect_thread(model, t, has_ranges, &found);
    tp_sort_keyed(found.data, found.count, arena);
    return make_items(model, &found, arena);
}
