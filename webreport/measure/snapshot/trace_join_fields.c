/* Defines the JSON of a snapshot that is joined with a trace: see trace_join.h. */
#include "webreport/measure/snapshot/trace_join.h"

const char *tp_join_method_text(unsigned method)
{
    static const char *const texts[] = {"none", "pairs", "clocks"};
    return texts[method];
}

#define F struct tp_joined_moment
static const struct tp_json_field moment_rows[] = {
    {"index", TP_PLAIN(F, index), TP_DEFINITION("index of the event")},
    {"trace_us", TP_US(F, time_ns), TP_DEFINITION("time in the trace, since its first event; null: not in the trace")},
    {"step", TP_PLAIN(F, step), TP_DEFINITION("step of the trace")},
    {"operator", TP_PLAIN(F, op), TP_DEFINITION("outermost operator around the allocation")},
    {"module", TP_PLAIN(F, module), TP_DEFINITION("innermost module around the allocation")},
    {"kernel", TP_PLAIN(F, kernel), TP_DEFINITION("last kernel that started on the device and still runs")},
};
static const struct tp_fields moment_fields = TP_FIELDS("A moment of a snapshot in a trace", moment_rows);
#undef F

#define F struct tp_joined_block
static const struct tp_json_field block_rows[] = {
    {"address", TP_PLAIN(F, address), TP_DEFINITION("address of the block")},
    {"bytes", TP_PLAIN(F, bytes), TP_DEFINITION("size of the block")},
    {"line", TP_PLAIN(F, line), TP_DEFINITION("line, or call site, in the snapshot")},
    {"step", TP_PLAIN(F, step), TP_DEFINITION("step of the allocation in the trace")},
    {"operator", TP_PLAIN(F, op), TP_DEFINITION("outermost operator around the allocation in the trace")},
    {"module", TP_PLAIN(F, module), TP_DEFINITION("innermost module around the allocation in the trace")},
};
static const struct tp_fields block_fields = TP_FIELDS("A large block of a joined snapshot", block_rows);
#undef F

#define F struct tp_trace_join
static const struct tp_json_field join_rows[] = {
    {"device", TP_PLAIN(F, device), TP_DEFINITION("number of the device")},
    {"joined_by", TP_WORD(F, method, tp_join_method_text), TP_DEFINITION("pairs, clocks or none")},
    {"why", TP_PLAIN(F, why), TP_DEFINITION("why the files are not joined by pairs; null if they are")},
    {"pairs", TP_PLAIN(F, pairs), TP_DEFINITION("longest run of equal allocations and frees")},
    {"offset_us", TP_US(F, offset_ns), TP_DEFINITION("time in the trace minus time in the snapshot")},
    {"largest_time_difference_us", TP_US(F, time_difference_ns),
     TP_DEFINITION("largest distance of a pair from this offset")},
    {"largest_allocated_difference_bytes", TP_PLAIN(F, allocated_difference),
     TP_DEFINITION("largest difference of the allocated bytes at a pair")},
    {"snapshot_allocated_bytes", TP_PLAIN(F, snapshot_allocated),
     TP_DEFINITION("allocated bytes of the snapshot there")},
    {"trace_allocated_bytes", TP_PLAIN(F, trace_allocated), TP_DEFINITION("allocated bytes of the trace there")},
    {"trace_records", TP_PLAIN(F, trace_records), TP_DEFINITION("allocations and frees of the device in the trace")},
    {"events_in_trace", TP_PLAIN(F, events_in_trace),
     TP_DEFINITION("allocations and frees of the snapshot between the first and the last one of the trace")},
    {"paired_events", TP_PLAIN(F, paired_events), TP_DEFINITION("those with a record in the trace")},
    {"peak", TP_RECORD(F, peak, &moment_fields), TP_ONLY_IF(F, method), TP_DEFINITION("the peak of the snapshot")},
    {"oom", TP_RECORD(F, oom, &moment_fields), TP_ONLY_IF(F, has_oom), TP_DEFINITION("the last out-of-memory event")},
    {"largest", TP_RECORDS(F, largest, largest_count, &block_fields),
     TP_DEFINITION("the largest blocks at the last out-of-memory event, otherwise at the peak")},
    {"live_by_operator", TP_RECORD(F, by_operator, &tp_live_table_fields), TP_DEFINITION("these blocks by operator")},
    {"live_by_module", TP_RECORD(F, by_module, &tp_live_table_fields), TP_DEFINITION("these blocks by module")},
};
const struct tp_fields tp_trace_join_fields = TP_FIELDS("A memory snapshot joined with a trace", join_rows);
#undef F
