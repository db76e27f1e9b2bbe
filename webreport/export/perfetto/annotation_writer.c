/* Writes arguments of events: see annotation_writer.h. Field numbers are those of Perfetto's message DebugAnnotation
 * and of the messages ExtraData of GpuRenderStageEvent. */
#include "webreport/export/perfetto/annotation_writer.h"

#include <stdlib.h>

#include "webreport/trace/feed.h"
#include "webreport/trace/json/clean.h"
#include "webreport/trace/json/number.h"
#include "webreport/trace/json/scan.h"
#include "writer/base/limits.h"
#include "writer/base/put.h"

enum field {
    NAME_IID = 1,
    BOOL = 2,
    UINT = 3,
    INT = 4,
    REAL = 5,
    STRING = 6,
    NAME = 10,
    DICT_ENTRY = 11,
    ARRAY_VALUE = 12,
    STRING_IID = 17
};

enum { LEVELS = 28, LEAST_INTERNED = 3 }; /* readers allow 32 levels */

/* ---- values ---- */

/* Writes a text. Texts of a few bytes need no number. */
static void put_text(struct tp_packet_writer *writer, struct tp_str text)
{
    if (text.len < LEAST_INTERNED)
        tp_field_text(&writer->body, STRING, text);
    else
        tp_field_number(&writer->body, STRING_IID, tp_packet_text(writer, TP_PACKET_STRINGS, text));
}

/* Writes the content of a JSON string. */
static void put_string_content(struct tp_packet_writer *writer, struct tp_str content)
{
    struct tp_buf clean;
    if (!memchr(content.ptr, '\\', content.len)) {
        put_text(writer, content);
        return;
    }
    tp_buf_init(&clean, 0);
    tp_clean_string(&clean, content, TP_MAX_EVENT_BYTES);
    /* not in the table of texts, because a failed allocation there would leak `clean` */
    tp_field_text(&writer->body, STRING, (struct tp_str){clean.data ? clean.data : "", clean.size});
    if (clean.failed)
        writer->body.failed = clean.failed;
    tp_buf_release(&clean);
}

/* Returns true if a number has no fraction and no exponent. */
static bool is_integer(struct tp_str token)
{
    for (size_t i = token.ptr[0] == '-'; i < token.len; i++)
        if (!tp_is_digit(token.ptr[i]))
            return false;
    return token.len > 0;
}

/* Writes a number, a string or a literal. */
static void put_scalar(struct tp_packet_writer *writer, struct tp_str token)
{
    struct tp_buf *out = &writer->body;
    int64_t number;
    if (token.len >= 2 && token.ptr[0] == '"')
        put_string_content(writer, (struct tp_str){token.ptr + 1, token.len - 2});
    else if (tp_str_equal(token, TP_STR("true")) || tp_str_equal(token, TP_STR("false")))
        tp_field_number(out, BOOL, token.len == 4);
    else if (tp_str_equal(token, TP_STR("null")))
        tp_field_text(out, STRING, token);
    else if (is_integer(token) && token.len < 19 && tp_number_parse_int(token, &number) == TP_NUMBER_OK)
        tp_field_number(out, INT, (uint64_t)number);
    else if (is_integer(token) && token.ptr[0] != '-' && token.len < 20)
        tp_field_number(out, UINT, strtoull(token.ptr, NULL, 10));
    else
        tp_field_real(out, REAL, tp_number_parse_real(token));
}

/* ---- lists and objects ---- */

/* The position in a JSON text, and the lists and objects that are open. */
struct nesting {
    struct tp_scan scan;
    struct {
        size_t begin; /* position for tp_field_end; 0 for the outermost level */
        bool is_object;
    } levels[LEVELS];
    unsigned depth;
};

static char next_character(struct nesting *n)
{
    while (n->scan.at < n->scan.end && (*n->scan.at == ',' || (unsigned char)*n->scan.at <= ' '))
        n->scan.at++;
    return n->scan.at < n->scan.end ? *n->scan.at : '\0';
}

/* Writes the name of a member, and moves to its value. */
static void put_member_name(struct tp_packet_writer *writer, struct nesting *n)
{
    const char *close = tp_scan_find_string_end(n->scan.at + 1, n->scan.end);
    close = close ? close : n->scan.end;
    struct tp_str name = {n->scan.at + 1, (size_t)(close - n->scan.at - 1)};
    tp_field_number(&writer->body, NAME_IID, tp_packet_text(writer, TP_PACKET_KEYS, name));
    n->scan.at = close < n->scan.end ? tp_scan_skip_space(close + 1, n->scan.end) : n->scan.end;
    n->scan.at = n->scan.at < n->scan.end ? tp_scan_skip_space(n->scan.at + 1, n->scan.end) : n->scan.end;
}

