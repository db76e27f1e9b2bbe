/* Links by correlation: see host_links.h. The calls of one correlation are kept in key order, so that "the latest that
 * does not start after the operation" is a binary search. */
#include "webreport/model/host_links.h"

#include "webreport/model/host_tree.h"
#include "writer/base/id_map.h"
#include "writer/base/sort.h"

enum { AHEAD = 12 }; /* operations are read in order of time, which is not that of the file */

struct record {
    int64_t correlation;
    uint32_t call;
};

static int by_key(const void *x, const void *y, const void *context)
{
    const struct tp_host *host = context;
    const struct record *a = x, *b = y;
    if (a->correlation != b->correlation)
        return a->correlation < b->correlation ? -1 : 1;
    return tp_event_compare(tp_call_event(host, &host->calls[a->call]), tp_call_event(host, &host->calls[b->call]));
}

static struct tp_vec collect_records(struct tp_host *host)
{
    struct tp_vec records = TP_VEC(host->arena, struct record);
    for (uint32_t i = 0; i < host->call_count; i++) {
        uint32_t detail = tp_call_event(host, &host->calls[i])->detail;
        int64_t correlation = detail == TP_NO_ID ? 0 : host->trace->launches[detail].correlation;
        if (correlation > 0)
            *(struct record *)tp_vec_push(&records) = (struct record){correlation, i};
    }
    tp_merge_sort(host->arena, records.data, records.count, sizeof(struct record), by_key, host);
    return records;
}

