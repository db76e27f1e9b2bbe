/* Reading a trace: the document around the events, the loop over them, and the repair of what is broken.
 *
 * One pass over a moving window. A broken event is first read again leniently (unescaped quotes), else skipped up to
 * the next place that looks like an event; both are counted. Work spent on repair is bounded by a budget, so that no
 * input takes more than linear time. The feed owns a file and a thread, so leaving through the arena's guard passes
 * through here. */
#include "webreport/trace/trace.h"

#include "webreport/trace/decode.h"
#include "webreport/trace/feed.h"
#include "webreport/trace/header.h"
#include "webreport/trace/layout.h"
#include "webreport/trace/strict.h"
#include "writer/base/limits.h"

enum { LOOKAHEAD = 64 * 1024, REPAIR_BUDGET = 256 * 1024 * 1024 };

struct reader {
    struct tp_trace *trace;
    struct tp_decoder decoder;
    struct tp_feed *feed;
    struct tp_scan scan;
    struct tp_layout layout;
    struct tp_spans spans;
    struct tp_vec header;
    const char *at, *end;
    uint64_t ordinal;
    uint64_t repair_budget;
    bool is_at_end, has_events, is_array, is_strict;
    struct tp_strict strict;
    struct tp_error *err;
    int code; /* of the feed or of the strict check; ends the reading */
};

const char *tp_notice_text(enum tp_notice notice)
{
    static const char *const text[TP_NOTICE_COUNT] = {
        [TP_NOTICE_EVENT_REPAIRED] = "event repaired",
        [TP_NOTICE_EVENT_SKIPPED] = "event skipped",
        [TP_NOTICE_CONTROL] = "control characters",
        [TP_NOTICE_UTF8] = "invalid UTF-8",
        [TP_NOTICE_ESCAPE] = "bad escape",
        [TP_NOTICE_NOT_A_NUMBER] = "not a number",
        [TP_NOTICE_TRAILING_COMMA] = "trailing comma",
        [TP_NOTICE_ENDS_EARLY] = "file ends early",
        [TP_NOTICE_GZIP_TRUNCATED] = "truncated gzip",
        [TP_NOTICE_GZIP_CHECKSUM] = "checksum mismatch",
        [TP_NOTICE_GZIP_CORRUPT] = "corrupt gzip",
        [TP_NOTICE_TRAILING_DATA] = "trailing data",
        [TP_NOTICE_DEPTH] = "nesting too deep",
        [TP_NOTICE_DUPLICATE_KEY] = "duplicate key",
        [TP_NOTICE_NEGATIVE_DURATION] = "negative duration",
        [TP_NOTICE_TIME_RANGE] = "time out of range",
        [TP_NOTICE_ID_RANGE] = "id out of range",
        [TP_NOTICE_NAME_CUT] = "name cut",
        [TP_NOTICE_UNBALANCED] = "unbalanced begin and end events",
        [TP_NOTICE_EVENT_TOO_LONG] = "event too long",
        [TP_NOTICE_HEADER] = "header value skipped",
        [TP_NOTICE_TIME_OUTLIER] = "time outlier",
        [TP_NOTICE_OVERLAP] = "overlapping slices on one stream",
        [TP_NOTICE_NO_STEPS] = "no steps marked: the whole trace is one window",
    };
    return text[notice];
}

/* ---- the window ---------------------------------------------------------------------------------------------------
 */

/* More text behind r->at; false at the end of the input or on an error (then r->code is set). */
static bool more(struct reader *r)
{
    if (r->is_at_end || r->code < 0)
        return false;
    size_t before = r->at ? (size_t)(r->end - r->at) : 0;
    int status = tp_feed_more(r->feed, &r->at, &r->end, r->err);
    r->is_at_end = status == 0;
    if (status < 0)
        r->code = status;
    if (status > 0 && r->is_strict)
        r->code = tp_strict_feed(&r->strict, r->at + before, (size_t)(r->end - r->at) - before, r->err);
    return status > 0 && r->code >= 0;
}

/* At least `size` bytes in the window, if the input has them. */
static void want(struct reader *r, size_t size)
{
    while ((size_t)(r->end - r->at) < size && more(r))
        ;
}

/* Next byte that is no white space, consumed up to it; '\0' at the end of the input. */
static char peek(struct reader *r)
{
    for (;;) {
        if (r->at)
            r->at = tp_scan_space(r->at, r->end);
        if (r->at && r->at < r->end)
            return *r->at ? *r->at : '\1'; /* a NUL byte in the text is no end */
        if (!more(r))
            return '\0';
    }
}

