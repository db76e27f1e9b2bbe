/* Reads the list of events, and repairs broken events.
 *
 * A broken event is first read again leniently, with unescaped quotes allowed. If this also fails, the text up to
 * the next possible event is skipped. Both cases are counted. A budget limits the work of repair, so that every
 * input takes linear time. */
#include "webreport/trace/kinds.h"
#include "webreport/trace/reader.h"
#include "writer/base/limits.h"
#include "writer/base/utf8.h"

void tp_reader_count_notice(struct tp_reader *r, enum tp_notice notice)
{
    tp_sink_count_notice(r->decoder.sink, notice, tp_feed_offset(r->window.feed, r->window.at));
}

/* ---- repair of broken events ---- */

static bool use_repair_budget(struct tp_reader *r, size_t bytes)
{
    if (bytes > r->repair_budget)
        r->repair_budget = 0;
    else
        r->repair_budget -= bytes;
    return r->repair_budget > 0;
}

/* Moves r->window.at to the start of the next event. Returns false if no further event is found; the rest of the input
 * is then lost. */
static bool skip_to_next_event(struct tp_reader *r)
{
    for (;;) {
        const char *next =
            r->window.at < r->window.end ? tp_scan_find_next_event(r->window.at + 1, r->window.end) : NULL;
        if (!use_repair_budget(r, (size_t)((next ? next : r->window.end) - r->window.at)))
            return false;
        if (next) {
            r->window.at = next;
            return true;
        }
        /* keeps the last bytes, because a key may cross the end of the window */
        if ((size_t)(r->window.end - r->window.at) > TP_READER_LOOKAHEAD)
            r->window.at = r->window.end - 256;
        if (!tp_window_next(&r->window))
            return false;
    }
}

static void count_broken_event(struct tp_reader *r, enum tp_notice notice)
{
    tp_reader_count_notice(r, notice);
    r->trace->reading.repaired++;
}

/* Returns true if the scanned event is work of a host. Every trace of torch.profiler or the collector has such
 * events. */
static bool is_host_work(const struct tp_reader *r)
{
    struct tp_str cat = tp_spans_has(&r->spans, TP_FIELD_CAT) ? r->spans.field[TP_FIELD_CAT] : TP_STR("");
    struct tp_cat_meaning meaning = {0};
    if (cat.len >= 2 && *cat.ptr == '"')
        meaning = tp_cat_meaning_by_name((struct tp_str){cat.ptr + 1, cat.len - 2});
    return tp_kind_is_host(meaning.kind) || meaning.is_state || meaning.is_process;
}

/* Passes the scanned object at r->window.at to the decoder or the visitor, and moves r->window.at after the object. */
static void deliver_event(struct tp_reader *r, bool is_repaired)
{
    uint32_t ordinal = (uint32_t)r->ordinal++;
    struct tp_str text = {r->window.at, (size_t)(r->scan.at - r->window.at)};
    if (!r->visitor) {
        tp_decoder_event(&r->decoder, text, &r->spans, ordinal, tp_feed_offset(r->window.feed, r->window.at));
    } else {
        struct tp_event_text event = {.text = text, .spans = &r->spans, .ordinal = ordinal, .is_repaired = is_repaired};
        r->has_host_work = r->has_host_work || is_host_work(r);
        r->window.code = r->visitor->event(r->visitor->context, &event, r->window.err);
    }
    r->window.at = r->scan.at;
}

/* Returns the number of unescaped quotes between the first and the last byte of a text. */
static unsigned count_quotes(struct tp_str text)
{
    unsigned count = 0;
    for (size_t i = 1; i + 1 < text.len; i++)
        count += text.ptr[i] == '"' && text.ptr[i - 1] != '\\';
    return count;
}

/* Returns true if torch itself wrote the broken event, because torch does not escape quotes in names. Such an event has
 * all members and an even number of quotes outside the name. An odd number, or a key between the quotes, shows that a
 * quote was lost. */
static bool is_torch_quoting_error(const struct tp_reader *r)
{
    static const enum tp_field members[] = {TP_FIELD_PH,  TP_FIELD_CAT, TP_FIELD_NAME,
                                            TP_FIELD_PID, TP_FIELD_TID, TP_FIELD_TS};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (!tp_spans_has(&r->spans, members[i]))
            return false;
    struct tp_str ph = r->spans.field[TP_FIELD_PH];
    if (ph.len != 3 || ph.ptr[1] != 'X')
        return false;
    if ((r->scan.inner_quote_count - count_quotes(r->spans.field[TP_FIELD_NAME])) % 2)
        return false;
    struct tp_str text = {r->window.at, (size_t)(r->scan.at - r->window.at)};
    bool is_whole = r->scan.inner_quote_count % 2 == 0 || !r->scan.inner_key_count;
    return r->scan.inner_quote_count && is_whole && !r->scan.recorder_key_count && !r->spans.has_odd_key &&
           !r->spans.has_bare_word && !tp_utf8_has_control(text.ptr, text.len);
}

/* Repairs or skips the event at r->window.at, which the scanner could not read. Returns false if there are no further
 * events. */
