/* Reading `.tps` files: see summary_file.h. The outermost message is read (and written, in summary_set.c) by hand, so
 * that records are copied as the bytes they are; everything inside is protobuf-c's. */
#include "webreport/measure/summary_file.h"

#include "webreport/measure/summary_format.h"
#include "webreport/measure/summary_wire.h"
#include "webreport/trace/inflate.h"
#include "writer/base/crc32c.h"
#include "writer/base/limits.h"
#include "writer/base/utf8.h"

/* ---- reading ---- */

bool tp_summary_is_file(const void *bytes, size_t size)
{
    struct tp_wire w = tp_wire_of(bytes, size < 5 ? size : 5);
    return size && tp_wire_next(&w) && w.field == 1 && w.type == TP_WIRE_FIXED32 && w.number == TP_SUMMARY_MAGIC;
}

/* Entry of a SummaryRecord, checked. */
static bool read_record(struct tp_str record, struct tp_str *entry)
{
    struct tp_wire w = tp_wire_of(record.ptr, record.len);
    uint64_t crc = UINT64_MAX;
    *entry = (struct tp_str){NULL, 0};
    while (w.at < w.end) {
        if (!tp_wire_next(&w))
            return false;
        if (w.field == 1 && w.type == TP_WIRE_FIXED32)
            crc = w.number;
        if (w.field == 2 && w.type == TP_WIRE_BYTES)
            *entry = w.bytes;
    }
    return entry->ptr && crc == tp_crc32c(entry->ptr, entry->len);
}

/* Reads one record of the file and adds it. */
static int take_record(struct tp_summary_set *set, struct tp_str record, uint64_t offset, struct tp_error *err)
{
    struct tp_error why = {0};
    struct tp_str entry;
    if (!read_record(record, &entry))
        return tp_error_set(err, TP_EFORMAT, offset, "the process at byte %llu of the summary is damaged",
                            (unsigned long long)offset);
    entry.ptr = tp_arena_copy(set->arena, entry.ptr, entry.len);
    int code = tp_summary_set_add_entry(set, entry, &why);
    if (code == TP_OK)
        return TP_OK;
    return tp_error_set(err, code, offset, "%.160s (byte %llu of the summary)", why.text, (unsigned long long)offset);
}

/* The fields of SummaryFile, which no minor version adds to: others are damage. */
enum field {
    MAGIC = 1 << 3 | TP_WIRE_FIXED32,
    MAJOR = 2 << 3,
    MINOR = 3 << 3,
    RECORD = 4 << 3 | TP_WIRE_BYTES,
    COUNT = 5 << 3
};

/* Appends the records of a file, not yet in order. */
static int read_records(struct tp_summary_set *set, struct tp_wire *w, struct tp_error *err)
{
    uint64_t major = 0, minor = 0, count = UINT64_MAX, found = 0;
    while (w->at < w->end) {
        uint64_t offset = (uint64_t)(w->at - w->start);
        unsigned kind = tp_wire_next(w) ? w->field << 3 | w->type : 0;
        bool is_known = kind == MAGIC || kind == MAJOR || kind == MINOR || (major && (kind == COUNT || kind == RECORD));
        if (!is_known)
            return tp_error_set(err, TP_EFORMAT, offset, "the summary is cut or damaged at byte %llu",
                                (unsigned long long)offset);
        major = kind == MAJOR ? w->number : major;
        minor = kind == MINOR ? w->number : minor;
        count = kind == COUNT ? w->number : count;
        found += kind == RECORD;
        if (kind == MAJOR && major != TP_SUMMARY_MAJOR)
            return tp_error_set(err, TP_EUNSUPPORTED, offset,
                                "the summary was written by another tracepress: its format is %llu, this one reads %d",
                                (unsigned long long)major, TP_SUMMARY_MAJOR);
        int code = kind == RECORD ? take_record(set, w->bytes, offset, err) : TP_OK;
        if (code < 0)
            return code;
    }
    if (count != found)
        return tp_error_set(err, TP_EFORMAT, (uint64_t)(w->at - w->start), "the summary is cut after %llu processes",
                            (unsigned long long)found);
    if (minor > set->minor)
        set->minor = minor > UINT32_MAX ? UINT32_MAX : (uint32_t)minor;
    return TP_OK;
}

int tp_summary_set_read(struct tp_summary_set *set, const void *bytes, size_t size, struct tp_error *err)
{
    struct tp_wire w = tp_wire_of(bytes, size);
    size_t first = set->count;
    if (!tp_summary_is_file(bytes, size))
        return tp_error_set(err, TP_EFORMAT, 0, "no summary of tracepress");
    int code = read_records(set, &w, err);
    if (code == TP_OK)
        tp_summary_set_settle(set, first);
    else
        set->count = first;
    return code;
}

/* ---- entries ---- */

