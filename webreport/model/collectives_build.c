/* Builds the collectives of a trace: see collectives.h. A trace may show one collective on several levels. The first
 * level that occurs in the trace is used. The levels are: host events with the prefix of a backend, record_param_comms,
 * operators of the dispatcher, communication kernels. */
#include "webreport/model/collectives_build.h"

#include "webreport/model/enclosing.h"
#include "webreport/model/facts.h"
#include "webreport/model/operator_shapes.h"
#include "webreport/trace/json/value.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

/* An index of events by thread, sorted by (start, end descending), for finding the innermost event around a moment. */
struct by_thread {
    uint32_t *items;            /* positions of the events in the indexed list, grouped by thread */
    uint32_t *first;            /* for each thread: index of its first entry in `items`; thread_count + 1 elements */
    struct tp_enclosing *trees; /* for each thread: search tree over its events; empty if the thread has no event */
};

/* Data that all steps of building collectives share. */
struct collector {
    struct tp_model *model;
    /* host events with the name of a collective, sorted by (start, position in the file); elements: uint32_t */
    struct tp_vec notes;
    struct tp_vec records; /* collectives found so far; elements: struct tp_collective */
    /* communication kernels as indexes of device operations, sorted by (start, position in the file) */
    uint32_t *kernels;
    uint32_t *kernel_record;
    uint32_t kernel_count;
};

static const struct tp_event *event_at(const struct collector *c, uint32_t event)
{
    return &c->model->trace->events[event];
}

static const struct tp_comm_detail *host_comm_detail(const struct collector *c, uint32_t event)
{
    uint32_t comm = tp_host_rare(c->model->trace, &c->model->trace->hosts[event_at(c, event)->detail]).comm;
    return comm == TP_NO_ID ? NULL : &c->model->trace->comms[comm];
}

static struct tp_str value_text(const struct collector *c, uint32_t value)
{
    if (value == TP_NO_ID)
        return (struct tp_str){NULL, 0};
    return tp_value_text(c->model->arena, c->model->trace->values.items[value]);
}

/* ---- host events with the name of a collective ---- */

static void find_communication_events(struct collector *c)
{
    const struct tp_trace *trace = c->model->trace;
    struct tp_vec found = TP_VEC(c->model->arena, struct tp_keyed);
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *e = &trace->events[i];
        if ((e->kind == TP_KIND_OPERATOR || e->kind == TP_KIND_ANNOTATION) &&
            tp_event_range_kind(c->model, e) == TP_RANGE_COMMUNICATION)
            *(struct tp_keyed *)tp_vec_push(&found) = (struct tp_keyed){e->ts_ns, i, i};
    }
    tp_sort_keyed(found.data, found.count, c->model->arena);
    c->notes = TP_VEC(c->model->arena, uint32_t);
    for (size_t i = 0; i < found.count; i++)
        *(uint32_t *)tp_vec_push(&c->notes) = TP_AT(&found, struct tp_keyed, i)->item;
}

static void find_communication_kernels(struct collector *c)
{
    const struct tp_devices *devices = &c->model->devices;
    struct tp_vec found = TP_VEC(c->model->arena, struct tp_keyed);
    for (uint32_t k = 0; k < devices->count; k++) {
        const struct tp_event *e = tp_device_event(c->model, k);
        if (tp_is_communication(c->model, k))
            *(struct tp_keyed *)tp_vec_push(&found) = (struct tp_keyed){e->ts_ns, devices->event[k], k};
    }
    tp_sort_keyed(found.data, found.count, c->model->arena);
    c->kernel_count = (uint32_t)found.count;
    c->kernels = tp_arena_array(c->model->arena, found.count, sizeof *c->kernels);
    c->kernel_record = tp_arena_array(c->model->arena, found.count, sizeof *c->kernel_record);
    for (size_t i = 0; i < found.count; i++)
        c->kernels[i] = TP_AT(&found, struct tp_keyed, i)->item;
}

static bool is_param_comms(const struct collector *c, uint32_t event)
{
    const struct tp_comm_detail *comm = host_comm_detail(c, event);
    return tp_str_equal(tp_trace_event_name(c->model->trace, event_at(c, event)), TP_STR("record_param_comms")) &&
           comm && comm->collective != TP_NO_ID;
}

enum level { LEVEL_BACKEND, LEVEL_PARAM_COMMS, LEVEL_DISPATCHER, LEVELS };