static bool repair_event(struct tp_reader *r)
{
    tp_window_ensure_bytes(&r->window, TP_READER_LOOKAHEAD);
    r->scan.at = r->window.at;
    r->scan.end = r->window.end;
    r->scan.is_lenient = true;
    r->scan.inner_quote_count = r->scan.inner_key_count = r->scan.recorder_key_count = 0;
    enum tp_scan_status status = tp_scan_event(&r->scan, &r->spans);
    r->scan.is_lenient = false;
    if (status == TP_SCAN_OK && tp_spans_has(&r->spans, TP_FIELD_PH)) {
        count_broken_event(r, TP_NOTICE_EVENT_REPAIRED);
        r->trace->reading.torch_error_repairs += is_torch_quoting_error(r);
        bool may_go_on = use_repair_budget(r, (size_t)(r->scan.at - r->window.at));
        deliver_event(r, true);
        return may_go_on;
    }
    count_broken_event(r, TP_NOTICE_EVENT_SKIPPED);
    return use_repair_budget(r, (size_t)(r->scan.at > r->window.at ? r->scan.at - r->window.at : 0)) &&
           skip_to_next_event(r);
}

/* Searches for a complete event inside the event at r->window.at, which the end of the input cuts. Returns true if one
 * is found. */
static bool find_event_in_truncated_one(struct tp_reader *r)
{
    const char *from = r->window.at;
    while (skip_to_next_event(r)) {
        r->scan.at = r->window.at;
        r->scan.end = r->window.end;
        if (tp_scan_event(&r->scan, &r->spans) == TP_SCAN_OK && tp_spans_has(&r->spans, TP_FIELD_PH)) {
            count_broken_event(r, TP_NOTICE_EVENT_SKIPPED);
            return true;
        }
        if (!use_repair_budget(r, (size_t)(r->window.end - r->window.at)))
            break;
    }
    r->window.at = from;
    return false;
}

/* ---- reading of the list of events ---- */

enum step { STEP_ON, STEP_LIST_ENDED, STEP_INPUT_ENDED };

/* Reads one element at r->window.at that is an object. */
static enum step read_event(struct tp_reader *r)
{
    for (;;) {
        r->scan.at = r->window.at;
        r->scan.end = r->window.end;
        enum tp_scan_status status = tp_learned_keys_scan_event(&r->layout, &r->scan, &r->spans);
        if (__builtin_expect(status == TP_SCAN_OK, 1)) {
            deliver_event(r, false);
            return STEP_ON;
        }
        if (status == TP_SCAN_BAD)
            return repair_event(r) ? STEP_ON : STEP_INPUT_ENDED;
        if (tp_window_extend(&r->window))
            continue;
        if (r->window.code < 0)
            return STEP_INPUT_ENDED;
        if (!r->window.is_at_end) {
            count_broken_event(r, TP_NOTICE_EVENT_TOO_LONG);
            tp_window_skip_value(&r->window);
            return STEP_ON;
        }
        return find_event_in_truncated_one(r) ? STEP_ON : STEP_INPUT_ENDED;
    }
}

/* Reads one element at r->window.at that is not an object. */
static enum step read_other_element(struct tp_reader *r)
{
    struct tp_str value;
    for (;;) {
        r->scan.at = r->window.at;
        r->scan.end = r->window.end;
        enum tp_scan_status status = tp_scan_value(&r->scan, &value, &r->spans);
        if (status == TP_SCAN_OK) {
            if (r->visitor) {
                struct tp_event_text other = {.text = value, .ordinal = (uint32_t)r->ordinal};
                r->window.code = r->visitor->event(r->visitor->context, &other, r->window.err);
            }
            r->window.at = r->scan.at;
            break;
        }
        if (status == TP_SCAN_BAD) {
            count_broken_event(r, TP_NOTICE_EVENT_SKIPPED);
            return skip_to_next_event(r) ? STEP_ON : STEP_INPUT_ENDED;
        }
        if (tp_window_extend(&r->window))
            continue;
        if (r->window.is_at_end || r->window.code < 0)
            return STEP_INPUT_ENDED;
        tp_window_skip_value(&r->window);
        break;
    }
    r->ordinal++;
    r->trace->reading.skipped[TP_SKIP_NOT_AN_OBJECT]++;
    return STEP_ON;
}

/* Reads the elements of a list after its '['. Moves r->window.at after the ']'. */
void tp_reader_events(struct tp_reader *r)
{
    bool after_comma = false;
    enum step step = STEP_ON;
    r->has_events = true;
    if (r->visitor)
        r->window.code = r->visitor->list(r->visitor->context, r->is_array, r->window.err);
    while (step == STEP_ON && r->window.code >= 0) {
        char c = tp_window_peek(&r->window);
        if (r->ordinal >= TP_MAX_EVENTS) {
            r->window.code = tp_error_set(r->window.err, TP_ELIMIT, 0, "more than %u events", TP_MAX_EVENTS);
            return;
        }
        if (c == '\0') {
            step = STEP_INPUT_ENDED;
            /* the trace format allows a bare list of events to end without ']' */
            r->is_array = r->is_array && r->window.code >= 0;
            if (r->is_array)
                return;
        } else if (c == ',') {
            after_comma = true;
            r->window.at++;
        } else if (c == ']') {
            if (after_comma)
                tp_reader_count_notice(r, TP_NOTICE_TRAILING_COMMA);
            r->window.at++;
            r->trace->reading.has_end = r->is_array;
            step = STEP_LIST_ENDED;
        } else {
            after_comma = false;
            step = c == '{' ? read_event(r) : read_other_element(r);
        }
    }
    if (step == STEP_INPUT_ENDED) {
        tp_reader_count_notice(r, TP_NOTICE_ENDS_EARLY);
        r->trace->reading.is_truncated = true;
        r->window.at = r->window.end;
        r->window.is_at_end = true;
    }
}
