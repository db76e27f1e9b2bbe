/* Adds events to the columns: see sink.h. */
#include "webreport/trace/sink.h"

#include <math.h>

#include "writer/base/saturate.h"

/* ---- complete events ---- */

unsigned tp_sink_event_kind(const struct tp_cat_meaning *cat, unsigned name, bool has_module, unsigned *flags)
{
    if (cat->kind == TP_KIND_OPERATOR && name & TP_NAME_REGION) {
        if (!(cat->may_be_region_category && name & TP_NAME_TORCH_REGION))
            *flags |= TP_EVENT_WAS_OPERATOR;
        return TP_KIND_ANNOTATION;
    }
    return cat->kind == TP_KIND_FRAME && has_module ? TP_KIND_MODULE : cat->kind;
}

void tp_sink_count_skipped(struct tp_sink *sink, enum tp_skip reason)
{
    sink->trace->reading.skipped[reason]++;
}

void tp_sink_count_unknown_category(struct tp_sink *sink, uint32_t cat, int64_t dur_ns)
{
    struct tp_unknown_category *unread = sink->trace->reading.unknown_categories;
    for (unsigned i = 0; i < TP_UNKNOWN_CATEGORIES; i++) {
        if (unread[i].count && unread[i].cat != cat)
            continue;
        unread[i].cat = cat;
        unread[i].count++;
        unread[i].time_ns = tp_sat_add(unread[i].time_ns, dur_ns);
        return;
    }
}

void tp_sink_add_recorder_number(struct tp_sink *sink, int64_t number)
{
    struct tp_reading *reading = &sink->trace->reading;
    reading->numbered_events++;
    reading->recorder_number_sum += (uint64_t)number;
    reading->highest_recorder_number =
        number > reading->highest_recorder_number ? number : reading->highest_recorder_number;
}

/* Returns the index in foreign_call_cats of a category of calls on other devices than CUDA. Returns 0, the index for
 * CUDA, if 15 categories are in use. */
static unsigned foreign_call_cat_number(struct tp_trace *trace, uint32_t cat)
{
    uint32_t *cats = trace->foreign_call_cats;
    for (unsigned i = 1; i < sizeof trace->foreign_call_cats / sizeof *cats; i++) {
        if (cats[i] == 0)
            cats[i] = cat + 1;
        if (cats[i] == cat + 1)
            return i;
    }
    return 0;
}

/* Returns the range kind of an event. Also records which range kinds occur in arguments of events. */
static unsigned range_kind_of_slice(struct tp_reading *reading, const struct tp_sink_slice *slice)
{
    unsigned kind = slice->event.kind, declared = slice->declared_kind;
    bool may_say = kind == TP_KIND_ANNOTATION || kind == TP_KIND_GPU_ANNOTATION || tp_kind_is_device(kind);
    declared = may_say ? declared : 0;
    reading->declared_kind_bits |= declared ? 1u << declared : 0;
    return !declared && kind == TP_KIND_KERNEL && slice->is_communication ? (unsigned)TP_RANGE_COMMUNICATION : declared;
}

/* Counts an event that has a correlation, and adds the event to the link sums in `reading`. */
static void add_event_to_link_sums(struct tp_reading *reading, const struct tp_sink_slice *slice)
{
    reading->correlated_events++;
    if (slice->correlation == TP_NULL_INT) {
        reading->link_sums.is_unreadable = true;
        return;
    }
    tp_link_sums_add(reading->link_sums.events, slice->correlation, slice->event.ts_ns);
    if (tp_kind_is_device(slice->event.kind))
        tp_link_sums_add(reading->link_sums.devices, slice->correlation, slice->event.ts_ns);
}

void tp_sink_slice(struct tp_sink *sink, const struct tp_sink_slice *slice)
{
    struct tp_reading *reading = &sink->trace->reading;
    const struct tp_cat_meaning *cat = tp_sink_cat_meaning(sink, slice->cat);
    struct tp_event *event = tp_vec_push(&sink->events);
    unsigned kind = slice->event.kind, variant = 0;
    *event = slice->event;
    if (kind != TP_KIND_RUNTIME)
        variant = range_kind_of_slice(reading, slice);
    else if (cat->is_call_of_other_device)
        variant = foreign_call_cat_number(sink->trace, slice->cat);
    event->variant = variant & 15;
    reading->driver += kind == TP_KIND_RUNTIME && cat->is_driver;
    reading->read[kind]++;
    reading->other_device_events += cat->is_other_device && kind == TP_KIND_OTHER;
    reading->counter_events += cat->has_counters;
    reading->unnumbered += tp_kind_is_host(kind) && kind != TP_KIND_RUNTIME && !slice->has_number;
    if (slice->has_correlation)
        add_event_to_link_sums(reading, slice);
}

/* ---- details of events ---- */

uint32_t tp_sink_add_comm(struct tp_sink *sink, const struct tp_comm_detail *comm)
{
    *(struct tp_comm_detail *)tp_vec_push(&sink->comms) = *comm;
    return (uint32_t)sink->comms.count - 1;
}