static bool is_collective_event_of_level(const struct collector *c, uint32_t event, enum level level)
{
    struct tp_str name = tp_trace_event_name(c->model->trace, event_at(c, event));
    if (level == LEVEL_BACKEND)
        return !(c->model->marks[event_at(c, event)->name] & TP_MARK_C10D);
    if (level == LEVEL_DISPATCHER)
        return tp_str_starts(name, "c10d::");
    if (!is_param_comms(c, event))
        return false;
    struct tp_str what = c->model->trace->values.items[host_comm_detail(c, event)->collective];
    return !tp_str_equal(what, TP_STR("\"wait\"")) && !tp_str_equal(what, TP_STR("\"init\""));
}

/* Returns the name of the collective of an event. For a record_param_comms event, returns "c10d:" followed by the
 * collective's name. */
static struct tp_str record_name(const struct collector *c, uint32_t event)
{
    struct tp_str name = tp_trace_event_name(c->model->trace, event_at(c, event));
    if (!tp_str_equal(name, TP_STR("record_param_comms")))
        return name;
    const struct tp_comm_detail *comm = host_comm_detail(c, event);
    struct tp_str what = comm ? value_text(c, comm->collective) : (struct tp_str){NULL, 0};
    what = what.ptr ? what : TP_STR("None");
    char *text = tp_arena_alloc(c->model->arena, what.len + 6);
    memcpy(text, "c10d:", 5);
    if (what.len)
        memcpy(text + 5, what.ptr, what.len);
    return (struct tp_str){text, what.len + 5};
}

static void add_record(struct collector *c, struct tp_str name, uint32_t event, bool is_device)
{
    struct tp_collective *record = tp_vec_push(&c->records);
    const struct tp_event *e = event_at(c, event);
    *record = (struct tp_collective){.name = name, .event = event, .is_device = is_device, .comm = TP_NO_ID};
    record->start_ns = e->ts_ns;
    record->end_ns = tp_event_end(e);
}

static void find_records(struct collector *c)
{
    for (unsigned level = 0; level < LEVELS && !c->records.count; level++)
        for (size_t i = 0; i < c->notes.count; i++) {
            uint32_t event = *TP_AT(&c->notes, uint32_t, i);
            if (is_collective_event_of_level(c, event, level))
                add_record(c, record_name(c, event), event, false);
        }
}

/* ---- search for the innermost event around a moment ---- */

/* Builds an index of events[0] to events[count - 1]. If events have equal intervals, the later event in the file is the
 * inner event if prefers_later is true, otherwise the outer event. */
static void index_by_thread(struct by_thread *index, const struct collector *c, const uint32_t *events, uint32_t count,
                            bool prefers_later)
{
    struct tp_arena *arena = c->model->arena;
    uint32_t threads = c->model->trace->thread_count;
    uint32_t *first = tp_arena_array(arena, (size_t)threads + 2, sizeof *first);
    index->items = tp_arena_array(arena, count, sizeof *index->items);
    index->trees = tp_arena_array(arena, threads, sizeof *index->trees);
    struct tp_keyed *sorted = tp_arena_array(arena, count, sizeof *sorted);
    int64_t *starts = tp_arena_array(arena, count, sizeof *starts), *ends = tp_arena_array(arena, count, sizeof *ends);
    /* sorts twice with a stable sort: by (end descending, preference), then by start */
    for (uint32_t i = 0; i < count; i++) {
        int64_t end = tp_event_end(event_at(c, events[i]));
        sorted[i] = (struct tp_keyed){end == INT64_MIN ? INT64_MAX : -end, prefers_later ? events[i] : ~events[i], i};
    }
    tp_sort_keyed(sorted, count, arena);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = (struct tp_keyed){event_at(c, events[sorted[i].item])->ts_ns, i, sorted[i].item};
    tp_sort_keyed(sorted, count, arena);
    for (uint32_t i = 0; i < count; i++)
        first[event_at(c, events[i])->thread + 2]++;
    for (uint32_t t = 0; t < threads; t++)
        first[t + 2] += first[t + 1];
    for (uint32_t i = 0; i < count; i++) {
        const struct tp_event *e = event_at(c, events[sorted[i].item]);
        uint32_t at = first[e->thread + 1]++;
        index->items[at] = sorted[i].item;
        starts[at] = e->ts_ns;
        ends[at] = tp_event_end(e);
    }
    index->first = first;
    for (uint32_t t = 0; t < threads; t++)
        if (first[t + 1] > first[t])
            tp_enclosing_init(&index->trees[t], starts + first[t], ends + first[t], first[t + 1] - first[t], arena);
}