static void note(struct reader *r, enum tp_notice notice)
{
    tp_decoder_note(&r->decoder, notice, tp_feed_offset(r->feed, r->at));
}

/* Drops a value of any length and depth: counts brackets outside strings across windows. */
static void skip_streaming(struct reader *r)
{
    uint64_t depth = 0;
    bool in_string = false;
    do {
        for (; r->at < r->end; r->at++) {
            char c = *r->at;
            if (in_string) {
                if (c == '\\' && r->at + 1 < r->end)
                    r->at++;
                in_string = c != '"';
            } else if (c == '"') {
                in_string = true;
            } else if (c == '[' || c == '{') {
                depth++;
            } else if ((c == ']' || c == '}') && depth && --depth == 0) {
                r->at++;
                return;
            } else if (depth == 0 && (c == ',' || c == ']' || c == '}')) {
                return;
            }
        }
    } while (more(r));
}

/* Twice the text before the next try, so that a long value costs linear time. False when there is no more, or too much.
 */
static bool widen(struct reader *r)
{
    size_t size = (size_t)(r->end - r->at);
    if (size > TP_MAX_EVENT_BYTES || !more(r))
        return false;
    want(r, size * 2);
    return true;
}

/* ---- broken events ------------------------------------------------------------------------------------------------
 */

static bool spend(struct reader *r, size_t bytes)
{
    if (bytes > r->repair_budget)
        r->repair_budget = 0;
    else
        r->repair_budget -= bytes;
    return r->repair_budget > 0;
}

/* Moves to the next event behind r->at. False when there is none: the rest of the input is lost. */
static bool resync(struct reader *r)
{
    for (;;) {
        const char *next = r->at < r->end ? tp_scan_resync(r->at + 1, r->end) : NULL;
        if (!spend(r, (size_t)((next ? next : r->end) - r->at)))
            return false;
        if (next) {
            r->at = next;
            return true;
        }
        if ((size_t)(r->end - r->at) > LOOKAHEAD) /* keep enough for a key that straddles the border */
            r->at = r->end - 256;
        if (!more(r))
            return false;
    }
}

static void count_broken(struct reader *r, enum tp_notice notice)
{
    note(r, notice);
    r->trace->reading.repaired++;
}

/* The event at r->at does not scan. False: no further events can be found. */
static bool repair(struct reader *r)
{
    want(r, LOOKAHEAD);
    r->scan.at = r->at;
    r->scan.end = r->end;
    r->scan.is_lenient = true;
    enum tp_scan_status status = tp_scan_event(&r->scan, &r->spans);
    r->scan.is_lenient = false;
    if (status == TP_SCAN_OK && tp_spans_has(&r->spans, TP_FIELD_PH)) {
        count_broken(r, TP_NOTICE_EVENT_REPAIRED);
        tp_decoder_event(&r->decoder, &r->spans, (uint32_t)r->ordinal++, tp_feed_offset(r->feed, r->at));
        bool may_go_on = spend(r, (size_t)(r->scan.at - r->at));
        r->at = r->scan.at;
        return may_go_on;
    }
    count_broken(r, TP_NOTICE_EVENT_SKIPPED);
    r->ordinal++;
    return spend(r, (size_t)(r->scan.at > r->at ? r->scan.at - r->at : 0)) && resync(r);
}

/* The input ends inside the event at r->at. True when an event is found behind it after all. */
static bool salvage_tail(struct reader *r)
{
    const char *from = r->at;
    while (resync(r)) {
        r->scan.at = r->at;
        r->scan.end = r->end;
        if (tp_scan_event(&r->scan, &r->spans) == TP_SCAN_OK && tp_spans_has(&r->spans, TP_FIELD_PH)) {
            count_broken(r, TP_NOTICE_EVENT_SKIPPED);
            r->ordinal++;
            return true;
        }
        if (!spend(r, (size_t)(r->end - r->at)))
            break;
    }
    r->at = from;
    return false;
}

/* ---- the list of events -------------------------------------------------------------------------------------------
 */

enum step { STEP_ON, STEP_LIST_ENDED, STEP_INPUT_ENDED };

