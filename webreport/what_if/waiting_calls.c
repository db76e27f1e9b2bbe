/* Finds the calls that wait for a device, and the operations for which each of them waits: the last operation that was
 * launched before the call, on each stream that the call waits for. */
#include "webreport/what_if/graph_stages.h"
#include "webreport/what_if/streams.h"
#include "writer/base/saturate.h"
#include "writer/base/stats.h"

/* Clocks of host and device may differ by this time, ns. */
enum { SKEW_NS = 1000 };

/* State while the calls are visited in order of (start, position in the file). */
struct sweep {
    struct tp_graph_build *build;
    uint32_t *last;                     /* for each stream: number of operations launched so far */
    uint32_t *last_on_thread;           /* for each thread: operation that it launched last; TP_NO_ID: none */
    uint32_t *used_streams, used_count; /* streams with a launched operation, in the order of their first launch */
    struct tp_id_map records;           /* correlation of a call that records an event: index in the model's launches */
    struct tp_vec found;                /* operations for which the current call waits; elements: uint32_t */
    bool is_inferred;
};

static int64_t end_of(const struct sweep *sweep, uint32_t device)
{
    return tp_event_end(tp_device_event(sweep->build->model, device));
}

static void add_found(struct sweep *sweep, uint32_t device)
{
    if (device != TP_NO_ID)
        *(uint32_t *)tp_vec_push(&sweep->found) = device;
}

static uint32_t last_of_stream(const struct sweep *sweep, uint32_t stream)
{
    return stream == TP_NO_ID || !sweep->last[stream] ? TP_NO_ID
                                                      : sweep->build->streams[stream].launched[sweep->last[stream] - 1];
}

/* Returns whether operation x ends later than y, or at the same time with a later position in the file. */
static bool ends_later(const struct sweep *sweep, uint32_t x, uint32_t y)
{
    int64_t a = end_of(sweep, x), b = end_of(sweep, y);
    const uint32_t *events = sweep->build->model->devices.event;
    return a > b || (a == b && events[x] > events[y]);
}

/* A copy call that returns after its own copy has waited for the copy. */
static bool find_own_copy(struct sweep *sweep, uint32_t launch, const struct tp_event *call)
{
    const struct tp_model *model = sweep->build->model;
    uint32_t last = model->launches.first_device_operation[launch];
    for (uint32_t k = last; k != TP_NO_ID; k = model->devices.next_in_launch[k])
        last = ends_later(sweep, k, last) ? k : last;
    sweep->is_inferred = false;
    add_found(sweep, last);
    return end_of(sweep, last) <= tp_event_end(call) && end_of(sweep, last) > call->ts_ns;
}

/* A call that frees memory waits for the operations that ended inside of it. */
static bool find_freed(struct sweep *sweep, const struct tp_event *call)
{
    sweep->is_inferred = true;
    for (uint32_t i = 0; i < sweep->used_count; i++) {
        uint32_t k = last_of_stream(sweep, sweep->used_streams[i]);
        if (end_of(sweep, k) > call->ts_ns && end_of(sweep, k) <= tp_event_end(call))
            add_found(sweep, k);
    }
    return sweep->found.count > 0;
}

/* Finds the operation that a wait for a CUDA event waits for. If the trace says which call recorded the event, this is
 * the last operation that was launched before that call; otherwise the one that ended last before the wait ended. */
static void find_before_event(struct sweep *sweep, const struct tp_event *call, const struct tp_sync_record *sync)
{
    const struct tp_graph_build *build = sweep->build;
    uint32_t record = sync ? tp_id_map_get(&sweep->records, (uint64_t)sync->event_record) : TP_NO_ID;
    sweep->is_inferred = record == TP_NO_ID || sync->event_stream == TP_NULL_INT;
    if (!sweep->is_inferred) {
        uint32_t stream = tp_graph_find_stream(build, sync->device, sync->event_stream);
        int64_t at = tp_launch_event(build->model, record)->ts_ns;
        uint32_t count = stream == TP_NO_ID ? 0 : tp_graph_launched_before(build, &build->streams[stream], at);
        add_found(sweep, count ? build->streams[stream].launched[count - 1] : TP_NO_ID);
        return;
    }
    uint32_t best = TP_NO_ID;
    for (uint32_t i = 0; i < sweep->used_count; i++) {
        uint32_t k = last_of_stream(sweep, sweep->used_streams[i]);
        int64_t distance = tp_sat_sub(tp_event_end(call), end_of(sweep, k));
        if (distance >= 0 && distance <= TP_LATENCY_CAP_NS && (best == TP_NO_ID || ends_later(sweep, k, best)))
            best = k;
    }
    add_found(sweep, best);
}