/* Returns the position in the list of the innermost event of a thread with start <= at and end >= reach. Returns
 * TP_NO_ID if there is no such event. */
static uint32_t find_enclosing_event(const struct by_thread *index, uint32_t thread, int64_t at, int64_t reach)
{
    if (!index->trees[thread].count)
        return TP_NO_ID;
    size_t found = tp_enclosing_find(&index->trees[thread], at, reach);
    return found == SIZE_MAX ? TP_NO_ID : index->items[index->first[thread] + found];
}

/* Finds the metadata of each collective: the metadata of the innermost record_param_comms event that encloses the
 * collective on its thread. */
static void find_metadata(struct collector *c)
{
    struct tp_vec metas = TP_VEC(c->model->arena, uint32_t);
    struct by_thread index;
    for (size_t i = 0; i < c->notes.count; i++)
        if (is_param_comms(c, *TP_AT(&c->notes, uint32_t, i)))
            *(uint32_t *)tp_vec_push(&metas) = *TP_AT(&c->notes, uint32_t, i);
    if (!metas.count)
        return;
    index_by_thread(&index, c, metas.data, (uint32_t)metas.count, true);
    for (size_t i = 0; i < c->records.count; i++) {
        struct tp_collective *record = TP_AT(&c->records, struct tp_collective, i);
        uint32_t meta =
            find_enclosing_event(&index, event_at(c, record->event)->thread, record->start_ns, record->end_ns);
        if (meta != TP_NO_ID)
            record->comm = tp_host_rare(c->model->trace,
                                        &c->model->trace->hosts[event_at(c, *TP_AT(&metas, uint32_t, meta))->detail])
                               .comm;
    }
}

/* ---- kernels of each collective ---- */

/* Returns pairs (External id, index of the collective), sorted by id and then by index. Sets *count to the number of
 * pairs. */
static struct tp_keyed *records_by_external_id(const struct collector *c, size_t *count)
{
    struct tp_keyed *ids = tp_arena_array(c->model->arena, c->records.count, sizeof *ids);
    *count = 0;
    for (size_t i = 0; i < c->records.count; i++) {
        uint32_t event = TP_AT(&c->records, struct tp_collective, i)->event;
        int64_t id = c->model->trace->hosts[event_at(c, event)->detail].external_id;
        if (id != TP_NULL_INT && id != 0)
            ids[(*count)++] = (struct tp_keyed){id, (uint32_t)i, (uint32_t)i};
    }
    tp_sort_keyed(ids, *count, c->model->arena);
    return ids;
}

static uint32_t find_by_external_id(const struct tp_keyed *ids, size_t count, int64_t id)
{
    size_t lo = 0, hi = count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (ids[mid].key < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < count && ids[lo].key == id ? ids[lo].item : TP_NO_ID;
}

/* Assigns each communication kernel to the innermost collective that encloses the launch of the kernel. If there is
 * none, assigns the kernel to the first collective with the kernel's External id. */
static void assign_kernels_to_records(struct collector *c)
{
    const struct tp_model *model = c->model;
    struct by_thread index;
    size_t id_count;
    struct tp_keyed *ids = records_by_external_id(c, &id_count);
    uint32_t *events = tp_arena_array(model->arena, c->records.count, sizeof *events);
    for (size_t i = 0; i < c->records.count; i++)
        events[i] = TP_AT(&c->records, struct tp_collective, i)->event;
    index_by_thread(&index, c, events, (uint32_t)c->records.count, false);
    for (uint32_t i = 0; i < c->kernel_count; i++) {
        const struct tp_device_detail *detail = &model->trace->devices[tp_device_event(model, c->kernels[i])->detail];
        uint32_t launch = model->devices.launch[c->kernels[i]], found = TP_NO_ID;
        if (launch != TP_NO_ID) {
            const struct tp_event *e = tp_launch_event(model, launch);
            found = find_enclosing_event(&index, e->thread, e->ts_ns, tp_sat_add(e->ts_ns, 1));
        }
        if (found == TP_NO_ID && detail->external_id != TP_NULL_INT && detail->external_id != 0 &&
            detail->external_id != detail->correlation)
            found = find_by_external_id(ids, id_count, detail->external_id);
        c->kernel_record[i] = found;
        if (found == TP_NO_ID) {
            c->model->collectives.kernels_without_record++;
            continue;
        }
        struct tp_collective *record = TP_AT(&c->records, struct tp_collective, found);
        record->kernel_count++;
        bool has_meta = detail->comm != TP_NO_ID && model->trace->comms[detail->comm].collective != TP_NO_ID;
        if (record->comm == TP_NO_ID && has_meta)
            record->comm = detail->comm;
    }
}

/* Makes one collective from each communication kernel, for traces without host calls of collectives. */
static void make_records_of_kernels(struct collector *c)
{
    for (uint32_t i = 0; i < c->kernel_count; i++) {
        uint32_t event = c->model->devices.event[c->kernels[i]];
        add_record(c, tp_trace_event_name(c->model->trace, event_at(c, event)), event, true);
        struct tp_collective *record = TP_AT(&c->records, struct tp_collective, i);
        record->kernel_count = 1;
        record->comm = c->model->trace->devices[event_at(c, event)->detail].comm;
        c->kernel_record[i] = i;
    }
}

/* ---- ranges and sizes of collectives ---- */

static int compare_by_start_then_longest(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_interval *p = (const struct tp_interval *)context + x, *q = (const struct tp_interval *)context + y;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b < q->b) - (p->b > q->b);
}

