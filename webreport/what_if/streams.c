/* Numbers the streams of all devices, and lists the operations of each stream in the order of their launches. */
#include "webreport/what_if/streams.h"

#include "writer/base/keys.h"
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

static int compare_streams(const void *x, const void *y, const void *context)
{
    const struct tp_graph_stream *a = x, *b = y;
    (void)context;
    if (a->gpu != b->gpu)
        return a->gpu < b->gpu ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Sets the stream of each operation, numbered in order of appearance. Returns false if there are too many streams. */
static bool number_streams(struct tp_graph_build *build, struct tp_vec *streams)
{
    const struct tp_model *model = build->model;
    struct tp_keys keys;
    tp_keys_init(&keys, build->arena, 3);
    for (uint32_t k = 0; k < model->devices.count; k++) {
        int64_t number = tp_stream_number(model, tp_device_event(model, k));
        const uint32_t key[] = {model->devices.gpu[k], (uint32_t)((uint64_t)number >> 32), (uint32_t)number};
        uint32_t stream = build->stream_of[k] = tp_keys_add(&keys, key);
        if (stream == streams->count)
            *(struct tp_graph_stream *)tp_vec_push(streams) = (struct tp_graph_stream){key[0], number, NULL, stream};
        if (streams->count > TP_MAX_REPLAY_STREAMS)
            return false;
    }
    tp_keys_release(&keys);
    return true;
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
    struct tp_vec streams = TP_VEC(build->arena, struct tp_graph_stream);
    index_sync_records(build);
    build->stream_of = tp_arena_array(build->arena, build->model->devices.count, sizeof *build->stream_of);
    if (!number_streams(build, &streams))
        return false;
    build->streams = streams.data;
    build->stream_count = (uint32_t)streams.count;
    tp_merge_sort(build->arena, build->streams, build->stream_count, sizeof *build->streams, compare_streams, NULL);
    uint32_t *rank = tp_arena_array(build->arena, build->stream_count, sizeof *rank);
    for (uint32_t s = 0; s < build->stream_count; s++) { /* launched_count still has the number by appearance */
        rank[build->streams[s].launched_count] = s;
        build->streams[s].launched_count = 0;
    }
    for (uint32_t k = 0; k < build->model->devices.count; k++)
        build->stream_of[k] = rank[build->stream_of[k]];
    list_launched_operations(build);
    return true;
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
