/* Unpacks a SummaryEntry, and the SummaryProcess in it, into a summary: every column is checked before its use.
 * Possible additions of a newer minor version (a kind, a part, a metric) are left out; contradictions are errors. */
#include "webreport/measure/summary/summary_unpack.h"

#include <math.h>
#include <stdlib.h>

#include "webreport/measure/summary/evidence_pack.h"
#include "webreport/measure/summary/signature_pack.h"
#include "webreport/measure/summary/summary_columns.h"
#include "webreport/measure/summary/summary_comparison.h"
#include "webreport/measure/summary/summary_format.h"
#include "webreport/measure/summary/summary_slots.h"
#include "webreport/trace/inflate.h"
#include "writer/base/limits.h"
#include "writer/base/utf8.h"
#include "writer/proto/summary.pb-c.h"

/* ---- memory ---- */

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

/* ---- texts ---- */

static struct tp_str copy_of(struct tp_arena *arena, const ProtobufCBinaryData *bytes)
{
    if (!bytes->len)
        return TP_STR("");
    return (struct tp_str){tp_arena_copy(arena, bytes->data, bytes->len), bytes->len};
}

static bool is_text(const ProtobufCBinaryData *bytes)
{
    size_t rest = 0;
    return bytes->len <= TP_MAX_SUMMARY_TEXT_BYTES && tp_utf8_is_valid((const char *)bytes->data, bytes->len, &rest) &&
           rest == 0;
}

static bool are_texts(const Tp__SummaryProcess *from)
{
    for (size_t i = 0; i < from->n_text; i++)
        if (!is_text(&from->text[i]))
            return false;
    return true;
}

/* ---- lists ---- */

static void unpack_decision(struct tp_unpack *u)
{
    const Tp__SummaryProcess *from = u->from;
    u->to->decision = (struct tp_run_decision){.is_known = from->decision != 0,
                                               .is_failed = from->decision > TP_DECISION_PASS,
                                               .is_accepted = from->decision && from->decision_accepts,
                                               .by = tp_unpack_text(u, from->decision_by),
                                               .at = tp_unpack_text(u, from->decision_at),
                                               .reason = tp_unpack_text(u, from->decision_reason),
                                               .committed_s = from->decision_committed_s};
}

static void unpack_head(struct tp_unpack *u)
{
    const Tp__SummaryProcess *from = u->from;
    struct tp_summary *s = u->to;
    int near = 0;
    s->file = tp_unpack_text(u, from->file);
    s->sha256 = tp_unpack_text(u, from->sha256);
    s->program = tp_unpack_text(u, from->program);
    s->verdict = tp_unpack_text(u, from->verdict);
    s->headline = tp_unpack_text(u, from->headline);
    s->producer = from->producer < TP_PRODUCER_COUNT ? (enum tp_producer)from->producer : TP_PRODUCER_OTHER;
    s->start_ns = from->start_ns;
    unpack_decision(u);
    s->kernel_fingerprint = from->kernel_fingerprint;
    for (unsigned i = 0; i < TP_METRIC_COUNT; i++)
        s->metrics[i] = (struct tp_metric_value){.value = NAN, .reason = TP_REASON_NOT_STORED};
    for (size_t i = 0; i < from->n_metric_name; i++) {
        struct tp_str name = tp_unpack_text(u, from->metric_name[i]);
        struct tp_str why = tp_unpack_text(u, from->metric_why[i]);
        int metric = tp_metric_find_near(name.ptr, name.len, &near);
        if (metric >= 0 && !(fabs(from->metric_value[i]) > INT64_MAX)) /* a value that no trace can contain is absent */
            s->metrics[metric] =
                (struct tp_metric_value){.value = from->metric_value[i], .why = why.len ? why.ptr : NULL};
    }
    s->facts = tp_columns_unpack(TP_LIST_FACTS, u, &s->fact_count);
}

