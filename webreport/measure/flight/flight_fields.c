/* Defines the members of the JSON document of dumps of the Flight Recorder: see flight_result.h. */
#include <stdio.h>

#include "webreport/measure/flight/flight_result.h"

#define AT(type, member) TP_PLAIN(struct tp_flight_##type, member)
#define RANKS(type, member) TP_ARRAY(struct tp_flight_##type, member.items, member.count)

/* ---- culprits ---- */

static const struct tp_json_field last_call_rows[] = {
    {"op", AT(last_call, op), TP_DEFINITION("operation, without backend")},
    {"group", AT(last_call, group), TP_DEFINITION("name of the process group")},
    {"seq", AT(last_call, sequence), TP_DEFINITION("number of the call in its group")},
    {"state", AT(last_call, state),
     TP_DEFINITION("\"done\" if the call ended; otherwise the state that the dump gives")},
    {"line", AT(last_call, line), TP_DEFINITION("innermost frame outside of torch, such as train.py:58 (step)")},
    {"time_ns", AT(last_call, time_ns), TP_DEFINITION("Unix time of the call by the clock of the rank, ns")}};
static const struct tp_fields last_call_fields = TP_FIELDS("flight_last_call", last_call_rows);

static const struct tp_json_field culprit_rows[] = {
    {"rank", AT(culprit, rank), TP_DEFINITION("number of the rank")},
    {"kind", TP_WORD(struct tp_flight_culprit, why, tp_flight_why_text),
     TP_DEFINITION("why the rank delays others: not_joined, no_dump, cannot_tell, gpu_behind, or a mismatch")},
    {"group", AT(culprit, group), TP_DEFINITION("name of the group of the call that the rank is missing from")},
    {"desc", AT(culprit, description), TP_DEFINITION("description of this group")},
    {"seq", AT(culprit, sequence), TP_DEFINITION("number of this call in its group; -1 if unknown")},
    {"op", AT(culprit, op), TP_DEFINITION("operation of this call")},
    {"holds", AT(culprit, held_up_count), TP_DEFINITION("ranks that wait for the rank, directly or through others")},
    {"last_call", TP_RECORD(struct tp_flight_culprit, last_call, &last_call_fields),
     TP_NULL_UNLESS(struct tp_flight_culprit, has_last_call),
     TP_DEFINITION("last call in the dump of the rank; null without a dump")}};
static const struct tp_fields culprit_fields = TP_FIELDS("flight_culprit", culprit_rows);

static const struct tp_json_field link_rows[] = {
    {"rank", AT(link, rank), TP_DEFINITION("number of the rank")},
    {"waits_for", AT(link, waits_for), TP_DEFINITION("rank that it waits for")},
    {"op", AT(link, op), TP_DEFINITION("operation of the call that it waits in")},
    {"group", AT(link, group), TP_DEFINITION("name of the group of this call")},
    {"desc", AT(link, description), TP_DEFINITION("description of this group")},
    {"seq", AT(link, sequence), TP_DEFINITION("number of this call in its group")},
    {"in_it", AT(link, waiting_count), TP_DEFINITION("ranks that wait in this call")},
    {"line", AT(link, line), TP_DEFINITION("line of the call")}};
static const struct tp_fields link_fields = TP_FIELDS("flight_link", link_rows);

/* ---- mismatches ---- */

static const struct tp_json_field side_rows[] = {
    {"ranks", RANKS(side, ranks), TP_DEFINITION("ranks whose calls are equal")},
    {"op", AT(side, op), TP_DEFINITION("operation that they called")},
    {"numel", TP_ARRAY(struct tp_flight_side, elements, element_count),
     TP_DEFINITION("number of elements that must agree; empty if it need not")},
    {"dtypes", TP_ARRAY(struct tp_flight_side, types, type_count), TP_DEFINITION("types of the elements")},
    {"line", AT(side, line), TP_DEFINITION("line of the call of the first rank")}};
static const struct tp_fields side_fields = TP_FIELDS("flight_side", side_rows);

static const char *shift_text(unsigned shift)
{
    static const char *const names[] = {"", "left_out", "extra"};
    return names[shift];
}

static const struct tp_json_field mismatch_rows[] = {
    {"group", AT(mismatch, group), TP_DEFINITION("name of the group")},
    {"desc", AT(mismatch, description), TP_DEFINITION("description of the group")},
    {"seq", AT(mismatch, sequence), TP_DEFINITION("number of the call in its group")},
    {"kinds", TP_ARRAY(struct tp_flight_mismatch, kinds, kind_count),
     TP_DEFINITION("what differs: type_mismatch (operation), size_mismatch, dtype_mismatch")},
    {"culprits", RANKS(mismatch, culprits), TP_DEFINITION("ranks of the smaller sides; none if it is undecided")},
    {"undecided", AT(mismatch, is_undecided), TP_DEFINITION("whether no side is larger than every other one")},
    {"sides", TP_RECORDS(struct tp_flight_mismatch, sides, side_count, &side_fields),
     TP_DEFINITION("the different calls, most ranks first")},
    {"shift", TP_WORD(struct tp_flight_mismatch, shift, shift_text),
     TP_DEFINITION("left_out or extra if the following calls agree after a shift by one; otherwise empty")},
    {"open", AT(mismatch, is_open), TP_DEFINITION("whether a rank waits in the call")}};
