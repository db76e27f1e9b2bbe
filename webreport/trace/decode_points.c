/* Decoding, points in time: ends of flows, samples, memory, counters, tensors. See decode.h. */
#include "webreport/trace/decode_parts.h"

void tp_decode_flow(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_flow flow = {.is_start = e->ph == 's'};
    if (tp_number_time(tp_span_of(e->spans, TP_FIELD_TS), &flow.ts_ns) != TP_NUMBER_OK) {
        d->trace->reading.skipped[TP_SKIP_NO_TIME]++;
        return;
    }
    struct tp_str id = e->spans->field[TP_FIELD_ID];
    flow.id = tp_element_intern(d, e, &d->texts, tp_token_is_string(id) ? tp_token_contents(id) : id);
    flow.thread = tp_element_thread(d, e);
    d->trace->reading.read_link++;
    *(struct tp_flow *)tp_vec_push(&d->flows) = flow;
}

/* The stack of a sample that the recorder marks as its own work: TP_RECORDING_FRAME is the innermost frame. */
static uint32_t recording_stack(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_str token = tp_span_of(e->spans, TP_ARG_CALL_STACK);
    struct tp_buf *text = &d->argument_text; /* d->scratch is the interner's */
    tp_buf_clear(text);
    tp_buf_puts(text, TP_RECORDING_FRAME ";");
    if (tp_token_is_string(token))
        tp_buf_add(text, tp_token_contents(token).ptr, tp_token_contents(token).len);
    return text->failed ? tp_element_stack(d, e)
                        : tp_element_intern(d, e, &d->stacks, (struct tp_str){text->data, text->size});
}

/* Other tools' events of this phase have another category and are counted only. */
void tp_decode_sample(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_sample sample = {0};
    if (tp_number_time(tp_span_of(e->spans, TP_FIELD_TS), &sample.ts_ns) != TP_NUMBER_OK)
        return;
    sample.cpu_ns = tp_element_int(d, e, TP_ARG_CPU_NS);
    if (sample.cpu_ns < 0) /* also when there is none */
        return;
    sample.stack = tp_spans_has(e->spans, TP_ARG_RECORDING) ? recording_stack(d, e) : tp_element_stack(d, e);
    sample.thread = tp_element_thread(d, e);
    *(struct tp_sample *)tp_vec_push(&d->samples) = sample;
}

/* Number of the device that a record names; nearly always that of the record before. */
static uint32_t memory_device(struct tp_decoder *d, const struct tp_element *e)
{
    int64_t type = tp_element_int(d, e, TP_ARG_DEVICE_TYPE), id = tp_element_int(d, e, TP_ARG_DEVICE_ID);
    if (d->last_memory_number == TP_NO_ID || d->last_memory_place.type != type || d->last_memory_place.id != id) {
        uint64_t t = (uint64_t)type, i = (uint64_t)id;
        d->last_memory_place = (struct tp_memory_place){type, id};
        d->last_memory_number = tp_keys_add(
            &d->memory_places, (uint32_t[]){(uint32_t)t, (uint32_t)(t >> 32), (uint32_t)i, (uint32_t)(i >> 32)});
    }
    return d->last_memory_number;
}

/* Keeps what few or all records have: the first that has some of it finds the place for those before, too. */
static void keep_more(struct tp_decoder *d, struct tp_memory_more more)
{
    const struct tp_memory_more none = {TP_NULL_INT, TP_NULL_INT, TP_NULL_INT};
    if (!d->memory_more.count && memcmp(&more, &none, sizeof more) == 0)
        return;
    while (d->memory_more.count < d->memory.count)
        *(struct tp_memory_more *)tp_vec_push(&d->memory_more) = none;
    *(struct tp_memory_more *)tp_vec_push(&d->memory_more) = more;
}

/* The same for stacks, which recordings of programs have where they were asked for. Those of PyTorch are not looked at:
 * its lines and modules say more. */
static void keep_stack(struct tp_decoder *d, const struct tp_element *e)
{
    uint32_t stack = d->is_of_program ? tp_element_stack(d, e) : TP_NO_ID;
    if (!d->memory_stacks.count && stack == TP_NO_ID)
        return;
    while (d->memory_stacks.count < d->memory.count)
        *(uint32_t *)tp_vec_push(&d->memory_stacks) = TP_NO_ID;
    *(uint32_t *)tp_vec_push(&d->memory_stacks) = stack;
}

