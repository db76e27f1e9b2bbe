/* Converts records that have only one time: memory, counters, instants, tasks. See spool_trace.c. */
#include "writer/spool/spool_trace_part.h"

static int64_t total_or_null(int64_t total)
{
    return total < 0 ? TP_NULL_INT : total;
}

static void write_memory(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid)
{
    struct tp_spool_memory note;
    memcpy(&note, tp_spool_payload(record), sizeof note);
    const struct tp_trace_out_memory memory = {.pid = (int64_t)c->file->head.pid,
                                               .tid = (int64_t)tid,
                                               .ts_ns = tp_spool_trace_time_ns(c, record),
                                               .address = (int64_t)note.address,
                                               .bytes = note.bytes,
                                               .device_type = note.device_type,
                                               .device_id = note.device_id,
                                               .total_allocated_bytes = total_or_null(note.total_allocated),
                                               .total_reserved_bytes = total_or_null(note.total_reserved),
                                               .call_stack = tp_spool_call_stack(c, c->next_stack)};
    if (c->file->head.flags & TP_SPOOL_MEMORY)
        tp_trace_out_memory(c->out, &memory);
}

static void write_counter(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid)
{
    (void)tid;
    struct tp_spool_counter counter;
    memcpy(&counter, tp_spool_payload(record), sizeof counter);
    const struct tp_trace_out_value value = {TP_STR("value"), counter.value};
    tp_trace_out_counter(c->out, tp_spool_trace_name(c, record), (int64_t)c->file->head.pid,
                         tp_spool_trace_time_ns(c, record), &value, 1);
}

static void write_instant(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid)
{
    const struct tp_trace_out_arg text = {.key = TP_OUT_NAMED,
                                          .type = TP_OUT_TEXT,
                                          .name = TP_STR("text"),
                                          .value.text = {tp_spool_payload(record), record->text}};
    bool has_text = record->text && record->name != TP_SPOOL_NO_NAME;
    const struct tp_trace_out_event event = {.category = TP_OUT_USER_ANNOTATION,
                                             .name = tp_spool_trace_name(c, record),
                                             .pid = (int64_t)c->file->head.pid,
                                             .tid = (int64_t)tid,
                                             .ts_ns = tp_spool_trace_time_ns(c, record),
                                             .args = &text,
                                             .arg_count = has_text};
    tp_trace_out_instant(c->out, &event);
}

/* Returns the id of a task's arrow. Tasks with the same id and different names are different. The result is below 2^53,
 * because larger numbers are not exact in every JSON reader. */
static int64_t task_arrow_id(struct tp_str name, uint64_t id)
{
    return (int64_t)(tp_hash_mix(tp_hash_bytes(name.ptr, name.len) ^ id, 0x9E3779B97F4A7C15ull) >> 11);
}

/* Writes the start or the end of a task on its thread. An arrow connects start and end. */
static void write_async(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid)
{
    struct tp_spool_async async;
    memcpy(&async, tp_spool_payload(record), sizeof async);
    bool is_start = record->kind == TP_SPOOL_ASYNC_BEGIN;
    const struct tp_trace_out_event event = {.category = TP_OUT_OTHER,
                                             .other_category = TP_STR("async_task"),
                                             .name = tp_spool_trace_name(c, record),
                                             .pid = (int64_t)c->file->head.pid,
                                             .tid = (int64_t)tid,
                                             .ts_ns = tp_spool_trace_time_ns(c, record)};
    const struct tp_trace_out_flow flow = {.kind = TP_OUT_FLOW_ASYNC,
                                           .is_start = is_start,
                                           .id = task_arrow_id(event.name, async.id),
                                           .pid = event.pid,
                                           .tid = event.tid,
                                           .ts_ns = event.ts_ns};
    tp_trace_out_task(c->out, &event, async.id, !is_start);
    tp_trace_out_flow(c->out, &flow);
}

/* For each kind of record, the function that converts it and the smallest size of its payload. */
static const struct {
    void (*write)(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid);
    size_t payload_bytes;
    bool is_of_cpu; /* true: records of this kind are skipped if the spool has TP_SPOOL_NO_CPU */
} moments[TP_SPOOL_KINDS] = {
    [TP_SPOOL_INSTANT] = {write_instant, 0, true},
    [TP_SPOOL_COUNTER] = {write_counter, sizeof(struct tp_spool_counter), true},
    [TP_SPOOL_MEMORY_NOTE] = {write_memory, sizeof(struct tp_spool_memory), true},
    [TP_SPOOL_ASYNC_BEGIN] = {write_async, sizeof(struct tp_spool_async), true},
    [TP_SPOOL_ASYNC_END] = {write_async, sizeof(struct tp_spool_async), true},
    [TP_SPOOL_SAMPLED] = {tp_spool_write_sampled_thread, sizeof(struct tp_spool_sampled), false},
    [TP_SPOOL_SAMPLE] = {tp_spool_write_sample, sizeof(struct tp_spool_sample), false},
    [TP_SPOOL_EVENT] = {tp_spool_write_event, sizeof(struct tp_spool_event), false},
    [TP_SPOOL_WORK] = {tp_spool_add_work, sizeof(struct tp_spool_work), false},
    [TP_SPOOL_TENSOR] = {tp_spool_write_tensor, sizeof(struct tp_spool_tensor), false},
};

void tp_spool_write_moment(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid)
{
    if (!moments[record->kind].write || (size_t)record->slots * TP_SPOOL_SLOT < moments[record->kind].payload_bytes) {
        c->result->broken_count++;
        return;
    }
    if (moments[record->kind].is_of_cpu && c->file->head.flags & TP_SPOOL_NO_CPU)
        return;
    c->result->event_count++;
    moments[record->kind].write(c, record, tid);
}
