/* Describes the members of the JSON object what_if_view: see what_if_view_build.h. */
#include "webreport/what_if/what_if_view.h"

/* Number of rows of the critical path that JSON has. */
enum { SHOWN_ROWS = 20 };

static bool next_withheld(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_what_if_view *view = record->at;
    if (*cursor >= view->withheld_count)
        return false;
    item->value = tp_json_value_str(view->withheld_texts[(*cursor)++]);
    return true;
}

static bool next_reason(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_what_if_view *view = record->at;
    if (*cursor >= TP_EDGE_REASONS)
        return false;
    item->key = tp_str_of(tp_edge_reason_text((enum tp_edge_reason) * cursor));
    item->value =
        view->reason_count[*cursor] ? tp_json_value_int((int64_t)view->reason_count[*cursor]) : tp_json_value_absent();
    ++*cursor;
    return true;
}

static bool next_latency(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_what_if_view *view = record->at;
    if (*cursor >= view->typical_count)
        return false;
    item->key = view->typicals[*cursor].text;
    item->value = tp_json_value_int(view->typicals[(*cursor)++].ns);
    return true;
}

static bool next_group(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_what_if_view *view = record->at;
    if (*cursor >= TP_GROUPS)
        return false;
    item->key = tp_str_of(tp_path_group_text((enum tp_path_group) * cursor));
    item->value = tp_json_value_int(view->path.group_ns[(*cursor)++]);
    return true;
}

static bool next_kind(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_what_if_view *view = record->at;
    if (*cursor >= TP_PATH_KINDS)
        return false;
    item->key = tp_str_of(tp_path_kind_text((enum tp_path_kind) * cursor));
    item->value = tp_json_value_int(view->path.kind_ns[(*cursor)++]);
    return true;
}

#define WORD_OF(name, type, function)                                                                                  \
    static const char *name(unsigned value)                                                                            \
    {                                                                                                                  \
        return function((enum type)value);                                                                             \
    }
WORD_OF(kind_word, tp_path_kind, tp_path_kind_text)
WORD_OF(group_word, tp_path_group, tp_path_group_text)
WORD_OF(confidence_word, tp_replay_confidence, tp_replay_confidence_text)

#define F struct tp_path_row
static const struct tp_json_field row_fields[] = {
    {"kind", TP_WORD(F, kind, kind_word), TP_DEFINITION("kind of time")},
    {"name", TP_PLAIN(F, name), TP_DEFINITION("name of the operator, call, line, range, operation or latency")},
    {"ns", TP_PLAIN(F, ns), TP_DEFINITION("time on the critical path, ns")},
};
#undef F
static const struct tp_fields path_row_fields = TP_FIELDS("Row of the critical path", row_fields);

static bool next_row(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_what_if_view *view = record->at;
    if (*cursor >= view->row_count || *cursor >= SHOWN_ROWS)
        return false;
    item->value = tp_json_value_record(&path_row_fields, (struct tp_record){.at = &view->rows[(*cursor)++]});
    return true;
}

#define F struct tp_graph_counts
static const struct tp_json_field count_fields[] = {
    {"follows", TP_PLAIN(F, follows), TP_DEFINITION("nodes that move with the reference thread")},
    {"handover", TP_PLAIN(F, handovers), TP_DEFINITION("times at which one thread gives work to another")},
    {"before_launch", TP_PLAIN(F, before_launch), TP_DEFINITION("operations recorded before their call")},
    {"without_launch", TP_PLAIN(F, without_launch), TP_DEFINITION("operations without a recorded call")},
    {"overlap", TP_PLAIN(F, overlaps), TP_DEFINITION("operations that overlap the one before them on their stream")},
    {"event", TP_PLAIN(F, events), TP_DEFINITION("waits between streams that a record names")},
    {"event_inferred", TP_PLAIN(F, inferred_events), TP_DEFINITION("waits between streams that were inferred")},
    {"event_contradicted", TP_PLAIN(F, contradicted_events),
     TP_DEFINITION("waits between streams that the recorded times contradict")},
    {"wait_unresolved", TP_PLAIN(F, unresolved_waits), TP_DEFINITION("waits between streams without a known source")},
    {"queue_depth", TP_PLAIN(F, queue_depth),
     TP_DEFINITION("operations for which the queue of a device has room; 0: unknown")},
};
#undef F
static const struct tp_fields graph_count_fields = TP_FIELDS("Counts of a replay graph", count_fields);

#define F struct tp_what_if_view
static const struct tp_json_field graph_rows[] = {
    {"nodes", TP_PLAIN(F, node_count), TP_DEFINITION("activities of the host and the devices")},
    {"edges", TP_PLAIN(F, edge_count), TP_DEFINITION("reasons for the start of an activity")},
    {"by_reason", TP_MAP(next_reason, NULL), TP_DEFINITION("number of edges by reason")},
    {"counts", TP_RECORD(F, counts, &graph_count_fields),
     TP_DEFINITION("facts about the trace that the edges do not show")},
    {"latency_ns", TP_MAP(next_latency, NULL),
     TP_DEFINITION("typical latencies by kind and name of the call or number of the device, ns")},
};
static const struct tp_fields graph_fields = TP_FIELDS("The replay graph", graph_rows);

