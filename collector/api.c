/* Ranges and moments of the public interface: each is one record. */
#include <string.h>

#include "collector/live.h"
#include "collector/name_table.h"
#include "collector/recorder.h"
#include "collector/tracepress.h"

static void mark(uint32_t name, uint8_t kind)
{
    struct tp_spool_record *record = tp_record_take(0);
    if (record)
        tp_record_done(record, name, kind, 0, 0);
}

void tracepress_record_begin_(tracepress_name name)
{
    TP_RECORD_STACK();
    mark(name, TP_SPOOL_SCOPE);
}

void tracepress_record_text_(const char *name)
{
    TP_RECORD_STACK();
    size_t size = name ? strnlen(name, TP_NAME_BYTES) : 0;
    uint32_t slots = (uint32_t)((size + TP_SPOOL_SLOT - 1) / TP_SPOOL_SLOT);
    struct tp_spool_record *record = tp_record_take(slots);
    if (!record)
        return;
    if (size)
        memcpy(record + 1, name, size);
    tp_record_done(record, TP_SPOOL_NO_NAME, TP_SPOOL_SCOPE, slots, (uint32_t)size);
}

void tracepress_record_end_(void)
{
    mark(0, TP_SPOOL_END);
}

void tracepress_record_module_(tracepress_name name)
{
    TP_RECORD_STACK();
    mark(name, TP_SPOOL_MODULE);
}

void tracepress_record_instant_(tracepress_name name)
{
    mark(name, TP_SPOOL_INSTANT);
}

void tracepress_record_counter_(tracepress_name name, double value)
{
    const struct tp_spool_counter counter = {.value = value};
    if (__atomic_load_n(&tracepress_live_, __ATOMIC_RELAXED))
        tp_live_counter(name, value);
    tp_record_put(name, TP_SPOOL_COUNTER, &counter, sizeof counter);
}

void tracepress_record_memory_(const struct tracepress_memory *note)
{
    if (!note)
        return;
    TP_RECORD_STACK();
    if (__atomic_load_n(&tracepress_live_, __ATOMIC_RELAXED))
        tp_live_memory(note);
    const struct tp_spool_memory memory = {.address = note->address,
                                           .bytes = note->bytes,
                                           .total_allocated = note->total_allocated,
                                           .total_reserved = note->total_reserved,
                                           .device_type = note->device_type,
                                           .device_id = note->device_id};
    tp_record_put(0, TP_SPOOL_MEMORY_NOTE, &memory, sizeof memory);
}

void tracepress_record_async_(tracepress_name name, uint64_t id, int is_end)
{
    const struct tp_spool_async async = {.id = id};
    tp_record_put(name, is_end ? TP_SPOOL_ASYNC_END : TP_SPOOL_ASYNC_BEGIN, &async, sizeof async);
}

/* ---- operators ---- */

static uint32_t kept_rank(const struct tracepress_input *input)
{
    uint32_t rank = input->dims ? input->rank : 0;
    return rank < TP_SPOOL_MAX_RANK ? rank : TP_SPOOL_MAX_RANK;
}

static uint32_t slots_of_input(const struct tracepress_input *input)
{
    return 1 + (kept_rank(input) + 1) / 2;
}

/* Inputs that fit into a record, and their slots. */
static uint32_t count_inputs(const struct tracepress_operator *call, uint32_t *slots)
{
    const uint32_t fixed = sizeof(struct tp_spool_operator) / TP_SPOOL_SLOT;
    uint32_t count = 0;
    *slots = fixed;
    while (call->inputs && count < call->input_count && count < TP_SPOOL_MAX_INPUTS &&
           *slots + slots_of_input(&call->inputs[count]) < TP_SPOOL_MAX_SLOTS)
        *slots += slots_of_input(&call->inputs[count++]);
    return count;
}

static void fill_inputs(char *at, const struct tracepress_operator *call, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct tracepress_input *input = &call->inputs[i];
        const struct tp_spool_input head = {.rank = kept_rank(input), .dtype = (uint32_t)input->dtype};
        memcpy(at, &head, sizeof head);
        if (head.rank)
            memcpy(at + sizeof head, input->dims, head.rank * sizeof *input->dims);
        at += (size_t)slots_of_input(input) * TP_SPOOL_SLOT;
    }
}

void tracepress_record_operator_(tracepress_name name, const struct tracepress_operator *call)
{
    TP_RECORD_STACK();
    if (!call) {
        mark(name, TP_SPOOL_OPERATOR);
        return;
    }
    uint32_t slots, count = count_inputs(call, &slots);
    struct tp_spool_record *record = tp_record_take(slots);
    if (!record)
        return;
    const struct tp_spool_operator head = {.sequence = call->sequence ? (int64_t)(call->sequence - 1) : INT64_MIN,
                                           .flops = call->flops ? (int64_t)call->flops : INT64_MIN,
                                           .bytes = call->bytes ? (int64_t)call->bytes : INT64_MIN,
                                           .forward_tid = (int64_t)call->forward_tid,
                                           .input_count = count,
                                           .is_backward = call->is_backward != 0};
    memcpy(record + 1, &head, sizeof head);
    fill_inputs((char *)(record + 1) + sizeof head, call, count);
    tp_record_done(record, name, TP_SPOOL_OPERATOR, slots, 0);
}
