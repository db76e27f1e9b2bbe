/* Unpacks a SummaryEntry and its SummaryProcess into a summary. Every column is checked before its use. Additions of a
 * newer minor version (a kind, a part, a metric) are ignored; contradictions are errors. */
#include <math.h>
#include <string.h>

#include "webreport/measure/summary/evidence_pack.h"
#include "webreport/measure/summary/message.h"
#include "webreport/measure/summary/rows_pack.h"
#include "webreport/measure/summary/signature_pack.h"
#include "webreport/measure/summary/summary_columns.h"
#include "webreport/measure/summary/summary_comparison.h"
#include "webreport/measure/summary/summary_format.h"
#include "webreport/measure/summary/summary_slots.h"
#include "webreport/trace/inflate.h"
#include "writer/base/limits.h"
#include "writer/base/utf8.h"

/* ---- texts ---- */

static struct tp_str copy_text(struct tp_arena *arena, struct tp_str text)
{
    if (!text.len)
        return TP_STR("");
    return (struct tp_str){tp_arena_copy(arena, text.ptr, text.len), text.len};
}

static bool is_valid_text(struct tp_str text)
{
    size_t rest = 0;
    return text.len <= TP_MAX_SUMMARY_TEXT_BYTES && tp_utf8_is_valid(text.ptr, text.len, &rest) && rest == 0;
}

/* Copies the texts of the message into the arena. */
static int unpack_texts(struct tp_column_reader *reader, struct tp_error *err)
{
    uint32_t count;
    reader->texts = tp_columns_read(&tp_list_texts, reader, &count);
    reader->text_count = count;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_valid_text(reader->texts[i]))
            return tp_error_set(err, TP_EFORMAT, 0, "a text is too long or not valid UTF-8");
        reader->texts[i] = copy_text(reader->arena, reader->texts[i]);
    }
    return TP_OK;
}

/* ---- head ---- */

static void unpack_decision(struct tp_column_reader *reader, struct tp_run_decision *decision)
{
    struct tp_stored_decision stored = {.number = TP_DECISION_NONE};
    tp_columns_fill(&tp_record_decision, reader, &stored, 1);
    *decision = (struct tp_run_decision){.is_known = stored.number != TP_DECISION_NONE,
                                         .is_failed = stored.number > TP_DECISION_PASS,
                                         .is_accepted = stored.number != TP_DECISION_NONE && stored.accepts,
                                         .by = stored.by,
                                         .at = stored.at,
                                         .reason = stored.reason,
                                         .committed_s = stored.committed_s};
}

static void unpack_metrics(struct tp_column_reader *reader, struct tp_metric_value *values)
{
    uint32_t count;
    int near = 0;
    const struct tp_stored_metric *metrics = tp_columns_read_scratch(&tp_list_metrics, reader, &count);
    for (unsigned i = 0; i < TP_METRIC_COUNT; i++)
        values[i] = (struct tp_metric_value){.value = NAN, .reason = TP_REASON_NOT_STORED};
    for (uint32_t i = 0; i < count; i++) {
        int metric = tp_metric_find_nearest(metrics[i].name.ptr, metrics[i].name.len, &near);
        /* treats a value that no trace can contain as absent */
        if (metric >= 0 && !(fabs(metrics[i].value) > INT64_MAX))
            values[metric] = (struct tp_metric_value){.value = metrics[i].value,
                                                      .why = metrics[i].why.len ? metrics[i].why.ptr : NULL};
    }
}

static void unpack_header(struct tp_column_reader *reader, struct tp_summary *s)
{
    tp_columns_fill(&tp_record_head, reader, s, 1);
    if ((unsigned)s->producer >= TP_PRODUCER_COUNT)
        s->producer = TP_PRODUCER_OTHER;
    unpack_decision(reader, &s->decision);
    unpack_metrics(reader, s->metrics);
    s->facts = tp_columns_read(&tp_list_facts, reader, &s->fact_count);
}

/* ---- steps ---- */

