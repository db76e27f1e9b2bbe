/* Implements stream_operations.h. */
#include "webreport/measure/streams/stream_operations.h"

#include "writer/base/limits.h"

static enum tp_launched_kind kind_of(const struct tp_model *model, uint32_t k, const struct tp_event *e,
                                     const struct tp_event *call)
{
    if (model->marks[call->name] & TP_MARK_GRAPH_LAUNCH)
        return model->launches.first_device_operation[model->devices.launch[k]] == k ? TP_LAUNCHED_GRAPH
                                                                                     : TP_LAUNCHED_GRAPH_REST;
    return e->kind == TP_KIND_KERNEL   ? TP_LAUNCHED_KERNEL
           : e->kind == TP_KIND_MEMCPY ? TP_LAUNCHED_COPY
                                       : TP_LAUNCHED_MEMSET;
}

struct tp_stream_operation tp_stream_operation_get(const struct tp_stream_list *list, uint32_t operation)
{
    const struct tp_model *model = list->model;
    const struct tp_event *e = tp_device_event(model, operation), *call = tp_launch_of_device(model, operation);
    struct tp_stream_operation times = {.start_ns = e->ts_ns, .end_ns = tp_event_end(e)};
    if (!call)
        return times;
    times.call_ns = call->ts_ns;
    times.call_end_ns = tp_event_end(call);
    times.kind = (uint8_t)kind_of(model, operation, e, call);
    return times;
}

bool tp_stream_list_build(struct tp_stream_list *list, const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_device_streams found;
    uint32_t operations = model->devices.count;
    *list = (struct tp_stream_list){0};
    if (!tp_device_streams_find(&found, model, TP_MAX_STREAM_ROWS, arena))
        return false;
    *list = (struct tp_stream_list){.streams = tp_arena_array(arena, found.count, sizeof *list->streams),
                                    .count = found.count,
                                    .operations = tp_arena_array(arena, operations, sizeof *list->operations),
                                    .operation_count = operations,
                                    .model = model};
    uint32_t *next = tp_arena_array(arena, found.count, sizeof *next);
    for (uint32_t k = 0; k < operations; k++)
        list->streams[found.stream_of[k]].count++;
    for (uint32_t s = 0, first = 0; s < found.count; first += list->streams[s++].count) {
        list->streams[s].id = found.items[s];
        list->streams[s].operations = list->operations + first;
        next[s] = first;
    }
    for (uint32_t k = 0; k < operations; k++)
        list->operations[next[found.stream_of[k]]++] = k;
    tp_arena_free_item(arena, found.stream_of, operations * sizeof *found.stream_of);
    return true;
}

void tp_stream_list_release(struct tp_stream_list *list, struct tp_arena *arena)
{
    tp_arena_free_item(arena, list->operations, list->operation_count * sizeof *list->operations);
    list->operations = NULL;
}
