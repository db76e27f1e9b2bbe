/* Reads the JSON document around the list of events: see document.h. */
#include "webreport/trace/document.h"

#include "webreport/trace/reader.h"
#include "writer/base/limits.h"

/* Reads `"key" :` of a top-level member and moves r->at to the member's value. Copies the key to a buffer of the
 * decoder, because the window moves. */
static bool read_key(struct tp_reader *r, struct tp_str *key)
{
    struct tp_buf *kept = &r->decoder.row_key;
    for (;;) {
        const char *close = r->at + 1;
        while (close < r->end && *close != '"')
            close += *close == '\\' ? 2 : 1;
        const char *colon = close < r->end ? tp_scan_skip_space(close + 1, r->end) : r->end;
        const char *value = colon < r->end ? tp_scan_skip_space(colon + 1, r->end) : r->end;
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
        if (!tp_reader_extend_window(r))
            return false;
    }
}

/* Skips a member whose text is broken. Moves r->at to the next line that starts a member, or to the list of events. */
static void skip_broken_member(struct tp_reader *r)
{
    tp_reader_count_notice(r, TP_NOTICE_HEADER);
    for (;;) {
        const char *line = r->at;
        while ((line = memchr(line, '\n', (size_t)(r->end - line)))) {
            line = tp_scan_skip_space(line, r->end);
            if (r->end - line > 128 && tp_scan_is_member_start(line, r->end)) {
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
        if (!tp_reader_next_window(r)) {
            r->at = r->end;
            return;
        }
    }
}

/* Returns true if the scanned value is followed by a ',', a '}' or the end of the window. */
static bool has_valid_text_after_value(const struct tp_reader *r)
{
    const char *next = tp_scan_skip_space(r->scan.at, r->end);
    return next >= r->end || *next == ',' || *next == '}';
}

static void store_member(struct tp_reader *r, struct tp_str key, struct tp_str value)
{
    if (r->visitor) {
        r->code = r->visitor->member(r->visitor->context, key, value, r->err);
        return;
    }
    key.len = key.len < TP_MAX_SHOWN_NAME_BYTES ? key.len : TP_MAX_SHOWN_NAME_BYTES;
    tp_sink_add_member(r->decoder.sink, key, value);
}

static void read_member_value(struct tp_reader *r, struct tp_str key)
{
    struct tp_str value;
    for (;;) {
        r->scan.at = r->at;
        r->scan.end = r->end;
        r->spans.is_nested_too_deep = false;
        enum tp_scan_status status = tp_scan_value(&r->scan, &value, &r->spans);
        if (status == TP_SCAN_OK && has_valid_text_after_value(r)) {
            if (r->spans.is_nested_too_deep)
                tp_reader_count_notice(r, TP_NOTICE_DEPTH);
            store_member(r, key, value);
            r->at = r->scan.at;
            return;
        }
        if (status != TP_SCAN_MORE) {
            skip_broken_member(r);
            return;
        }
        if (tp_reader_extend_window(r))
            continue;
        if (r->is_at_end || r->code < 0) {
            r->at = r->end;
            return;
        }
        tp_reader_count_notice(r, TP_NOTICE_HEADER);
        tp_reader_skip_value(r);
        return;
    }
}

/* Reads the members of the document up to the '}' or the end of the input. Returns false if the text is not a JSON
 * object. */
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
                tp_reader_count_notice(r, TP_NOTICE_ENDS_EARLY);
                r->trace->reading.is_truncated = true;
            }
            return r->has_events;
        }
        if (c != '"' || !read_key(r, &key)) {
            if (r->has_events)
                tp_reader_count_notice(r, TP_NOTICE_HEADER);
            r->at = r->end;
            return r->has_events;
        }
        if (tp_str_equal(key, TP_STR("traceEvents")) && *r->at == '[') {
            if (r->has_events)
                tp_reader_count_notice(r, TP_NOTICE_DUPLICATE_KEY);
            r->at++;
            tp_reader_events(r);
        } else {
            read_member_value(r, key);
        }
        if (r->code < 0)
            return r->has_events;
    }
}

