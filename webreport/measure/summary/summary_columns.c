/* Defines the tables of the messages in summary.proto. Each row maps one field to the member that the field stores.
 * See summary_columns.h. */
#include "webreport/measure/summary/summary_columns.h"

#include "webreport/measure/ranks/distributed.h"
#include "webreport/measure/rules/rules.h"
#include "writer/base/limits.h"
#include "writer/proto/summary.pb-c.h"

/* COLUMN_x: type of a column's items for code TP_CODE_x. MEMBER_x: type of the member. */
#define COLUMN_TEXT uint32_t
#define COLUMN_TEXT_OR_NULL uint32_t
#define COLUMN_BYTES ProtobufCBinaryData
#define COLUMN_INT int64_t
#define COLUMN_DELTA int64_t
#define COLUMN_AMOUNT uint64_t
#define COLUMN_BITS uint64_t
#define COLUMN_COUNT uint32_t
#define COLUMN_RISING uint32_t
#define COLUMN_ID uint32_t
#define COLUMN_BYTE uint32_t
#define COLUMN_REAL double
#define COLUMN_SHORT_REAL float
#define COLUMN_FLAG protobuf_c_boolean
#define MEMBER_TEXT struct tp_str
#define MEMBER_TEXT_OR_NULL struct tp_str
#define MEMBER_BYTES struct tp_str
#define MEMBER_INT int64_t
#define MEMBER_DELTA int64_t
#define MEMBER_AMOUNT int64_t
#define MEMBER_BITS uint64_t
#define MEMBER_COUNT uint32_t
#define MEMBER_RISING uint32_t
#define MEMBER_ID uint32_t
#define MEMBER_BYTE uint8_t
#define MEMBER_REAL double
#define MEMBER_SHORT_REAL double
#define MEMBER_FLAG bool

/* Rows of a table. MESSAGE uses M, which is the type of the message, and S is the type of the struct. Both are defined
 * before each table. */
