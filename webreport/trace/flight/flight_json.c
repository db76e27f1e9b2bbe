/* Reads a dump in JSON, entry by entry, so that the memory does not depend on the size of the file: see
 * flight_value.h. */
#include "webreport/trace/flight/flight_value.h"
#include "webreport/trace/json/clean.h"
#include "webreport/trace/json/scan.h"
#include "webreport/trace/json/strict.h"
#include "writer/base/limits.h"

struct reader {
    struct tp_flight_dump *dump;
    struct tp_flight_source source;
    struct tp_arena *scratch;
    struct tp_pickle_input *input;
    struct tp_strict strict; /* has checked the text up to input->end */
    struct tp_scan scan;
    struct tp_spans notes;
    struct tp_buf compact; /* current value as compact JSON */
    bool has_version;
    struct tp_error *err;
};

static int refuse_cut(struct reader *r)
{
    uint64_t size = tp_feed_offset(r->input->feed, r->input->end);
    return tp_flight_refuse(r->dump, TP_FLIGHT_TRUNCATED, TP_ETRUNCATED, r->err,
                            "the file ends at byte %llu inside of the JSON: it was written only in part",
                            (unsigned long long)size);
}

static int refuse_json(struct reader *r, uint64_t offset)
{
    return tp_flight_refuse(r->dump, TP_FLIGHT_NO_JSON, TP_EFORMAT, r->err, "byte %llu is not valid JSON",
                            (unsigned long long)offset);
}

static int refuse_other(struct reader *r)
{
    return tp_flight_refuse(r->dump, TP_FLIGHT_NO_DUMP, TP_EFORMAT, r->err,
                            "the JSON is no dump of the Flight Recorder: it lacks a version or a list of entries");
}

/* Checks the next text of the window. */
static int check_text(struct reader *r, const char *from)
{
    struct tp_error wrong = {0};
    if (tp_strict_feed(&r->strict, from, (size_t)(r->input->end - from), &wrong) < 0)
        return refuse_json(r, wrong.offset);
    return TP_OK;
}

/* Moves the window. Returns 1, 0 at the end of the file, or a negative code. */
static int read_more(struct reader *r)
{
    size_t unread = (size_t)(r->input->end - r->input->at);
    if (unread > TP_MAX_EVENT_BYTES)
        return tp_flight_refuse(r->dump, TP_FLIGHT_LARGE, TP_ELIMIT, r->err,
                                "a value at byte %llu has more than %u bytes",
                                (unsigned long long)tp_feed_offset(r->input->feed, r->input->at), TP_MAX_EVENT_BYTES);
    int status = tp_feed_next_window(r->input->feed, &r->input->at, &r->input->end, r->err);
    if (status <= 0)
        return status;
    uint64_t size = tp_feed_offset(r->input->feed, r->input->end);
    r->scratch->max_bytes = TP_PICKLE_GRACE_BYTES + TP_MAX_FLIGHT_MEMORY_PER_BYTE * size;
    r->dump->arena->max_bytes = TP_PICKLE_GRACE_BYTES + TP_MAX_FLIGHT_CALL_MEMORY_PER_BYTE * size;
    int code = check_text(r, r->input->at + unread);
    return code < 0 ? code : 1;
}

/* Moves to the next byte that is not white space, and sets *byte. Returns 0 or a negative code. */
static int next_byte(struct reader *r, char *byte)
{
    for (;;) {
        r->input->at = tp_scan_skip_space(r->input->at, r->input->end);
        if (r->input->at < r->input->end) {
            *byte = *r->input->at;
            return TP_OK;
        }
        int status = read_more(r);
        if (status <= 0)
            return status < 0 ? status : refuse_cut(r);
    }
}

/* Reads the value at the position of the window, and sets *json to its compact form, valid until the next call. */
static int read_value(struct reader *r, struct tp_str *json)
{
    struct tp_str value;
    for (;;) {
        r->scan.at = r->input->at;
        r->scan.end = r->input->end;
        enum tp_scan_status status = tp_scan_value(&r->scan, &value, &r->notes);
        /* a number or a word may continue after the window */
        bool is_complete = status == TP_SCAN_OK && r->scan.at < r->input->end;
        if (status == TP_SCAN_BAD)
            return refuse_json(r, tp_feed_offset(r->input->feed, r->scan.at));
        if (is_complete)
            break;
        int more = read_more(r);
        if (more <= 0)
            return more < 0 ? more : refuse_cut(r);
    }
    r->input->at = r->scan.at;
    tp_buf_clear(&r->compact);
    tp_clean_value(&r->compact, value);
    if (r->compact.failed)
        return tp_error_set(r->err, r->compact.failed, 0, "out of memory");
    *json = (struct tp_str){r->compact.data, r->compact.size};
    return TP_OK;
}