uint32_t tp_sink_add_host(struct tp_sink *sink, struct tp_host_detail host, const struct tp_host_rare *more)
{
    host.more = TP_NO_ID;
    if (more && (more->sequence != TP_NULL_INT || more->forward_thread != TP_NULL_INT || more->comm != TP_NO_ID)) {
        *(struct tp_host_rare *)tp_vec_push(&sink->host_rare) = *more;
        host.more = (uint32_t)sink->host_rare.count - 1;
    }
    *(struct tp_host_detail *)tp_vec_push(&sink->hosts) = host;
    return (uint32_t)sink->hosts.count - 1;
}

void tp_sink_add_concrete(struct tp_sink *sink, uint32_t value)
{
    *(struct tp_concrete *)tp_vec_push(&sink->concretes) = (struct tp_concrete){(uint32_t)sink->hosts.count - 1, value};
}

uint32_t tp_sink_add_launch(struct tp_sink *sink, const struct tp_launch_detail *launch)
{
    *(struct tp_launch_detail *)tp_vec_push(&sink->launches) = *launch;
    return (uint32_t)sink->launches.count - 1;
}

/* Returns the number of a setup. Operations of a program repeat in the same order. So the function first tries the
 * setup that came after the previous one last time. */
static uint32_t index_of_setup(struct tp_sink *sink, const struct tp_device_setup *setup)
{
    uint32_t key[sizeof *setup / sizeof(uint32_t)], none = TP_NO_ID, id;
    uint32_t *after =
        sink->last_setup_index == TP_NO_ID ? &none : TP_AT(&sink->next_setup_index, uint32_t, sink->last_setup_index);
    memcpy(key, setup, sizeof key);
    if (*after != TP_NO_ID && memcmp(tp_keys_get(&sink->setups, *after), key, sizeof key) == 0)
        return sink->last_setup_index = *after;
    *after = id = tp_keys_add(&sink->setups, key);
    if (id == sink->next_setup_index.count)
        *(uint32_t *)tp_vec_push(&sink->next_setup_index) = TP_NO_ID;
    return sink->last_setup_index = id;
}

uint32_t tp_sink_add_device(struct tp_sink *sink, struct tp_device_detail device, const struct tp_device_setup *setup)
{
    device.setup = index_of_setup(sink, setup);
    *(struct tp_device_detail *)tp_vec_push(&sink->devices) = device;
    return (uint32_t)sink->devices.count - 1;
}

void tp_sink_set_operation_place(struct tp_sink *sink, uint32_t detail, int64_t device, int64_t stream)
{
    struct tp_device_detail *operation = TP_AT(&sink->devices, struct tp_device_detail, detail);
    struct tp_device_setup setup;
    memcpy(&setup, tp_keys_get(&sink->setups, operation->setup), sizeof setup);
    setup.device = device;
    setup.stream = stream == TP_NULL_INT ? setup.stream : stream;
    operation->setup = index_of_setup(sink, &setup);
}

uint32_t tp_sink_add_module(struct tp_sink *sink, const struct tp_module_detail *module)
{
    *(struct tp_module_detail *)tp_vec_push(&sink->modules) = *module;
    return (uint32_t)sink->modules.count - 1;
}

uint32_t tp_sink_add_other(struct tp_sink *sink, const struct tp_other_detail *other)
{
    *(struct tp_other_detail *)tp_vec_push(&sink->others) = *other;
    return (uint32_t)sink->others.count - 1;
}

uint32_t tp_sink_add_sync(struct tp_sink *sink, const struct tp_sync_record *sync)
{
    *(struct tp_sync_record *)tp_vec_push(&sink->syncs) = *sync;
    return (uint32_t)sink->syncs.count - 1;
}

void tp_sink_add_argument(struct tp_sink *sink, struct tp_argument_text text)
{
    if (text.text != TP_NO_ID || text.color != TP_NO_ID)
        *(struct tp_argument *)tp_vec_push(&sink->arguments) = (struct tp_argument){(uint32_t)sink->events.count, text};
}

void tp_sink_add_capture_argument(struct tp_sink *sink, const struct tp_capture_argument *argument)
{
    uint32_t absent = argument->kernel & argument->grid & argument->block & argument->file & argument->hash;
    if (absent == TP_NO_ID && argument->node == TP_NULL_INT)
        return;
    struct tp_capture_argument *added = tp_vec_push(&sink->capture_arguments);
    *added = *argument;
    added->event = (uint32_t)sink->events.count;
}

/* ---- memory records ---- */

/* Returns the number of a device. Most memory records have the same device as the previous record. */
static uint32_t index_of_memory_place(struct tp_sink *sink, struct tp_memory_place place)
{
    struct tp_memory_place last = sink->last_memory_place;
    if (sink->last_memory_record_number == TP_NO_ID || last.type != place.type || last.id != place.id) {
        uint64_t type = (uint64_t)place.type, id = (uint64_t)place.id;
        sink->last_memory_place = place;
        sink->last_memory_record_number =
            tp_keys_add(&sink->memory_places,
                        (uint32_t[]){(uint32_t)type, (uint32_t)(type >> 32), (uint32_t)id, (uint32_t)(id >> 32)});
    }
    return sink->last_memory_record_number;
}

