/* The tools `explain` and `evidence`: one finding of a trace, and the events that it rests on. */
#include <stdio.h>

#include "webreport/ask/ask_input.h"
#include "webreport/ask/completeness.h"
#include "webreport/ask/cursor.h"
#include "webreport/ask/input_database.h"
#include "webreport/ask/named_times.h"
#include "webreport/ask/tool.h"
#include "writer/text/format.h"

/* Returns the finding with the id of the question; NULL if the trace has none. */
static const struct tp_finding *find_finding(const struct tp_ask_call *call)
{
    const struct tp_recommendations *found = &call->input->trace.analysis.advice.recommendations;
    struct tp_str id = call->text[TP_ASK_ID];
    for (uint32_t i = 0; i < found->finding_count && tp_str_starts(id, "f:"); i++)
        if (tp_str_equal((struct tp_str){id.ptr + 2, id.len - 2}, tp_str_of(found->findings[i].rule->id)))
            return &found->findings[i];
    return NULL;
}

static enum tp_ask_code fail_unknown(struct tp_ask_call *call)
{
    return tp_call_fail(call, TP_ASK_UNKNOWN_ID, "tracepress_digest lists the ids of findings",
                        "the input has no finding with this id");
}

/* ---- explain ---- */

static void write_thresholds(struct tp_ask_call *call, const struct tp_rule *rule)
{
    tp_json_key(&call->json, "thresholds");
    tp_json_object(&call->json);
    for (unsigned i = 0; i < TP_RULE_THRESHOLDS && rule->thresholds[i].key; i++)
        tp_json_member_real(&call->json, rule->thresholds[i].key, rule->thresholds[i].value);
    tp_json_object_end(&call->json);
}

static void write_gain(struct tp_ask_call *call, const struct tp_finding *finding)
{
    struct tp_json *json = &call->json;
    tp_json_member_real(json, "at_most_us_per_step", finding->ceiling_us_per_step);
    tp_json_member_real(json, "share_percent", finding->share_percent);
    tp_json_member_real(json, "low_percent", finding->low_percent);
    tp_json_member_real(json, "high_percent", finding->high_percent);
    tp_json_member_text(json, "window", call->input->step_window);
    tp_json_member_text(json, "definition",
                        "at_most: time per step that the finding affects; low and high: saving of a fix after those of "
                        "earlier findings, percent of the step");
}

static bool write_explanation(struct tp_ask_call *call, unsigned level)
{
    enum { LEVELS = 3 };
    const struct tp_finding *finding = find_finding(call);
    struct tp_json *json = &call->json;
    tp_json_member_str(json, "id", call->text[TP_ASK_ID]);
    tp_call_member_text(call, "title", finding->title);
    tp_call_member_text(call, "cause", finding->cause);
    tp_call_member_str(call, "detail", finding->detail);
    write_gain(call, finding);
    tp_json_member_text(json, "severity", tp_severity_text(finding->severity));
    tp_json_member_text(json, "confidence", tp_confidence_text(finding->confidence));
    tp_json_key(json, "weakened_by");
    tp_json_array(json);
    for (unsigned i = 0; i < finding->weakened_by_count; i++)
        tp_json_text(json, finding->weakened_by[i]);
    tp_json_array_end(json);
    if (level == 0)
        write_thresholds(call, finding->rule);
    if (level < LEVELS - 1)
        tp_call_member_text(call, "try", finding->advice);
    if (level < LEVELS - 1 && finding->doc_url)
        tp_call_member_text(call, "doc_url", finding->doc_url);
    tp_json_member_int(json, "programs_right", finding->right);
    tp_json_member_int(json, "programs_known", finding->known);
    tp_json_member_int(json, "evidence_count", finding->evidence_total);
    tp_completeness_write(call, false);
    return level + 1 < LEVELS;
}

enum tp_ask_code tp_explain_in_trace(struct tp_ask_call *call)
{
    return find_finding(call) ? tp_call_fit(call, write_explanation) : fail_unknown(call);
}

enum tp_ask_code tp_tool_explain(struct tp_ask_call *call)
{
    return tp_str_starts(call->text[TP_ASK_ID], "k:") ? tp_explain_name(call) : call->input->kind->explain(call);
}

/* ---- evidence ---- */

enum { EVENTS_PER_PAGE = 20 };

/* Returns the id of an event in the tables of the database: its index in the trace. TP_NO_ID for records of memory,
 * which are no events. */
