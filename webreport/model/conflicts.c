/* Counts conflicts between events: see conflicts.h. One loop visits all events. Further loops visit only device
 * operations, host events and links. */
#include "webreport/model/conflicts.h"

#include "webreport/model/conflicts_parts.h"

#include "writer/base/sort.h"

/* ---- maps from correlations to calls, and from operator ids to threads ---- */

enum { LARGEST_SPREAD = 256, LEAST_ROOM = 512 };

enum { NOTHING = 0, SEVERAL = UINT32_MAX };

/* A map from each number in a range to one event or one thread. */
struct places {
    /* First and last number of the range. In an empty map, first > last. The map is also empty if the numbers are too
     * far apart for an array. */
    int64_t first, last;
    uint32_t *place; /* indexed by (number - first): 1 + index of the event or thread, NOTHING or SEVERAL */
};

static void widen_range_of_numbers(struct places *places, int64_t number)
{
    if (number <= 0) /* this test also rejects TP_NULL_INT, which is negative */
        return;
    places->first = number < places->first ? number : places->first;
    places->last = number > places->last ? number : places->last;
}

/* Allocates the entries of a map, one for each number of the range. Leaves the map empty if the range is too large.
 * count: number of events or threads that will be added. */
static void allocate_number_map(struct places *places, uint64_t count, struct tp_arena *arena)
{
    bool is_empty = places->first > places->last;
    if (is_empty || (uint64_t)(places->last - places->first) / LARGEST_SPREAD > count + LEAST_ROOM)
        *places = (struct places){.first = 0, .last = -1};
    else
        places->place = tp_arena_array(arena, (size_t)(places->last - places->first) + 1, sizeof *places->place);
}

static uint32_t *find_entry_of_number(const struct places *places, int64_t number)
{
    return number >= places->first && number <= places->last ? &places->place[number - places->first] : NULL;
}

static void set_index_of_number(const struct places *places, int64_t number, uint32_t index)
{
    uint32_t *place = find_entry_of_number(places, number);
    if (place)
        *place = *place == NOTHING ? index + 1 : SEVERAL;
}

static struct places index_calls(const struct tp_trace *trace, struct tp_arena *arena)
{
    struct places calls = {.first = INT64_MAX, .last = INT64_MIN};
    for (uint32_t i = 0; i < trace->launch_count; i++)
        widen_range_of_numbers(&calls, trace->launches[i].correlation);
    allocate_number_map(&calls, trace->launch_count, arena);
    return calls;
}

/* Makes an empty map from ids of operators to threads. If the file has no runtime calls, the map has no entries,
 * because only ids of calls are looked up. */
static struct places index_operators(const struct tp_trace *trace, struct tp_arena *arena)
{
    struct places operators = {.first = INT64_MAX, .last = INT64_MIN};
    for (uint32_t i = 0; trace->launch_count && i < trace->host_count; i++)
        widen_range_of_numbers(&operators, trace->hosts[i].external_id);
    allocate_number_map(&operators, trace->host_count, arena);
    return operators;
}

/* ---- ends of links between forward and backward operators ---- */

/* A set of pairs (thread, start time), implemented as a hash table with open addressing. */
struct ends {
    struct end {
        int64_t ts_ns;
        uint32_t thread;
        bool is_used, is_found;
    } * slots;
    size_t mask; /* number of slots minus 1; slots is NULL if the set is empty */
    uint64_t count, found;
};

static struct end *find_hash_slot_of_end(const struct ends *ends, uint32_t thread, int64_t ts_ns)
{
    size_t at = tp_hash_mix((uint64_t)ts_ns ^ UINT64_C(0x9E3779B97F4A7C15), thread + UINT64_C(0xE7037ED1A0B428DB));
    for (at &= ends->mask; ends->slots[at].is_used; at = (at + 1) & ends->mask)
        if (ends->slots[at].ts_ns == ts_ns && ends->slots[at].thread == thread)
            break;
    return &ends->slots[at];
}

static struct ends collect_ends(const struct tp_trace *trace, struct tp_arena *arena)
{
    struct ends ends = {0};
    size_t size = 16;
    if (!trace->flow_count)
        return ends;
    while (size < (size_t)trace->flow_count * 2)
        size *= 2;
    ends.slots = tp_arena_array(arena, size, sizeof *ends.slots);
    ends.mask = size - 1;
    for (uint32_t i = 0; i < trace->flow_count; i++) {
        struct end *end = find_hash_slot_of_end(&ends, trace->flows[i].thread, trace->flows[i].ts_ns);
        ends.count += !end->is_used;
        *end = (struct end){.ts_ns = trace->flows[i].ts_ns, .thread = trace->flows[i].thread, .is_used = true};
    }
    return ends;
}

