/* Reads and writes sets of processes and their files: see summary_file.h. It orders processes, chooses between two
 * records of one process, and converts files to sets and back. Records are copied byte by byte. */
#include "webreport/measure/summary/summary_file.h"

#include "webreport/measure/summary/summary_format.h"
#include "writer/base/crc32c.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"
#include "writer/proto/summary_file.pb-c.h"

/* ---- order ---- */

static int compare_ints(int64_t a, int64_t b)
{
    /* An absent number sorts last. */
    uint64_t x = (uint64_t)a - 1 + (UINT64_C(1) << 63), y = (uint64_t)b - 1 + (UINT64_C(1) << 63);
    return (x > y) - (x < y);
}

int tp_summary_key_order(const struct tp_summary_key *a, const struct tp_summary_key *b)
{
    int order = tp_str_compare(a->job, b->job);
    if (!order)
        order = compare_ints(a->rank, b->rank);
    if (!order)
        order = (a->world_size == 1) - (b->world_size == 1);
    if (!order && (a->rank == TP_NULL_INT || a->world_size == 1)) /* each replica of a server is rank 0 of 1 */
        order = tp_str_compare(a->worker, b->worker);
    order = order ? order : compare_ints(a->span, b->span);
    return (order > 0) - (order < 0);
}

/* Compares two records of one process; <0: the first one is kept. */
static int better(const struct tp_summary_record *a, const struct tp_summary_record *b)
{
    if (a->event_count != b->event_count)
        return a->event_count > b->event_count ? -1 : 1;
    return tp_str_compare(b->bytes, a->bytes);
}

static int in_order(const void *x, const void *y, const void *context)
{
    const struct tp_summary_record *a = x, *b = y;
    (void)context;
    int order = tp_summary_key_order(&a->key, &b->key);
    return order ? order : better(a, b);
}

/* ---- the set ---- */

void tp_summary_set_open(struct tp_summary_set *set, struct tp_arena *arena)
{
    *set = (struct tp_summary_set){.arena = arena};
}

static struct tp_summary_record *push(struct tp_summary_set *set)
{
    if (set->count == set->capacity) {
        size_t capacity = set->capacity ? set->capacity * 2 : 16;
        set->records = tp_arena_resize(set->arena, set->records, set->capacity * sizeof *set->records,
                                       capacity * sizeof *set->records);
        set->capacity = capacity;
    }
    return &set->records[set->count++];
}

void tp_summary_set_settle(struct tp_summary_set *set, size_t first)
{
    size_t kept = 0;
    if (first && first + 1 == set->count && in_order(&set->records[first - 1], &set->records[first], NULL) < 0 &&
        tp_summary_key_order(&set->records[first - 1].key, &set->records[first].key))
        return; /* it comes after all others, which is the usual case */
    tp_merge_sort(set->arena, set->records, set->count, sizeof *set->records, in_order, NULL);
    for (size_t i = 0; i < set->count; i++) {
        const struct tp_summary_record *record = &set->records[i], *last = record;
        if (kept)
            last = &set->records[kept - 1];
        if (kept == 0 || tp_summary_key_order(&last->key, &record->key))
            set->records[kept++] = *record;
        else if (tp_str_equal(last->bytes, record->bytes))
            set->again_count++;
        else
            set->other_count++;
    }
    set->count = kept;
}

int tp_summary_set_add_entry(struct tp_summary_set *set, struct tp_str entry, struct tp_error *err)
{
    struct tp_summary_record record = {.bytes = entry};
    int code = tp_summary_entry_key(&record.key, &record.event_count, entry, set->arena, err);
    if (code == TP_OK && set->count >= TP_MAX_SUMMARIES)
        code = tp_error_set(err, TP_ELIMIT, 0, "more than %u processes", TP_MAX_SUMMARIES);
    if (code == TP_OK)
        *push(set) = record;
    return code;
}

/* A summary to add to a set. */
struct addition {
    struct tp_summary_set *set;
    const struct tp_summary *summary;
    struct tp_arena *scratch;
};

static int add_packed(void *context, struct tp_error *err)
{
    struct addition *a = context;
    size_t first = a->set->count;
    struct tp_str entry = tp_summary_entry(a->summary, a->scratch);
    entry.ptr = tp_arena_copy(a->set->arena, entry.ptr, entry.len);
    int code = tp_summary_set_add_entry(a->set, entry, err);
    if (code == TP_OK)
        tp_summary_set_settle(a->set, first);
    return code;
}