static const struct tp_fields mismatch_fields = TP_FIELDS("flight_mismatch", mismatch_rows);

/* ---- open calls ---- */

static bool next_line(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_flight_open *open = record->at;
    if (*cursor >= open->line_count)
        return false;
    item->key = open->lines[*cursor];
    item->value = tp_json_value_int(open->line_ranks[(*cursor)++]);
    return true;
}

static const struct tp_json_field open_rows[] = {
    {"group", AT(open, group), TP_DEFINITION("name of the group")},
    {"desc", AT(open, description), TP_DEFINITION("description of the group")},
    {"ranks", AT(open, rank_count), TP_DEFINITION("number of ranks of the group; 2 for sends and receives")},
    {"ranks_known", AT(open, ranks_are_known),
     TP_DEFINITION("whether a dump lists the ranks of the group; false: they are the ranks that used it")},
    {"seq", AT(open, sequence), TP_DEFINITION("number of the call in its group")},
    {"op", AT(open, op), TP_DEFINITION("operation that most ranks called")},
    {"waiting", RANKS(open, waiting), TP_DEFINITION("ranks that wait in the call")},
    {"failed", RANKS(open, failed), TP_DEFINITION("ranks among them that gave up waiting")},
    {"done", RANKS(open, done), TP_DEFINITION("ranks that ended the call or went past it")},
    {"not_joined", RANKS(open, not_joined), TP_DEFINITION("ranks that never entered the call")},
    {"cannot_tell", RANKS(open, unsure), TP_DEFINITION("ranks without a dump, or whose dump does not show it")},
    {"behind", RANKS(open, behind), TP_DEFINITION("ranks whose GPU has not begun the call that others have begun")},
    {"kind", TP_WORD(struct tp_flight_open, why, tp_flight_why_text), TP_DEFINITION("why the call has not ended")},
    {"timed_out", AT(open, has_timed_out), TP_DEFINITION("whether the recorder of a waiting rank gave the call up")},
    {"since_ns", AT(open, since_ns), TP_DEFINITION("Unix time of the first call of a waiting rank, by its clock, ns")},
    {"heads", AT(open, head_count), TP_DEFINITION("waiting ranks whose first open call it is")},
    {"lines", TP_MAP(next_line, NULL), TP_DEFINITION("lines of the waiting ranks with the number of ranks")},
    {"p2p", AT(open, is_p2p), TP_DEFINITION("whether the call is a send or a receive")}};
static const struct tp_fields open_fields = TP_FIELDS("flight_open", open_rows);

/* ---- late ranks, ranks, files ---- */

static const struct tp_json_field late_rows[] = {
    {"rank", AT(late, rank), TP_DEFINITION("number of the rank")},
    {"calls", AT(late, call_count), TP_DEFINITION("complete calls that the rank entered last")},
    {"of", AT(late, of_count), TP_DEFINITION("complete calls that it took part in")},
    {"median_ms", AT(late, median_ms), TP_DEFINITION("median time after the second last rank, ms")},
    {"clock_free", AT(late, is_clock_free),
     TP_DEFINITION("whether durations confirm it, without the clocks of hosts")}};
static const struct tp_fields late_fields = TP_FIELDS("flight_late", late_rows);

static bool next_overwritten(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_flight_result *result = record->at;
    if (*cursor >= result->overwritten_count)
        return false;
    const struct tp_flight_overwritten *one = &result->overwritten[(*cursor)++];
    item->key =
        (struct tp_str){item->room, (size_t)snprintf(item->room, sizeof item->room, "%lld", (long long)one->rank)};
    item->value = tp_json_value_int(one->count);
    return true;
}

static const struct tp_json_field ranks_rows[] = {
    {"expected", AT(result, expected_count), TP_DEFINITION("ranks that a file or a group names")},
    {"read", AT(result, read_count), TP_DEFINITION("ranks with a readable dump")},
    {"no_dump", RANKS(result, no_dump), TP_DEFINITION("expected ranks without a readable dump")},
    {"overwritten", TP_MAP(next_overwritten, NULL),
     TP_DEFINITION("calls that the recorder of a rank has overwritten")}};
static const struct tp_fields ranks_fields = TP_FIELDS("flight_ranks", ranks_rows);

static struct tp_json_value status_value(const struct tp_record *record)
{
    const struct tp_flight_file *file = record->at;
    return tp_json_value_text(file->is_read ? "ok" : "unreadable");
}

