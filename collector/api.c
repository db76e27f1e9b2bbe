/* Implements the functions of the public interface that record ranges and instants. Each call writes one record. */
#include <stdatomic.h>
#include <string.h>

#include "collector/config.h"
#include "collector/live.h"
#include "collector/name_table.h"
#include "collector/recorder.h"
#include "collector/session.h"
#include "collector/tracepress.h"

static void put_empty_record(uint32_t name, uint8_t kind)
{
    struct tp_spool_record *record = tp_record_reserve_slots(0);
    if (record)
        tp_record_finish(record, name, kind, 0, 0);
}

void tracepress_record_begin_(tracepress_name name)
{
    TP_RECORD_STACK();
    put_empty_record(name, TP_SPOOL_SCOPE);
}

void tracepress_record_text_(const char *name)
{
    TP_RECORD_STACK();
    size_t size = name ? strnlen(name, TP_NAME_BYTES) : 0;
    uint32_t slots = (uint32_t)((size + TP_SPOOL_SLOT - 1) / TP_SPOOL_SLOT);
    struct tp_spool_record *record = tp_record_reserve_slots(slots);
    if (!record)
        return;
    if (size)
        memcpy(record + 1, name, size);
    tp_record_finish(record, TP_SPOOL_NO_NAME, TP_SPOOL_SCOPE, slots, (uint32_t)size);
}

void tracepress_record_end_(void)
{
    put_empty_record(0, TP_SPOOL_END);
}

void tracepress_record_module_(tracepress_name name)
{
    TP_RECORD_STACK();
    put_empty_record(name, TP_SPOOL_MODULE);
}

void tracepress_record_instant_(tracepress_name name)
{
    put_empty_record(name, TP_SPOOL_INSTANT);
}

void tracepress_record_counter_(tracepress_name name, double value)
{
    const struct tp_spool_counter counter = {.value = value};
    if (__atomic_load_n(&tracepress_live_, __ATOMIC_RELAXED))
        tp_live_store_counter(name, value);
    tp_record_write(name, TP_SPOOL_COUNTER, &counter, sizeof counter);
}

/* ---- memory ---- */

/* struct tracepress_memory of the first version of tracepress.h, which had no member `size`. */
struct first_memory {
    uint64_t address;
    int64_t bytes, total_allocated, total_reserved;
    int32_t device_type, device_id;
};

TRACEPRESS_API void tracepress_record_memory_(const struct first_memory *note);

static void put_memory_record(const struct tracepress_memory *note)
{
    if (__atomic_load_n(&tracepress_live_, __ATOMIC_RELAXED))
        tp_live_store_memory(note);
    const struct tp_spool_memory memory = {.address = note->address,
                                           .bytes = note->bytes,
                                           .total_allocated = note->total_allocated,
                                           .total_reserved = note->total_reserved,
                                           .device_type = note->device_type,
                                           .device_id = note->device_id};
    tp_record_write(0, TP_SPOOL_MEMORY_NOTE, &memory, sizeof memory);
}

void tracepress_record_note_(const struct tracepress_memory *given)
{
    if (!given)
        return;
    TP_RECORD_STACK();
    if (tp_config_is_known_struct_size(given->size, sizeof *given)) { /* a longer struct comes from a newer header, and
                                                            begins with the members that this library knows */
        put_memory_record(given);
        return;
    }
    tp_session_count_dropped();
    tp_session_print_message(TP_SEVERITY_DETAIL, "notes of memory are left out",
                             "struct tracepress_memory does not begin with its size");
}

void tracepress_record_memory_(const struct first_memory *given)
{
    if (!given)
        return;
    TP_RECORD_STACK();
    const struct tracepress_memory note = {.address = given->address,
                                           .bytes = given->bytes,
                                           .total_allocated = given->total_allocated,
                                           .total_reserved = given->total_reserved,
                                           .device_type = given->device_type,
                                           .device_id = given->device_id};
    put_memory_record(&note);
}

/* ---- tasks ---- */

static _Atomic uint64_t tasks; /* number of ids that tasks have received so far */

uint64_t tracepress_async_id(void)
{
    /* first id of a task; readers of traces represent integers exactly only up to 2^53 */
    const uint64_t first = UINT64_C(1) << 52;
    return first + atomic_fetch_add_explicit(&tasks, 1, memory_order_relaxed);
}

void tracepress_record_async_(tracepress_name name, uint64_t id, int is_end)
{
    const struct tp_spool_async async = {.id = id};
    tp_record_write(name, is_end ? TP_SPOOL_ASYNC_END : TP_SPOOL_ASYNC_BEGIN, &async, sizeof async);
}

/* ---- operators ---- */