int tp_summary_set_add(struct tp_summary_set *set, const struct tp_summary *summary, struct tp_error *err)
{
    struct tp_arena scratch;
    tp_arena_init(&scratch, TP_MAX_SUMMARY_MEMORY_BYTES);
    int code = tp_arena_run_both(&scratch, set->arena, add_packed, &(struct addition){set, summary, &scratch}, err);
    if (scratch.code)
        tp_error_set(err, code, 0, "a summary is too large");
    tp_arena_release(&scratch);
    tp_arena_pass_on(set->arena);
    if (code == TP_OK && set->minor < TP_SUMMARY_MINOR)
        set->minor = TP_SUMMARY_MINOR;
    return code;
}

/* ---- ranks ---- */

void tp_summary_set_ranks(struct tp_summary_ranks *ranks, const struct tp_summary_set *set)
{
    int64_t next = 0;
    *ranks = (struct tp_summary_ranks){.expected = TP_NULL_INT};
    tp_rank_set_init(&ranks->missing, set->arena);
    for (size_t i = 0; i < set->count; i++) {
        const struct tp_summary_key *key = &set->records[i].key;
        if (key->rank == TP_NULL_INT || key->rank < 0 || !tp_str_equal(key->job, set->records[0].key.job))
            return;
        if (key->world_size > ranks->expected)
            ranks->expected = key->world_size;
    }
    for (size_t i = 0; i < set->count; i++) { /* records are sorted by rank */
        int64_t rank = set->records[i].key.rank;
        if (i && rank == set->records[i - 1].key.rank)
            continue;
        ranks->present++;
        if (rank > next && ranks->expected > next)
            tp_rank_set_add_run(&ranks->missing, next, (rank < ranks->expected ? rank : ranks->expected) - 1);
        next = rank + 1;
    }
    if (ranks->expected > next)
        tp_rank_set_add_run(&ranks->missing, next, ranks->expected - 1);
}

/* ---- reading ---- */

bool tp_summary_is_file(const void *bytes, size_t size)
{
    static const char beginning[] = "\rTPS1"; /* the field `magic`, which is written first */
    return size >= sizeof beginning - 1 && memcmp(bytes, beginning, sizeof beginning - 1) == 0;
}

/* Checks the parts of a file other than its records. */
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

/* Appends the records of a file, without sorting. */
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
    /* protobuf-c needs about 200 bytes more for each process that a file may have */
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

/* ---- writing ---- */

/* Writes one part of a message. Parts of one message that are packed one after the other make up the message. */
static void put_part(struct tp_buf *out, const Tp__SummaryFile *part)
{
    size_t size = tp__summary_file__get_packed_size(part);
    if (tp_buf_reserve(out, size) == 0)
        out->size += tp__summary_file__pack(part, (uint8_t *)out->data + out->size);
}

void tp_summary_file_begin(struct tp_buf *out, const struct tp_summary_set *set)
{
    Tp__SummaryFile head = TP__SUMMARY_FILE__INIT;
    head.has_magic = head.has_major = head.has_minor = head.has_count = true;
    head.magic = TP_SUMMARY_MAGIC;
    head.major = TP_SUMMARY_MAJOR;
    head.minor = set->minor;
    head.count = (uint32_t)set->count;
    put_part(out, &head);
}

void tp_summary_file_add(struct tp_buf *out, const struct tp_summary_record *record)
{
    Tp__SummaryFile part = TP__SUMMARY_FILE__INIT;
    Tp__SummaryRecord packed = TP__SUMMARY_RECORD__INIT, *only = &packed;
    packed.has_crc32c = packed.has_entry = true;
    packed.crc32c = tp_crc32c(record->bytes.ptr, record->bytes.len);
    packed.entry.data = (uint8_t *)(uintptr_t)record->bytes.ptr; /* only read */
    packed.entry.len = record->bytes.len;
    part.record = &only;
    part.n_record = 1;
    put_part(out, &part);
}

int tp_summary_set_write(const struct tp_summary_set *set, struct tp_buf *out, struct tp_error *err)
{
    tp_summary_file_begin(out, set);
    for (size_t i = 0; i < set->count; i++)
        tp_summary_file_add(out, &set->records[i]);
    return out->failed ? tp_error_set(err, out->failed, 0, "out of memory") : TP_OK;
}
