/* Decodes elements with a time but no duration: ends of links, samples, memory records, counters and tensors. See
 * decode.h. */
#include "webreport/trace/decode_parts.h"

void tp_decode_flow(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_flow flow = {.is_start = e->ph == 's'};
    if (tp_element_time(d, e, TP_FIELD_TS, &flow.ts_ns) != TP_NUMBER_OK) {
        tp_sink_count_skipped(d->sink, TP_SKIP_NO_TIME);
        return;
    }
    struct tp_str id = e->spans->field[TP_FIELD_ID];
    flow.id = tp_element_intern(d, e, &d->sink->texts, tp_token_is_string(id) ? tp_token_contents(id) : id);
    flow.thread = tp_element_thread(d, e);
    tp_sink_add_flow(d->sink, &flow);
}

/* Returns the stack id of a sample of the recorder's work. Adds TP_RECORDING_FRAME as the innermost frame of the
 * stack. */
static uint32_t recording_stack_id(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_str token = tp_span_text(e->spans, TP_ARG_CALL_STACK);
    struct tp_buf *text = &d->argument_text; /* the interner uses the sink's scratch buffer, so this function needs
                                                another buffer */
    tp_buf_clear(text);
    tp_buf_puts(text, TP_RECORDING_FRAME ";");
    if (tp_token_is_string(token))
        tp_buf_add(text, tp_token_contents(token).ptr, tp_token_contents(token).len);
    return text->failed ? tp_element_stack(d, e)
                        : tp_element_intern(d, e, &d->sink->stacks, (struct tp_str){text->data, text->size});
}

/* Decodes a sample of our collector. The caller must not pass samples of other categories. */
void tp_decode_sample(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_sample sample = {0};
    if (tp_element_time(d, e, TP_FIELD_TS, &sample.ts_ns) != TP_NUMBER_OK)
        return;
    sample.cpu_ns = tp_element_int(d, e, TP_ARG_CPU_NS);
    if (sample.cpu_ns < 0) /* true for an absent argument as well, because TP_NULL_INT is negative */
        return;
    sample.stack = tp_spans_has(e->spans, TP_ARG_RECORDING) ? recording_stack_id(d, e) : tp_element_stack(d, e);
    sample.thread = tp_element_thread(d, e);
    tp_sink_add_sample(d->sink, &sample);
}

void tp_decode_memory(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_sink_memory memory = {.stack = TP_NO_ID};
    struct tp_memory *record = &memory.record;
    enum tp_number_status status = tp_element_time(d, e, TP_FIELD_TS, &record->ts_ns);
    if (status != TP_NUMBER_OK) {
        tp_sink_count_skipped(d->sink, TP_SKIP_NO_TIME);
        tp_sink_count_notice(d->sink, status == TP_NUMBER_RANGE ? TP_NOTICE_TIME_RANGE : TP_NOTICE_EVENT_SKIPPED,
                             e->offset);
        return;
    }
    record->bytes = tp_element_int(d, e, TP_ARG_MEMORY_BYTES);
    if (record->bytes == TP_NULL_INT)
        record->bytes = 0;
    tp_decode_number(d, e);
    memory.has_number = tp_spans_has(e->spans, TP_ARG_EVENT_NUMBER);
    d->trace->reading.nameless += !tp_spans_has(e->spans, TP_FIELD_PID) || !tp_spans_has(e->spans, TP_FIELD_TID);
    memory.place.type = tp_element_int(d, e, TP_ARG_DEVICE_TYPE);
    memory.place.id = tp_element_int(d, e, TP_ARG_DEVICE_ID);
    memory.more.address = tp_element_int(d, e, TP_ARG_ADDRESS);
    memory.more.total_allocated = tp_element_int(d, e, TP_ARG_TOTAL_ALLOCATED);
    memory.more.total_reserved = tp_element_int(d, e, TP_ARG_TOTAL_RESERVED);
    if (d->sink->is_program_trace) /* skips torch's stacks, because the Python events show more detail */
        memory.stack = tp_element_stack(d, e);
    record->thread = tp_element_thread(d, e);
    record->ordinal = e->ordinal;
    record->flags = e->name & TP_NAME_OUT_OF_MEMORY ? TP_MEMORY_OUT_OF_MEMORY : 0;
    tp_sink_memory(d->sink, &memory);
}

void tp_decode_counter(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_counter counter = {.name = e->name_id};
    if (!e->has_name || !tp_span_has_value(e->spans, TP_ARG_VALUE) ||
        tp_element_time(d, e, TP_FIELD_TS, &counter.ts_ns) != TP_NUMBER_OK)
        return;
    counter.value = tp_number_parse_real(e->spans->field[TP_ARG_VALUE]);
    tp_sink_add_counter(d->sink, &counter);
}

void tp_decode_task_end(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_task_end end = {.name = e->name_id, .category = e->cat_id, .is_begin = e->ph == 'b'};
    struct tp_str id = e->spans->field[TP_FIELD_ID];
    if (!e->has_name || !tp_span_has_value(e->spans, TP_FIELD_ID) ||
        tp_element_time(d, e, TP_FIELD_TS, &end.ts_ns) != TP_NUMBER_OK)
        return;
    end.id = tp_element_intern(d, e, &d->sink->texts, tp_token_is_string(id) ? tp_token_contents(id) : id);
    tp_sink_add_task_end(d->sink, &end);
}

/* Reads a field that is a count. Returns false if the field is absent or negative. */
static bool read_count(struct tp_decoder *d, const struct tp_element *e, enum tp_field field, uint64_t *count)
{
    int64_t value = tp_element_int(d, e, field);
    *count = (uint64_t)value;
    return value >= 0;
}

/* Reads the statistics of a tensor. Returns false if they are incomplete or impossible. */
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
    return tp_tensor_stats_are_possible(s);
}

void tp_decode_tensor(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_tensor_record tensor = {.name = e->name_id, .ordinal = e->ordinal};
    if (!e->has_name || tp_element_time(d, e, TP_FIELD_TS, &tensor.ts_ns) != TP_NUMBER_OK)
        return;
    tensor.step = tp_element_int(d, e, TP_ARG_STEP);
    tensor.dtype = tp_element_value(d, e, TP_ARG_DTYPE);
    tensor.shape = tp_element_value(d, e, TP_ARG_SHAPE);
    tensor.file = tp_element_value(d, e, TP_ARG_FILE);
    tensor.values = tp_element_value(d, e, TP_ARG_VALUES);
    tensor.has_stats = read_statistics(d, e, &tensor.stats);
    tp_sink_add_tensor(d->sink, &tensor);
}
