/* Reads the JSON document around the list of events: see document.h. */
#include "webreport/trace/document.h"

#include "webreport/trace/input_member.h"
#include "webreport/trace/reader.h"
#include "writer/base/limits.h"

/* Reads `"key" :` of a top-level member and moves r->window.at to the member's value. Copies the key to a buffer of the
 * decoder, because the window moves. */
static bool read_key(struct tp_reader *r, struct tp_str *key)
{
    struct tp_buf *kept = &r->decoder.row_key;
    for (;;) {
        const char *close = r->window.at + 1;
        while (close < r->window.end && *close != '"')
            close += *close == '\\' ? 2 : 1;
        const char *colon = close < r->window.end ? tp_scan_skip_space(close + 1, r->window.end) : r->window.end;
        const char *value = colon < r->window.end ? tp_scan_skip_space(colon + 1, r->window.end) : r->window.end;
        if (value < r->window.end) {
            if (*colon != ':')
                return false;
            tp_buf_clear(kept);
            tp_buf_add(kept, r->window.at + 1, (size_t)(close - r->window.at - 1));
            if (kept->failed)
                tp_arena_fail(r->trace->arena, kept->failed);
            *key = (struct tp_str){kept->data ? kept->data : "", kept->size};
            r->window.at = value;
            return true;
        }
        if (!tp_window_extend(&r->window))
            return false;
    }
}

/* Skips a member whose text is broken. Moves r->window.at to the next line that starts a member, or to the list of
 * events. */
static void skip_broken_member(struct tp_reader *r)
{
    tp_reader_count_notice(r, TP_NOTICE_HEADER);
    for (;;) {
        const char *line = r->window.at;
        while ((line = memchr(line, '\n', (size_t)(r->window.end - line)))) {
            line = tp_scan_skip_space(line, r->window.end);
            if (r->window.end - line > 128 && tp_scan_is_member_start(line, r->window.end)) {
                r->window.at = line;
                return;
            }
            if (line >= r->window.end)
                break;
        }
        const char *list = memmem(r->window.at, (size_t)(r->window.end - r->window.at), "\"traceEvents\"", 13);
        if (list) {
            r->window.at = list;
            return;
        }
        if ((size_t)(r->window.end - r->window.at) > TP_READER_LOOKAHEAD)
            r->window.at = r->window.end - 256;
        if (!tp_window_next(&r->window)) {
            r->window.at = r->window.end;
            return;
        }
    }
}

/* Returns true if the scanned value is followed by a ',', a '}' or the end of the window. */
static bool has_valid_text_after_value(const struct tp_reader *r)
{
    const char *next = tp_scan_skip_space(r->scan.at, r->window.end);
    return next >= r->window.end || *next == ',' || *next == '}';
}

static void store_member(struct tp_reader *r, struct tp_str key, struct tp_str value)
{
    if (r->visitor) {
        r->window.code = r->visitor->member(r->visitor->context, key, value, r->window.err);
        return;
    }
    key.len = key.len < TP_MAX_SHOWN_NAME_BYTES ? key.len : TP_MAX_SHOWN_NAME_BYTES;
    tp_sink_add_member(r->decoder.sink, key, value);
}

static void read_member_value(struct tp_reader *r, struct tp_str key)
{
    struct tp_str value;
    for (;;) {
        r->scan.at = r->window.at;
        r->scan.end = r->window.end;
        r->spans.is_nested_too_deep = false;
        enum tp_scan_status status = tp_scan_value(&r->scan, &value, &r->spans);
        if (status == TP_SCAN_OK && has_valid_text_after_value(r)) {
            if (r->spans.is_nested_too_deep)
                tp_reader_count_notice(r, TP_NOTICE_DEPTH);
            store_member(r, key, value);
            r->window.at = r->scan.at;
            return;
        }
        if (status != TP_SCAN_MORE) {
            skip_broken_member(r);
            return;
        }
        if (tp_window_extend(&r->window))
            continue;
        if (r->window.is_at_end || r->window.code < 0) {
            r->window.at = r->window.end;
            return;
        }
        tp_reader_count_notice(r, TP_NOTICE_HEADER);
        tp_window_skip_value(&r->window);
        return;
    }
}

/* Reads the members of the document up to the '}' or the end of the input. Returns false if the text is not a JSON
 * object. */
static bool read_members(struct tp_reader *r)
{
    for (;;) {
        struct tp_str key;
        char c = tp_window_peek(&r->window);
        if (c == ',') {
            r->window.at++;
            continue;
        }
        if (c == '}') {
            r->window.at++;
            r->trace->reading.has_end = true;
            return true;
        }
        if (c == '\0') {
            if (r->has_events && !r->trace->reading.is_truncated) {
                tp_reader_count_notice(r, TP_NOTICE_ENDS_EARLY);
                r->trace->reading.is_truncated = true;
            }
            return r->has_events;
        }
        if (c != '"' || !read_key(r, &key)) {
            if (r->has_events)
                tp_reader_count_notice(r, TP_NOTICE_HEADER);
            r->window.at = r->window.end;
            return r->has_events;
        }
        if (tp_str_equal(key, TP_STR("traceEvents")) && *r->window.at == '[') {
            if (r->has_events)
                tp_reader_count_notice(r, TP_NOTICE_DUPLICATE_KEY);
            r->window.at++;
            tp_reader_events(r);
        } else {
            read_member_value(r, key);
        }
        if (r->window.code < 0)
            return r->has_events;
    }
}

