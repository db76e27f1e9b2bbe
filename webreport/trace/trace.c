/* Reading a trace: the document around the events, and what the file itself had to say.
 *
 * One pass over a moving window. The feed owns a file and a thread, so leaving through the arena's guard passes through
 * here. */
#include "webreport/trace/trace.h"

#include "webreport/trace/producer.h"
#include "webreport/trace/header.h"
#include "webreport/trace/impossible_ends.h"
#include "webreport/trace/inputs/input_format.h"
#include "webreport/trace/own_threads.h"
#include "webreport/trace/range_names.h"
#include "webreport/trace/reader.h"
#include "writer/base/limits.h"

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
        [TP_NOTICE_NO_STEPS] = "no steps marked",
    };
    return text[notice];
}
/* ---- the document ---- */

/* `"key" :` of a top-level member; leaves r->at at the value. The key lies in the decoder's buffer: the window moves.
 */
static bool read_key(struct tp_reader *r, struct tp_str *key)
{
    struct tp_buf *kept = &r->decoder.row_key;
    for (;;) {
        const char *close = r->at + 1;
        while (close < r->end && *close != '"')
            close += *close == '\\' ? 2 : 1;
        const char *colon = close < r->end ? tp_scan_space(close + 1, r->end) : r->end;
        const char *value = colon < r->end ? tp_scan_space(colon + 1, r->end) : r->end;
        if (value < r->end) {
            if (*colon != ':')
                return false;
            tp_buf_clear(kept);
            tp_buf_add(kept, r->at + 1, (size_t)(close - r->at - 1));
            if (kept->failed)
                tp_arena_fail(r->trace->arena, kept->failed);
            *key = (struct tp_str){kept->data ? kept->data : "", kept->size};
            r->at = value;
            return true;
        }
        if (!tp_reader_widen(r))
            return false;
    }
}

/* A header value with a broken text: goes on at the next line that starts a member. */
static void skip_broken_member(struct tp_reader *r)
{
    tp_reader_note(r, TP_NOTICE_HEADER);
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
        if ((size_t)(r->end - r->at) > TP_READER_LOOKAHEAD)
            r->at = r->end - 256;
        if (!tp_reader_more(r)) {
            r->at = r->end;
            return;
        }
    }
}

/* True when what follows the value just scanned can follow a member; looks no further than the window. */
static bool is_followed_well(const struct tp_reader *r)
{
    const char *next = tp_scan_space(r->scan.at, r->end);
    return next >= r->end || *next == ',' || *next == '}';
}

static void take_member(struct tp_reader *r, struct tp_str key, struct tp_str value)
{
    if (r->visitor) {
        r->code = r->visitor->member(r->visitor->context, key, value, r->err);
        return;
    }
    key.len = key.len < TP_MAX_SHOWN_NAME_BYTES ? key.len : TP_MAX_SHOWN_NAME_BYTES;
    tp_header_add(&r->decoder, &r->header, key, value);
}

static void read_member_value(struct tp_reader *r, struct tp_str key)
{
    struct tp_str value;
    for (;;) {
        r->scan.at = r->at;
        r->scan.end = r->end;
        r->spans.is_deep = false;
        enum tp_scan_status status = tp_scan_value(&r->scan, &value, &r->spans);
        if (status == TP_SCAN_OK && is_followed_well(r)) {
            if (r->spans.is_deep)
                tp_reader_note(r, TP_NOTICE_DEPTH);
            take_member(r, key, value);
            r->at = r->scan.at;
            return;
        }
        if (status != TP_SCAN_MORE) {
            skip_broken_member(r);
            return;
        }
        if (tp_reader_widen(r))
            continue;
        if (r->is_at_end || r->code < 0) {
            r->at = r->end;
            return;
        }
        tp_reader_note(r, TP_NOTICE_HEADER);
        tp_reader_skip_value(r);
        return;
    }
}

/* Members after '{' up to '}' or the end. False when the text is no JSON object. */
static bool read_members(struct tp_reader *r)
{
    for (;;) {
        struct tp_str key;
        char c = tp_reader_peek(r);
        if (c == ',') {
            r->at++;
            continue;
        }
        if (c == '}') {
            r->at++;
            r->trace->reading.has_end = true;
            return true;
        }
        if (c == '\0') {
            if (r->has_events && !r->trace->reading.is_truncated) {
                tp_reader_note(r, TP_NOTICE_ENDS_EARLY);
                r->trace->reading.is_truncated = true;
            }
            return r->has_events;
        }
        if (c != '"' || !read_key(r, &key)) {
            if (r->has_events)
                tp_reader_note(r, TP_NOTICE_HEADER);
            r->at = r->end;
            return r->has_events;
        }
        if (tp_str_equal(key, TP_STR("traceEvents")) && *r->at == '[') {
            if (r->has_events)
                tp_reader_note(r, TP_NOTICE_DUPLICATE_KEY);
            r->at++;
            tp_reader_events(r);
        } else {
            read_member_value(r, key);
        }
        if (r->code < 0)
            return r->has_events;
    }
}