static void mark_end_as_found(struct ends *ends, const struct tp_event *e)
{
    struct end *end = find_hash_slot_of_end(ends, e->thread, e->ts_ns);
    ends->found += end->is_used && !end->is_found;
    end->is_found = end->is_used;
}

/* ---- counts over all events ---- */

struct survey {
    struct tp_name_use names;
    struct places calls, operator_threads;
    struct ends ends;
    uint64_t late; /* number of host events that start after the end of the recording */
    /* cuda_calls: number of CUDA calls; unnumbered: number of CUDA calls without a correlation */
    uint64_t cuda_calls, unnumbered;
    uint64_t operators, operators_without_id; /* operators: number of operators; operators_without_id: number of
                                                 operators without an id */
    /* number of operators and annotations that follow, in the file, an event of their thread with a higher id */
    uint64_t moved;
    int64_t *last_ids; /* for each thread: id of the last operator or annotation so far, in file order */
};

static void store_runtime_call(struct survey *s, const struct tp_trace *trace, uint32_t index)
{
    const struct tp_event *e = &trace->events[index];
    int64_t correlation = e->detail == TP_NO_ID ? TP_NULL_INT : trace->launches[e->detail].correlation;
    set_index_of_number(&s->calls, correlation, index);
    s->cuda_calls += e->variant == 0;
    s->unnumbered += e->variant == 0 && correlation == TP_NULL_INT;
}

/* Updates the counts for an operator or annotation. */
static void store_operator_or_annotation(struct survey *s, const struct tp_trace *trace, const struct tp_event *e)
{
    int64_t id = trace->hosts[e->detail].external_id;
    s->operators += e->kind == TP_KIND_OPERATOR;
    s->operators_without_id += e->kind == TP_KIND_OPERATOR && id == TP_NULL_INT;
    set_index_of_number(&s->operator_threads, id, e->thread);
    s->moved += id > 0 && id < s->last_ids[e->thread];
    s->last_ids[e->thread] = id > 0 ? id : s->last_ids[e->thread];
    if (s->ends.slots)
        mark_end_as_found(&s->ends, e);
}

static void store_calls_and_ranges(struct survey *s, const struct tp_trace *trace, struct tp_arena *arena)
{
    const struct tp_reading *r = &trace->reading;
    int64_t end_ns = r->has_window_end ? r->window_end_ns : INT64_MAX;
    s->names.count = tp_arena_array(arena, trace->names.count + 1u, sizeof *s->names.count);
    s->names.kinds = tp_arena_array(arena, trace->names.count + 1u, sizeof *s->names.kinds);
    s->last_ids = tp_arena_array(arena, trace->thread_count, sizeof *s->last_ids);
    s->calls = index_calls(trace, arena);
    s->operator_threads = index_operators(trace, arena);
    s->ends = collect_ends(trace, arena);
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *e = &trace->events[i];
        s->names.count[e->name] += !(e->flags & TP_EVENT_UNFINISHED);
        s->names.kinds[e->name] |= (uint16_t)(1u << e->kind);
        if (!tp_kind_is_host(e->kind))
            continue;
        s->late += e->ts_ns > end_ns;
        if (e->kind == TP_KIND_RUNTIME)
            store_runtime_call(s, trace, i);
        else if (!tp_kind_is_frame(e->kind))
            store_operator_or_annotation(s, trace, e);
    }
}

static void free_number_map(const struct places *places, struct tp_arena *arena)
{
    if (places->place)
        tp_arena_free_item(arena, places->place, ((size_t)(places->last - places->first) + 1) * sizeof *places->place);
}

static void free_stored_calls_and_ranges(const struct survey *s, const struct tp_trace *trace, struct tp_arena *arena)
{
    free_number_map(&s->calls, arena);
    free_number_map(&s->operator_threads, arena);
    tp_arena_free_item(arena, s->names.count, (trace->names.count + 1u) * sizeof *s->names.count);
    tp_arena_free_item(arena, s->names.kinds, (trace->names.count + 1u) * sizeof *s->names.kinds);
    if (s->ends.slots)
        tp_arena_free_item(arena, s->ends.slots, (s->ends.mask + 1) * sizeof *s->ends.slots);
}