/* One element that is an object, at r->at. */
static enum step read_event(struct reader *r)
{
    for (;;) {
        r->scan.at = r->at;
        r->scan.end = r->end;
        enum tp_scan_status status = tp_layout_event(&r->layout, &r->scan, &r->spans);
        if (__builtin_expect(status == TP_SCAN_OK, 1)) {
            tp_decoder_event(&r->decoder, &r->spans, (uint32_t)r->ordinal++, tp_feed_offset(r->feed, r->at));
            r->at = r->scan.at;
            return STEP_ON;
        }
        if (status == TP_SCAN_BAD)
            return repair(r) ? STEP_ON : STEP_INPUT_ENDED;
        if (widen(r))
            continue;
        if (r->code < 0)
            return STEP_INPUT_ENDED;
        if (!r->is_at_end) {
            count_broken(r, TP_NOTICE_EVENT_TOO_LONG);
            r->ordinal++;
            skip_streaming(r);
            return STEP_ON;
        }
        return salvage_tail(r) ? STEP_ON : STEP_INPUT_ENDED;
    }
}

/* One element that is no object. */
static enum step read_other(struct reader *r)
{
    struct tp_str value;
    for (;;) {
        r->scan.at = r->at;
        r->scan.end = r->end;
        enum tp_scan_status status = tp_scan_value(&r->scan, &value, &r->spans);
        if (status == TP_SCAN_OK) {
            r->at = r->scan.at;
            break;
        }
        if (status == TP_SCAN_BAD) {
            count_broken(r, TP_NOTICE_EVENT_SKIPPED);
            r->ordinal++;
            return resync(r) ? STEP_ON : STEP_INPUT_ENDED;
        }
        if (widen(r))
            continue;
        if (r->is_at_end || r->code < 0)
            return STEP_INPUT_ENDED;
        skip_streaming(r);
        break;
    }
    r->ordinal++;
    r->trace->reading.malformed++;
    r->trace->reading.skipped[TP_SKIP_NOT_AN_OBJECT]++;
    return STEP_ON;
}

/* The elements after '['; leaves r->at behind ']'. */
static void read_events(struct reader *r)
{
    bool after_comma = false;
    enum step step = STEP_ON;
    r->has_events = true;
    while (step == STEP_ON) {
        char c = peek(r);
        if (r->ordinal >= TP_MAX_EVENTS) {
            r->code = tp_error_set(r->err, TP_ELIMIT, 0, "more than %u events", TP_MAX_EVENTS);
            return;
        }
        if (c == '\0') {
            step = STEP_INPUT_ENDED;
            r->is_array = r->is_array && r->code >= 0; /* the format lets a bare array end without ']' */
            if (r->is_array)
                return;
        } else if (c == ',') {
            after_comma = true;
            r->at++;
        } else if (c == ']') {
            if (after_comma)
                note(r, TP_NOTICE_TRAILING_COMMA);
            r->at++;
            step = STEP_LIST_ENDED;
        } else {
            after_comma = false;
            step = c == '{' ? read_event(r) : read_other(r);
        }
    }
    if (step == STEP_INPUT_ENDED) {
        note(r, TP_NOTICE_ENDS_EARLY);
        r->trace->reading.is_truncated = true;
        r->at = r->end;
        r->is_at_end = true;
    }
}

/* ---- the document -------------------------------------------------------------------------------------------------
 */

/* `"key" :` of a top-level member; leaves r->at at the value. */
static bool read_key(struct reader *r, struct tp_str *key)
{
    for (;;) {
        const char *close = r->at + 1;
        while (close < r->end && *close != '"')
            close += *close == '\\' ? 2 : 1;
        const char *colon = close < r->end ? tp_scan_space(close + 1, r->end) : r->end;
        const char *value = colon < r->end ? tp_scan_space(colon + 1, r->end) : r->end;
        if (value < r->end) {
            if (*colon != ':')
                return false;
            *key = (struct tp_str){r->at + 1, (size_t)(close - r->at - 1)};
            r->at = value;
            return true;
        }
        if (!widen(r))
            return false;
    }
}

/* A header value with a broken text: goes on at the next line that starts a member. */
static void skip_broken_member(struct reader *r)
{
    note(r, TP_NOTICE_HEADER);
    for (;;) {
        const char *line = r->at;
        while ((line = memchr(line, '\n', (size_t)(r->end - line)))) {
            line = tp_scan_space(line, r->end);
            if (r->end - line > 128 && tp_scan_is_member(line, r->end)) {
                r->at = line;
                return;
            }
            if (line >= r->end)
                break;
        }
        const char *list = memmem(r->at, (size_t)(r->end - r->at), "\"traceEvents\"", 13);
        if (list) {
            r->at = list;
            return;
        }
        if ((size_t)(r->end - r->at) > LOOKAHEAD)
            r->at = r->end - 256;
        if (!more(r)) {
            r->at = r->end;
            return;
        }
    }
}