static int refuse(struct tp_reader *r, const char *what)
{
    const unsigned char *p = (const unsigned char *)r->at;
    size_t n = r->at ? (size_t)(r->end - r->at) : 0;
    return tp_error_set(r->err, TP_EFORMAT, r->at ? tp_feed_offset(r->feed, r->at) : 0,
                        n >= 2 ? "%s (found bytes %02x %02x)" : "%s", what, n >= 2 ? p[0] : 0, n >= 2 ? p[1] : 0);
}

static int read_document(struct tp_reader *r)
{
    tp_reader_want(r, 4);
    const struct tp_input_format *format = tp_input_format_of(r->at, r->at ? (size_t)(r->end - r->at) : 0, r->path);
    if (format->refusal && r->code >= 0)
        return tp_error_set(r->err, TP_EFORMAT, 0, "%s", format->refusal);
    if (r->end - r->at >= 3 && memcmp(r->at, "\xEF\xBB\xBF", 3) == 0)
        r->at += 3;
    if (r->end - r->at >= 2 && (memcmp(r->at, "\xFF\xFE", 2) == 0 || memcmp(r->at, "\xFE\xFF", 2) == 0))
        return refuse(r, "UTF-16 text; a trace is UTF-8: convert it with iconv");
    char c = tp_reader_peek(r);
    if (r->code < 0)
        return r->code;
    if (c == '\0')
        return refuse(r, "the file is empty");
    if (c == '[') {
        r->at++;
        r->is_array = true;
        tp_reader_events(r);
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
    if (tp_reader_peek(r) != '\0')
        tp_reader_note(r, TP_NOTICE_TRAILING_DATA);
    for (r->is_at_end = false; tp_reader_more(r);) /* the checksum stands at the very end */
        r->at = r->end;
    return r->code;
}

static void note_feed(struct tp_reader *r)
{
    struct tp_feed_report report = tp_feed_result(r->feed);
    struct tp_reading *reading = &r->trace->reading;
    reading->file_bytes = report.file_bytes;
    reading->text_bytes = report.text_bytes;
    reading->is_gzip = report.is_gzip;
    memcpy(reading->file_sha256, report.sha256, sizeof reading->file_sha256);
    if (report.is_cut)
        tp_reader_note(r, TP_NOTICE_GZIP_TRUNCATED);
    /* a flipped bit may inflate without complaint: then broken events and the checksum together tell */
    if (report.is_corrupt || (report.has_bad_checksum && reading->repaired))
        tp_reader_note(r, TP_NOTICE_GZIP_CORRUPT);
    if (report.has_bad_checksum)
        tp_reader_note(r, TP_NOTICE_GZIP_CHECKSUM);
    if (report.has_trailing_data)
        tp_reader_note(r, TP_NOTICE_TRAILING_DATA);
    if (report.has_bad_utf8 && !reading->notices[TP_NOTICE_UTF8])
        tp_decoder_note(&r->decoder, TP_NOTICE_UTF8, report.bad_utf8_block);
    if (report.has_control && !reading->notices[TP_NOTICE_CONTROL])
        tp_decoder_note(&r->decoder, TP_NOTICE_CONTROL, report.control_block);
    reading->is_truncated |= report.is_cut;
    reading->has_gzip_error = report.is_corrupt || report.has_bad_checksum;
}

static int check_strict(struct tp_reader *r)
{
    int code = tp_strict_end(&r->strict, r->err);
    for (int i = 0; code == TP_OK && i < TP_NOTICE_COUNT; i++)
        if (r->trace->reading.notices[i])
            code = tp_error_set(r->err, TP_EFORMAT, r->trace->reading.notice_offset[i], "%s, refused by --strict",
                                tp_notice_text((enum tp_notice)i));
    return code;
}

/* Names of Python calls that hold ";", so that such frames are known in call stacks. */
static void find_odd_frames(const struct tp_trace *trace, struct tp_strings *found)
{
    bool has_any = false;
    for (uint32_t i = 0; i < trace->names.count && !has_any; i++)
        has_any = memchr(trace->names.items[i].ptr, ';', trace->names.items[i].len) != NULL;
    for (uint32_t i = 0; i < trace->event_count && has_any; i++) {
        const struct tp_event *event = &trace->events[i];
        if (event->kind == TP_KIND_FRAME || event->kind == TP_KIND_MODULE)
            tp_stacks_know(found, tp_trace_name(trace, event));
    }
}

static void build_stacks(struct tp_trace *trace)
{
    struct tp_strings known;
    tp_strings_init(&known, trace->arena, 0);
    find_odd_frames(trace, &known);
    trace->stacks = tp_arena_alloc(trace->arena, sizeof *trace->stacks);
    tp_stacks_build(trace->stacks, &trace->stack_texts, &trace->names, &known, trace->arena);
}

static int read_all(struct tp_reader *r)
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
    tp_frames_build(&r->trace->frames, &r->trace->names, r->trace->arena);
    build_stacks(r->trace);
    tp_own_threads_drop(r->trace);
    if (!r->keeps_ends)
        tp_impossible_ends_cut(r->trace);
    tp_range_names_apply(r->trace);
    if (r->decoder.wants_tensors && r->trace->tensor_count)
        return TP_OK;
    return tp_producer_check(r->trace, r->err);
}