/* ---- counts over device operations ---- */

enum { NAME_HAS_CALL = 1 << 15 };
_Static_assert(TP_KIND_COUNT <= 15, "the bit is no kind's");

/* State of a stream while its operations are visited in order of start. */
struct stream {
    int64_t last_call_ns; /* start of the call of the last operation that has a call, ns */
    uint32_t lone;        /* number of operations without a call that follow the last operation with a call */
    bool is_open, has_call;
};

static const struct tp_event *find_call_of_device(const struct survey *s, const struct tp_trace *trace,
                                                  const struct tp_event *e, bool *has_some)
{
    const uint32_t *place = find_entry_of_number(&s->calls, trace->devices[e->detail].correlation);
    *has_some = place && *place != NOTHING;
    return *has_some && *place != SEVERAL ? &trace->events[*place - 1] : NULL;
}

/* Returns true if the stream runs the operations of calls in the order of the calls. In contrast, the nodes of a CUDA
 * graph run in the order of the graph. */
static bool does_stream_run_in_call_order(const struct tp_trace *trace, const struct tp_event *e,
                                          const struct tp_event *call)
{
    int64_t graph = tp_device_setup(trace, e->detail)->graph_id;
    return (graph == TP_NULL_INT || graph == 0) && tp_str_find(tp_trace_event_name(trace, call), "Graph") < 0;
}

struct device_conflicts {
    uint64_t unordered, lone, linked, unnumbered, without_call;
    /* sums over the starts of calls (one start for each operation), in the form of struct tp_link_sums */
    uint64_t starts[TP_LINK_SUMS];
};

static void check_device_operation(struct device_conflicts *found, struct stream *stream, const struct survey *s,
                                   const struct tp_trace *trace, const struct tp_event *e)
{
    int64_t correlation = trace->devices[e->detail].correlation;
    bool has_some;
    const struct tp_event *call = find_call_of_device(s, trace, e, &has_some);
    found->unnumbered += correlation == TP_NULL_INT;
    found->without_call += !call;
    if (!has_some) {
        stream->lone += stream->is_open && correlation > 0 && s->names.kinds[e->name] & NAME_HAS_CALL;
        return;
    }
    found->lone += stream->lone;
    stream->lone = 0;
    stream->is_open = true;
    if (!call)
        return;
    found->linked++;
    tp_link_sums_add(found->starts, correlation, call->ts_ns);
    if (!does_stream_run_in_call_order(trace, e, call))
        return;
    found->unordered += stream->has_call && tp_event_end(call) < stream->last_call_ns;
    stream->last_call_ns = call->ts_ns;
    stream->has_call = true;
}

static void check_device_operations(struct device_conflicts *found, struct survey *s, const struct tp_trace *trace,
                                    const struct tp_order *order, struct tp_arena *arena)
{
    struct stream *streams = tp_arena_array(arena, trace->thread_count, sizeof *streams);
    for (uint32_t i = 0; i < order->device_count; i++) {
        const struct tp_event *e = &trace->events[order->device[i]];
        bool has_some;
        find_call_of_device(s, trace, e, &has_some);
        s->names.kinds[e->name] |= has_some ? NAME_HAS_CALL : 0;
    }
    for (uint32_t i = 0; i < order->device_count; i++) {
        const struct tp_event *e = &trace->events[order->device[i]];
        check_device_operation(found, &streams[e->thread], s, trace, e);
    }
}

static uint64_t count_unequal_sums(const uint64_t *x, const uint64_t *y)
{
    uint64_t count = 0;
    for (int i = 0; i < TP_LINK_SUMS; i++)
        count += x[i] != y[i];
    return count;
}

/* Counts links that match no event by correlation and start time. Recorders write either one end of a link for each
 * event with a correlation, or one link for each device operation. */