/* True when what follows the value just scanned can follow a member; looks no further than the window. */
static bool is_followed_well(const struct reader *r)
{
    const char *next = tp_scan_space(r->scan.at, r->end);
    return next >= r->end || *next == ',' || *next == '}';
}

static void read_member_value(struct reader *r, struct tp_str key)
{
    char name[TP_MAX_SHOWN_NAME_BYTES];
    struct tp_str value;
    size_t size = key.len < sizeof name ? key.len : sizeof name;
    memcpy(name, key.ptr, size); /* the window may move */
    for (;;) {
        r->scan.at = r->at;
        r->scan.end = r->end;
        r->spans.is_deep = false;
        enum tp_scan_status status = tp_scan_value(&r->scan, &value, &r->spans);
        if (status == TP_SCAN_OK && is_followed_well(r)) {
            if (r->spans.is_deep)
                note(r, TP_NOTICE_DEPTH);
            tp_header_add(&r->decoder, &r->header, (struct tp_str){name, size}, value);
            r->at = r->scan.at;
            return;
        }
        if (status != TP_SCAN_MORE) {
            skip_broken_member(r);
            return;
        }
        if (widen(r))
            continue;
        if (r->is_at_end || r->code < 0) {
            r->at = r->end;
            return;
        }
        note(r, TP_NOTICE_HEADER);
        skip_streaming(r);
        return;
    }
}

/* Members after '{' up to '}' or the end. False when the text is no JSON object. */
static bool read_members(struct reader *r)
{
    for (;;) {
        struct tp_str key;
        char c = peek(r);
        if (c == ',') {
            r->at++;
            continue;
        }
        if (c == '}') {
            r->at++;
            return true;
        }
        if (c == '\0') {
            if (r->has_events && !r->trace->reading.is_truncated) {
                note(r, TP_NOTICE_ENDS_EARLY);
                r->trace->reading.is_truncated = true;
            }
            return r->has_events;
        }
        if (c != '"' || !read_key(r, &key)) {
            if (r->has_events)
                note(r, TP_NOTICE_HEADER);
            r->at = r->end;
            return r->has_events;
        }
        if (tp_str_equal(key, TP_STR("traceEvents")) && *r->at == '[') {
            if (r->has_events)
                note(r, TP_NOTICE_DUPLICATE_KEY);
            r->at++;
            read_events(r);
        } else {
            read_member_value(r, key);
        }
        if (r->code < 0)
            return r->has_events;
    }
}

static int refuse(struct reader *r, const char *what)
{
    const unsigned char *p = (const unsigned char *)r->at;
    size_t n = r->at ? (size_t)(r->end - r->at) : 0;
    return tp_error_set(r->err, TP_EFORMAT, r->at ? tp_feed_offset(r->feed, r->at) : 0,
                        n >= 2 ? "%s (found bytes %02x %02x)" : "%s", what, n >= 2 ? p[0] : 0, n >= 2 ? p[1] : 0);
}

static int read_document(struct reader *r)
{
    want(r, 4);
    if (r->end - r->at >= 3 && memcmp(r->at, "\xEF\xBB\xBF", 3) == 0)
        r->at += 3;
    if (r->end - r->at >= 2 && (memcmp(r->at, "\xFF\xFE", 2) == 0 || memcmp(r->at, "\xFE\xFF", 2) == 0))
        return refuse(r, "UTF-16 text; a trace is UTF-8: convert it with iconv");
    char c = peek(r);
    if (r->code < 0)
        return r->code;
    if (c == '\0')
        return refuse(r, "the file is empty");
    if (c == '[') {
        r->at++;
        r->is_array = true;
        read_events(r);
    } else if (c == '{') {
        r->at++;
        if (!read_members(r) && r->code >= 0)
            return refuse(r,
                          r->at < r->end ? "not a trace: no JSON here" : "not a trace: no list \"traceEvents\" in it");
    } else {
        return refuse(r, "not a trace: neither a JSON object nor a list");
    }
    if (r->code < 0)
        return r->code;
    if (!r->has_events)
        return refuse(r, "not a trace: no list \"traceEvents\" in it");
    if (peek(r) != '\0')
        note(r, TP_NOTICE_TRAILING_DATA);
    for (r->is_at_end = false; more(r);) /* the checksum stands at the very end */
        r->at = r->end;
    return r->code;
}