/* Opens the list or object at the current position. */
static void open_level(struct nesting *n, size_t begin)
{
    n->levels[n->depth].begin = begin;
    n->levels[n->depth++].is_object = *n->scan.at++ == '{';
}

/* Writes the value at the current position as a member of the innermost list or object. */
static void put_member(struct tp_packet_writer *writer, struct nesting *n)
{
    struct tp_spans notes;
    struct tp_str value;
    bool is_object = n->levels[n->depth - 1].is_object;
    size_t begin = tp_field_begin(&writer->body, is_object ? DICT_ENTRY : ARRAY_VALUE);
    if (is_object)
        put_member_name(writer, n);
    char first = next_character(n);
    if ((first == '[' || first == '{') && n->depth < LEVELS) {
        open_level(n, begin);
        return;
    }
    notes.has_bare_word = notes.is_nested_too_deep = false;
    if (tp_scan_value(&n->scan, &value, &notes) != TP_SCAN_OK)
        n->scan.at = n->scan.end;
    else if (first == '[' || first == '{')
        tp_field_text(&writer->body, STRING, value);
    else
        put_scalar(writer, value);
    tp_field_end(&writer->body, begin);
}

/* Writes a list or an object with all its levels. json: a complete JSON value. */
static void put_nested(struct tp_packet_writer *writer, struct tp_str json)
{
    struct tp_buf *copy = &writer->scratch;
    tp_buf_clear(copy);
    tp_buf_add(copy, json.ptr, json.len);
    tp_feed_pad(copy);
    if (copy->failed) {
        writer->body.failed = copy->failed;
        return;
    }
    struct nesting n = {.scan = {.at = copy->data, .end = copy->data + json.len}};
    open_level(&n, 0);
    while (n.depth > 0 && !writer->body.failed) {
        char next = next_character(&n);
        if (next == '\0')
            n.scan.at = n.scan.end;
        if (next == ']' || next == '}' || next == '\0') {
            n.scan.at += next != '\0';
            size_t begin = n.levels[--n.depth].begin;
            if (begin)
                tp_field_end(&writer->body, begin);
        } else {
            put_member(writer, &n);
        }
    }
}

/* ---- annotations ---- */

static size_t begin_annotation(struct tp_packet_writer *writer, const char *key)
{
    size_t begin = tp_field_begin(&writer->body, TP_ANNOTATION_FIELD);
    tp_field_number(&writer->body, NAME_IID, tp_packet_text(writer, TP_PACKET_KEYS, tp_str_of(key)));
    return begin;
}

void tp_annotation_int(struct tp_packet_writer *writer, const char *key, int64_t value)
{
    size_t begin = begin_annotation(writer, key);
    tp_field_number(&writer->body, INT, (uint64_t)value);
    tp_field_end(&writer->body, begin);
}

void tp_annotation_text(struct tp_packet_writer *writer, const char *key, struct tp_str text)
{
    size_t begin = begin_annotation(writer, key);
    put_text(writer, text);
    tp_field_end(&writer->body, begin);
}

void tp_annotation_json(struct tp_packet_writer *writer, const char *key, struct tp_str json)
{
    size_t begin = begin_annotation(writer, key);
    if (json.len && (json.ptr[0] == '[' || json.ptr[0] == '{'))
        put_nested(writer, json);
    else
        put_scalar(writer, json);
    tp_field_end(&writer->body, begin);
}

void tp_annotation_long_text(struct tp_packet_writer *writer, struct tp_str key, struct tp_str text)
{
    size_t begin = tp_field_begin(&writer->body, TP_ANNOTATION_FIELD);
    tp_field_text(&writer->body, NAME, key);
    tp_field_text(&writer->body, STRING, text);
    tp_field_end(&writer->body, begin);
}

/* ---- data of GPU stages ---- */

void tp_stage_text(struct tp_packet_writer *writer, const char *key, struct tp_str text)
{
    enum { EXTRA_DATA = 6 };
    size_t begin = tp_field_begin(&writer->body, EXTRA_DATA);
    tp_field_text(&writer->body, 1, tp_str_of(key));
    tp_field_text(&writer->body, 2, text);
    tp_field_end(&writer->body, begin);
}

void tp_stage_int(struct tp_packet_writer *writer, const char *key, int64_t value)
{
    char digits[TP_PUT_INT];
    tp_stage_text(writer, key, (struct tp_str){digits, (size_t)(tp_put_int(digits, value) - digits)});
}

void tp_stage_json(struct tp_packet_writer *writer, const char *key, struct tp_str json)
{
    struct tp_str content = {json.ptr + 1, json.len - 2 * (size_t)(json.len >= 2)};
    bool is_plain_text = json.len > 2 && json.ptr[0] == '"' && !strchr("-0123456789[{\"", content.ptr[0]) &&
                         !memchr(content.ptr, '\\', content.len);
    tp_stage_text(writer, key, is_plain_text ? content : json);
}
