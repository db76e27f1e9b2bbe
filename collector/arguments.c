/* Records arguments of ranges, and work items of other devices. An argument is a separate record, which follows the
 * record of its range or work item on the same thread. Arguments from NVTX have the same form (source/mark.c). */
#include <string.h>
#include <time.h>

#include "collector/config.h"
#include "collector/name_table.h"
#include "collector/recorder.h"
#include "collector/session.h"
#include "collector/tracepress.h"

/* number of low bits in a lane's number that contain the number of the lane's name; the higher bits contain the kind of
 * work */
enum { KIND_SHIFT = 29 };

static uint32_t byte_slot_count(size_t bytes)
{
    return (uint32_t)((bytes + TP_SPOOL_SLOT - 1) / TP_SPOOL_SLOT);
}

static uint32_t valid_kind(uint32_t kind)
{
    return kind <= TRACEPRESS_SYNC ? kind : TRACEPRESS_NONE;
}

/* ---- arguments ---- */

/* Writes an argument whose value is a number. of: TP_SPOOL_OF_RANGE for an argument of a range, TP_SPOOL_OF_WORK for
 * one of a work item. */
static void put_number_argument(uint32_t of, uint32_t name, uint8_t type, const void *bits)
{
    const struct tp_spool_fact_head head = {.domain = of, .count = 1, .type = type};
    char payload[sizeof head + TP_SPOOL_SLOT] = {0};
    memcpy(payload, &head, sizeof head);
    memcpy(payload + sizeof head, bits, sizeof(uint64_t));
    tp_record_write(name, TP_SPOOL_MARK_FACT, payload, sizeof payload);
}

static void put_text_argument(uint32_t of, uint32_t name, const char *text)
{
    const struct tp_spool_fact_head head = {.domain = of, .type = TP_SPOOL_TEXT};
    size_t size = text ? strnlen(text, TP_NAME_BYTES) : 0;
    uint32_t slots = 1 + byte_slot_count(size);
    struct tp_spool_record *record = tp_record_reserve_slots(slots);
    if (!record)
        return;
    memcpy(record + 1, &head, sizeof head);
    if (size)
        memcpy(record + 2, text, size);
    tp_record_finish(record, name, TP_SPOOL_MARK_FACT, slots, (uint32_t)size);
}

void tracepress_record_i64_(tracepress_name name, int64_t value)
{
    put_number_argument(TP_SPOOL_OF_RANGE, name, TP_SPOOL_SIGNED, &value);
}

void tracepress_record_f64_(tracepress_name name, double value)
{
    put_number_argument(TP_SPOOL_OF_RANGE, name, TP_SPOOL_REAL, &value);
}

void tracepress_record_arg_text_(tracepress_name name, const char *value)
{
    put_text_argument(TP_SPOOL_OF_RANGE, name, value);
}

void tracepress_record_color_(uint32_t rgb)
{
    const uint64_t color = rgb & 0xFFFFFF;
    put_number_argument(TP_SPOOL_OF_RANGE, 0, TP_SPOOL_COLOR, &color);
}

/* ---- ranges and instants ---- */

void tracepress_record_kind_(tracepress_name name, uint32_t kind)
{
    TP_RECORD_STACK();
    struct tp_spool_record *record = tp_record_reserve_slots(0);
    if (record)
        tp_record_finish(record, name, TP_SPOOL_KIND_SCOPE, 0, valid_kind(kind));
}

void tracepress_record_instant_text_(tracepress_name name, const char *text)
{
    size_t size = text ? strnlen(text, TP_NAME_BYTES) : 0;
    uint32_t slots = byte_slot_count(size);
    struct tp_spool_record *record = tp_record_reserve_slots(slots);
    if (!record)
        return;
    if (size)
        memcpy(record + 1, text, size);
    tp_record_finish(record, name, TP_SPOOL_INSTANT, slots, (uint32_t)size);
}

/* ---- work items ---- */

tracepress_lane_id tracepress_lane(const char *name, enum tracepress_kind kind)
{
    uint32_t number = tracepress_intern(name);
    return number && number < 1u << KIND_SHIFT ? valid_kind((uint32_t)kind) << KIND_SHIFT | number : 0;
}

int64_t tracepress_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void put_argument(const struct tracepress_argument *argument)
{
    if (argument->type == TRACEPRESS_I64)
        put_number_argument(TP_SPOOL_OF_WORK, argument->name, TP_SPOOL_SIGNED, &argument->i64);
    else if (argument->type == TRACEPRESS_F64)
        put_number_argument(TP_SPOOL_OF_WORK, argument->name, TP_SPOOL_REAL, &argument->f64);
    else if (argument->type == TRACEPRESS_TEXT)
        put_text_argument(TP_SPOOL_OF_WORK, argument->name, argument->text);
}

static bool has_known_sizes(const struct tracepress_work *work)
{
    if (tp_config_is_known_struct_size(work->size, sizeof *work) &&
        tp_config_is_known_struct_size(work->argument_size, sizeof(struct tracepress_argument)))
        return true;
    tp_session_count_dropped();
    tp_session_print_message(TP_SEVERITY_DETAIL, "arguments of device work are left out",
                             "struct tracepress_work does not begin with its sizes");
    return false;
}

void tracepress_record_work_(tracepress_lane_id lane, tracepress_name name, int64_t begin_ns, int64_t end_ns,
                             const struct tracepress_work *work)
{
    enum { MOST = 24 };
    struct tp_spool_work payload = {
        .begin_ns = begin_ns, .end_ns = end_ns, .lane = lane & ((1u << KIND_SHIFT) - 1), .kind = lane >> KIND_SHIFT};
    if (!payload.lane)
        return;
    if (work && !has_known_sizes(work))
        work = NULL;
    if (work && valid_kind(work->kind))
        payload.kind = work->kind;
    tp_record_write(name, TP_SPOOL_WORK, &payload, sizeof payload);
    if (work && work->color >= 0) {
        const uint64_t color = (uint32_t)work->color & 0xFFFFFF;
        put_number_argument(TP_SPOOL_OF_WORK, 0, TP_SPOOL_COLOR, &color);
    }
    for (uint32_t i = 0; work && work->arguments && i < work->argument_count && i < MOST; i++)
        put_argument((const struct tracepress_argument *)(const void *)((const char *)work->arguments +
                                                                        (size_t)i * work->argument_size));
}