static int set_format_error(struct tp_reader *r, const char *what)
{
    const unsigned char *p = (const unsigned char *)r->at;
    size_t n = r->at ? (size_t)(r->end - r->at) : 0;
    return tp_error_set(r->err, TP_EFORMAT, r->at ? tp_feed_offset(r->feed, r->at) : 0,
                        n >= 2 ? "%s (found bytes %02x %02x)" : "%s", what, n >= 2 ? p[0] : 0, n >= 2 ? p[1] : 0);
}

static int read_document(struct tp_reader *r)
{
    if (r->end - r->at >= 3 && memcmp(r->at, "\xEF\xBB\xBF", 3) == 0)
        r->at += 3;
    if (r->end - r->at >= 2 && (memcmp(r->at, "\xFF\xFE", 2) == 0 || memcmp(r->at, "\xFE\xFF", 2) == 0))
        return set_format_error(r, "UTF-16 text; a trace is UTF-8: convert it with iconv");
    char c = tp_reader_peek(r);
    if (r->code < 0)
        return r->code;
    if (c == '\0')
        return set_format_error(r, "the file is empty");
    if (c == '[') {
        r->at++;
        r->is_array = true;
        tp_reader_events(r);
    } else if (c == '{') {
        r->at++;
        if (!read_members(r) && r->code >= 0)
            return set_format_error(r, r->at < r->end ? "not a trace: no JSON here"
                                                      : "not a trace: no list \"traceEvents\" in it");
    } else {
        return set_format_error(r, "not a trace: neither a JSON object nor a list");
    }
    if (r->code < 0)
        return r->code;
    if (!r->has_events)
        return set_format_error(r, "not a trace: no list \"traceEvents\" in it");
    if (tp_reader_peek(r) != '\0')
        tp_reader_count_notice(r, TP_NOTICE_TRAILING_DATA);
    for (r->is_at_end = false;
         tp_reader_next_window(r);) /* reads the rest of the file, because the checksum is at its end */
        r->at = r->end;
    return r->code;
}

static int check_end_of_strict_reading(struct tp_reader *r)
{
    int code = tp_strict_end(&r->strict, r->err);
    for (int i = 0; code == TP_OK && i < TP_NOTICE_COUNT; i++)
        if (r->trace->reading.notices[i])
            code = tp_error_set(r->err, TP_EFORMAT, r->trace->reading.notice_offset[i], "%s, refused by --strict",
                                tp_notice_text((enum tp_notice)i));
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
    tp_decoder_init(&r->decoder, reading->source->sink);
    if (!r->visitor)
        tp_decoder_set_interners(&r->decoder, &r->layout);
    if (r->is_strict)
        r->code = tp_strict_feed(&r->strict, r->at, (size_t)(r->end - r->at), r->err);
    int code = read_document(r);
    tp_source_store_feed_report(reading->source, r->at);
    r->trace->reading.element_count = r->ordinal;
    if (r->is_strict && code == TP_OK)
        code = check_end_of_strict_reading(r);
    if (code == TP_OK && !r->visitor)
        tp_decoder_finish(&r->decoder);
    return code;
}

/* Runs the reader with a separate arena guard, so that the decoder is freed even after a failure. */
static int run_reader(struct tp_source *source, const struct tp_visitor *visitor, bool *has_host_work)
{
    struct tp_arena *arena = source->sink->trace->arena;
    struct reading reading = {.source = source};
    struct tp_reader *r = &reading.reader;
    r->trace = source->sink->trace;
    r->feed = source->feed;
    r->at = source->at;
    r->end = source->end;
    r->err = source->err;
    r->visitor = visitor;
    r->is_strict = source->is_strict && !visitor;
    r->repair_budget = TP_READER_REPAIR_BUDGET;
    tp_strict_init(&r->strict);
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