static bool is_text(struct tp_str text)
{
    size_t rest = 0;
    return text.len <= TP_MAX_SUMMARY_TEXT_BYTES && tp_utf8_is_valid(text.ptr, text.len, &rest) && rest == 0;
}

static int64_t from_zigzag(uint64_t value)
{
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

int tp_summary_entry_read(struct tp_summary_key *key, int64_t *event_count, struct tp_str *process, struct tp_str entry,
                          struct tp_error *err)
{
    enum { JOB = 1, RANK, WORLD_SIZE, WORKER, SPAN, EVENT_COUNT, PROCESS };
    struct tp_wire w = tp_wire_of(entry.ptr, entry.len);
    struct tp_str bytes[PROCESS + 1];
    uint64_t numbers[PROCESS + 1] = {0};
    for (unsigned i = 0; i <= PROCESS; i++)
        bytes[i] = TP_STR("");
    while (w.at < w.end) {
        if (!tp_wire_next(&w))
            return tp_error_set(err, TP_EFORMAT, 0, "a process is no protobuf message");
        if (w.field <= PROCESS && w.type == TP_WIRE_BYTES)
            bytes[w.field] = w.bytes;
        if (w.field <= PROCESS && w.type == TP_WIRE_VARINT)
            numbers[w.field] = w.number;
    }
    if (!is_text(bytes[JOB]) || !is_text(bytes[WORKER]))
        return tp_error_set(err, TP_EFORMAT, 0, "the name of a process is no text");
    *key = (struct tp_summary_key){.job = bytes[JOB],
                                   .rank = from_zigzag(numbers[RANK]),
                                   .world_size = from_zigzag(numbers[WORLD_SIZE]),
                                   .worker = bytes[WORKER],
                                   .span = from_zigzag(numbers[SPAN])};
    *event_count = (int64_t)numbers[EVENT_COUNT];
    *process = bytes[PROCESS];
    return TP_OK;
}

/* ---- unpacking ---- */

/* A whole gzip of one member, whose last four bytes say how much is in it. */
static int inflate_all(struct tp_str *out, struct tp_str packed, struct tp_arena *scratch, struct tp_error *err)
{
    struct tp_inflate inflate;
    uint32_t size = 0;
    if (packed.len >= sizeof size)
        memcpy(&size, packed.ptr + packed.len - sizeof size, sizeof size);
    if (size > TP_MAX_SUMMARY_INFLATED_BYTES)
        return tp_error_set(err, TP_ELIMIT, 0, "a process is larger than %u MB", TP_MAX_SUMMARY_INFLATED_BYTES >> 20);
    char *bytes = tp_arena_alloc(scratch, (size_t)size + 1); /* nothing may leave while the inflater is open */
    if (tp_inflate_open(&inflate) < 0)
        return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    tp_inflate_feed(&inflate, packed.ptr, packed.len);
    size_t done = tp_inflate_run(&inflate, bytes, (size_t)size + 1);
    bool is_whole = done == size && (inflate.end == TP_INFLATE_GOING || inflate.end == TP_INFLATE_DONE) &&
                    !tp_inflate_is_cut(&inflate) && !inflate.has_trailing_data;
    tp_inflate_close(&inflate);
    *out = (struct tp_str){bytes, done};
    return is_whole ? TP_OK : tp_error_set(err, TP_EFORMAT, 0, "the gzip of a process is cut or damaged");
}

struct unpacking {
    struct tp_summary *summary;
    const struct tp_summary_record *record;
    struct tp_arena *arena, *scratch;
};

static int unpack(void *context, struct tp_error *err)
{
    struct unpacking *u = context;
    struct tp_summary *summary = u->summary;
    struct tp_str process = TP_STR(""), bytes = TP_STR("");
    memset(summary, 0, sizeof *summary);
    int code = tp_summary_entry_read(&summary->key, &summary->event_count, &process, u->record->bytes, err);
    if (code == TP_OK)
        code = inflate_all(&bytes, process, u->scratch, err);
    if (code == TP_OK)
        code = tp_summary_process_read(summary, bytes, u->arena, u->scratch, err);
    if (code < 0)
        return code;
    summary->key.job.ptr = tp_arena_copy(u->arena, summary->key.job.ptr, summary->key.job.len);
    summary->key.worker.ptr = tp_arena_copy(u->arena, summary->key.worker.ptr, summary->key.worker.len);
    return TP_OK;
}

int tp_summary_unpack(struct tp_summary *summary, const struct tp_summary_record *record, struct tp_arena *arena,
                      struct tp_error *err)
{
    struct tp_arena scratch;
    tp_arena_init(&scratch, TP_MAX_SUMMARY_MEMORY_BYTES);
    int code = tp_arena_run_both(&scratch, arena, unpack, &(struct unpacking){summary, record, arena, &scratch}, err);
    if (scratch.code)
        tp_error_set(err, code, 0, "a process is too large");
    tp_arena_release(&scratch);
    tp_arena_pass_on(arena);
    return code;
}