static const struct tp_json_field replay_rows[] = {
    {"nodes_wrong", TP_PLAIN(F, wrong_nodes), TP_DEFINITION("nodes that the replay without a change places wrongly")},
    {"kept_error_ns", TP_PLAIN(F, kept_error_ns), TP_DEFINITION("error of the replay without a change, ns")},
    {"bare_error_percent", TP_PLAIN(F, bare_error_percent),
     TP_DEFINITION("error of the replay without unexplained delays, percent of the analysed steps")},
    {"unexplained_percent", TP_PLAIN(F, unexplained_percent),
     TP_DEFINITION("part of the critical path that no known reason explains, percent")},
    {"inferred_percent", TP_PLAIN(F, inferred_percent),
     TP_DEFINITION("part of the critical path that depends on inferred reasons, percent")},
};
static const struct tp_fields replay_fields = TP_FIELDS("The replay without a change", replay_rows);

static const struct tp_json_field critical_rows[] = {
    {"limit", TP_WORD(F, limit, group_word), TP_DEFINITION("group with the longest time on the critical path")},
    {"groups_ns", TP_MAP(next_group, NULL), TP_DEFINITION("time on the critical path by group, ns")},
    {"kinds_ns", TP_MAP(next_kind, NULL), TP_DEFINITION("time on the critical path by kind, ns")},
    {"host_share", TP_PLAIN(F, host_share), TP_DEFINITION("time of the host on the critical path, percent")},
    {"rows", TP_LIST(next_row, &path_row_fields), TP_DEFINITION("the 20 longest rows of the critical path")},
};
static const struct tp_fields critical_fields = TP_FIELDS("The critical path", critical_rows);
#undef F

#define F struct tp_what_if_row
static const struct tp_json_field answer_rows[] = {
    {"change", TP_PLAIN(F, change), TP_DEFINITION("the change, as `tracepress whatif` takes it")},
    {"text", TP_PLAIN(F, text), TP_DEFINITION("the change in words")},
    {"step_ns", TP_PLAIN(F, step_ns), TP_DEFINITION("length of a step after the change, ns")},
    {"gain_ns", TP_PLAIN(F, gain_ns), TP_DEFINITION("time by which a step becomes shorter, ns")},
    {"gain_low_ns", TP_PLAIN(F, gain_low_ns), TP_DEFINITION("smallest gain of all replays, ns")},
    {"gain_high_ns", TP_PLAIN(F, gain_high_ns), TP_DEFINITION("largest gain of all replays, ns")},
    {"gain_percent", TP_PLAIN(F, gain_percent), TP_DEFINITION("gain, percent of the analysed steps")},
    {"then", TP_WORD(F, then, group_word), TP_DEFINITION("group that limits the step after the change")},
    {"then_percent", TP_PLAIN(F, then_percent), TP_DEFINITION("its part of the new critical path, percent")},
    {"confidence", TP_WORD(F, confidence, confidence_word),
     TP_DEFINITION("how sure the answer is: high, medium or low")},
};
#undef F
static const struct tp_fields answer_fields = TP_FIELDS("Answer for a change", answer_rows);

#define F struct tp_replayed_part
static const struct tp_json_field part_rows[] = {
    {"first_step", TP_PLAIN(F, first_step), TP_DEFINITION("name of the first step of the part")},
    {"last_step", TP_PLAIN(F, last_step), TP_DEFINITION("name of the last step of the part")},
    {"steps_of_trace", TP_PLAIN(F, trace_step_count), TP_DEFINITION("number of analysed steps of the whole trace")},
};
#undef F
static const struct tp_fields part_fields = TP_FIELDS("Replayed part of a trace", part_rows);

#define F struct tp_what_if_view
static const struct tp_json_field fields[] = {
    {"part", TP_RECORD(F, part, &part_fields), TP_ONLY_IF(F, has_part),
     TP_DEFINITION("the steps that were replayed, if a report does not replay the whole trace")},
    {"steps", TP_PLAIN(F, step_count), TP_DEFINITION("number of analysed steps")},
    {"step_ns", TP_PLAIN(F, step_ns), TP_DEFINITION("length of a step, ns")},
    {"confidence", TP_WORD(F, confidence, confidence_word),
     TP_DEFINITION("how far the replay can be trusted: high, medium, low or withheld")},
    {"withheld", TP_LIST(next_withheld, NULL), TP_DEFINITION("why no answers are given")},
    {"graph", TP_PART(&graph_fields), TP_DEFINITION("the graph of the trace")},
    {"replay", TP_PART(&replay_fields), TP_DEFINITION("how well the replay reproduces the trace")},
    {"critical", TP_PART(&critical_fields), TP_DEFINITION("the critical path of the analysed steps")},
    {"what_if", TP_RECORDS(F, answers, answer_count, &answer_fields), TP_DEFINITION("answers for changes")},
};
#undef F

const struct tp_fields tp_what_if_view_fields = TP_FIELDS("What if", fields);
