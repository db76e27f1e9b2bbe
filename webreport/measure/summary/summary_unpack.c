/* SummaryEntry, and the SummaryProcess in it, -> summary: every column is checked before it is used. What a newer minor
 * version may add (a kind, a part, a metric) is left out; what contradicts itself is an error. */
#include "webreport/measure/summary/summary_unpack.h"

#include <math.h>
#include <stdlib.h>

#include "webreport/measure/rules/rules.h"
#include "webreport/measure/summary/evidence_pack.h"
#include "webreport/measure/summary/signature_pack.h"
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

/* ---- columns ---- */

enum list {
    METRICS,
    FACTS,
    STEPS,
    LEFT_OUT,
    PARTS,
    ROWS,
    SPANS,
    BUCKETS,
    CELLS,
    COLLECTIVES,
    FINDINGS,
    DEVICES,
    OWNERS,
    FLAGS,
    EVIDENCE,
    LABELS,
    OVERLAP,
    RECORDS,
    META,
    RANGES,
    GPUS,
    WORK,
    WORK_PLACES,
    WORK_LANES,
    WORK_CALL_KEYS,
    WORK_CALLS,
    WORK_KEPT,
    WORK_FUNCTIONS,
    GROUPS,
    RUNS,
    SLOTS,
    SLOT_STEPS,
    LENGTHS
};

#define COUNT(field) offsetof(Tp__SummaryProcess, n_##field)