static const struct tp_json_field file_rows[] = {
    {"file", AT(file, name), TP_DEFINITION("name of the file")},
    {"rank", AT(file, rank), TP_DEFINITION("rank in the name of the file; null if it is out of range")},
    {"status", TP_COMPUTED(TP_AS_TEXT, status_value), TP_DEFINITION("\"unreadable\"")},
    {"reason", AT(file, reason), TP_DEFINITION("why it was not read")}};
static const struct tp_fields file_fields = TP_FIELDS("flight_file", file_rows);

static bool next_file(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_flight_result *result = record->at;
    if (*cursor >= result->failed_file_count)
        return false;
    item->value = tp_json_value_record(
        &file_fields, (struct tp_record){.at = result->failed_files[(*cursor)++], .arena = record->arena});
    return true;
}

/* ---- the document ---- */

static struct tp_json_value schema_value(const struct tp_record *record)
{
    (void)record;
    return tp_json_value_text("tracepress-flight");
}

static struct tp_json_value version_value(const struct tp_record *record)
{
    (void)record;
    return tp_json_value_int(1);
}

/* Returns the number of items that a list of the document leaves out. */
#define LEFT_OUT(total, shown)                                                                                         \
    static struct tp_json_value left_out_of_##total(const struct tp_record *record)                                    \
    {                                                                                                                  \
        const struct tp_flight_result *result = record->at;                                                            \
        return tp_json_value_int((int64_t)(result->total - result->shown));                                            \
    }
LEFT_OUT(culprit_total, culprit_count)
LEFT_OUT(circle_total, circle_count)
LEFT_OUT(mismatch_total, mismatch_count)
LEFT_OUT(open_total, open_count)
LEFT_OUT(failed_file_total, failed_file_count)

static const struct tp_json_field left_out_rows[] = {
    {"culprits", TP_COMPUTED(TP_AS_INT, left_out_of_culprit_total), TP_DEFINITION("further culprits")},
    {"cycle", TP_COMPUTED(TP_AS_INT, left_out_of_circle_total), TP_DEFINITION("further ranks of the circle")},
    {"mismatches", TP_COMPUTED(TP_AS_INT, left_out_of_mismatch_total), TP_DEFINITION("further mismatches")},
    {"open", TP_COMPUTED(TP_AS_INT, left_out_of_open_total), TP_DEFINITION("further open calls")},
    {"files", TP_COMPUTED(TP_AS_INT, left_out_of_failed_file_total),
     TP_DEFINITION("further files that were not read")}};
static const struct tp_fields left_out_fields = TP_FIELDS("flight_left_out", left_out_rows);

static const struct tp_json_field result_rows[] = {
    {"schema", TP_COMPUTED(TP_AS_TEXT, schema_value), TP_DEFINITION("\"tracepress-flight\"")},
    {"version", TP_COMPUTED(TP_AS_INT, version_value), TP_DEFINITION("version of this document, 1")},
    {"verdict", TP_WORD(struct tp_flight_result, verdict, tp_flight_verdict_text),
     TP_DEFINITION("hang, mismatch, slow, healthy, unknown or unreadable")},
    {"exit", AT(result, exit_code), TP_DEFINITION("exit code of hang and check")},
    {"headline", AT(result, headline), TP_DEFINITION("the answer in one or two sentences")},
    {"culprits", TP_RECORDS(struct tp_flight_result, culprits, culprit_count, &culprit_fields),
     TP_DEFINITION("ranks that delay others and wait for nobody, gravest first")},
    {"cycle", TP_RECORDS(struct tp_flight_result, circle, circle_count, &link_fields),
     TP_DEFINITION("ranks that wait for each other in a circle")},
    {"likely", AT(result, likely), TP_DEFINITION("rank of the circle that is likely out of order; null if unknown")},
    {"waiting", RANKS(result, waiting), TP_DEFINITION("all ranks that wait")},
    {"mismatches", TP_RECORDS(struct tp_flight_result, mismatches, mismatch_count, &mismatch_fields),
     TP_DEFINITION("calls in which the ranks do not fit each other")},
    {"open", TP_RECORDS(struct tp_flight_result, open, open_count, &open_fields),
     TP_DEFINITION("calls that ranks wait in")},
    {"late", TP_RECORDS(struct tp_flight_result, late, late_count, &late_fields),
     TP_DEFINITION("a rank that comes last in most calls, if nothing waits")},
    {"ranks", TP_PART(&ranks_fields), TP_DEFINITION("ranks of the job")},
    {"groups", AT(result, group_count), TP_DEFINITION("process groups with calls")},
    {"calls", AT(result, call_count), TP_DEFINITION("calls in all dumps")},
    {"files", TP_LIST(next_file, &file_fields), TP_DEFINITION("files that were not read")},
    {"dump_versions", TP_ARRAY(struct tp_flight_result, versions, version_count),
     TP_DEFINITION("versions of the format of the dumps")},
    {"left_out", TP_PART(&left_out_fields), TP_DEFINITION("items that these lists leave out")}};

const struct tp_fields tp_flight_result_fields = TP_FIELDS("flight_result", result_rows);
