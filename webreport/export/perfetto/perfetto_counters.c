/* Writes memory records, counters, and counters of devices. See perfetto_export.h. Fields are those of Perfetto's
 * messages TrackEvent and GpuCounterEvent. */
#include <math.h>
#include <stdio.h>

#include "webreport/export/perfetto/annotation_writer.h"
#include "webreport/export/perfetto/perfetto_arguments.h"
#include "webreport/trace/inputs/perfetto/exported_facts.h"
#include "writer/base/saturate.h"

enum { TYPE_COUNTER = 4, FIELD_TYPE = 9, FIELD_NAME_IID = 10, FIELD_TRACK = 11, FIELD_VALUE = 30, FIELD_REAL = 44 };

/* Begins a packet with a value of a counter. */
static size_t begin_counter(struct tp_pexport *x, uint64_t track)
{
    tp_packet_begin(x->writer);
    size_t event = tp_field_begin(&x->writer->body, TP_PACKET_EVENT);
    tp_field_number(&x->writer->body, FIELD_TYPE, TYPE_COUNTER);
    tp_field_number(&x->writer->body, FIELD_TRACK, track);
    return event;
}

/* Returns the name of the counter of a memory place, such as "memory of GPU 0". */
static struct tp_str name_of_place(const struct tp_pexport *x, const struct tp_memory_place *place, char *text,
                                   size_t size)
{
    const char *device = place->type == TP_DEVICE_CPU ? "CPU" : "GPU";
    int n = place->id == TP_NULL_INT || place->id < 0
                ? snprintf(text, size, TP_EXPORTED_VIEW_COUNTER "of %s", device)
                : snprintf(text, size, TP_EXPORTED_VIEW_COUNTER "of %s %lld", device, (long long)place->id);
    if (!x->is_alone && n > 0 && (size_t)n < size)
        n += snprintf(text + n, size - (size_t)n, " (%.80s)", x->export->worker);
    return (struct tp_str){text, n > 0 && (size_t)n < size ? (size_t)n : 0};
}

void tp_pexport_memory(struct tp_pexport *x, const struct tp_edge *edge)
{
    const struct tp_memory *record = &x->trace->memory[edge->item];
    const struct tp_memory_place *place = tp_memory_place(x->trace, record);
    const struct tp_memory_rare *more = tp_memory_rare(x->trace, record);
    struct tp_buf *out = &x->writer->body;
    char text[200];
    uint64_t thread = tp_pexport_thread_track(x, record->thread);
    uint64_t track = tp_pexport_counter_track(x, record->device, name_of_place(x, place, text, sizeof text), true);
    int64_t *total = &x->total_bytes[record->device];
    *total = more->total_allocated != TP_NULL_INT ? more->total_allocated : tp_sat_add(*total, record->bytes);
    size_t event = begin_counter(x, track);
    bool is_oom = record->flags & TP_MEMORY_OUT_OF_MEMORY;
    struct tp_str name = is_oom ? TP_STR("[OutOfMemory]") : TP_STR("[memory]");
    tp_field_number(out, FIELD_NAME_IID, tp_packet_text(x->writer, TP_PACKET_NAMES, name));
    tp_field_number(out, FIELD_VALUE, (uint64_t)*total);
    if (x->is_alone) {
        tp_argument_int(x, TP_IN_EVENT, "Bytes", record->bytes);
        tp_argument_int(x, TP_IN_EVENT, "Addr", more->address);
        tp_argument_int(x, TP_IN_EVENT, "Device Type", place->type);
        tp_argument_int(x, TP_IN_EVENT, "Device Id", place->id);
        tp_argument_int(x, TP_IN_EVENT, "Total Allocated", more->total_allocated);
        tp_argument_int(x, TP_IN_EVENT, "Total Reserved", more->total_reserved);
        tp_argument_int(x, TP_IN_EVENT, "thread", (int64_t)thread);
        if (x->trace->memory_stacks && x->trace->memory_stacks[edge->item] != TP_NO_ID)
            tp_annotation_text(x->writer, "Call stack",
                               tp_strings_get(&x->trace->stack_texts, x->trace->memory_stacks[edge->item]));
    }
    tp_field_end(out, event);
    tp_packet_end(x->writer, edge->ts_ns);
}

void tp_pexport_counter(struct tp_pexport *x, const struct tp_edge *edge)
{
    const struct tp_counter *counter = &x->trace->counters[edge->item];
    uint32_t number = x->trace->memory_place_count + counter->name;
    if (isnan(counter->value))
        return;
    uint64_t track = tp_pexport_counter_track(x, number, tp_strings_get(&x->trace->names, counter->name), false);
    size_t event = begin_counter(x, track);
    tp_field_real(&x->writer->body, FIELD_REAL, counter->value);
    tp_field_end(&x->writer->body, event);
    tp_packet_end(x->writer, edge->ts_ns);
}

/* Writes the names of all counters of devices, once for each device. */
static void put_descriptions(struct tp_pexport *x)
{
    enum { INTERNED_COUNTERS = 47 };
    const struct tp_input_facts *input = &x->trace->input;
    struct tp_buf *out = &x->writer->interned;
    struct tp_vec devices = TP_VEC(x->arena, int64_t);
    for (uint32_t i = 0; i < input->counter_count; i++) {
        bool is_known = false;
        for (size_t k = 0; k < devices.count && !is_known; k++)
            is_known = *TP_AT(&devices, int64_t, k) == input->counters[i].device;
        if (is_known || devices.count >= TP_PEXPORT_DEVICES)
            continue;
        *(int64_t *)tp_vec_push(&devices) = input->counters[i].device;
        size_t entry = tp_field_begin(out, INTERNED_COUNTERS);
        tp_field_number(out, 1, (uint64_t)input->counters[i].device + 1);
        tp_field_number(out, 3, (uint64_t)(input->counters[i].device + (int64_t)x->rank_index * TP_PEXPORT_DEVICES));
        size_t description = tp_field_begin(out, 2);
        for (uint32_t text = 0; text < x->trace->texts.count; text++) {
            if (!x->written_counters[x->trace->memory_place_count + x->trace->names.count + text])
                continue;
            size_t spec = tp_field_begin(out, 1);
            tp_field_number(out, 1, text);
            tp_field_text(out, 2, tp_strings_get(&x->trace->texts, text));
            tp_field_end(out, spec);
        }
        tp_field_end(out, description);
        tp_field_end(out, entry);
    }
}

/* Notes which texts are names of counters of devices. */
static void mark_counter_names(struct tp_pexport *x)
{
    const struct tp_input_facts *input = &x->trace->input;
    for (uint32_t i = 0; i < input->counter_count; i++)
        x->written_counters[x->trace->memory_place_count + x->trace->names.count + input->counters[i].name] = true;
}

void tp_pexport_gpu_counter(struct tp_pexport *x, const struct tp_edge *edge)
{
    const struct tp_device_counter *counter = &x->trace->input.counters[edge->item];
    struct tp_buf *out = &x->writer->body;
    tp_packet_begin(x->writer);
    if (!x->has_counter_names) {
        x->has_counter_names = true;
        mark_counter_names(x);
        put_descriptions(x);
    }
    size_t event = tp_field_begin(out, TP_PACKET_GPU_COUNTER);
    tp_field_number(out, 4, (uint64_t)counter->device + 1);
    size_t value = tp_field_begin(out, 2);
    tp_field_number(out, 1, counter->name);
    tp_field_real(out, 3, counter->value);
    tp_field_end(out, value);
    tp_field_end(out, event);
    x->writer->needs_state = true;
    tp_packet_end(x->writer, edge->ts_ns);
}