static int decode_all(void *context, struct tp_error *err)
{
    struct tp_reader *r = context;
    (void)err; /* the reader's own */
    tp_learned_keys_init(&r->layout, r->trace->arena);
    tp_decoder_init(&r->decoder, r->trace);
    r->decoder.keeps_frame_stacks = r->keeps_frame_stacks;
    r->decoder.wants_tensors = r->wants_tensors;
    r->decoder.wants_arguments = r->wants_arguments;
    tp_decoder_connect(&r->decoder, &r->layout);
    return read_all(r);
}

/* The same for a visitor: nothing of an event is interned or kept. */
static int visit_all(void *context, struct tp_error *err)
{
    struct tp_reader *r = context;
    (void)err; /* the reader's own */
    tp_learned_keys_init(&r->layout, r->trace->arena);
    tp_decoder_init(&r->decoder, r->trace);
    int code = read_document(r);
    note_feed(r);
    r->trace->reading.element_count = r->ordinal;
    return code;
}

/* Runs the reader with a guard of its own, so that the feed is closed whichever way the reading ends. */
static int run_reader(struct tp_reader *r, struct tp_arena *arena)
{
    memset(r->trace, 0, sizeof *r->trace);
    r->trace->arena = arena;
    r->repair_budget = TP_READER_REPAIR_BUDGET;
    r->header = TP_VEC(arena, struct tp_header_value);
    tp_strict_init(&r->strict);
    tp_scan_init(&r->scan);
    int code = tp_arena_run(arena, r->visitor ? visit_all : decode_all, r, NULL);
    tp_decoder_release(&r->decoder);
    tp_feed_close(r->feed);
    tp_arena_pass_on(arena);
    return code;
}

/* path: NULL when there is none. */
static int read_feed(struct tp_trace *trace, struct tp_arena *arena, struct tp_feed *feed, const char *path,
                     const struct tp_trace_options *options, struct tp_error *err)
{
    struct tp_reader r = {.trace = trace, .feed = feed, .path = path, .err = err};
    r.is_strict = options && options->is_strict;
    r.keeps_frame_stacks = options && options->keeps_frame_stacks;
    r.wants_tensors = options && options->wants_tensors;
    r.keeps_ends = options && options->keeps_ends;
    r.wants_arguments = options && options->wants_arguments;
    return run_reader(&r, arena);
}

static struct tp_feed_options feed_options(const struct tp_trace_options *options)
{
    struct tp_feed_options feed = {.max_input_bytes = TP_MAX_INPUT_BYTES};
    if (options && options->max_input_bytes)
        feed.max_input_bytes = options->max_input_bytes;
    feed.single_thread = options && options->single_thread;
    feed.skips_hash = options && options->skips_hash;
    feed.copy_fd = options ? options->copy_fd : 0;
    return feed;
}

int tp_trace_read(struct tp_trace *trace, struct tp_arena *arena, const char *path,
                  const struct tp_trace_options *options, struct tp_error *err)
{
    struct tp_feed_options feed_opts = feed_options(options);
    struct tp_feed *feed;
    int code = tp_feed_open(&feed, path, &feed_opts, err);
    return code < 0 ? code : read_feed(trace, arena, feed, path, options, err);
}

int tp_trace_read_bytes(struct tp_trace *trace, struct tp_arena *arena, const void *bytes, size_t size,
                        const struct tp_trace_options *options, struct tp_error *err)
{
    struct tp_feed_options feed_opts = feed_options(options);
    struct tp_feed *feed;
    int code = tp_feed_open_bytes(&feed, bytes, size, &feed_opts, err);
    return code < 0 ? code : read_feed(trace, arena, feed, NULL, options, err);
}

int tp_trace_visit(const char *path, struct tp_arena *arena, const struct tp_trace_options *options,
                   const struct tp_visitor *visitor, struct tp_reading *reading, struct tp_error *err)
{
    struct tp_trace *trace = tp_arena_alloc(arena, sizeof *trace);
    struct tp_reader r = {.trace = trace, .path = path, .err = err, .visitor = visitor};
    struct tp_feed_options feed_opts = feed_options(options);
    int code = tp_feed_open(&r.feed, path, &feed_opts, err);
    if (code < 0)
        return code;
    code = run_reader(&r, arena);
    if (reading)
        *reading = trace->reading;
    if (code == TP_OK && !r.has_host_work && strcmp(path, "-") != 0) /* the decoder knows whether the file is refused */
        code = tp_trace_read(trace, arena, path, options, err);
    return code;
}