static void unpack_steps(struct tp_unpack *u)
{
    const Tp__SummaryProcess *from = u->from;
    struct tp_summary *s = u->to;
    s->steps = tp_columns_unpack(TP_LIST_STEPS, u, &s->step_count);
    for (uint32_t i = 0; i < s->step_count; i++)
        for (unsigned part = 0; part < TP_PART_COUNT; part++)
            s->steps[i].part_ns[part] = TP_NULL_INT;
    uint64_t left_out = 0;
    for (size_t i = 0; i < from->n_left_out_step && !u->is_bad; i++) {
        left_out += from->left_out_step[i];
        u->is_bad |= left_out >= s->step_count;
        if (!u->is_bad)
            s->steps[left_out].is_left_out = true;
    }
    u->is_bad |= from->n_part_ns != (uint64_t)from->n_part * s->step_count;
    for (size_t k = 0; k < from->n_part && !u->is_bad; k++)
        for (uint32_t i = 0; i < s->step_count && from->part[k] < TP_PART_COUNT; i++)
            s->steps[i].part_ns[from->part[k]] = from->part_ns[k * s->step_count + i];
}

static void unpack_collectives(struct tp_unpack *u)
{
    struct tp_summary *s = u->to;
    s->collectives = tp_columns_unpack(TP_LIST_COLLECTIVES, u, &s->collective_count);
    for (uint32_t i = 0; i < s->collective_count; i++)
        u->is_bad |= s->collectives[i].step != TP_NO_ID && s->collectives[i].step >= s->step_count;
}

static void unpack_memory(struct tp_unpack *u)
{
    struct tp_summary *s = u->to;
    uint32_t owner_count, at = 0;
    struct tp_summary_owner *owners = tp_columns_unpack(TP_LIST_OWNERS, u, &owner_count);
    s->memory = tp_columns_unpack(TP_LIST_DEVICES, u, &s->memory_count);
    for (uint32_t i = 0; i < s->memory_count && !u->is_bad; i++) {
        u->is_bad |= s->memory[i].owner_count > owner_count - at;
        s->memory[i].owners = owners + at;
        at += s->memory[i].owner_count;
    }
    u->is_bad |= at != owner_count;
}

/* ---- all ---- */

int tp_summary_process_read(struct tp_summary *summary, struct tp_str process, struct tp_arena *arena,
                            struct tp_arena *scratch, struct tp_error *err)
{
    struct tp_message_memory memory = {scratch, UINT64_MAX, false};
    ProtobufCAllocator allocator = {tp_message_take, tp_message_give_back, &memory};
    const Tp__SummaryProcess *from = tp__summary_process__unpack(&allocator, process.len, (const uint8_t *)process.ptr);
    struct tp_unpack u = {.from = from, .to = summary, .arena = arena};
    if (!from)
        return tp_error_set(err, TP_EFORMAT, 0, "the content of a process is no protobuf message");
    if (!are_texts(from))
        return tp_error_set(err, TP_EFORMAT, 0, "a text is too long or no UTF-8");
    if (!tp_columns_are_even(from))
        return tp_error_set(err, TP_EFORMAT, 0, "columns of one list have different lengths");
    if (tp_columns_are_longer(from, TP_MAX_SUMMARY_ITEMS))
        return tp_error_set(err, TP_ELIMIT, 0, "a list has more than %u items", TP_MAX_SUMMARY_ITEMS);
    u.texts = tp_arena_array(arena, from->n_text, sizeof *u.texts);
    u.text_count = from->n_text;
    for (size_t i = 0; i < from->n_text; i++)
        u.texts[i] = copy_of(arena, &from->text[i]);
    unpack_head(&u);
    unpack_steps(&u);
    tp_unpack_rows(&u);
    unpack_collectives(&u);
    summary->findings = tp_columns_unpack(TP_LIST_FINDINGS, &u, &summary->finding_count);
    unpack_memory(&u);
    summary->flags = tp_columns_unpack(TP_LIST_FLAGS, &u, &summary->flag_count);
    tp_evidence_unpack(&u);
    tp_comparison_unpack(&u);
    tp_signature_unpack(&u);
    tp_slots_unpack(&u);
    return u.is_bad ? tp_error_set(err, TP_EFORMAT, 0, "numbers of a process contradict each other") : TP_OK;
}