/* Stores the rare fields of a memory record. The first record with such a field also adds empty entries for all
 * earlier records. */
static void store_rare_memory_fields(struct tp_sink *sink, const struct tp_memory_rare *more)
{
    const struct tp_memory_rare none = {TP_NULL_INT, TP_NULL_INT, TP_NULL_INT};
    if (!sink->memory_rare.count && memcmp(more, &none, sizeof none) == 0)
        return;
    while (sink->memory_rare.count < sink->memory.count)
        *(struct tp_memory_rare *)tp_vec_push(&sink->memory_rare) = none;
    *(struct tp_memory_rare *)tp_vec_push(&sink->memory_rare) = *more;
}

/* Stores the stack of a memory record. The first record with a stack also adds empty entries for all earlier
 * records. Records have stacks only if the user asked for them. */
static void store_memory_stack(struct tp_sink *sink, uint32_t stack)
{
    if (!sink->memory_stacks.count && stack == TP_NO_ID)
        return;
    while (sink->memory_stacks.count < sink->memory.count)
        *(uint32_t *)tp_vec_push(&sink->memory_stacks) = TP_NO_ID;
    *(uint32_t *)tp_vec_push(&sink->memory_stacks) = stack;
}

void tp_sink_memory(struct tp_sink *sink, const struct tp_sink_memory *memory)
{
    struct tp_reading *reading = &sink->trace->reading;
    bool is_oom = memory->record.flags & TP_MEMORY_OUT_OF_MEMORY;
    reading->read_memory += !is_oom;
    reading->read_out_of_memory += is_oom;
    reading->unnumbered += !is_oom && !memory->has_number;
    uint32_t device = index_of_memory_place(sink, memory->place);
    store_rare_memory_fields(sink, &memory->more);
    store_memory_stack(sink, memory->stack);
    struct tp_memory *record = tp_vec_push(&sink->memory);
    *record = memory->record;
    record->device = device;
}

/* ---- other elements at one point in time ---- */

void tp_sink_add_device_link(struct tp_sink *sink, bool is_start, int64_t number, int64_t ts_ns)
{
    struct tp_reading *reading = &sink->trace->reading;
    reading->device_link_starts += is_start;
    reading->device_link_ends += !is_start;
    if (number == TP_NULL_INT || ts_ns == TP_NULL_INT)
        reading->link_sums.is_unreadable = true;
    else
        tp_link_sums_add(is_start ? reading->link_sums.starts : reading->link_sums.ends, number, ts_ns);
}

void tp_sink_add_flow(struct tp_sink *sink, const struct tp_flow *flow)
{
    sink->trace->reading.read_link++;
    *(struct tp_flow *)tp_vec_push(&sink->flows) = *flow;
}

void tp_sink_add_counter(struct tp_sink *sink, const struct tp_counter *counter)
{
    *(struct tp_counter *)tp_vec_push(&sink->counters) = *counter;
}

void tp_sink_add_task_end(struct tp_sink *sink, const struct tp_task_end *end)
{
    *(struct tp_task_end *)tp_vec_push(&sink->task_ends) = *end;
}

void tp_sink_add_sample(struct tp_sink *sink, const struct tp_sample *sample)
{
    *(struct tp_sample *)tp_vec_push(&sink->samples) = *sample;
}

void tp_sink_add_os_call(struct tp_sink *sink, const struct tp_os_call *call)
{
    *(struct tp_os_call *)tp_vec_push(&sink->os_calls) = *call;
}

void tp_sink_add_tensor(struct tp_sink *sink, const struct tp_tensor_record *tensor)
{
    *(struct tp_tensor_record *)tp_vec_push(&sink->tensors) = *tensor;
}

bool tp_tensor_stats_are_possible(const struct tp_tensor_stats *s)
{
    uint64_t odd = s->nan_count + s->inf_count; /* the sum cannot overflow, because the counts are below 2^63 */
    if (odd > s->count || s->zero_count > s->count - odd)
        return false;
    /* false if the recorder left out both numbers, because squares exceed the range of doubles */
    bool has_spread = !(s->std < 0) && !(s->l2 < 0);
    return odd == s->count || (s->min <= s->max && !isnan(s->mean) && has_spread);
}

void tp_sink_add_moment(struct tp_sink *sink, const struct tp_moment *moment)
{
    *(struct tp_moment *)tp_vec_push(&sink->moments) = *moment;
}

void tp_sink_add_state(struct tp_sink *sink, const struct tp_state *state)
{
    *(struct tp_state *)tp_vec_push(&sink->states) = *state;
}

void tp_sink_add_recorded_process(struct tp_sink *sink, const struct tp_recorded_process *process)
{
    *(struct tp_recorded_process *)tp_vec_push(&sink->recorded_processes) = *process;
}

void tp_sink_add_process_memory(struct tp_sink *sink, const struct tp_process_memory *process_memory)
{
    *(struct tp_process_memory *)tp_vec_push(&sink->process_memory) = *process_memory;
}