#define MESSAGE ((M *)0)
#define AT_FIELD(code_, field)                                                                                         \
    .count_at = offsetof(M, n_##field), .at = offsetof(M, field), .width = sizeof *MESSAGE->field,                     \
    .code = _Generic(MESSAGE->field, COLUMN_##code_ *                                                                  \
                     : TP_CODE_##code_)
#define AT_SINGLE_FIELD(code_, field)                                                                                  \
    .count_at = TP_COLUMN_IS_ALONE, .at = offsetof(M, field), .width = sizeof MESSAGE->field,                          \
    .code = _Generic(&MESSAGE->field, COLUMN_##code_ *                                                                 \
                     : TP_CODE_##code_)
#define AT_MEMBER(code_, member)                                                                                       \
    .offset = _Generic(&((S *)0)->member, MEMBER_##code_ * : offsetof(S, member)), .size = sizeof((S *)0)->member

/* Rows for a member in a column. COLUMN: a member with any value. UP_TO: a member with a value up to `most_`. USUAL: a
 * member of an optional list, with its usual value. */
#define COLUMN(code_, field, member) UP_TO(UINT32_MAX, code_, field, member)
#define UP_TO(most_, code_, field, member)                                                                             \
    {                                                                                                                  \
        AT_FIELD(code_, field), AT_MEMBER(code_, member), .most = (most_)                                              \
    }
#define USUAL(usual_, most_, code_, field, member)                                                                     \
    {                                                                                                                  \
        AT_FIELD(code_, field), AT_MEMBER(code_, member), .most = (most_), .usual = (usual_)                           \
    }
/* A row for a list of plain values that are not in a struct. */
#define ITEM(code_, field)                                                                                             \
    {                                                                                                                  \
        AT_FIELD(code_, field), .offset = _Generic((S *)0, MEMBER_##code_ * : 0), .size = sizeof(S),                   \
                                .most = UINT32_MAX                                                                     \
    }
/* A row for a member of a record, stored as a single field. */
#define SINGLE(code_, field, member)                                                                                   \
    {                                                                                                                  \
        AT_SINGLE_FIELD(code_, field), AT_MEMBER(code_, member), .most = UINT32_MAX                                    \
    }
#define LIST(columns_, ...)                                                                                            \
    {                                                                                                                  \
        .columns = (columns_), .count = sizeof(columns_) / sizeof *(columns_), .item_size = sizeof(S), __VA_ARGS__     \
    }

/* ---- SummaryEntry ---- */

#define M Tp__SummaryEntry
#define S struct tp_stored_entry
static const struct tp_column entry[] = {
    SINGLE(BYTES, job, key.job),       SINGLE(INT, rank, key.rank), SINGLE(INT, world_size, key.world_size),
    SINGLE(BYTES, worker, key.worker), SINGLE(INT, span, key.span), SINGLE(INT, event_count, event_count),
    SINGLE(BYTES, process, process),
};
const struct tp_column_list tp_record_entry = LIST(entry);
#undef S
#undef M
const ProtobufCMessageDescriptor *const tp_message_entry = &tp__summary_entry__descriptor;

/* ---- SummaryProcess ---- */

#define M Tp__SummaryProcess
const ProtobufCMessageDescriptor *const tp_message_process = &tp__summary_process__descriptor;

#define S struct tp_str
static const struct tp_column texts[] = {ITEM(BYTES, text)};
const struct tp_column_list tp_list_texts = LIST(texts);
#undef S

/* the members of a SummaryProcess that are not in a list */

#define S struct tp_summary
static const struct tp_column head[] = {
    SINGLE(TEXT, file, file),
    SINGLE(TEXT, sha256, sha256),
    SINGLE(TEXT, program, program),
    SINGLE(TEXT, verdict, verdict),
    /* a producer of a newer version may have a larger number */
    SINGLE(TEXT, headline, headline),
    SINGLE(COUNT, producer, producer),
    SINGLE(INT, start_ns, start_ns),
    SINGLE(BITS, kernel_fingerprint, kernel_fingerprint),
};
const struct tp_column_list tp_record_head = LIST(head);
#undef S

#define S struct tp_stored_decision
static const struct tp_column decision[] = {
    SINGLE(COUNT, decision, number),       SINGLE(FLAG, decision_accepts, accepts),
    SINGLE(TEXT, decision_by, by),         SINGLE(TEXT, decision_at, at),
    SINGLE(TEXT, decision_reason, reason), SINGLE(INT, decision_committed_s, committed_s),
};
const struct tp_column_list tp_record_decision = LIST(decision);
#undef S

#define S struct tp_stored_metric
static const struct tp_column metrics[] = {
    COLUMN(TEXT, metric_name, name),
    COLUMN(REAL, metric_value, value),
    COLUMN(TEXT, metric_why, why),
};
const struct tp_column_list tp_list_metrics = LIST(metrics);
#undef S

#define S struct tp_summary_fact
static const struct tp_column facts[] = {COLUMN(TEXT, fact_name, name), COLUMN(TEXT, fact_value, value)};
const struct tp_column_list tp_list_facts = LIST(facts);
#undef S

#define S struct tp_stored_evidence
static const struct tp_column evidence[] = {
    COLUMN(TEXT, evidence_name, name),
    COLUMN(TEXT, evidence_word, word),
    COLUMN(INT, evidence_number, number),
};
const struct tp_column_list tp_list_evidence = LIST(evidence);
#undef S

/* steps of a summary */

#define S struct tp_summary_step
static const struct tp_column steps[] = {
    COLUMN(TEXT, step_name, name),
    COLUMN(DELTA, step_start_ns, start_ns),
    COLUMN(INT, step_total_ns, total_ns),
};
const struct tp_column_list tp_list_steps = LIST(steps);
#undef S

#define S uint32_t
static const struct tp_column left_out[] = {ITEM(RISING, left_out_step)};
const struct tp_column_list tp_list_left_out = LIST(left_out);
static const struct tp_column step_parts[] = {ITEM(COUNT, part)};
const struct tp_column_list tp_list_step_parts = LIST(step_parts);
#undef S

#define S int64_t
static const struct tp_column step_part_ns[] = {ITEM(INT, part_ns)};
const struct tp_column_list tp_list_step_part_ns = LIST(step_part_ns);
#undef S

/* rows of a summary */

#define S struct tp_stored_row
static const struct tp_column rows[] = {
    COLUMN(COUNT, row_kind, row.kind), /* a newer version may have more kinds */
    COLUMN(TEXT, row_name, row.name),
    COLUMN(TEXT, row_owner, row.owner),
    COLUMN(TEXT, row_shape, row.shape),
    COLUMN(TEXT, row_dtype, row.dtype),
    COLUMN(INT, row_bytes, row.bytes),
    COLUMN(AMOUNT, row_count, row.time.count),
    COLUMN(AMOUNT, row_min_ns, row.time.min_ns),
    COLUMN(BITS, row_span_ns, span_ns),
    COLUMN(BITS, row_excess_ns, excess_ns),
    COLUMN(FLAG, row_has_steps, has_steps),
};
const struct tp_column_list tp_list_rows = LIST(rows);
static const struct tp_column row_lines[] = {USUAL(0, UINT32_MAX, TEXT, row_line, row.line)};
const struct tp_column_list tp_list_row_lines = LIST(row_lines, .is_optional = true);
#undef S

#define S struct tp_sketch_bucket
static const struct tp_column buckets[] = {
    UP_TO(TP_SKETCH_BUCKETS - 1, RISING, bucket, bucket),
    COLUMN(AMOUNT, bucket_count, count),
};
static const struct tp_column_list list_of_buckets = LIST(buckets);
#undef S

#define S struct tp_stored_span
static const struct tp_column spans[] = {
    COLUMN(SHORT_REAL, row_deviation, deviation_ns),
    UP_TO(TP_SKETCH_BUCKETS, COUNT, row_buckets, bucket_count),
};
static const struct tp_column_parts span_buckets = {&list_of_buckets, offsetof(S, buckets), offsetof(S, bucket_count),
                                                    0};
const struct tp_column_list tp_list_spans = LIST(spans, .parts = &span_buckets);
#undef S

#define S struct tp_stored_cell
static const struct tp_column cells[] = {COLUMN(INT, by_step_ns, sum_ns), COLUMN(AMOUNT, by_step_count, count)};
const struct tp_column_list tp_list_cells = LIST(cells);
#undef S

/* collectives, findings, memory, flags */

#define S struct tp_summary_collective
static const struct tp_column collectives[] = {
    COLUMN(TEXT, collective_name, name),
    COLUMN(TEXT, collective_group, group),
    COLUMN(TEXT, collective_dtype, dtype),
    COLUMN(DELTA, collective_sequence, sequence),
    COLUMN(INT, collective_bytes, bytes),
    COLUMN(INT, collective_group_size, group_size),
    COLUMN(DELTA, collective_arrival_ns, arrival_ns),
    COLUMN(INT, collective_duration_ns, duration_ns),
    COLUMN(ID, collective_step, step),
};
const struct tp_column_list tp_list_collectives = LIST(collectives);
#undef S

#define S struct tp_summary_finding
static const struct tp_column findings[] = {
    COLUMN(TEXT, finding_rule, rule),
    COLUMN(TEXT, finding_title, title),
    UP_TO(TP_SEVERITY_INFO, BYTE, finding_severity, severity),
    UP_TO(TP_CONFIDENCE_HIGH, BYTE, finding_confidence, confidence),
    COLUMN(REAL, finding_ceiling_us, ceiling_us_per_step),
    COLUMN(INT, finding_occurrences, occurrences),
    COLUMN(TEXT, finding_line, file_line),
    COLUMN(TEXT, finding_detail, detail),
};
const struct tp_column_list tp_list_findings = LIST(findings);
#undef S

#define S struct tp_summary_owner
static const struct tp_column owners[] = {
    UP_TO(TP_OWNER_LINE, COUNT, owner_kind, kind),
    COLUMN(TEXT, owner_name, name),
    COLUMN(INT, owner_bytes, bytes),
    COLUMN(INT, owner_blocks, blocks),
};
static const struct tp_column_list list_of_owners = LIST(owners);
#undef S

#define S struct tp_summary_memory
static const struct tp_column memory[] = {
    COLUMN(TEXT, memory_device, device),
    COLUMN(INT, memory_peak_bytes, peak_allocated_bytes),
    COLUMN(INT, memory_reserved_bytes, peak_reserved_bytes),
    COLUMN(REAL, memory_creep, creep_bytes_per_step),
    COLUMN(COUNT, memory_owners, owner_count),
};
static const struct tp_column_parts memory_owners = {&list_of_owners, offsetof(S, owners), offsetof(S, owner_count), 0};
const struct tp_column_list tp_list_memory = LIST(memory, .parts = &memory_owners);
#undef S

#define S struct tp_summary_range
static const struct tp_column named_ranges[] = {
    COLUMN(TEXT, named_range, name), COLUMN(FLAG, named_range_is_module, is_module),
    COLUMN(INT, named_range_device_ns, device_ns), COLUMN(INT, named_range_host_ns, host_ns)};
const struct tp_column_list tp_list_named_ranges = LIST(named_ranges);
#undef S

#define S struct tp_summary_generated
static const struct tp_column generated[] = {
    COLUMN(TEXT, generated_name, name),
    COLUMN(BITS, generated_hash, hash),
    COLUMN(TEXT, generated_line, line),
};
const struct tp_column_list tp_list_generated = LIST(generated);
#undef S

#define S struct tp_summary_flag
static const struct tp_column flags[] = {COLUMN(TEXT, flag_name, name), COLUMN(INT, flag_count, count)};
const struct tp_column_list tp_list_flags = LIST(flags);
#undef S

/* comparison of ranks */

#define S struct tp_rank_summary
static const struct tp_column comparison[] = {SINGLE(COUNT, device_count, device_count)};
const struct tp_column_list tp_record_comparison = LIST(comparison);
#undef S

#define S struct tp_str
static const struct tp_column labels[] = {ITEM(TEXT, label)};
const struct tp_column_list tp_list_labels = LIST(labels);
static const struct tp_column metadata[] = {ITEM(TEXT_OR_NULL, record_meta)};
static const struct tp_column_list list_of_metadata = LIST(metadata);
#undef S

#define S struct tp_stored_overlap
static const struct tp_column overlap[] = {
    COLUMN(TEXT, overlap_step, step),
    COLUMN(INT, overlap_computation_ns, computation_ns),
    COLUMN(INT, overlap_communication_ns, communication_ns),
    COLUMN(INT, overlap_both_ns, overlap_ns),
    COLUMN(INT, overlap_other_ns, other_ns),
};
const struct tp_column_list tp_list_overlap = LIST(overlap);
#undef S

#define S struct tp_rank_record
static const struct tp_column records[] = {
    COLUMN(TEXT, record_name, name),
    COLUMN(ID, record_step, step),
    COLUMN(COUNT, record_ranges, range_count),
    COLUMN(COUNT, record_kernels, kernel_count),
    COLUMN(INT, record_kernel_ns, kernel_time_ns),
    COLUMN(INT, record_bytes, bytes),
};
static const struct tp_column_parts record_metadata = {&list_of_metadata, offsetof(S, meta), 0, TP_RANK_METAS};
const struct tp_column_list tp_list_records = LIST(records, .parts = &record_metadata);
#undef S

#define S struct tp_stored_range
static const struct tp_column ranges[] = {COLUMN(DELTA, range_start_ns, start_ns),
                                          COLUMN(INT, range_length_ns, length_ns)};
const struct tp_column_list tp_list_ranges = LIST(ranges);
#undef S

#define S struct tp_rank_gpu
static const struct tp_column gpus[] = {
    COLUMN(INT, gpu_id, id),
    COLUMN(INT, gpu_memory_bytes, memory_bytes),
    COLUMN(TEXT_OR_NULL, gpu_name, name),
    COLUMN(TEXT_OR_NULL, gpu_capability, compute_capability),
};
const struct tp_column_list tp_list_gpus = LIST(gpus);
#undef S

/* signature */

#define S struct tp_signature
static const struct tp_column signature[] = {
    SINGLE(BITS, work_hash, hash),
    SINGLE(COUNT, work_steps, steady_count),
    SINGLE(FLAG, work_is_cut, is_cut),
    SINGLE(FLAG, are_unfreed_blocks_known, are_unfreed_blocks_known),
};
const struct tp_column_list tp_record_signature = LIST(signature);
#undef S

#define S struct tp_count_key
static const struct tp_column work[] = {
    UP_TO(TP_COUNT_KINDS - 1, BYTE, work_kind, kind),
    COLUMN(TEXT, work_name, name),
    COLUMN(TEXT, work_dims, dims),
    COLUMN(TEXT, work_detail, detail),
    COLUMN(AMOUNT, work_count, count),
};
const struct tp_column_list tp_list_work = LIST(work);
#undef S

#define S struct tp_str
static const struct tp_column places[] = {ITEM(TEXT, work_place)};
const struct tp_column_list tp_list_places = LIST(places);
#undef S

#define S uint32_t
static const struct tp_column work_varies[] = {ITEM(RISING, work_varies)};
const struct tp_column_list tp_list_work_varies = LIST(work_varies);
static const struct tp_column lanes[] = {ITEM(COUNT, work_lane)};
const struct tp_column_list tp_list_lanes = LIST(lanes);
static const struct tp_column calls[] = {ITEM(COUNT, work_call)};
const struct tp_column_list tp_list_calls = LIST(calls);
#undef S

#define S struct tp_count_call
static const struct tp_column call_keys[] = {
    COLUMN(COUNT, work_call_key, key),
    COLUMN(COUNT, work_call_depth, depth),
    COLUMN(COUNT, work_call_place, place),
};
const struct tp_column_list tp_list_call_keys = LIST(call_keys);
#undef S

#define S struct tp_count_kept
static const struct tp_column kept[] = {
    COLUMN(TEXT, kept_operator, operator), COLUMN(TEXT, kept_place, place),       COLUMN(AMOUNT, kept_blocks, blocks),
    COLUMN(AMOUNT, kept_bytes, bytes),     COLUMN(FLAG, kept_is_exact, is_exact),
};
const struct tp_column_list tp_list_kept = LIST(kept);
#undef S

#define S struct tp_count_function
static const struct tp_column functions[] = {
    COLUMN(TEXT, loader_place, place), COLUMN(AMOUNT, loader_calls, calls),     COLUMN(AMOUNT, loader_low_ns, low_ns),
    COLUMN(COUNT, loader_seen, seen),  COLUMN(FLAG, loader_is_exact, is_exact),
};
const struct tp_column_list tp_list_functions = LIST(functions);
#undef S

/* step slots */

#define S struct tp_step_slots
static const struct tp_column step_slots[] = {SINGLE(TEXT, host, host)};
const struct tp_column_list tp_record_slots = LIST(step_slots);
#undef S

#define S struct tp_rank_stride
static const struct tp_column runs[] = {
    COLUMN(INT, run_first, first),
    COLUMN(INT, run_stride, stride),
    COLUMN(INT, run_length, length),
};
static const struct tp_column_list list_of_runs = LIST(runs);
#undef S

#define S struct tp_slot_group
static const struct tp_column groups[] = {
    COLUMN(TEXT, group_name, name),
    COLUMN(TEXT, group_description, description),
    COLUMN(INT, group_size, size),
    UP_TO(TP_MAX_SLOT_RUNS, COUNT, group_runs, run_count),
};
static const struct tp_column_parts group_runs = {&list_of_runs, offsetof(S, runs), offsetof(S, run_count), 0};
const struct tp_column_list tp_list_groups = LIST(groups, .parts = &group_runs);
static const struct tp_column group_kinds[] = {USUAL(TP_GROUP_ALL, TP_GROUP_KINDS - 1, COUNT, group_kind, kind)};
const struct tp_column_list tp_list_group_kinds = LIST(group_kinds, .is_optional = true);
#undef S

#define S struct tp_slot
static const struct tp_column slots[] = {COLUMN(ID, slot_group, group), COLUMN(COUNT, slot_calls, calls)};
const struct tp_column_list tp_list_slots = LIST(slots);
static const struct tp_column slot_waits[] = {
    USUAL(1, UINT32_MAX, COUNT, slot_waits, waits),
    USUAL(0, TP_SLOT_WHOLE, COUNT, slot_before, before),
    USUAL(true, 0, FLAG, slot_seen, is_seen),
};
const struct tp_column_list tp_list_slot_waits = LIST(slot_waits, .is_optional = true);
static const struct tp_column slot_bytes[] = {USUAL(0, 0, AMOUNT, slot_moved_bytes, moved_bytes)};
const struct tp_column_list tp_list_slot_bytes = LIST(slot_bytes, .is_optional = true);
#undef S

#define S uint32_t
static const struct tp_column slot_steps[] = {ITEM(RISING, slot_step)};
const struct tp_column_list tp_list_slot_steps = LIST(slot_steps);
#undef S

#define S struct tp_stored_times
static const struct tp_column slot_times[] = {
    COLUMN(INT, slot_kernel_us, us[TP_SLOT_KERNEL]),
    COLUMN(INT, slot_pause_us, us[TP_SLOT_PAUSE]),
    COLUMN(INT, slot_input_us, us[TP_SLOT_INPUT]),
    COLUMN(INT, slot_within_us, us[TP_SLOT_WITHIN]),
};
const struct tp_column_list tp_list_slot_times = LIST(slot_times);
static const struct tp_column slot_overlap[] = {USUAL(0, 0, INT, slot_beside_us, us[TP_SLOT_OVERLAPPED])};
const struct tp_column_list tp_list_slot_overlap = LIST(slot_overlap, .is_optional = true);
#undef S

/* ---- lengths ---- */

static const struct tp_column_list *const all_lists[] = {
    &tp_list_texts,        &tp_list_metrics,      &tp_list_facts,      &tp_list_steps,      &tp_list_left_out,
    &tp_list_step_parts,   &tp_list_step_part_ns, &tp_list_rows,       &tp_list_spans,      &list_of_buckets,
    &tp_list_cells,        &tp_list_collectives,  &tp_list_findings,   &tp_list_memory,     &list_of_owners,
    &tp_list_named_ranges, &tp_list_flags,        &tp_list_evidence,   &tp_list_labels,     &tp_list_overlap,
    &tp_list_records,      &list_of_metadata,     &tp_list_ranges,     &tp_list_gpus,       &tp_list_work,
    &tp_list_work_varies,  &tp_list_places,       &tp_list_lanes,      &tp_list_call_keys,  &tp_list_calls,
    &tp_list_kept,         &tp_list_functions,    &tp_list_groups,     &list_of_runs,       &tp_list_group_kinds,
    &tp_list_slots,        &tp_list_slot_waits,   &tp_list_slot_bytes, &tp_list_slot_steps, &tp_list_slot_times,
    &tp_list_slot_overlap, &tp_list_generated,    &tp_list_row_lines,
};
enum { LIST_COUNT = sizeof all_lists / sizeof *all_lists };

bool tp_process_has_equal_lengths(const void *process)
{
    for (unsigned i = 0; i < LIST_COUNT; i++)
        if (!tp_columns_have_equal_length(all_lists[i], process))
            return false;
    return true;
}

bool tp_process_exceeds_length(const void *process, size_t most)
{
    for (unsigned i = 0; i < LIST_COUNT; i++)
        if (tp_columns_length(all_lists[i], process) > most)
            return true;
    return false;
}
