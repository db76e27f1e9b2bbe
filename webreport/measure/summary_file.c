/* Reading `.tps` files: see summary_file.h. The outermost message is read (and written, in summary_set.c) by hand, so
 * that records are copied as the bytes they are; everything inside is protobuf-c's. */
#include "webreport/measure/summary_file.h"

#include <stdlib.h>

#include "webreport/measure/summary_format.h"
#include "webreport/trace/inflate.h"
#include "writer/base/crc32c.h"
#include "writer/base/limits.h"
#include "writer/base/utf8.h"
#include "writer/proto/summary.pb-c.h"
#include "writer/proto/summary_file.pb-c.h"

/* ---- reading ---- */

void *tp_message_take(void *memory, size_t size)
{
    struct tp_message_memory *m = memory;
    void *block = NULL;
    if (!m->arena) {
        block = malloc(size);
    } else if (size <= m->left_bytes) {
        m->left_bytes -= size;
        block = tp_arena_alloc(m->arena, size);
    }
    m->is_used_up |= !block;
    return block;
}

void tp_message_give_back(void *memory, void *block)
{
    const struct tp_message_memory *m = memory;
    if (!m->arena)
        free(block);
}

bool tp_summary_is_file(const void *bytes, size_t size)
{
    static const char beginning[] = "\rTPS1"; /* the field `magic`, which is written first */
    return size >= sizeof beginning - 1 && memcmp(bytes, beginning, sizeof beginning - 1) == 0;
}

/* What is wrong with the parts of a file but its records, if anything. */
static int check_head(const Tp__SummaryFile *file, struct tp_error *err)
{
    if (file->has_major && file->major != TP_SUMMARY_MAJOR)
        return tp_error_set(err, TP_EUNSUPPORTED, 0,
                            "the summary was written by another tracepress: its format is %llu, this one reads %d",
                            (unsigned long long)file->major, TP_SUMMARY_MAJOR);
    if (!file->has_major || !file->has_minor || !file->has_count || file->base.n_unknown_fields)
        return tp_error_set(err, TP_EFORMAT, 0, "the summary is cut or damaged");
    if (file->count != file->n_record)
        return tp_error_set(err, TP_EFORMAT, 0, "the summary is cut after %zu processes", file->n_record);
    return TP_OK;
}

/* Appends the records of a file, not yet in order. */
static int add_records(struct tp_summary_set *set, const Tp__SummaryFile *file, struct tp_error *err)
{
    for (size_t i = 0; i < file->n_record; i++) {
        const Tp__SummaryRecord *record = file->record[i];
        struct tp_str entry = {(const char *)record->entry.data, record->entry.len};
        struct tp_error why = {0};
        if (!record->has_crc32c || !entry.len || record->crc32c != tp_crc32c(entry.ptr, entry.len))
            return tp_error_set(err, TP_EFORMAT, 0, "process %zu of the summary is damaged", i + 1);
        int code = tp_summary_set_add_entry(set, entry, &why);
        if (code < 0)
            return tp_error_set(err, code, 0, "%.160s (process %zu of the summary)", why.text, i + 1);
    }
    return TP_OK;
}

int tp_summary_set_read(struct tp_summary_set *set, const void *bytes, size_t size, struct tp_error *err)
{
    /* what protobuf-c needs beyond the bytes: some 200 for each process that a file may have */
    struct tp_message_memory memory = {set->arena, size + 256 * (uint64_t)TP_MAX_SUMMARIES, false};
    ProtobufCAllocator allocator = {tp_message_take, tp_message_give_back, &memory};
    size_t first = set->count;
    if (!tp_summary_is_file(bytes, size))
        return tp_error_set(err, TP_EFORMAT, 0, "no summary of tracepress");
    const Tp__SummaryFile *file = tp__summary_file__unpack(&allocator, size, bytes);
    if (!file)
        return memory.is_used_up ? tp_error_set(err, TP_ELIMIT, 0, "more than %u processes", TP_MAX_SUMMARIES)
                                 : tp_error_set(err, TP_EFORMAT, 0, "the summary is cut or damaged");
    int code = check_head(file, err);
    code = code < 0 ? code : add_records(set, file, err);
    if (code < 0) {
        set->count = first;
        return code;
    }
    if (file->minor > set->minor)
        set->minor = file->minor;
    tp_summary_set_settle(set, first);
    return TP_OK;
}