/* Finds the operations for which a call waits. Returns false if the call does not wait. */
static bool find_operations(struct sweep *sweep, uint32_t launch, const struct tp_event *call)
{
    const struct tp_graph_build *build = sweep->build;
    const struct tp_model *model = build->model;
    struct tp_str name = tp_trace_event_name(model->trace, call);
    uint64_t marks = model->marks[call->name];
    bool has_operations = model->launches.first_device_operation[launch] != TP_NO_ID;
    if (has_operations && marks & TP_MARK_DEVICE_CALL && tp_str_find(name, "Memcpy") >= 0)
        return find_own_copy(sweep, launch, call);
    if (marks & TP_MARK_FREEING)
        return find_freed(sweep, call);
    if (!(marks & TP_MARK_SYNC))
        return false;
    const struct tp_sync_record *sync = tp_graph_sync_of(build, tp_graph_correlation(build, launch));
    uint32_t mine = sweep->last_on_thread[call->thread];
    sweep->is_inferred = false;
    if (tp_str_find(name, "Event") >= 0) {
        find_before_event(sweep, call, sync);
    } else if (tp_str_find(name, "Stream") >= 0) {
        sweep->is_inferred = !sync || sync->stream == TP_NULL_INT;
        uint32_t stream = sweep->is_inferred ? mine == TP_NO_ID ? TP_NO_ID : build->stream_of[mine]
                                             : tp_graph_find_stream(build, sync->device, sync->stream);
        add_found(sweep, last_of_stream(sweep, stream));
    } else {
        uint32_t gpu = mine == TP_NO_ID ? model->main_gpu : model->devices.gpu[mine];
        for (uint32_t s = 0; s < build->stream_count; s++)
            if (build->streams[s].gpu == gpu)
                add_found(sweep, last_of_stream(sweep, s));
    }
    return true;
}

/* Stores the call as one that waits. Operations that end after the call are not what it waited for. */
static void add_waiting_call(struct sweep *sweep, uint32_t launch, const struct tp_event *call)
{
    struct tp_graph_build *build = sweep->build;
    struct tp_waiting_call wait = {launch, (uint32_t)build->waited_operations.count, 0, sweep->is_inferred, false};
    for (size_t i = 0; i < sweep->found.count; i++) {
        uint32_t k = *TP_AT(&sweep->found, uint32_t, i);
        int64_t end = end_of(sweep, k);
        wait.is_blocked |= end > call->ts_ns && end <= tp_sat_add(tp_event_end(call), SKEW_NS);
        if (end <= tp_event_end(call)) {
            *(uint32_t *)tp_vec_push(&build->waited_operations) = k;
            wait.count++;
        }
    }
    build->waiting_of[launch] = (uint32_t)build->waiting.count;
    *(struct tp_waiting_call *)tp_vec_push(&build->waiting) = wait;
}

/* Counts the operations that were launched before the call. */
static void advance_launches(struct sweep *sweep, const struct tp_keyed *launched, uint32_t count, uint32_t *at,
                             int64_t before)
{
    const struct tp_graph_build *build = sweep->build;
    for (; *at < count && launched[*at].key < before; (*at)++) {
        uint32_t k = launched[*at].item, stream = build->stream_of[k];
        if (!sweep->last[stream]++)
            sweep->used_streams[sweep->used_count++] = stream;
        sweep->last_on_thread[tp_graph_launch_event(build, k)->thread] = k;
    }
}