static uint32_t find_event(const struct tp_trace *trace, uint32_t ordinal)
{
    uint32_t low = 0, high = trace->event_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (trace->events[middle].ordinal < ordinal)
            low = middle + 1;
        else
            high = middle;
    }
    return low < trace->event_count && trace->events[low].ordinal == ordinal ? low : TP_NO_ID;
}

static void write_event(struct tp_ask_call *call, const struct tp_evidence *event)
{
    char id[24];
    uint32_t found = find_event(&call->input->trace.analysis.trace, event->ordinal);
    if (found == TP_NO_ID)
        snprintf(id, sizeof id, "record:%u", event->ordinal);
    else
        snprintf(id, sizeof id, "e:%u", found);
    tp_json_object(&call->json);
    tp_json_member_text(&call->json, "id", id);
    tp_json_member_us(&call->json, "ts_us", event->ts_ns);
    tp_call_member_str(call, "name", event->name);
    tp_call_member_str(call, "file_line", event->file_line);
    tp_json_object_end(&call->json);
}

/* Writes the events from `offset` on, as many as fit. Returns the offset of the next event. */
static int64_t write_events(struct tp_ask_call *call, const struct tp_finding *finding, int64_t offset)
{
    enum { TAIL_BYTES = 600 }; /* the members after the events, at most */
    int64_t at = offset;
    for (; at < finding->evidence_count && at < offset + EVENTS_PER_PAGE; at++) {
        struct tp_call_mark mark = tp_call_mark(call);
        write_event(call, &finding->evidence[at]);
        if (tp_call_fits(call, TAIL_BYTES) || at == offset)
            continue;
        tp_call_undo(call, mark);
        break;
    }
    return at;
}

/* Writes one event of the trace, which the id "e:ORDINAL" names. */
static enum tp_ask_code write_named_event(struct tp_ask_call *call)
{
    struct tp_cursor_key key;
    struct tp_str id = call->text[TP_ASK_ID];
    char *digits = tp_arena_copy(call->arena, id.ptr + 2, id.len - 2);
    bool is_number = *digits && strlen(digits) < 11 && strspn(digits, "0123456789") == strlen(digits);
    enum tp_ask_code code = is_number ? tp_input_database_open(call) : TP_ASK_ANSWERED;
    if (code != TP_ASK_ANSWERED)
        return code;
    const char *sql = tp_text_printf(call->arena, "SELECT * FROM events WHERE event_id = %s", digits);
    bool has = false;
    if (is_number)
        code = tp_input_database_has_row(&has, call, sql, (struct tp_str){NULL, 0});
    if (code != TP_ASK_ANSWERED)
        return code;
    if (!has)
        return tp_call_fail(call, TP_ASK_UNKNOWN_ID, "ids of events are column event_id of table events",
                            "the trace has no event with this id");
    code = tp_cursor_read(&key, call, id);
    if (code != TP_ASK_ANSWERED)
        return code;
    call->number[TP_ASK_LIMIT] = 1;
    tp_call_begin(call);
    tp_json_member_str(&call->json, "id", id);
    tp_completeness_write(call, false);
    code = tp_input_database_query(call, &(struct tp_input_database_query){tp_str_of(sql), NULL, NULL}, &key);
    tp_json_object_end(&call->json);
    return code;
}

enum tp_ask_code tp_evidence_in_trace(struct tp_ask_call *call)
{
    struct tp_cursor_key key;
    struct tp_json *json = &call->json;
    const struct tp_finding *finding = find_finding(call);
    if (tp_str_starts(call->text[TP_ASK_ID], "e:"))
        return write_named_event(call);
    if (!finding)
        return fail_unknown(call);
    enum tp_ask_code code =
        tp_cursor_read(&key, call, tp_str_of(tp_text_printf(call->arena, "evidence\n%s", finding->rule->id)));
    if (code != TP_ASK_ANSWERED)
        return code;
    tp_call_begin(call);
    tp_json_member_str(json, "id", call->text[TP_ASK_ID]);
    tp_json_key(json, "events");
    tp_json_array(json);
    int64_t end = write_events(call, finding, key.offset);
    tp_json_array_end(json);
    tp_json_member_int(json, "all_events", finding->evidence_total);
    tp_cursor_write(call, &key, end < finding->evidence_count ? end : -1);
    tp_completeness_write(call, false);
    tp_json_object_end(json);
    return TP_ASK_ANSWERED;
}

enum tp_ask_code tp_tool_evidence(struct tp_ask_call *call)
{
    if (call->input->kind->evidence)
        return call->input->kind->evidence(call);
    return tp_call_fail(call, TP_ASK_BAD_ARGUMENT, "ask the trace of one rank", "summaries have no events");
}