/* First record from `lo` on that is not below (correlation, ts): those before it start at or before ts. */
static size_t first_after(const struct tp_host *host, const struct record *records, size_t count, size_t lo,
                          int64_t correlation, int64_t ts)
{
    size_t hi = count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        const struct record *r = &records[mid];
        bool is_below = r->correlation != correlation ? r->correlation < correlation : host->calls[r->call].ts_ns <= ts;
        if (is_below)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Call that launched an operation: of its correlation the latest that starts not after it, else the first. */
static uint32_t find_call(const struct tp_host *host, const struct tp_vec *records, int64_t correlation, int64_t ts,
                          size_t *guess)
{
    const struct record *r = records->data;
    size_t n = records->count, at = *guess;
    /* neighbours in time usually have neighbouring correlations, one record each */
    for (unsigned tries = 0; tries < 4 && at < n && r[at].correlation < correlation; tries++)
        at++;
    bool is_start = at < n && r[at].correlation == correlation && (at == 0 || r[at - 1].correlation < correlation);
    if (!is_start)
        at = first_after(host, r, n, 0, correlation, INT64_MIN);
    if (at >= n || r[at].correlation != correlation)
        return TP_NO_ID;
    *guess = at;
    if (at + 1 >= n || r[at + 1].correlation != correlation)
        return r[at].call;
    size_t end = first_after(host, r, n, at, correlation, ts);
    return end > at ? r[end - 1].call : r[at].call;
}

static void link_ops(struct tp_host *host, const struct tp_order *order)
{
    struct tp_vec records = collect_records(host);
    host->ops = tp_arena_array(host->arena, order->device_count, sizeof *host->ops);
    size_t guess = 0;
    for (uint32_t i = 0; i < order->device_count; i++) {
        const struct tp_event *e = &host->trace->events[order->device[i]];
        __builtin_prefetch(&host->trace->events[order->device[i + AHEAD < order->device_count ? i + AHEAD : i]]);
        if (!tp_is_device_role(tp_old_role(e)))
            continue;
        struct tp_device_op *op = &host->ops[host->op_count++];
        int64_t correlation = e->detail == TP_NO_ID ? 0 : host->trace->devices[e->detail].correlation;
        op->copy = *e;
        op->event = order->device[i];
        op->call = correlation > 0 ? find_call(host, &records, correlation, e->ts_ns, &guess) : TP_NO_ID;
    }
    if (records.data)
        tp_arena_drop(host->arena, records.data, records.capacity * sizeof(struct record));
    for (uint32_t i = host->op_count; i-- > 0;) { /* backwards: each call's list is in order */
        struct tp_device_op *op = &host->ops[i];
        op->next_of_call = TP_NO_ID;
        if (op->call != TP_NO_ID) {
            op->next_of_call = host->calls[op->call].first_op;
            host->calls[op->call].first_op = i;
        }
    }
}

/* ---- devices and streams ---- */

static int64_t number_or(int64_t value, const struct tp_row_id *row)
{
    return value != TP_NULL_INT ? value : row->is_text ? -1 : row->number;
}

static int64_t device_number(const struct tp_host *host, uint32_t op)
{
    const struct tp_device_detail *d = tp_op_detail(host, op);
    return number_or(d ? d->device : TP_NULL_INT, &host->trace->threads[tp_op_event(host, op)->thread].pid);
}

static int64_t stream_number(const struct tp_host *host, uint32_t op)
{
    const struct tp_device_detail *d = tp_op_detail(host, op);
    return number_or(d ? d->stream : TP_NULL_INT, &host->trace->threads[tp_op_event(host, op)->thread].tid);
}

static int by_number(const void *x, const void *y, const void *context)
{
    const struct tp_host_device *devices = context;
    int64_t a = devices[*(const uint32_t *)x].number, b = devices[*(const uint32_t *)y].number;
    return (a > b) - (a < b);
}

/* Numbers devices in order of appearance, then renumbers them by number. */
static void number_devices(struct tp_host *host)
{
    struct tp_id_map map;
    struct tp_vec found = TP_VEC(host->arena, struct tp_host_device);
    tp_id_map_init(&map, host->arena);
    for (uint32_t i = 0; i < host->op_count; i++) {
        int64_t number = device_number(host, i);
        uint32_t last = i ? host->ops[i - 1].device : TP_NO_ID;
        if (last != TP_NO_ID && TP_AT(&found, struct tp_host_device, last)->number == number) {
            host->ops[i].device = last;
        } else {
            uint32_t *index = tp_id_map_put(&map, (uint64_t)number);
            if (*index == TP_NO_ID) {
                *index = (uint32_t)found.count;
                ((struct tp_host_device *)tp_vec_push(&found))->number = number;
            }
            host->ops[i].device = *index;
        }
        TP_AT(&found, struct tp_host_device, host->ops[i].device)->op_count++;
    }
    uint32_t count = host->device_count = (uint32_t)found.count;
    uint32_t *slots = tp_arena_array(host->arena, count, sizeof *slots);
    uint32_t *renumbered = tp_arena_array(host->arena, count, sizeof *renumbered);
    for (uint32_t i = 0; i < count; i++)
        slots[i] = i;
    tp_merge_sort(host->arena, slots, count, sizeof *slots, by_number, found.data);
    host->devices = tp_arena_array(host->arena, count, sizeof *host->devices);
    for (uint32_t i = 0; i < count; i++) {
        host->devices[i] = *TP_AT(&found, struct tp_host_device, slots[i]);
        renumbered[slots[i]] = i;
    }
    for (uint32_t i = 0; i < host->op_count; i++)
        host->ops[i].device = renumbered[host->ops[i].device];
    tp_id_map_drop(&map);
}

static void number_lanes(struct tp_host *host)
{
    struct tp_id_map streams, lanes;
    uint32_t stream_count = 0;
    tp_id_map_init(&streams, host->arena);
    tp_id_map_init(&lanes, host->arena);
    struct tp_device_op *last = NULL;
    int64_t last_number = 0;
    for (uint32_t i = 0; i < host->op_count; i++) {
        struct tp_device_op *op = &host->ops[i];
        int64_t number = stream_number(host, i);
        if (last && number == last_number && op->device == last->device) {
            op->lane = last->lane;
            continue;
        }
        uint32_t *stream = tp_id_map_put(&streams, (uint64_t)number);
        if (*stream == TP_NO_ID)
            *stream = stream_count++;
        uint32_t *lane = tp_id_map_put(&lanes, tp_id_pair(op->device, *stream));
        if (*lane == TP_NO_ID) {
            *lane = host->lane_count++;
            host->devices[op->device].stream_count++;
        }
        op->lane = *lane;
        last = op;
        last_number = number;
    }
    tp_id_map_drop(&streams);
    tp_id_map_drop(&lanes);
}

static void list_ops(struct tp_host *host)
{
    uint32_t *all = tp_arena_array(host->arena, host->op_count, sizeof *all);
    int64_t *ends = tp_arena_array(host->arena, host->op_count, sizeof *ends);
    for (uint32_t d = 0; d < host->device_count; d++) {
        struct tp_host_device *device = &host->devices[d];
        device->ops = all;
        device->latest_end = ends;
        all += device->op_count;
        ends += device->op_count;
        device->op_count = 0;
    }
    for (uint32_t i = 0; i < host->op_count; i++) {
        struct tp_host_device *device = &host->devices[host->ops[i].device];
        const struct tp_event *e = tp_op_event(host, i);
        if (device->op_count == 0) {
            device->first = e->ts_ns;
            device->last = tp_event_end(e);
        }
        device->last = tp_ns_max(device->last, tp_event_end(e));
        device->latest_end[device->op_count] = device->last;
        device->ops[device->op_count++] = i;
    }
}

/* ---- main threads ---- */

/* Thread with the largest weight; ties: smallest thread. TP_NO_ID when no weight reaches `least`. */
static uint32_t heaviest_thread(const struct tp_trace *trace, const int64_t *weights, int64_t least)
{
    uint32_t best = TP_NO_ID;
    for (uint32_t t = 0; t < trace->thread_count; t++) {
        if (weights[t] < least)
            continue;
        bool is_better = best == TP_NO_ID || weights[t] > weights[best] ||
                         (weights[t] == weights[best] && tp_host_thread_compare(trace, t, best) < 0);
        if (is_better)
            best = t;
    }
    return best;
}

/* The thread that launched most operations of a device. Weights are cleared after use: cost is that of the operations.
 */
static uint32_t main_thread_of(struct tp_host *host, const struct tp_host_device *device, uint32_t *weights)
{
    uint32_t best = TP_NO_ID;
    for (uint32_t i = 0; i < device->op_count; i++) {
        const struct tp_host_call *call = tp_op_call(host, device->ops[i]);
        if (call)
            weights[call->thread]++;
    }
    for (uint32_t i = 0; i < device->op_count; i++) {
        const struct tp_host_call *call = tp_op_call(host, device->ops[i]);
        uint32_t t = call ? call->thread : TP_NO_ID;
        if (t == TP_NO_ID || t == best)
            continue;
        bool is_better = best == TP_NO_ID || weights[t] > weights[best] ||
                         (weights[t] == weights[best] && tp_host_thread_compare(host->trace, t, best) < 0);
        if (is_better)
            best = t;
    }
    for (uint32_t i = 0; i < device->op_count; i++) {
        const struct tp_host_call *call = tp_op_call(host, device->ops[i]);
        if (call)
            weights[call->thread] = 0;
    }
    return best;
}

/* Thread that spends most time in operators and profiler steps. */
static uint32_t busiest_thread(struct tp_host *host)
{
    int64_t *weights = tp_arena_array(host->arena, host->trace->thread_count, sizeof *weights);
    for (uint32_t t = 0; t < host->trace->thread_count; t++) {
        int64_t covered = INT64_MIN, sum = 0;
        uint32_t first = host->thread_first[t], last = host->thread_first[t + 1];
        for (uint32_t i = first; i < last; i++) {
            const struct tp_event *e = tp_host_event(host, host->list[i]);
            bool counts = tp_old_role(e) == TP_KIND_OPERATOR ||
                          (tp_old_role(e) == TP_KIND_ANNOTATION && host->marks[e->name] & TP_NAME_STEP_PREFIX);
            int64_t a = tp_ns_max(e->ts_ns, covered), b = tp_event_end(e);
            if (counts && b > a) {
                sum = tp_ns_plus(sum, tp_ns_minus(b, a));
                covered = b;
            }
        }
        weights[t] = first < last ? sum : -1;
    }
    return heaviest_thread(host->trace, weights, 0);
}

static void find_main_threads(struct tp_host *host)
{
    uint32_t *weights = tp_arena_array(host->arena, host->trace->thread_count, sizeof *weights);
    host->main_device = host->main_thread = TP_NO_ID;
    for (uint32_t d = 0; d < host->device_count; d++) {
        host->devices[d].main_thread = main_thread_of(host, &host->devices[d], weights);
        if (host->main_device == TP_NO_ID || host->devices[d].op_count > host->devices[host->main_device].op_count)
            host->main_device = d;
    }
    if (host->main_device != TP_NO_ID)
        host->main_thread = host->devices[host->main_device].main_thread;
    if (host->main_thread == TP_NO_ID)
        host->main_thread = busiest_thread(host);
}

static enum tp_program program_of(const struct tp_host *host)
{
    if (host->op_count)
        return TP_PROGRAM_GPU;
    if (host->trace->reading.other_device_events)
        return TP_PROGRAM_OTHER_DEVICE;
    for (uint32_t i = 0; i < host->call_count; i++)
        if (host->marks[host->calls[i].name] & TP_NAME_LAUNCHES)
            return TP_PROGRAM_DEVICE_MISSING;
    return host->list_count ? TP_PROGRAM_CPU : TP_PROGRAM_EMPTY;
}

void tp_host_links_build(struct tp_host *host, const struct tp_order *order)
{
    link_ops(host, order);
    number_devices(host);
    number_lanes(host);
    list_ops(host);
    find_main_threads(host);
    host->program = program_of(host);
}

uint32_t tp_device_first_from(const struct tp_host *host, const struct tp_host_device *device, int64_t at)
{
    uint32_t lo = 0, hi = device->op_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (tp_op_event(host, device->ops[mid])->ts_ns < at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}