/* Returns launched operations (or, if `calls`, all calls) by (start of the call, position of the call). */
static struct tp_keyed *sort_by_call(const struct tp_graph_build *build, bool calls, uint32_t *count)
{
    const struct tp_model *model = build->model;
    uint32_t total = calls ? model->launches.count : model->devices.count;
    struct tp_keyed *keys = tp_arena_array(build->arena, total, sizeof *keys);
    *count = 0;
    for (uint32_t i = 0; i < total; i++) {
        uint32_t launch = calls ? i : model->devices.launch[i];
        if (launch == TP_NO_ID)
            continue;
        uint32_t event = model->launches.event[launch];
        keys[(*count)++] = (struct tp_keyed){model->trace->events[event].ts_ns, event, i};
    }
    tp_sort_keyed(keys, *count, build->arena);
    return keys;
}

static void add_typical_own_costs(struct tp_graph_build *build)
{
    const struct tp_model *model = build->model;
    struct tp_vec own = TP_VEC(build->arena, struct tp_keyed);
    for (size_t i = 0; i < build->waiting.count; i++) {
        const struct tp_waiting_call *wait = TP_AT(&build->waiting, struct tp_waiting_call, i);
        const struct tp_event *call = tp_launch_event(model, wait->launch);
        if (!wait->is_blocked)
            *(struct tp_keyed *)tp_vec_push(&own) = (struct tp_keyed){call->name, 0, wait->launch};
    }
    tp_sort_keyed(own.data, own.count, build->arena);
    tp_id_map_init(&build->own_costs, build->arena);
    int64_t *lengths = tp_arena_array(build->arena, own.count, sizeof *lengths);
    for (size_t i = 0, end; i < own.count; i = end) {
        uint32_t name = (uint32_t)TP_AT(&own, struct tp_keyed, i)->key;
        for (end = i; end < own.count && TP_AT(&own, struct tp_keyed, end)->key == name; end++)
            lengths[end - i] = tp_launch_event(model, TP_AT(&own, struct tp_keyed, end)->item)->dur_ns;
        *tp_id_map_find_or_add(&build->own_costs, name) = (uint32_t)build->typicals.count;
        *(struct tp_typical_latency *)tp_vec_push(&build->typicals) = (struct tp_typical_latency){
            "own", tp_strings_get(&model->trace->names, name), tp_lower_median(lengths, end - i)};
    }
}

void tp_graph_find_waiting_calls(struct tp_graph_build *build)
{
    const struct tp_model *model = build->model;
    uint32_t launched_count, call_count, at = 0;
    struct tp_keyed *launched = sort_by_call(build, false, &launched_count);
    struct tp_keyed *calls = sort_by_call(build, true, &call_count);
    struct sweep sweep = {.build = build, .found = TP_VEC(build->arena, uint32_t)};
    build->waiting = TP_VEC(build->arena, struct tp_waiting_call);
    build->waited_operations = TP_VEC(build->arena, uint32_t);
    build->waiting_of = tp_arena_array(build->arena, model->launches.count, sizeof *build->waiting_of);
    memset(build->waiting_of, 0xFF, model->launches.count * sizeof *build->waiting_of);
    sweep.last = tp_arena_array(build->arena, build->stream_count, sizeof *sweep.last);
    sweep.used_streams = tp_arena_array(build->arena, build->stream_count, sizeof *sweep.used_streams);
    sweep.last_on_thread = tp_arena_array(build->arena, model->trace->thread_count, sizeof *sweep.last_on_thread);
    memset(sweep.last_on_thread, 0xFF, model->trace->thread_count * sizeof *sweep.last_on_thread);
    tp_id_map_init(&sweep.records, build->arena);
    for (uint32_t i = 0; i < call_count; i++) {
        uint32_t launch = calls[i].item;
        const struct tp_event *call = tp_launch_event(model, launch);
        advance_launches(&sweep, launched, launched_count, &at, call->ts_ns);
        if (model->marks[call->name] & TP_MARK_EVENT_RECORD)
            *tp_id_map_find_or_add(&sweep.records, (uint64_t)tp_graph_correlation(build, launch)) = launch;
        sweep.found.count = 0;
        if (find_operations(&sweep, launch, call))
            add_waiting_call(&sweep, launch, call);
    }
    add_typical_own_costs(build);
    tp_arena_free_item(build->arena, launched, model->devices.count * sizeof *launched);
    tp_arena_free_item(build->arena, calls, model->launches.count * sizeof *calls);
}