static uint64_t count_unmatched_links(const struct tp_trace *trace, const struct device_conflicts *devices)
{
    const struct tp_reading *r = &trace->reading;
    const struct tp_link_sums *sums = &r->link_sums;
    uint64_t all[TP_LINK_SUMS], count = r->device_link_starts + r->device_link_ends;
    if (sums->is_unreadable || !count)
        return 0;
    for (int i = 0; i < TP_LINK_SUMS; i++)
        all[i] = sums->starts[i] + sums->ends[i];
    if (count == r->correlated_events)
        return tp_conflicts_count_if_few(count_unequal_sums(all, sums->events), count);
    if (r->device_link_ends != trace->device_count || r->device_link_starts != r->device_link_ends)
        return 0;
    uint64_t unequal = count_unequal_sums(sums->ends, sums->devices);
    if (!devices->without_call)
        unequal += count_unequal_sums(sums->starts, devices->starts);
    return tp_conflicts_count_if_few(unequal, count);
}

static int compare_by_configuration(const void *context, uint32_t i, uint32_t j)
{
    const struct tp_trace *trace = context;
    const struct tp_device_setup *x = tp_device_setup(trace, i), *y = tp_device_setup(trace, j);
    const uint32_t of_x[] = {x->grid, x->block, x->registers, x->shared_memory};
    const uint32_t of_y[] = {y->grid, y->block, y->registers, y->shared_memory};
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    for (size_t k = 0; k < sizeof of_x / sizeof *of_x; k++)
        if (of_x[k] != of_y[k])
            return of_x[k] < of_y[k] ? -1 : 1;
    return (i > j) - (i < j);
}

static bool is_launch_configuration_known(const struct tp_device_setup *x)
{
    return x->grid != TP_NO_ID && x->block != TP_NO_ID && x->registers != TP_NO_ID && x->shared_memory != TP_NO_ID;
}

/* Counts launch configurations of kernels that occur with more than one value of occupancy or blocks per SM. The
 * recorder computes both values from the configuration, so equal configurations must have equal values. */
static uint64_t count_unequal_occupancies(const struct tp_trace *trace, struct tp_arena *arena)
{
    uint32_t setup_count = 0, count = 0;
    uint64_t unlike = 0;
    for (uint32_t i = 0; i < trace->device_count; i++)
        setup_count = trace->devices[i].setup >= setup_count ? trace->devices[i].setup + 1 : setup_count;
    uint32_t *rows = tp_arena_array(arena, setup_count, sizeof *rows);
    uint32_t *seen = tp_arena_array(arena, setup_count, sizeof *seen);
    for (uint32_t i = 0; i < trace->device_count; i++) {
        uint32_t setup = trace->devices[i].setup;
        if (!seen[setup]++ && is_launch_configuration_known(&trace->setups[setup]))
            rows[count++] = i;
    }
    tp_sort_rows(rows, count, compare_by_configuration, trace, arena);
    for (uint32_t k = 1; k < count; k++) {
        const struct tp_device_setup *x = tp_device_setup(trace, rows[k - 1]), *y = tp_device_setup(trace, rows[k]);
        bool is_same = x->device == y->device && x->grid == y->grid && x->block == y->block &&
                       x->registers == y->registers && x->shared_memory == y->shared_memory;
        unlike += is_same && (x->occupancy_pct_e9 != y->occupancy_pct_e9 || x->blocks_per_sm_e9 != y->blocks_per_sm_e9);
    }
    tp_arena_free_item(arena, rows, setup_count * sizeof *rows);
    tp_arena_free_item(arena, seen, setup_count * sizeof *seen);
    return tp_conflicts_count_if_few(unlike, trace->device_count);
}

/* ---- counts over ids of host events ---- */

struct host_conflicts {
    /* ids: number of ids of operators and annotations; descending_ids: number of ids that are lower than the previous
     * id of their thread */
    uint64_t ids, descending_ids;
    /* calls: number of calls whose id is in the range of operators' ids; lone: number of these calls whose id no
     * operator has; on_other_thread: number of these calls whose id only an operator of another thread has */
    uint64_t calls, lone, on_other_thread;
    int64_t last_id, last_ns; /* id and start, ns, of the last operator or annotation of the thread so far */
};

static void check_host_event(struct host_conflicts *found, const struct survey *s, const struct tp_trace *trace,
                             const struct tp_event *e)
{
    if (e->detail == TP_NO_ID)
        return;
    if (e->kind == TP_KIND_RUNTIME) {
        const uint32_t *place = find_entry_of_number(&s->operator_threads, trace->launches[e->detail].external_id);
        found->calls += place != NULL;
        found->lone += place && *place == NOTHING;
        found->on_other_thread += place && *place != NOTHING && *place != SEVERAL && *place != e->thread + 1u;
        return;
    }
    int64_t id = tp_kind_is_frame(e->kind) ? 0 : trace->hosts[e->detail].external_id;
    if (id <= 0)
        return;
    found->ids++;
    found->descending_ids += id < found->last_id && e->ts_ns > found->last_ns;
    found->last_id = id;
    found->last_ns = e->ts_ns;
}