/* struct tracepress_operator of the first version of tracepress.h, which had no member `size`. */
struct first_operator {
    const struct tracepress_input *inputs;
    uint32_t input_count;
    int is_backward;
    uint64_t sequence, forward_tid, flops, bytes;
};

TRACEPRESS_API void tracepress_record_operator_(tracepress_name name, const struct first_operator *call);

static uint32_t recorded_dimension_count(const struct tracepress_input *input)
{
    uint32_t rank = input->dims ? input->rank : 0;
    return rank < TP_SPOOL_MAX_RANK ? rank : TP_SPOOL_MAX_RANK;
}

static uint32_t slots_per_input(const struct tracepress_input *input)
{
    return 1 + (recorded_dimension_count(input) + 1) / 2;
}

/* Returns input `i` of a call. In a newer header, the struct of an input may be longer than in this library. */
static const struct tracepress_input *input_of_call(const struct tracepress_operator *call, uint32_t i)
{
    return (const struct tracepress_input *)((const char *)call->inputs + (size_t)i * call->input_size);
}

/* Returns the number of inputs that fit into a record. Sets *slots to the number of slots for these inputs. */
static uint32_t count_inputs_that_fit(const struct tracepress_operator *call, uint32_t *slots)
{
    const uint32_t fixed = sizeof(struct tp_spool_operator) / TP_SPOOL_SLOT;
    uint32_t count = 0;
    *slots = fixed;
    while (call->inputs && count < call->input_count && count < TP_SPOOL_MAX_INPUTS &&
           *slots + slots_per_input(input_of_call(call, count)) < TP_SPOOL_MAX_SLOTS)
        *slots += slots_per_input(input_of_call(call, count++));
    return count;
}

static void write_inputs_to_record(char *at, const struct tracepress_operator *call, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct tracepress_input *input = input_of_call(call, i);
        const struct tp_spool_input head = {.rank = recorded_dimension_count(input), .dtype = (uint32_t)input->dtype};
        memcpy(at, &head, sizeof head);
        if (head.rank)
            memcpy(at + sizeof head, input->dims, head.rank * sizeof *input->dims);
        at += (size_t)slots_per_input(input) * TP_SPOOL_SLOT;
    }
}

static void put_operator_record(tracepress_name name, const struct tracepress_operator *call, bool is_of_library)
{
    uint32_t slots, count = count_inputs_that_fit(call, &slots);
    struct tp_spool_record *record = tp_record_reserve_slots(slots);
    if (!record)
        return;
    const struct tp_spool_operator head = {.sequence = call->sequence ? (int64_t)(call->sequence - 1) : INT64_MIN,
                                           .flops = call->flops ? (int64_t)call->flops : INT64_MIN,
                                           .bytes = call->bytes ? (int64_t)call->bytes : INT64_MIN,
                                           .forward_tid = (int64_t)call->forward_tid,
                                           .input_count = count,
                                           .is_backward = call->is_backward != 0,
                                           .is_of_library = is_of_library};
    memcpy(record + 1, &head, sizeof head);
    write_inputs_to_record((char *)(record + 1) + sizeof head, call, count);
    tp_record_finish(record, name, TP_SPOOL_OPERATOR, slots, 0);
}

void tracepress_record_call_(tracepress_name name, const struct tracepress_operator *given)
{
    bool has_size = given && tp_config_is_known_struct_size(given->size, sizeof *given) &&
                    (!given->inputs || tp_config_is_known_struct_size(given->input_size, sizeof *given->inputs));
    TP_RECORD_STACK();
    if (has_size) { /* a longer struct comes from a newer header, and begins with the members that this library knows */
        put_operator_record(name, given, false);
        return;
    }
    put_empty_record(name, TP_SPOOL_OPERATOR);
    if (given)
        tp_session_print_message(TP_SEVERITY_DETAIL, "facts about operators are left out",
                                 "struct tracepress_operator does not begin with its size and that of its inputs");
}

void tp_record_library_call(uint32_t name, const struct tracepress_operator *call)
{
    TP_RECORD_STACK();
    put_operator_record(name, call, true);
}

void tracepress_record_operator_(tracepress_name name, const struct first_operator *given)
{
    TP_RECORD_STACK();
    if (!given) {
        put_empty_record(name, TP_SPOOL_OPERATOR);
        return;
    }
    const struct tracepress_operator call = {.input_size = sizeof *given->inputs,
                                             .inputs = given->inputs,
                                             .input_count = given->input_count,
                                             .is_backward = given->is_backward,
                                             .sequence = given->sequence,
                                             .forward_tid = given->forward_tid,
                                             .flops = given->flops,
                                             .bytes = given->bytes};
    put_operator_record(name, &call, false);
}