/* Which columns make which list; the first of a list says how long it is. */
static const struct {
    enum list list;
    size_t count;
} columns[] = {
    {METRICS, COUNT(metric_name)},
    {METRICS, COUNT(metric_value)},
    {METRICS, COUNT(metric_why)},
    {FACTS, COUNT(fact_name)},
    {FACTS, COUNT(fact_value)},
    {STEPS, COUNT(step_name)},
    {STEPS, COUNT(step_start_ns)},
    {STEPS, COUNT(step_total_ns)},
    {LEFT_OUT, COUNT(left_out_step)},
    {PARTS, COUNT(part)},
    {ROWS, COUNT(row_kind)},
    {ROWS, COUNT(row_name)},
    {ROWS, COUNT(row_owner)},
    {ROWS, COUNT(row_shape)},
    {ROWS, COUNT(row_dtype)},
    {ROWS, COUNT(row_bytes)},
    {ROWS, COUNT(row_count)},
    {ROWS, COUNT(row_min_ns)},
    {ROWS, COUNT(row_span_ns)},
    {ROWS, COUNT(row_excess_ns)},
    {ROWS, COUNT(row_has_steps)},
    {SPANS, COUNT(row_deviation)},
    {SPANS, COUNT(row_buckets)},
    {BUCKETS, COUNT(bucket)},
    {BUCKETS, COUNT(bucket_count)},
    {CELLS, COUNT(by_step_ns)},
    {CELLS, COUNT(by_step_count)},
    {COLLECTIVES, COUNT(collective_name)},
    {COLLECTIVES, COUNT(collective_group)},
    {COLLECTIVES, COUNT(collective_dtype)},
    {COLLECTIVES, COUNT(collective_sequence)},
    {COLLECTIVES, COUNT(collective_bytes)},
    {COLLECTIVES, COUNT(collective_group_size)},
    {COLLECTIVES, COUNT(collective_arrival_ns)},
    {COLLECTIVES, COUNT(collective_duration_ns)},
    {COLLECTIVES, COUNT(collective_step)},
    {FINDINGS, COUNT(finding_rule)},
    {FINDINGS, COUNT(finding_title)},
    {FINDINGS, COUNT(finding_severity)},
    {FINDINGS, COUNT(finding_confidence)},
    {FINDINGS, COUNT(finding_ceiling_us)},
    {FINDINGS, COUNT(finding_occurrences)},
    {FINDINGS, COUNT(finding_line)},
    {FINDINGS, COUNT(finding_detail)},
    {DEVICES, COUNT(memory_device)},
    {DEVICES, COUNT(memory_peak_bytes)},
    {DEVICES, COUNT(memory_reserved_bytes)},
    {DEVICES, COUNT(memory_creep)},
    {DEVICES, COUNT(memory_owners)},
    {OWNERS, COUNT(owner_kind)},
    {OWNERS, COUNT(owner_name)},
    {OWNERS, COUNT(owner_bytes)},
    {OWNERS, COUNT(owner_blocks)},
    {FLAGS, COUNT(flag_name)},
    {FLAGS, COUNT(flag_count)},
    {EVIDENCE, COUNT(evidence_name)},
    {EVIDENCE, COUNT(evidence_word)},
    {EVIDENCE, COUNT(evidence_number)},
    {LABELS, COUNT(label)},
    {OVERLAP, COUNT(overlap_step)},
    {OVERLAP, COUNT(overlap_computation_ns)},
    {OVERLAP, COUNT(overlap_communication_ns)},
    {OVERLAP, COUNT(overlap_both_ns)},
    {OVERLAP, COUNT(overlap_other_ns)},
    {RECORDS, COUNT(record_name)},
    {RECORDS, COUNT(record_step)},
    {RECORDS, COUNT(record_ranges)},
    {RECORDS, COUNT(record_kernels)},
    {RECORDS, COUNT(record_kernel_ns)},
    {RECORDS, COUNT(record_bytes)},
    {META, COUNT(record_meta)},
    {RANGES, COUNT(range_start_ns)},
    {RANGES, COUNT(range_length_ns)},
    {GPUS, COUNT(gpu_id)},
    {GPUS, COUNT(gpu_memory_bytes)},
    {GPUS, COUNT(gpu_name)},
    {GPUS, COUNT(gpu_capability)},
    {WORK, COUNT(work_kind)},
    {WORK, COUNT(work_name)},
    {WORK, COUNT(work_dims)},
    {WORK, COUNT(work_detail)},
    {WORK, COUNT(work_count)},
    {WORK_PLACES, COUNT(work_place)},
    {WORK_LANES, COUNT(work_lane)},
    {WORK_CALL_KEYS, COUNT(work_call_key)},
    {WORK_CALL_KEYS, COUNT(work_call_depth)},
    {WORK_CALL_KEYS, COUNT(work_call_place)},
    {WORK_CALLS, COUNT(work_call)},
    {WORK_KEPT, COUNT(kept_operator)},
    {WORK_KEPT, COUNT(kept_place)},
    {WORK_KEPT, COUNT(kept_blocks)},
    {WORK_KEPT, COUNT(kept_bytes)},
    {WORK_KEPT, COUNT(kept_is_exact)},
    {WORK_FUNCTIONS, COUNT(loader_place)},
    {WORK_FUNCTIONS, COUNT(loader_calls)},
    {WORK_FUNCTIONS, COUNT(loader_low_ns)},
    {WORK_FUNCTIONS, COUNT(loader_seen)},
    {WORK_FUNCTIONS, COUNT(loader_is_exact)},
    {GROUPS, COUNT(group_name)},
    {GROUPS, COUNT(group_description)},
    {GROUPS, COUNT(group_size)},
    {GROUPS, COUNT(group_runs)},
    {RUNS, COUNT(run_first)},
    {RUNS, COUNT(run_stride)},
    {RUNS, COUNT(run_length)},
    {SLOTS, COUNT(slot_group)},
    {SLOTS, COUNT(slot_calls)},
    {SLOT_STEPS, COUNT(slot_step)},
    {LENGTHS, COUNT(slot_kernel_us)},
    {LENGTHS, COUNT(slot_pause_us)},
    {LENGTHS, COUNT(slot_input_us)},
    {LENGTHS, COUNT(slot_within_us)},
};

static size_t length_at(const Tp__SummaryProcess *from, unsigned column)
{
    size_t length;
    memcpy(&length, (const char *)from + columns[column].count, sizeof length);
    return length;
}