/* ---- entries ---- */

static bool is_text(const ProtobufCBinaryData *text)
{
    size_t rest = 0;
    return text->len <= TP_MAX_SUMMARY_TEXT_BYTES && tp_utf8_is_valid((const char *)text->data, text->len, &rest) &&
           rest == 0;
}

/* Members of the key but its texts. */
static struct tp_summary_key key_of(const Tp__SummaryEntry *entry)
{
    return (struct tp_summary_key){.rank = entry->rank, .world_size = entry->world_size, .span = entry->span};
}

static struct tp_str keep_text(struct tp_arena *arena, const void *bytes, size_t size)
{
    return size ? (struct tp_str){tp_arena_copy(arena, bytes, size), size} : TP_STR("");
}

int tp_summary_entry_key(struct tp_summary_key *key, int64_t *event_count, struct tp_str entry, struct tp_arena *arena,
                         struct tp_error *err)
{
    char job[TP_MAX_SUMMARY_TEXT_BYTES], worker[TP_MAX_SUMMARY_TEXT_BYTES];
    struct tp_message_memory heap = {NULL, 0, false};
    ProtobufCAllocator allocator = {tp_message_take, tp_message_give_back, &heap};
    Tp__SummaryEntry *e = tp__summary_entry__unpack(&allocator, entry.len, (const uint8_t *)entry.ptr);
    if (!e)
        return heap.is_used_up ? tp_error_set(err, TP_ENOMEM, 0, "out of memory")
                               : tp_error_set(err, TP_EFORMAT, 0, "a process is no protobuf message");
    /* nothing is taken from the arena while protobuf-c's memory is held */
    bool are_texts = is_text(&e->job) && is_text(&e->worker);
    size_t job_size = are_texts ? e->job.len : 0, worker_size = are_texts ? e->worker.len : 0;
    if (job_size)
        memcpy(job, e->job.data, job_size);
    if (worker_size)
        memcpy(worker, e->worker.data, worker_size);
    *key = key_of(e);
    *event_count = e->event_count;
    tp__summary_entry__free_unpacked(e, &allocator);
    if (!are_texts)
        return tp_error_set(err, TP_EFORMAT, 0, "the name of a process is no text");
    key->job = keep_text(arena, job, job_size);
    key->worker = keep_text(arena, worker, worker_size);
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
    struct tp_message_memory memory = {u->scratch, UINT64_MAX, false};
    ProtobufCAllocator allocator = {tp_message_take, tp_message_give_back, &memory};
    struct tp_str bytes = TP_STR("");
    const struct tp_str *entry = &u->record->bytes;
    memset(summary, 0, sizeof *summary);
    const Tp__SummaryEntry *e = tp__summary_entry__unpack(&allocator, entry->len, (const uint8_t *)entry->ptr);
    if (!e)
        return tp_error_set(err, TP_EFORMAT, 0, "a process is no protobuf message");
    if (!is_text(&e->job) || !is_text(&e->worker))
        return tp_error_set(err, TP_EFORMAT, 0, "the name of a process is no text");
    int code = inflate_all(&bytes, (struct tp_str){(const char *)e->process.data, e->process.len}, u->scratch, err);
    if (code == TP_OK)
        code = tp_summary_process_read(summary, bytes, u->arena, u->scratch, err);
    if (code < 0)
        return code;
    summary->key = key_of(e);
    summary->key.job = keep_text(u->arena, e->job.data, e->job.len);
    summary->key.worker = keep_text(u->arena, e->worker.data, e->worker.len);
    summary->event_count = e->event_count;
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