/* Reads the rest of a list or an object: nothing and sets *is_end, or the comma before the next item. */
static int read_separator(struct reader *r, char close, bool is_first, bool *is_end)
{
    char byte;
    int code = next_byte(r, &byte);
    if (code < 0)
        return code;
    *is_end = byte == close;
    if (*is_end || !is_first)
        r->input->at++;
    return *is_end || is_first ? code : next_byte(r, &byte);
}

static int read_entries(struct reader *r)
{
    struct tp_str json;
    char byte;
    bool is_end = false;
    int code = next_byte(r, &byte);
    if (code == TP_OK && byte != '[')
        return refuse_other(r);
    r->input->at++;
    r->dump->calls.count = 0; /* the last of equal members counts */
    for (bool is_first = true; code == TP_OK; is_first = false) {
        code = read_separator(r, ']', is_first, &is_end);
        if (code < 0 || is_end)
            return code;
        code = read_value(r, &json);
        if (code < 0)
            return code;
        struct tp_flight_value entry = tp_flight_value_of_json(&r->source, json);
        tp_flight_add_entry(r->dump, &r->source, &entry);
    }
    return code;
}

static int read_member(struct reader *r, unsigned key)
{
    struct tp_str json;
    int code = read_value(r, &json);
    if (code < 0)
        return code;
    struct tp_flight_value value = tp_flight_value_of_json(&r->source, json);
    if (key == TP_FLIGHT_KEY_VERSION) {
        r->has_version = true;
        return tp_flight_set_version(r->dump, &value, r->err);
    }
    if (key == TP_FLIGHT_KEY_PG_CONFIG)
        tp_flight_set_groups(r->dump, &r->source, &value);
    if (key == TP_FLIGHT_KEY_PG_STATUS)
        tp_flight_set_progress(r->dump, &r->source, &value);
    return TP_OK;
}

static int read_members(struct reader *r)
{
    struct tp_str json;
    char byte;
    bool is_end = false;
    int code = TP_OK;
    r->input->at++; /* the opening brace */
    for (bool is_first = true; code == TP_OK; is_first = false) {
        code = read_separator(r, '}', is_first, &is_end);
        if (code < 0 || is_end)
            break;
        code = read_value(r, &json);
        if (code < 0)
            return code;
        struct tp_flight_value key = tp_flight_value_of_json(&r->source, json);
        uint32_t id = tp_strings_find(&r->source.keys, key.text);
        code = next_byte(r, &byte); /* the colon */
        r->input->at++;
        if (code == TP_OK)
            code = next_byte(r, &byte);
        if (code < 0)
            return code;
        code = id == TP_FLIGHT_KEY_ENTRIES ? read_entries(r) : read_member(r, id);
    }
    return code;
}

/* Reads the text after the object, which must be white space. */
static int read_rest(struct reader *r)
{
    int status = 1;
    while (status > 0) {
        r->input->at = r->input->end;
        status = read_more(r);
    }
    if (status < 0)
        return status;
    return r->has_version ? TP_OK : refuse_other(r);
}

static int read_document(void *context, struct tp_error *unused)
{
    struct reader *r = context;
    char byte;
    (void)unused; /* errors are written to r->err */
    tp_flight_source_init(&r->source, NULL, r->scratch, UINT64_MAX);
    tp_strict_init(&r->strict);
    tp_scan_init(&r->scan);
    int code = check_text(r, r->input->at);
    code = code < 0 ? code : next_byte(r, &byte);
    code = code < 0 ? code : read_members(r);
    return code < 0 ? code : read_rest(r);
}

int tp_flight_read_json(struct tp_flight_dump *dump, struct tp_arena *scratch, struct tp_pickle_input *input,
                        struct tp_error *err)
{
    struct reader reader = {.dump = dump, .scratch = scratch, .input = input, .err = err};
    tp_buf_init(&reader.compact, 0);
    int code = tp_arena_run_both(dump->arena, scratch, read_document, &reader, NULL);
    tp_buf_release(&reader.compact);
    tp_arena_fail_with_stored_code(dump->arena);
    tp_arena_fail_with_stored_code(scratch);
    return code;
}