static bool are_of_one_length(const Tp__SummaryProcess *from)
{
    for (unsigned i = 1; i < sizeof columns / sizeof *columns; i++)
        if (columns[i].list == columns[i - 1].list && length_at(from, i) != length_at(from, i - 1))
            return false;
    return true;
}

static bool are_too_long(const Tp__SummaryProcess *from)
{
    for (unsigned i = 0; i < sizeof columns / sizeof *columns; i++)
        if (length_at(from, i) > TP_MAX_SUMMARY_ITEMS)
            return true;
    return false;
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
        s->metrics[i] = (struct tp_metric_value){NAN, "the summary does not have it"};
    for (size_t i = 0; i < from->n_metric_name; i++) {
        struct tp_str name = tp_unpack_text(u, from->metric_name[i]);
        struct tp_str why = tp_unpack_text(u, from->metric_why[i]);
        int metric = tp_metric_find_near(name.ptr, name.len, &near);
        if (metric >= 0 && !(fabs(from->metric_value[i]) > INT64_MAX)) /* what no trace can hold is not there */
            s->metrics[metric] = (struct tp_metric_value){from->metric_value[i], why.len ? why.ptr : NULL};
    }
    s->fact_count = (uint32_t)from->n_fact_name;
    s->facts = tp_arena_array(u->arena, s->fact_count, sizeof *s->facts);
    for (uint32_t i = 0; i < s->fact_count; i++)
        s->facts[i] =
            (struct tp_summary_fact){tp_unpack_text(u, from->fact_name[i]), tp_unpack_text(u, from->fact_value[i])};
}

static void unpack_steps(struct tp_unpack *u)
{
    const Tp__SummaryProcess *from = u->from;
    struct tp_summary *s = u->to;
    int64_t before = 0;
    s->step_count = (uint32_t)from->n_step_name;
    s->steps = tp_arena_array(u->arena, s->step_count, sizeof *s->steps);
    for (uint32_t i = 0; i < s->step_count; i++) {
        s->steps[i].name = tp_unpack_text(u, from->step_name[i]);
        s->steps[i].start_ns = tp_unpack_delta(from->step_start_ns[i], &before);
        s->steps[i].total_ns = from->step_total_ns[i];
        for (unsigned part = 0; part < TP_PART_COUNT; part++)
            s->steps[i].part_ns[part] = TP_NULL_INT;
    }
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
    const Tp__SummaryProcess *from = u->from;
    struct tp_summary *s = u->to;
    int64_t sequence = 0, arrival = 0;
    s->collective_count = (uint32_t)from->n_collective_name;
    s->collectives = tp_arena_array(u->arena, s->collective_count, sizeof *s->collectives);
    for (uint32_t i = 0; i < s->collective_count; i++) {
        struct tp_summary_collective *c = &s->collectives[i];
        c->name = tp_unpack_text(u, from->collective_name[i]);
        c->group = tp_unpack_text(u, from->collective_group[i]);
        c->dtype = tp_unpack_text(u, from->collective_dtype[i]);
        c->sequence = tp_unpack_delta(from->collective_sequence[i], &sequence);
        c->bytes = from->collective_bytes[i];
        c->group_size = from->collective_group_size[i];
        c->arrival_ns = tp_unpack_delta(from->collective_arrival_ns[i], &arrival);
        c->duration_ns = from->collective_duration_ns[i];
        c->step = from->collective_step[i] - 1; /* 0 becomes TP_NO_ID */
        u->is_bad |= from->collective_step[i] > s->step_count;
    }
}