/* Counts ids that break a rule. Rule 1: on each thread, ids ascend with time. Rule 2: each call has the id of an
 * operator of its thread. Traces without event numbers can have more such ids, because their recorders omit operators
 * that are still running when the recording stops. */
static uint64_t count_id_conflicts(const struct survey *s, const struct tp_trace *trace, const struct tp_order *order)
{
    enum { ONE_IN = 100 };
    struct host_conflicts found = {0};
    for (uint32_t t = 0; t < trace->thread_count; t++) {
        found.last_id = 0;
        found.last_ns = INT64_MIN;
        for (uint32_t i = order->thread_first[t]; i < order->thread_first[t + 1]; i++)
            check_host_event(&found, s, trace, &trace->events[order->host[i]]);
    }
    bool is_numbered = trace->reading.numbered_events;
    bool are_in_order = is_numbered || found.descending_ids * ONE_IN < found.ids;
    bool are_there = !is_numbered && found.lone * ONE_IN < found.calls;
    return (is_numbered ? tp_conflicts_count_if_few(s->moved, found.ids) : 0) +
           (are_in_order ? tp_conflicts_count_if_few(found.descending_ids, found.ids) : 0) +
           (are_there ? found.lone : 0) + tp_conflicts_count_if_few(found.on_other_thread, found.calls);
}

/* ---- sum of all conflicts ---- */

static bool has_process(const struct tp_trace *trace, const struct tp_row_id *pid)
{
    for (uint32_t i = 0; i < trace->process_count; i++) {
        const struct tp_row_id *known = &trace->processes[i].pid;
        if (known->is_text == pid->is_text &&
            (pid->is_text ? tp_str_equal(known->text, pid->text) : known->number == pid->number))
            return true;
    }
    return false;
}

/* Counts host events of processes that have no metadata. The recorder writes metadata for each process. */
static uint64_t count_unnamed_process_events(const struct tp_trace *trace, const struct tp_order *order)
{
    uint64_t count = 0;
    for (uint32_t t = 0; t < trace->thread_count; t++)
        if (order->thread_first[t] < order->thread_first[t + 1] && !has_process(trace, &trace->threads[t].pid))
            count += order->thread_first[t + 1] - order->thread_first[t];
    return tp_conflicts_count_if_few(count, order->host_count);
}

void tp_conflicts_count(struct tp_trace *trace, const struct tp_order *order, struct tp_arena *arena)
{
    struct tp_reading *r = &trace->reading;
    struct survey s = {0};
    struct device_conflicts devices = {0};
    if (!tp_evidence_has_known_writer(trace))
        return;
    store_calls_and_ranges(&s, trace, arena);
    check_device_operations(&devices, &s, trace, order, arena);
    r->conflicts = tp_conflicts_count_if_few(s.late, order->host_count) + count_id_conflicts(&s, trace, order) +
                   count_unnamed_process_events(trace, order) + tp_conflicts_count_rows(trace, order, arena) +
                   tp_conflicts_count_shapes(trace, arena) + count_unmatched_links(trace, &devices) +
                   count_unequal_occupancies(trace, arena) +
                   tp_conflicts_count_if_few(devices.unordered, devices.linked) +
                   tp_conflicts_count_if_few(s.ends.count - s.ends.found, s.ends.count);
    r->unlaunched_devices = tp_conflicts_count_if_few(devices.lone, devices.linked);
    r->damaged_name_events = tp_conflicts_count_names(trace, &s.names, arena);
    r->events_lacking_member = tp_conflicts_count_if_few(s.operators_without_id, s.operators) +
                               tp_conflicts_count_if_few(r->unnumbered, r->numbered_events) +
                               tp_conflicts_count_if_few(s.unnumbered, s.cuda_calls) +
                               tp_conflicts_count_if_few(devices.unnumbered, order->device_count);
    free_stored_calls_and_ranges(&s, trace, arena);
    r->unexplained_memory_totals = tp_conflicts_count_memory(trace, order, arena);
}