static void sort_ranges(struct tp_collective *record, struct tp_arena *arena)
{
    uint32_t n = record->range_count, *rows = tp_arena_array(arena, n, sizeof *rows);
    struct tp_interval *sorted = tp_arena_array(arena, n, sizeof *sorted);
    for (uint32_t i = 0; i < n; i++)
        rows[i] = i;
    tp_sort_rows(rows, n, compare_by_start_then_longest, record->ranges, arena);
    for (uint32_t i = 0; i < n; i++)
        sorted[i] = record->ranges[rows[i]];
    record->ranges = sorted;
}

static void fill_ranges(struct collector *c)
{
    struct tp_collective *records = c->records.data;
    for (size_t i = 0; i < c->records.count; i++) {
        struct tp_collective *record = &records[i];
        record->ranges = tp_arena_array(c->model->arena, record->kernel_count + 1, sizeof *record->ranges);
        if (!record->is_device)
            record->ranges[record->range_count++] = (struct tp_interval){record->start_ns, record->end_ns};
    }
    for (uint32_t i = 0; i < c->kernel_count; i++) {
        if (c->kernel_record[i] == TP_NO_ID)
            continue;
        struct tp_collective *record = &records[c->kernel_record[i]];
        const struct tp_event *e = tp_device_event(c->model, c->kernels[i]);
        record->ranges[record->range_count++] = (struct tp_interval){e->ts_ns, tp_event_end(e)};
        record->kernel_time_ns = tp_sat_add(record->kernel_time_ns, e->dur_ns);
    }
    for (size_t i = 0; i < c->records.count; i++)
        sort_ranges(&records[i], c->model->arena);
}

/* Returns the size of a tensor, bytes. Returns 0 if `dims` is not a list of integers, or if the element type is
 * unknown. */
static int64_t tensor_bytes(struct tp_arena *arena, struct tp_str dims, struct tp_str type)
{
    struct tp_str item;
    if (!tp_value_starts_with(dims, '['))
        return 0;
    int64_t bytes = tp_value_starts_with(type, '"') ? tp_element_size(tp_value_text(arena, type)) : 0;
    for (size_t at = 0; tp_value_next(dims, &at, NULL, &item);) {
        int64_t n = tp_value_starts_with(item, '"') ? TP_NULL_INT : tp_value_int(item);
        if (tp_str_equal(item, TP_STR("true")) || tp_str_equal(item, TP_STR("false")))
            n = item.ptr[0] == 't';
        if (n == TP_NULL_INT)
            return 0;
        bytes = tp_sat_mul(bytes, n);
    }
    return bytes;
}

/* Returns the data size of a collective, bytes: the element count times the element size in the metadata. If the
 * metadata lacks these values, returns the total size of the inputs of the collective's operator, or TP_NULL_INT if
 * that size is unknown too. */