static int set_format_error(struct tp_reader *r, const char *what)
{
    const unsigned char *p = (const unsigned char *)r->window.at;
    size_t n = r->window.at ? (size_t)(r->window.end - r->window.at) : 0;
    return tp_error_set(r->window.err, TP_EFORMAT, r->window.at ? tp_feed_offset(r->window.feed, r->window.at) : 0,
                        n >= 2 ? "%s (found bytes %02x %02x)" : "%s", what, n >= 2 ? p[0] : 0, n >= 2 ? p[1] : 0);
}

static int read_document(struct tp_reader *r)
{
    if (r->window.end - r->window.at >= 3 && memcmp(r->window.at, "\xEF\xBB\xBF", 3) == 0)
        r->window.at += 3;
    if (r->window.end - r->window.at >= 2 &&
        (memcmp(r->window.at, "\xFF\xFE", 2) == 0 || memcmp(r->window.at, "\xFE\xFF", 2) == 0))
        return set_format_error(r, "UTF-16 text; a trace is UTF-8: convert it with iconv");
    char c = tp_window_peek(&r->window);
    if (r->window.code < 0)
        return r->window.code;
    if (c == '\0')
        return set_format_error(r, "the file is empty");
    if (c == '[') {
        r->window.at++;
        r->is_array = true;
        tp_reader_events(r);
    } else if (c == '{') {
        r->window.at++;
        if (!read_members(r) && r->window.code >= 0)
            return set_format_error(r, r->window.at < r->window.end ? "not a trace: no JSON here"
                                                                    : "not a trace: no list \"traceEvents\" in it");
    } else {
        return set_format_error(r, "not a trace: neither a JSON object nor a list");
    }
    if (r->window.code < 0)
        return r->window.code;
    if (!r->has_events)
        return set_format_error(r, "not a trace: no list \"traceEvents\" in it");
    if (tp_window_peek(&r->window) != '\0')
        tp_reader_count_notice(r, TP_NOTICE_TRAILING_DATA);
    for (r->window.is_at_end = false;
         tp_window_next(&r->window);) /* reads the rest of the file, because the checksum is at its end */
        r->window.at = r->window.end;
    return r->window.code;
}

static int check_end_of_strict_reading(struct tp_reader *r)
{
    int code = tp_strict_end(&r->window.strict, r->window.err);
    for (int i = 0; code == TP_OK && i < TP_NOTICE_COUNT; i++)
        if (r->trace->reading.notices[i])
            code = tp_error_set(r->window.err, TP_EFORMAT, r->trace->reading.notice_offset[i],
                                "%s, refused by --strict", tp_notice_text((enum tp_notice)i));
    return code;
}

/* The state of reading one document. */
struct reading {
    struct tp_reader reader;
    struct tp_source *source;
};

static int read_whole_document(void *context, struct tp_error *err)
{
    struct reading *reading = context;
    struct tp_reader *r = &reading->reader;
    (void)err; /* ignored, because errors are written to source->err */
    tp_learned_keys_init(&r->layout, r->trace->arena);
    tp_decoder_init(&r->decoder, reading->source->sink, reading->source->options);
    if (!r->visitor && !r->decoder.part) /* otherwise texts of other parts would be stored */
        tp_decoder_set_interners(&r->decoder, &r->layout);
    if (r->window.is_strict)
        r->window.code =
            tp_strict_feed(&r->window.strict, r->window.at, (size_t)(r->window.end - r->window.at), r->window.err);
    int code = read_document(r);
    tp_source_store_feed_report(reading->source, r->window.at);
    r->trace->reading.element_count = r->ordinal;
    if (r->window.is_strict && code == TP_OK)
        code = check_end_of_strict_reading(r);
    if (code == TP_OK && !r->visitor) {
        tp_input_member_read(reading->source->sink);
        tp_decoder_finish(&r->decoder);
    }
    return code;
}

/* Runs the reader with a separate arena guard, so that the decoder is freed even after a failure. */
static int run_reader(struct tp_source *source, const struct tp_visitor *visitor, bool *has_host_work)
{
    struct tp_arena *arena = source->sink->trace->arena;
    struct reading reading = {.source = source};
    struct tp_reader *r = &reading.reader;
    r->trace = source->sink->trace;
    r->window.feed = source->feed;
    r->window.at = source->at;
    r->window.end = source->end;
    r->window.err = source->err;
    r->visitor = visitor;
    r->window.is_strict = source->is_strict && !visitor;
    r->repair_budget = TP_READER_REPAIR_BUDGET;
    tp_strict_init(&r->window.strict);
    tp_scan_init(&r->scan);
    int code = tp_arena_run(arena, read_whole_document, &reading, NULL);
    tp_decoder_release(&r->decoder);
    tp_arena_fail_with_stored_code(arena);
    if (has_host_work)
        *has_host_work = r->has_host_work;
    return code;
}

int tp_document_read(struct tp_source *source)
{
    return run_reader(source, NULL, NULL);
}

int tp_document_visit(struct tp_source *source, const struct tp_visitor *visitor, bool *has_host_work)
{
    return run_reader(source, visitor, has_host_work);
}
