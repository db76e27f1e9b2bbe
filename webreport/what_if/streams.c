/* Numbers the streams of all devices, and lists the operations of each stream in the order of their launches. */
#include "webreport/what_if/streams.h"

#include "webreport/model/device_streams.h"
#include "writer/base/limits.h"

int64_t tp_graph_correlation(const struct tp_graph_build *build, uint32_t launch)
{
    const struct tp_event *call = tp_launch_event(build->model, launch);
    return call->detail == TP_NO_ID ? TP_NULL_INT : build->model->trace->launches[call->detail].correlation;
}

const struct tp_sync_record *tp_graph_sync_of(const struct tp_graph_build *build, int64_t correlation)
{
    uint32_t sync = tp_id_map_get(&build->syncs, (uint64_t)correlation);
    return sync == TP_NO_ID ? NULL : &build->model->trace->syncs[sync];
}

static void index_sync_records(struct tp_graph_build *build)
{
    const struct tp_trace *trace = build->model->trace;
    tp_id_map_init(&build->syncs, build->arena);
    for (uint32_t i = 0; i < trace->sync_count; i++)
        *tp_id_map_find_or_add(&build->syncs, (uint64_t)trace->syncs[i].correlation) = i;
}

/* Lists the operations with a launch, by stream in order of (start of the call, position of the call, operation). */
static void list_launched_operations(struct tp_graph_build *build)
{
    const struct tp_model *model = build->model;
    uint32_t count = 0, *lists = tp_arena_array(build->arena, model->devices.count, sizeof *lists);
    struct tp_keyed *keys = tp_arena_array(build->arena, model->devices.count, sizeof *keys);
    for (uint32_t k = 0; k < model->devices.count; k++)
        if (model->devices.launch[k] != TP_NO_ID) {
            uint32_t call = model->launches.event[model->devices.launch[k]];
            keys[count++] = (struct tp_keyed){model->trace->events[call].ts_ns, call, k};
            build->streams[build->stream_of[k]].launched_count++;
        }
    tp_sort_keyed(keys, count, build->arena);
    for (uint32_t s = 0; s < build->stream_count; s++) {
        build->streams[s].launched = lists;
        lists += build->streams[s].launched_count;
        build->streams[s].launched_count = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct tp_graph_stream *stream = &build->streams[build->stream_of[keys[i].item]];
        stream->launched[stream->launched_count++] = keys[i].item;
    }
    tp_arena_free_item(build->arena, keys, model->devices.count * sizeof *keys);
}

bool tp_graph_find_streams(struct tp_graph_build *build)
{
    struct tp_device_streams streams;
    index_sync_records(build);
    bool is_complete = tp_device_streams_find(&streams, build->model, TP_MAX_REPLAY_STREAMS, build->arena);
    build->stream_of = streams.stream_of;
    build->stream_count = streams.count;
    build->streams = tp_arena_array(build->arena, streams.count, sizeof *build->streams);
    for (uint32_t s = 0; s < streams.count; s++)
        build->streams[s] = (struct tp_graph_stream){.gpu = streams.items[s].gpu, .number = streams.items[s].number};
    if (is_complete)
        list_launched_operations(build);
    return is_complete;
}

uint32_t tp_graph_find_stream(const struct tp_graph_build *build, int64_t device, int64_t stream)
{
    uint32_t lo = 0, hi = build->stream_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        const struct tp_graph_stream *x = &build->streams[mid];
        int64_t id = build->model->gpus[x->gpu].id;
        if (id == device && x->number == stream)
            return mid;
        if (id < device || (id == device && x->number < stream))
            lo = mid + 1;
        else
            hi = mid;
    }
    return TP_NO_ID;
}

uint32_t tp_graph_launched_before(const struct tp_graph_build *build, const struct tp_graph_stream *stream, int64_t at)
{
    uint32_t lo = 0, hi = stream->launched_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (tp_graph_launch_event(build, stream->launched[mid])->ts_ns < at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}