static int64_t record_bytes(const struct collector *c, const struct tp_collective *record)
{
    const struct tp_trace *trace = c->model->trace;
    const struct tp_comm_detail *comm = record->comm == TP_NO_ID ? NULL : &trace->comms[record->comm];
    if (comm && comm->dtype != TP_NO_ID) {
        /* TP_NULL_INT if the metadata has no element count */
        int64_t n = comm->in_count > comm->out_count ? comm->in_count : comm->out_count;
        struct tp_str dtype = trace->values.items[comm->dtype];
        int size = tp_value_starts_with(dtype, '"') ? tp_element_size(value_text(c, comm->dtype)) : 0;
        if (n != TP_NULL_INT && size)
            return tp_sat_mul(n, size);
    }
    if (record->is_device)
        return TP_NULL_INT;
    const struct tp_host_detail *host = &trace->hosts[event_at(c, record->event)->detail];
    if (host->dims == TP_NO_ID || host->types == TP_NO_ID)
        return TP_NULL_INT;
    struct tp_str dims = trace->values.items[host->dims], types = trace->values.items[host->types], x, t;
    if (!tp_value_starts_with(dims, '[') || !tp_value_starts_with(types, '['))
        return TP_NULL_INT;
    int64_t bytes = 0;
    for (size_t i = 0, j = 0; tp_value_next(dims, &i, NULL, &x) && tp_value_next(types, &j, NULL, &t);)
        bytes = tp_sat_add(bytes, tensor_bytes(c->model->arena, x, t));
    return bytes;
}

/* ---- names of libraries, order of collectives ---- */

static void add_library(struct tp_collectives *out, const char *library)
{
    uint32_t i = 0;
    while (i < out->library_count && strcmp(out->libraries[i], library) < 0)
        i++;
    if (i < out->library_count && strcmp(out->libraries[i], library) == 0)
        return;
    memmove(out->libraries + i + 1, out->libraries + i, (out->library_count - i) * sizeof *out->libraries);
    out->libraries[i] = library;
    out->library_count++;
}

/* Finds the communication libraries that the names of host events and kernels show. The result has at most eight
 * entries: the seven known libraries and "custom". */
static void find_libraries(struct collector *c)
{
    struct tp_model *model = c->model;
    for (size_t i = 0; i < c->notes.count; i++) {
        const char *backend =
            tp_name_comm_backend(tp_trace_event_name(model->trace, event_at(c, *TP_AT(&c->notes, uint32_t, i))));
        if (backend && strcmp(backend, "c10d") != 0)
            add_library(&model->collectives, backend);
    }
    for (uint32_t i = 0; i < c->kernel_count; i++) {
        struct tp_str name = tp_trace_event_name(model->trace, tp_device_event(model, c->kernels[i]));
        const char *library = tp_name_comm_library(name);
        add_library(&model->collectives, library ? library : "custom");
    }
}

static int compare_by_time(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_collective *p = (const struct tp_collective *)context + x;
    const struct tp_collective *q = (const struct tp_collective *)context + y;
    if (p->start_ns != q->start_ns)
        return p->start_ns < q->start_ns ? -1 : 1;
    if (p->end_ns != q->end_ns)
        return p->end_ns > q->end_ns ? -1 : 1;
    return (p->event > q->event) - (p->event < q->event);
}

void tp_collectives_build(struct tp_model *model)
{
    struct tp_collectives *out = &model->collectives;
    struct collector c = {.model = model, .records = TP_VEC(model->arena, struct tp_collective)};
    find_communication_events(&c);
    find_communication_kernels(&c);
    if (!c.notes.count && !c.kernel_count)
        return;
    find_libraries(&c);
    find_records(&c);
    if (c.records.count) {
        find_metadata(&c);
        assign_kernels_to_records(&c);
    } else {
        make_records_of_kernels(&c);
    }
    fill_ranges(&c);
    out->count = (uint32_t)c.records.count;
    uint32_t *rows = tp_arena_array(model->arena, out->count, sizeof *rows);
    out->items = tp_arena_array(model->arena, out->count, sizeof *out->items);
    for (uint32_t i = 0; i < out->count; i++)
        rows[i] = i;
    tp_sort_rows(rows, out->count, compare_by_time, c.records.data, model->arena);
    for (uint32_t i = 0; i < out->count; i++) {
        out->items[i] = *TP_AT(&c.records, struct tp_collective, rows[i]);
        out->items[i].bytes = record_bytes(&c, &out->items[i]);
    }
}

/* ignores the range of the host call if the collective has kernels; all other ranges are kernels */
struct tp_interval tp_collective_interval(const struct tp_collective *record)
{
    struct tp_interval time = {record->start_ns, record->end_ns};
    bool skips_host = !record->is_device, has_any = false;
    if (!record->kernel_count)
        return time;
    for (uint32_t i = 0; i < record->range_count; i++) {
        const struct tp_interval *range = &record->ranges[i];
        if (skips_host && range->a == record->start_ns && range->b == record->end_ns) {
            skips_host = false;
            continue;
        }
        time.a = !has_any || range->a < time.a ? range->a : time.a;
        time.b = !has_any || range->b > time.b ? range->b : time.b;
        has_any = true;
    }
    return time;
}
