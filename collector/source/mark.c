/* Writes records of NVTX and ITT: see mark.h. */
#include "collector/source/mark.h"

#include <string.h>

#include "collector/recorder.h"
#include "collector/session.h"
#include "writer/base/utf8.h"

static uint32_t byte_slot_count(size_t bytes)
{
    return (uint32_t)((bytes + TP_SPOOL_SLOT - 1) / TP_SPOOL_SLOT);
}

/* ---- texts ---- */

struct tp_mark_text tp_mark_text(const char *text)
{
    return (struct tp_mark_text){TP_SPOOL_NO_NAME, text ? (uint32_t)strnlen(text, TP_NAME_BYTES) : 0, text};
}

struct tp_mark_text tp_mark_wide(struct tp_mark_wide *room, const wchar_t *text)
{
    uint32_t size = 0;
    while (text && *text && size + 4 <= sizeof room->bytes)
        size += (uint32_t)tp_utf8_put(room->bytes + size, (uint32_t)*text++);
    return (struct tp_mark_text){TP_SPOOL_NO_NAME, size, room->bytes};
}

uint32_t tp_mark_intern(const char *text)
{
    return tracepress_intern(text);
}

uint32_t tp_mark_intern_wide(const wchar_t *text)
{
    struct tp_mark_wide room;
    char terminated[TP_NAME_BYTES + 1];
    struct tp_mark_text narrow = tp_mark_wide(&room, text);
    memcpy(terminated, narrow.bytes, narrow.size);
    terminated[narrow.size] = '\0';
    return tracepress_intern(terminated);
}

const char *tp_mark_name_of_number(uint32_t number)
{
    return tp_session_name_text(number);
}

/* ---- records ---- */

/* Writes a record whose payload is followed by a name. */
static void put_record_with_name(uint8_t kind, const void *payload, uint32_t payload_slots, struct tp_mark_text name)
{
    uint32_t slots = payload_slots + byte_slot_count(name.size);
    struct tp_spool_record *record = tp_record_reserve_slots(slots);
    if (!record)
        return;
    memcpy(record + 1, payload, (size_t)payload_slots * TP_SPOOL_SLOT);
    if (name.size)
        memcpy(record + 1 + payload_slots, name.bytes, name.size);
    tp_record_finish(record, name.number, kind, slots, name.size);
}

void tp_mark_write(uint8_t kind, const struct tp_spool_mark *mark, struct tp_mark_text name)
{
    put_record_with_name(kind, mark, (mark->has_more ? sizeof *mark : TP_SPOOL_SHORT_MARK) / TP_SPOOL_SLOT, name);
}

void tp_mark_write_span(const struct tp_spool_mark *mark, uint32_t name, uint64_t begin, uint64_t end)
{
    struct {
        struct tp_spool_mark mark;
        struct tp_spool_span span;
    } payload = {*mark, {begin, end}};
    put_record_with_name(TP_SPOOL_MARK_SPAN, &payload, sizeof payload / TP_SPOOL_SLOT, tp_mark_number(name));
}

void tp_mark_end_innermost(uint32_t domain)
{
    struct tp_spool_record *record = tp_record_reserve_slots(0);
    if (record)
        tp_record_finish(record, domain, TP_SPOOL_MARK_POP, 0, 0);
}

void tp_mark_end_by_key(uint64_t key)
{
    const struct tp_spool_async payload = {.id = key};
    put_record_with_name(TP_SPOOL_MARK_FINISH, &payload, sizeof payload / TP_SPOOL_SLOT, tp_mark_number(0));
}

void tp_mark_write_thread_name(uint64_t tid, struct tp_mark_text name)
{
    const struct tp_spool_async payload = {.id = tid};
    put_record_with_name(TP_SPOOL_MARK_THREAD, &payload, sizeof payload / TP_SPOOL_SLOT, name);
}

void tp_mark_write_values(uint32_t key, const struct tp_spool_fact_head *head, const uint64_t *values)
{
    uint64_t payload[2 + TP_MARK_VALUES] = {0};
    uint32_t count = head->count < TP_MARK_VALUES ? head->count : TP_MARK_VALUES;
    memcpy(payload, head, sizeof *head);
    memcpy(payload + 2, values, count * sizeof *values);
    put_record_with_name(TP_SPOOL_MARK_FACT, payload, byte_slot_count((2 + count) * sizeof *payload),
                         tp_mark_number(key));
}

void tp_mark_write_text_fact(uint32_t key, const struct tp_spool_fact_head *head, const char *text, size_t size)
{
    uint32_t kept = text ? (uint32_t)strnlen(text, size < TP_NAME_BYTES ? size : TP_NAME_BYTES) : 0;
    put_record_with_name(TP_SPOOL_MARK_FACT, head, sizeof *head / TP_SPOOL_SLOT,
                         (struct tp_mark_text){key, kept, text});
}
