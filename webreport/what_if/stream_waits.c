/* Finds which operations wait for an operation of another stream, from the calls that make a stream wait for an event.
 * Records of the device (category cuda_sync) name both streams. Without a record, the operations are inferred. */
#include "webreport/what_if/stream_waits.h"

#include "webreport/what_if/streams.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"

struct search {
    struct tp_graph_build *build;
    struct tp_id_map records; /* correlation of a call that records an event: event of the call */
    struct tp_id_map pairs;   /* pairs (target, source) that were already found */
    struct tp_vec found;      /* elements: struct tp_stream_wait */
    uint64_t steps;           /* streams visited so far */
};

static int64_t start_of(const struct search *search, uint32_t k)
{
    return tp_device_event(search->build->model, k)->ts_ns;
}

static int64_t end_of(const struct search *search, uint32_t k)
{
    return tp_event_end(tp_device_event(search->build->model, k));
}

static void add_wait(struct search *search, uint32_t target, uint32_t source, bool is_inferred)
{
    if (end_of(search, source) > start_of(search, target) || source == target) {
        search->build->graph->counts.contradicted_events++;
        return;
    }
    uint32_t *pair = tp_id_map_find_or_add(&search->pairs, tp_id_pair(target, source));
    if (*pair != TP_NO_ID)
        return;
    *pair = 1;
    *(struct tp_stream_wait *)tp_vec_push(&search->found) = (struct tp_stream_wait){target, source, is_inferred};
}

/* The record of the wait names both streams, and the call that recorded the event. */
static void add_recorded_wait(struct search *search, int64_t at, const struct tp_sync_record *sync, uint32_t record)
{
    const struct tp_graph_build *build = search->build;
    uint32_t target = tp_graph_find_stream(build, sync->device, sync->stream);
    uint32_t source = tp_graph_find_stream(build, sync->device, sync->event_stream);
    if (target == TP_NO_ID || source == TP_NO_ID || target == source)
        return;
    int64_t recorded = build->model->trace->events[record].ts_ns;
    uint32_t next = tp_graph_launched_before(build, &build->streams[target], at);
    uint32_t before = tp_graph_launched_before(build, &build->streams[source], recorded);
    if (next < build->streams[target].launched_count && before)
        add_wait(search, build->streams[target].launched[next], build->streams[source].launched[before - 1], false);
}

/* Returns the next operation that a thread launches from the time of its call on; TP_NO_ID: none. */
static uint32_t find_next_launched(const struct search *search, const struct tp_event *call)
{
    const struct tp_graph_build *build = search->build;
    uint32_t best = TP_NO_ID;
    for (uint32_t s = 0; s < build->stream_count; s++) {
        uint32_t next = tp_graph_launched_before(build, &build->streams[s], call->ts_ns);
        if (next == build->streams[s].launched_count)
            continue;
        uint32_t k = build->streams[s].launched[next];
        const struct tp_event *launch = tp_graph_launch_event(build, k);
        const struct tp_event *earliest = best == TP_NO_ID ? NULL : tp_graph_launch_event(build, best);
        if (launch->thread == call->thread &&
            (!earliest || launch->ts_ns < earliest->ts_ns || (launch->ts_ns == earliest->ts_ns && launch < earliest)))
            best = k;
    }
    return best;
}

/* Without a record, the next operation that the thread launches waits. It waits for the operation of another stream
 * that ended last, shortly before the waiting operation starts. */
static void infer_wait(struct search *search, const struct tp_event *call)
{
    const struct tp_graph_build *build = search->build;
    search->steps += build->stream_count;
    uint32_t target = search->steps > TP_MAX_REPLAY_STEPS ? TP_NO_ID : find_next_launched(search, call);
    if (target == TP_NO_ID)
        return;
    uint32_t stream = build->stream_of[target], best = TP_NO_ID;
    for (uint32_t s = 0; s < build->stream_count; s++) {
        if (s == stream || build->streams[s].gpu != build->streams[stream].gpu)
            continue;
        uint32_t count = tp_graph_launched_before(build, &build->streams[s], call->ts_ns);
        uint32_t k = count ? build->streams[s].launched[count - 1] : TP_NO_ID;
        int64_t distance = k == TP_NO_ID ? -1 : tp_sat_sub(start_of(search, target), end_of(search, k));
        if (distance >= 0 && distance <= TP_LATENCY_CAP_NS &&
            (best == TP_NO_ID || end_of(search, k) > end_of(search, best) ||
             (end_of(search, k) == end_of(search, best) && k < best)))
            best = k;
    }
    if (best == TP_NO_ID)
        build->graph->counts.unresolved_waits++;
    else
        add_wait(search, target, best, true);
}

/* Returns the calls with one of the marks in order of (start, position in the file); item: launch. */
static struct tp_vec sort_calls(const struct tp_graph_build *build, uint64_t marks)
{
    const struct tp_model *model = build->model;
    struct tp_vec calls = TP_VEC(build->arena, struct tp_keyed);
    for (uint32_t i = 0; i < model->launches.count; i++) {
        const struct tp_event *e = tp_launch_event(model, i);
        if (model->marks[e->name] & marks)
            *(struct tp_keyed *)tp_vec_push(&calls) = (struct tp_keyed){e->ts_ns, model->launches.event[i], i};
    }
    tp_sort_keyed(calls.data, calls.count, build->arena);
    return calls;
}

/* Sorts the waits by target; waits of one target keep their order. */
static void sort_by_target(struct search *search)
{
    size_t count = search->found.count;
    struct tp_stream_wait *waits = search->found.data;
    struct tp_keyed *keys = tp_arena_array(search->build->arena, count, sizeof *keys);
    struct tp_stream_wait *copy = tp_arena_array(search->build->arena, count, sizeof *copy);
    for (size_t i = 0; i < count; i++) {
        keys[i] = (struct tp_keyed){waits[i].target, (uint32_t)i, (uint32_t)i};
        copy[i] = waits[i];
    }
    tp_sort_keyed(keys, count, search->build->arena);
    for (size_t i = 0; i < count; i++)
        waits[i] = copy[keys[i].item];
}

struct tp_vec tp_graph_find_stream_waits(struct tp_graph_build *build)
{
    const struct tp_model *model = build->model;
    struct search search = {.build = build, .found = TP_VEC(build->arena, struct tp_stream_wait)};
    tp_id_map_init(&search.records, build->arena);
    tp_id_map_init(&search.pairs, build->arena);
    struct tp_vec records = sort_calls(build, TP_MARK_EVENT_RECORD), waits = sort_calls(build, TP_MARK_STREAM_WAIT);
    for (size_t i = 0; i < records.count; i++) {
        uint32_t launch = TP_AT(&records, struct tp_keyed, i)->item;
        *tp_id_map_find_or_add(&search.records, (uint64_t)tp_graph_correlation(build, launch)) =
            model->launches.event[launch];
    }
    for (size_t i = 0; i < waits.count; i++) {
        uint32_t launch = TP_AT(&waits, struct tp_keyed, i)->item;
        const struct tp_event *call = tp_launch_event(model, launch);
        const struct tp_sync_record *sync = tp_graph_sync_of(build, tp_graph_correlation(build, launch));
        uint32_t record = sync ? tp_id_map_get(&search.records, (uint64_t)sync->event_record) : TP_NO_ID;
        if (sync && sync->orders_streams && record != TP_NO_ID)
            add_recorded_wait(&search, call->ts_ns, sync, record);
        else if (!sync)
            infer_wait(&search, call);
    }
    sort_by_target(&search);
    return search.found;
}