static void unpack_parts(struct tp_column_reader *reader, struct tp_summary *s)
{
    uint32_t part_count, cell_count;
    const uint32_t *parts = tp_columns_read_scratch(&tp_list_step_parts, reader, &part_count);
    const int64_t *part_ns = tp_columns_read_scratch(&tp_list_step_part_ns, reader, &cell_count);
    for (uint32_t i = 0; i < s->step_count; i++)
        for (unsigned part = 0; part < TP_PART_COUNT; part++)
            s->steps[i].part_ns[part] = TP_NULL_INT;
    reader->is_bad |= cell_count != (uint64_t)part_count * s->step_count;
    for (size_t k = 0; k < part_count && !reader->is_bad; k++)
        for (uint32_t i = 0; i < s->step_count && parts[k] < TP_PART_COUNT; i++)
            s->steps[i].part_ns[parts[k]] = part_ns[k * s->step_count + i];
}

static void unpack_steps(struct tp_column_reader *reader, struct tp_summary *s)
{
    uint32_t count;
    s->steps = tp_columns_read(&tp_list_steps, reader, &s->step_count);
    const uint32_t *left_out = tp_columns_read_scratch(&tp_list_left_out, reader, &count);
    for (uint32_t i = 0; i < count && !reader->is_bad; i++) {
        reader->is_bad |= left_out[i] >= s->step_count;
        if (!reader->is_bad)
            s->steps[left_out[i]].is_left_out = true;
    }
    unpack_parts(reader, s);
}

/* ---- all ---- */

static void unpack_collectives(struct tp_column_reader *reader, struct tp_summary *s)
{
    s->collectives = tp_columns_read(&tp_list_collectives, reader, &s->collective_count);
    for (uint32_t i = 0; i < s->collective_count; i++)
        reader->is_bad |= s->collectives[i].step != TP_NO_ID && s->collectives[i].step >= s->step_count;
}

int tp_summary_process_read(struct tp_summary *summary, struct tp_str process, struct tp_arena *arena,
                            struct tp_arena *scratch, struct tp_error *err)
{
    struct tp_message_memory memory = {scratch, UINT64_MAX, false};
    struct tp_column_reader reader = {
        .from = tp_message_parse(tp_message_process, process, &memory), .arena = arena, .scratch = scratch};
    if (!reader.from)
        return tp_error_set(err, TP_EFORMAT, 0, "the content of a process is not a protobuf message");
    if (!tp_process_has_equal_lengths(reader.from))
        return tp_error_set(err, TP_EFORMAT, 0, "columns of one list have different lengths");
    if (tp_process_exceeds_length(reader.from, TP_MAX_SUMMARY_ITEMS))
        return tp_error_set(err, TP_ELIMIT, 0, "a list has more than %u items", TP_MAX_SUMMARY_ITEMS);
    int code = unpack_texts(&reader, err);
    if (code < 0)
        return code;
    unpack_header(&reader, summary);
    unpack_steps(&reader, summary);
    tp_rows_unpack(&reader, summary);
    unpack_collectives(&reader, summary);
    summary->findings = tp_columns_read(&tp_list_findings, &reader, &summary->finding_count);
    summary->memory = tp_columns_read(&tp_list_memory, &reader, &summary->memory_count);
    summary->ranges = tp_columns_read(&tp_list_named_ranges, &reader, &summary->range_count);
    summary->generated = tp_columns_read(&tp_list_generated, &reader, &summary->generated_count);
    summary->flags = tp_columns_read(&tp_list_flags, &reader, &summary->flag_count);
    tp_evidence_unpack(&reader, &summary->evidence);
    summary->comparison = tp_comparison_unpack(&reader);
    tp_signature_unpack(&reader, &summary->signature);
    tp_slots_unpack(&reader, &summary->slots, summary->step_count);
    return reader.is_bad ? tp_error_set(err, TP_EFORMAT, 0, "numbers of a process contradict each other") : TP_OK;
}

/* ---- entries ---- */

/* Reads the members of an entry. The message owns the texts. */
static int read_entry(struct tp_stored_entry *entry, const void *message, struct tp_error *err)
{
    struct tp_column_reader reader = {.from = message};
    tp_columns_fill(&tp_record_entry, &reader, entry, 1);
    if (!is_valid_text(entry->key.job) || !is_valid_text(entry->key.worker))
        return tp_error_set(err, TP_EFORMAT, 0, "the name of a process is too long or not valid UTF-8");
    return TP_OK;
}