static void note_feed(struct reader *r)
{
    struct tp_feed_report report = tp_feed_result(r->feed);
    struct tp_reading *reading = &r->trace->reading;
    reading->file_bytes = report.file_bytes;
    reading->text_bytes = report.text_bytes;
    memcpy(reading->file_sha256, report.sha256, sizeof reading->file_sha256);
    if (report.is_cut)
        note(r, TP_NOTICE_GZIP_TRUNCATED);
    /* a flipped bit may inflate without complaint: then broken events and the checksum together tell */
    if (report.is_corrupt || (report.has_bad_checksum && reading->repaired))
        note(r, TP_NOTICE_GZIP_CORRUPT);
    if (report.has_bad_checksum)
        note(r, TP_NOTICE_GZIP_CHECKSUM);
    if (report.has_trailing_data)
        note(r, TP_NOTICE_TRAILING_DATA);
    if (report.has_bad_utf8 && !reading->notices[TP_NOTICE_UTF8])
        tp_decoder_note(&r->decoder, TP_NOTICE_UTF8, report.bad_utf8_block);
    reading->is_truncated |= report.is_cut;
    reading->has_gzip_error = report.is_corrupt || report.has_bad_checksum;
}

static int check_strict(struct reader *r)
{
    int code = tp_strict_end(&r->strict, r->err);
    for (int i = 0; code == TP_OK && i < TP_NOTICE_COUNT; i++)
        if (r->trace->reading.notices[i])
            code = tp_error_set(r->err, TP_EFORMAT, r->trace->reading.notice_offset[i], "%s, refused by --strict",
                                tp_notice_text((enum tp_notice)i));
    return code;
}

static int read_all(struct reader *r)
{
    int code = read_document(r);
    note_feed(r);
    r->trace->reading.element_count = r->ordinal;
    if (r->is_strict && code == TP_OK)
        code = check_strict(r);
    if (code < 0)
        return code;
    tp_decoder_finish(&r->decoder);
    tp_header_finish(r->trace, &r->header);
    if (r->trace->event_count + r->trace->memory_count + r->trace->reading.ignored == 0)
        return tp_error_set(r->err, TP_EFORMAT, 0, "nothing to report: no usable event among %llu",
                            (unsigned long long)r->ordinal);
    return TP_OK;
}

/* Runs the reader with a guard of its own, so that the feed is closed whichever way the reading ends. */
static int read_feed(struct tp_trace *trace, struct tp_arena *arena, struct tp_feed *feed,
                     const struct tp_trace_options *options, struct tp_error *err)
{
    struct reader r = {.trace = trace, .feed = feed, .err = err, .repair_budget = REPAIR_BUDGET};
    jmp_buf outer;
    memcpy(&outer, &arena->guard, sizeof outer);
    memset(trace, 0, sizeof *trace);
    trace->arena = arena;
    r.is_strict = options && options->is_strict;
    r.header = TP_VEC(arena, struct tp_header_value);
    tp_strict_init(&r.strict);
    tp_scan_init(&r.scan);
    struct reader *volatile kept = &r;
    volatile int code = TP_OK;
    if (setjmp(arena->guard) == 0) {
        tp_layout_init(&kept->layout, arena);
        tp_decoder_init(&kept->decoder, trace);
        code = read_all(kept);
    } else {
        code = arena->code;
    }
    tp_decoder_release(&kept->decoder);
    tp_feed_close(feed);
    memcpy(&arena->guard, &outer, sizeof outer);
    if (arena->code)
        tp_arena_fail(arena, arena->code);
    return code;
}

static struct tp_feed_options feed_options(const struct tp_trace_options *options)
{
    struct tp_feed_options feed = {.max_input_bytes = TP_MAX_INPUT_BYTES};
    if (options && options->max_input_bytes)
        feed.max_input_bytes = options->max_input_bytes;
    feed.single_thread = options && options->single_thread;
    return feed;
}

int tp_trace_read(struct tp_trace *trace, struct tp_arena *arena, const char *path,
                  const struct tp_trace_options *options, struct tp_error *err)
{
    struct tp_feed_options feed_opts = feed_options(options);
    struct tp_feed *feed;
    int code = tp_feed_open(&feed, path, &feed_opts, err);
    return code < 0 ? code : read_feed(trace, arena, feed, options, err);
}

int tp_trace_read_bytes(struct tp_trace *trace, struct tp_arena *arena, const void *bytes, size_t size,
                        const struct tp_trace_options *options, struct tp_error *err)
{
    struct tp_feed_options feed_opts = feed_options(options);
    struct tp_feed *feed;
    int code = tp_feed_open_bytes(&feed, bytes, size, &feed_opts, err);
    return code < 0 ? code : read_feed(trace, arena, feed, options, err);
}