static void unpack_findings(struct tp_unpack *u)
{
    const Tp__SummaryProcess *from = u->from;
    struct tp_summary *s = u->to;
    s->finding_count = (uint32_t)from->n_finding_rule;
    s->findings = tp_arena_array(u->arena, s->finding_count, sizeof *s->findings);
    for (uint32_t i = 0; i < s->finding_count; i++) {
        struct tp_summary_finding *f = &s->findings[i];
        f->rule = tp_unpack_text(u, from->finding_rule[i]);
        f->title = tp_unpack_text(u, from->finding_title[i]);
        f->severity = (uint8_t)from->finding_severity[i];
        f->confidence = (uint8_t)from->finding_confidence[i];
        f->ceiling_us_per_step = from->finding_ceiling_us[i];
        f->occurrences = from->finding_occurrences[i];
        f->file_line = tp_unpack_text(u, from->finding_line[i]);
        f->detail = tp_unpack_text(u, from->finding_detail[i]);
        u->is_bad |= from->finding_severity[i] > TP_SEVERITY_INFO || from->finding_confidence[i] > TP_CONFIDENCE_HIGH;
    }
}

static void unpack_memory(struct tp_unpack *u)
{
    const Tp__SummaryProcess *from = u->from;
    struct tp_summary *s = u->to;
    struct tp_summary_owner *owners = tp_arena_array(u->arena, from->n_owner_kind, sizeof *owners);
    size_t owner_count = from->n_owner_kind, at = 0;
    for (size_t i = 0; i < owner_count; i++) {
        u->is_bad |= from->owner_kind[i] > TP_OWNER_LINE;
        owners[i] = (struct tp_summary_owner){(enum tp_summary_owner_kind)from->owner_kind[i],
                                              tp_unpack_text(u, from->owner_name[i]), from->owner_bytes[i],
                                              from->owner_blocks[i]};
    }
    s->memory_count = (uint32_t)from->n_memory_device;
    s->memory = tp_arena_array(u->arena, s->memory_count, sizeof *s->memory);
    for (uint32_t i = 0; i < s->memory_count; i++) {
        struct tp_summary_memory *m = &s->memory[i];
        u->is_bad |= from->memory_owners[i] > owner_count - at;
        if (u->is_bad)
            return;
        *m = (struct tp_summary_memory){tp_unpack_text(u, from->memory_device[i]),
                                        from->memory_peak_bytes[i],
                                        from->memory_reserved_bytes[i],
                                        from->memory_creep[i],
                                        owners + at,
                                        from->memory_owners[i]};
        at += m->owner_count;
    }
    u->is_bad |= at != owner_count;
}

static void unpack_flags(struct tp_unpack *u)
{
    struct tp_summary *s = u->to;
    s->flag_count = (uint32_t)u->from->n_flag_name;
    s->flags = tp_arena_array(u->arena, s->flag_count, sizeof *s->flags);
    for (uint32_t i = 0; i < s->flag_count; i++)
        s->flags[i] = (struct tp_summary_flag){tp_unpack_text(u, u->from->flag_name[i]), u->from->flag_count[i]};
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
    if (!are_of_one_length(from))
        return tp_error_set(err, TP_EFORMAT, 0, "columns of one list have different lengths");
    if (are_too_long(from))
        return tp_error_set(err, TP_ELIMIT, 0, "a list has more than %u items", TP_MAX_SUMMARY_ITEMS);
    u.texts = tp_arena_array(arena, from->n_text, sizeof *u.texts);
    u.text_count = from->n_text;
    for (size_t i = 0; i < from->n_text; i++)
        u.texts[i] = copy_of(arena, &from->text[i]);
    unpack_head(&u);
    unpack_steps(&u);
    tp_unpack_rows(&u);
    unpack_collectives(&u);
    unpack_findings(&u);
    unpack_memory(&u);
    unpack_flags(&u);
    tp_evidence_unpack(&u);
    tp_comparison_unpack(&u);
    tp_signature_unpack(&u);
    tp_slots_unpack(&u);
    return u.is_bad ? tp_error_set(err, TP_EFORMAT, 0, "numbers of a process contradict each other") : TP_OK;
}

/* ---- entries ---- */

/* Members of the key but its texts. */
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
    key->job = copy_of(arena, &(ProtobufCBinaryData){job_size, job});
    key->worker = copy_of(arena, &(ProtobufCBinaryData){worker_size, worker});
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