int tp_summary_entry_key(struct tp_summary_key *key, int64_t *event_count, struct tp_str entry, struct tp_arena *arena,
                         struct tp_error *err)
{
    char job[TP_MAX_SUMMARY_TEXT_BYTES], worker[TP_MAX_SUMMARY_TEXT_BYTES];
    struct tp_message_memory heap = {NULL, 0, false};
    struct tp_stored_entry read;
    void *message = tp_message_parse(tp_message_entry, entry, &heap);
    if (!message)
        return heap.is_memory_exhausted ? tp_error_set(err, TP_ENOMEM, 0, "out of memory")
                                        : tp_error_set(err, TP_EFORMAT, 0, "a process is not a protobuf message");
    /* copies the texts to local buffers, because the message is freed before `arena` is used */
    int code = read_entry(&read, message, err);
    if (code == TP_OK && read.key.job.len)
        memcpy(job, read.key.job.ptr, read.key.job.len);
    if (code == TP_OK && read.key.worker.len)
        memcpy(worker, read.key.worker.ptr, read.key.worker.len);
    tp_message_free(message, &heap);
    if (code < 0)
        return code;
    *key = read.key;
    key->job = copy_text(arena, (struct tp_str){job, read.key.job.len});
    key->worker = copy_text(arena, (struct tp_str){worker, read.key.worker.len});
    *event_count = read.event_count;
    return TP_OK;
}

/* ---- unpacking ---- */

/* Inflates one complete gzip member. Its last four bytes contain the inflated size. */
static int inflate_all(struct tp_str *out, struct tp_str packed, struct tp_arena *scratch, struct tp_error *err)
{
    struct tp_inflate inflate;
    uint32_t size = 0;
    if (packed.len >= sizeof size)
        memcpy(&size, packed.ptr + packed.len - sizeof size, sizeof size);
    if (size > TP_MAX_SUMMARY_INFLATED_BYTES)
        return tp_error_set(err, TP_ELIMIT, 0, "a process is larger than %u MB", TP_MAX_SUMMARY_INFLATED_BYTES >> 20);
    /* allocates before the inflater is opened, because an error of the arena jumps out of this function */
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

static int unpack_inside_guard(void *context, struct tp_error *err)
{
    struct unpacking *u = context;
    struct tp_message_memory memory = {u->scratch, UINT64_MAX, false};
    struct tp_stored_entry entry;
    struct tp_str bytes = TP_STR("");
    memset(u->summary, 0, sizeof *u->summary);
    const void *message = tp_message_parse(tp_message_entry, u->record->bytes, &memory);
    if (!message)
        return tp_error_set(err, TP_EFORMAT, 0, "a process is not a protobuf message");
    int code = read_entry(&entry, message, err);
    code = code < 0 ? code : inflate_all(&bytes, entry.process, u->scratch, err);
    code = code < 0 ? code : tp_summary_process_read(u->summary, bytes, u->arena, u->scratch, err);
    if (code < 0)
        return code;
    u->summary->key = entry.key;
    u->summary->key.job = copy_text(u->arena, entry.key.job);
    u->summary->key.worker = copy_text(u->arena, entry.key.worker);
    u->summary->event_count = entry.event_count;
    return TP_OK;
}

int tp_summary_unpack_in_arena(struct tp_summary *summary, const struct tp_summary_record *record,
                               struct tp_arena *arena, struct tp_arena *scratch, struct tp_error *err)
{
    int code = tp_arena_run_both(scratch, arena, unpack_inside_guard,
                                 &(struct unpacking){summary, record, arena, scratch}, err);
    if (scratch->code)
        tp_error_set(err, code, 0, "a process is too large");
    tp_arena_clear(scratch);
    tp_arena_fail_with_stored_code(arena);
    return code;
}

static int unpack_single_inside_guard(void *context, struct tp_error *err)
{
    const struct unpacking *u = context;
    return tp_summary_unpack_in_arena(u->summary, u->record, u->arena, u->scratch, err);
}

int tp_summary_unpack(struct tp_summary *summary, const struct tp_summary_record *record, struct tp_arena *arena,
                      struct tp_error *err)
{
    struct tp_arena scratch;
    tp_arena_init(&scratch, TP_MAX_SUMMARY_MEMORY_BYTES);
    int code =
        tp_arena_run(arena, unpack_single_inside_guard, &(struct unpacking){summary, record, arena, &scratch}, err);
    tp_arena_release(&scratch);
    tp_arena_fail_with_stored_code(arena);
    return code;
}