void tp_decode_memory(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_reading *reading = &d->trace->reading;
    struct tp_memory record = {0};
    enum tp_number_status status = tp_number_time(tp_span_of(e->spans, TP_FIELD_TS), &record.ts_ns);
    bool is_oom = e->name & TP_NAME_OUT_OF_MEMORY;
    if (status != TP_NUMBER_OK) {
        reading->skipped[TP_SKIP_NO_TIME]++;
        tp_decoder_note(d, status == TP_NUMBER_RANGE ? TP_NOTICE_TIME_RANGE : TP_NOTICE_EVENT_SKIPPED, e->offset);
        return;
    }
    record.bytes = tp_element_int(d, e, TP_ARG_MEMORY_BYTES);
    if (record.bytes == TP_NULL_INT)
        record.bytes = 0;
    reading->read_memory += !is_oom;
    reading->read_out_of_memory += is_oom;
    tp_decode_number(d, e);
    reading->unnumbered += !is_oom && !tp_spans_has(e->spans, TP_ARG_EVENT_NUMBER);
    reading->nameless += !tp_spans_has(e->spans, TP_FIELD_PID) || !tp_spans_has(e->spans, TP_FIELD_TID);
    record.device = memory_device(d, e);
    keep_more(d, (struct tp_memory_more){.address = tp_element_int(d, e, TP_ARG_ADDRESS),
                                         .total_allocated = tp_element_int(d, e, TP_ARG_TOTAL_ALLOCATED),
                                         .total_reserved = tp_element_int(d, e, TP_ARG_TOTAL_RESERVED)});
    keep_stack(d, e);
    record.thread = tp_element_thread(d, e);
    record.ordinal = e->ordinal;
    record.flags = is_oom ? TP_MEMORY_OUT_OF_MEMORY : 0;
    *(struct tp_memory *)tp_vec_push(&d->memory) = record;
}

void tp_decode_counter(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_counter counter = {.name = e->name_id};
    if (!e->has_name || !tp_span_has_value(e->spans, TP_ARG_VALUE) ||
        tp_number_time(tp_span_of(e->spans, TP_FIELD_TS), &counter.ts_ns) != TP_NUMBER_OK)
        return;
    counter.value = tp_number_real(e->spans->field[TP_ARG_VALUE]);
    *(struct tp_counter *)tp_vec_push(&d->counters) = counter;
}

void tp_decode_task_end(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_task_end end = {.name = e->name_id, .category = e->cat_id, .is_begin = e->ph == 'b'};
    struct tp_str id = e->spans->field[TP_FIELD_ID];
    if (!e->has_name || !tp_span_has_value(e->spans, TP_FIELD_ID) ||
        tp_number_time(tp_span_of(e->spans, TP_FIELD_TS), &end.ts_ns) != TP_NUMBER_OK)
        return;
    end.id = tp_element_intern(d, e, &d->texts, tp_token_is_string(id) ? tp_token_contents(id) : id);
    *(struct tp_task_end *)tp_vec_push(&d->task_ends) = end;
}

/* A count that is there, from 0 on. */
static bool read_count(struct tp_decoder *d, const struct tp_element *e, enum tp_field field, uint64_t *count)
{
    int64_t value = tp_element_int(d, e, field);
    *count = (uint64_t)value;
    return value >= 0;
}

/* Statistics that no tensor can have are none. */
static bool read_statistics(struct tp_decoder *d, const struct tp_element *e, struct tp_tensor_stats *s)
{
    s->min = tp_element_real(e, TP_ARG_MIN);
    s->max = tp_element_real(e, TP_ARG_MAX);
    s->mean = tp_element_real(e, TP_ARG_MEAN);
    s->std = tp_element_real(e, TP_ARG_STD);
    s->l2 = tp_element_real(e, TP_ARG_L2);
    if (!read_count(d, e, TP_ARG_COUNT, &s->count) || !read_count(d, e, TP_ARG_ZEROS, &s->zero_count) ||
        !read_count(d, e, TP_ARG_NANS, &s->nan_count) || !read_count(d, e, TP_ARG_INFS, &s->inf_count))
        return false;
    uint64_t odd = s->nan_count + s->inf_count; /* counts are below 2^63 */
    if (odd > s->count || s->zero_count > s->count - odd)
        return false;
    bool has_spread = !(s->std < 0) && !(s->l2 < 0); /* both are null where squares leave the range of doubles */
    return odd == s->count || (s->min <= s->max && !isnan(s->mean) && has_spread);
}

void tp_decode_tensor(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_tensor_record tensor = {.name = e->name_id, .ordinal = e->ordinal};
    if (!e->has_name || tp_number_time(tp_span_of(e->spans, TP_FIELD_TS), &tensor.ts_ns) != TP_NUMBER_OK)
        return;
    tensor.step = tp_element_int(d, e, TP_ARG_STEP);
    tensor.dtype = tp_element_value(d, e, TP_ARG_DTYPE);
    tensor.shape = tp_element_value(d, e, TP_ARG_SHAPE);
    tensor.file = tp_element_value(d, e, TP_ARG_FILE);
    tensor.values = tp_element_value(d, e, TP_ARG_VALUES);
    tensor.has_stats = read_statistics(d, e, &tensor.stats);
    *(struct tp_tensor_record *)tp_vec_push(&d->tensors) = tensor;
}