/* ---- entries ---- */

/* Returns the key without its texts. */
static struct tp_summary_key key_of(const Tp__SummaryEntry *entry)
{
    return (struct tp_summary_key){.rank = entry->rank, .world_size = entry->world_size, .span = entry->span};
}

int tp_summary_entry_key(struct tp_summary_key *key, int64_t *event_count, struct tp_str entry, struct tp_arena *arena,
                         struct tp_error *err)
{
    uint8_t job[TP_MAX_SUMMARY_TEXT_BYTES], worker[TP_MAX_SUMMARY_TEXT_BYTES];
    struct tp_message_memory heap = {NULL, 0, false};
    ProtobufCAllocator allocator = {tp_message_take, tp_message_give_back, &heap};
    Tp__SummaryEntry *e = tp__summary_entry__unpack(&allocator, entry.len, (const uint8_t *)entry.ptr);
    if (!e)
        return heap.is_used_up ? tp_error_set(err, TP_ENOMEM, 0, "out of memory")
                               : tp_error_set(err, TP_EFORMAT, 0, "a process is no protobuf message");
    /* no memory may come from the arena while protobuf-c's memory is in use */
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
    key->job = copy_of(arena, &(ProtobufCBinaryData){job_size, job});
    key->worker = copy_of(arena, &(ProtobufCBinaryData){worker_size, worker});
    return TP_OK;
}

/* ---- unpacking ---- */

/* Inflates a complete gzip of one member, whose last four bytes are its size. */
static int inflate_all(struct tp_str *out, struct tp_str packed, struct tp_arena *scratch, struct tp_error *err)
{
    struct tp_inflate inflate;
    uint32_t size = 0;
    if (packed.len >= sizeof size)
        memcpy(&size, packed.ptr + packed.len - sizeof size, sizeof size);
    if (size > TP_MAX_SUMMARY_INFLATED_BYTES)
        return tp_error_set(err, TP_ELIMIT, 0, "a process is larger than %u MB", TP_MAX_SUMMARY_INFLATED_BYTES >> 20);
    /* no error may leave this function while the inflater is open */
    char *bytes = tp_arena_alloc(scratch, (size_t)size + 1);
    if (tp_inflate_open(&inflate) < 0)
        return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    tp_inflate_feed(&inflate, packed.ptr, packed.len);
    size_t done = tp_inflate_run(&inflate, bytes, (size_t)size + 1);
    bool is_whole = done == size && (inflate.end == TP_INFLATE_RUNNING || inflate.end == TP_INFLATE_DONE) &&
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
    summary->key.job = copy_of(u->arena, &e->job);
    summary->key.worker = copy_of(u->arena, &e->worker);
    summary->event_count = e->event_count;
    return TP_OK;
}

int tp_summary_unpack_with(struct tp_summary *summary, const struct tp_summary_record *record, struct tp_arena *arena,
                           struct tp_arena *scratch, struct tp_error *err)
{
    int code = tp_arena_run_both(scratch, arena, unpack, &(struct unpacking){summary, record, arena, scratch}, err);
    if (scratch->code)
        tp_error_set(err, code, 0, "a process is too large");
    tp_arena_clear(scratch);
    tp_arena_pass_on(arena);
    return code;
}

static int unpack_alone(void *context, struct tp_error *err)
{
    const struct unpacking *u = context;
    return tp_summary_unpack_with(u->summary, u->record, u->arena, u->scratch, err);
}

int tp_summary_unpack(struct tp_summary *summary, const struct tp_summary_record *record, struct tp_arena *arena,
                      struct tp_error *err)
{
    struct tp_arena scratch;
    tp_arena_init(&scratch, TP_MAX_SUMMARY_MEMORY_BYTES);
    int code = tp_arena_run(arena, unpack_alone, &(struct unpacking){summary, record, arena, &scratch}, err);
    tp_arena_release(&scratch);
    tp_arena_pass_on(arena);
    return code;
}
