/* Reads and formats compact JSON values: see value.h. */
#include "webreport/trace/json/value.h"

#include "webreport/trace/json/clean.h"
#include "webreport/trace/json/number.h"
#include "writer/base/error.h"
#include "writer/base/json_out.h"
#include "writer/base/limits.h"
#include "writer/base/table.h"
#include "writer/base/utf8.h"

/* Returns the index after the closing quote of the string whose opening quote is json[i]. */
static size_t find_string_end(struct tp_str json, size_t i)
{
    for (i++; i < json.len && json.ptr[i] != '"'; i++)
        i += json.ptr[i] == '\\';
    return i < json.len ? i + 1 : json.len;
}

/* Returns the index after the value that begins at json[i]. */
static size_t find_value_end(struct tp_str json, size_t i)
{
    size_t depth = 0;
    while (i < json.len) {
        char c = json.ptr[i];
        if (c == '"') {
            i = find_string_end(json, i);
        } else if (c == '[' || c == '{') {
            depth++;
            i++;
        } else if (c == ']' || c == '}') {
            if (depth == 0)
                return i;
            depth--;
            i++;
        } else if (c == ',' && depth == 0) {
            return i;
        } else {
            i++;
            if (depth == 0 && i < json.len && !strchr(",]}", json.ptr[i]))
                continue;
        }
        if (depth == 0)
            return i;
    }
    return json.len;
}

bool tp_value_next(struct tp_str json, size_t *at, struct tp_str *key, struct tp_str *item)
{
    if (json.len < 2 || (json.ptr[0] != '[' && json.ptr[0] != '{'))
        return false;
    size_t i = *at ? *at : 1;
    if (i < json.len && json.ptr[i] == ',')
        i++;
    if (i >= json.len - 1)
        return false;
    if (json.ptr[0] == '{') {
        size_t end = json.ptr[i] == '"' ? find_string_end(json, i) : i;
        if (end == i || end >= json.len || json.ptr[end] != ':')
            return false;
        if (key)
            *key = (struct tp_str){json.ptr + i, end - i};
        i = end + 1;
    }
    size_t end = find_value_end(json, i);
    if (end == i)
        return false;
    *item = (struct tp_str){json.ptr + i, end - i};
    *at = end;
    return true;
}

struct tp_str tp_value_member(struct tp_str json, const char *key)
{
    struct tp_str found = {NULL, 0}, name, item;
    size_t n = strlen(key);
    if (!tp_value_starts_with(json, '{'))
        return found;
    for (size_t at = 0; tp_value_next(json, &at, &name, &item);)
        if (name.len == n + 2 && memcmp(name.ptr + 1, key, n) == 0)
            found = item;
    return found;
}

int64_t tp_value_int(struct tp_str json)
{
    int64_t value;
    return json.len && tp_number_parse_int(json, &value) == TP_NUMBER_OK ? value : TP_NULL_INT;
}

static bool is_equal_to_word(struct tp_str json, const char *word)
{
    return tp_str_equal(json, tp_str_of(word));
}

/* Returns a copy of the buffer's text in the arena, and releases the buffer. Jumps to the arena's guard if the
 * buffer failed. */
static struct tp_str copy_to_arena(struct tp_arena *arena, struct tp_buf *out)
{
    int failed = out->failed;
    struct tp_str text = {NULL, out->size};
    if (!failed)
        text.ptr = tp_arena_copy(arena, out->data ? out->data : "", out->size);
    tp_buf_release(out);
    if (failed)
        tp_arena_fail(arena, failed);
    return text;
}

struct tp_str tp_value_text(struct tp_arena *arena, struct tp_str json)
{
    if (json.len == 0 || is_equal_to_word(json, "null"))
        return (struct tp_str){NULL, 0};
    if (is_equal_to_word(json, "true"))
        return TP_STR("True");
    if (is_equal_to_word(json, "false"))
        return TP_STR("False");
    if (json.ptr[0] != '"' || json.len < 2)
        return (struct tp_str){tp_arena_copy(arena, json.ptr, json.len), json.len};
    struct tp_str raw = {json.ptr + 1, json.len - 2};
    if (tp_clean_is_plain(raw))
        return (struct tp_str){tp_arena_copy(arena, raw.ptr, raw.len), raw.len};
    struct tp_buf out;
    tp_buf_init(&out, 0);
    tp_clean_string(&out, raw, TP_MAX_EVENT_BYTES);
    return copy_to_arena(arena, &out);
}

/* Returns true for a number that Python's json reads as a float. Outputs copy the text of such a number. */
static bool is_real_number(struct tp_str word)
{
    char c = word.len ? word.ptr[word.ptr[0] == '-' && word.len > 1] : '\0';
    if (c < '0' || c > '9')
        return false;
    for (size_t i = 0; i < word.len; i++)
        if (word.ptr[i] == '.' || word.ptr[i] == 'e' || word.ptr[i] == 'E')
            return true;
    return false;
}

/* Returns true for -?digits.digits, which tp_value_shape_text prints without quotes. */
static bool is_plain_decimal(struct tp_str text)
{
    size_t i = text.len && text.ptr[0] == '-', digits = 0, points = 0;
    for (; i < text.len; i++) {
        if (text.ptr[i] == '.' && digits && !points)
            points++, digits = 0;
        else if (text.ptr[i] >= '0' && text.ptr[i] <= '9')
            digits++;
        else
            return false;
    }
    return points == 1 && digits > 0;
}

enum style { STYLE_SHAPE, STYLE_DUMPS, STYLE_OUTPUT };

static void append_quoted(struct tp_buf *out, struct tp_str text, char quote)
{
    tp_buf_putc(out, quote);
    tp_buf_add(out, text.ptr, text.len);
    tp_buf_putc(out, quote);
}

/* Appends a compact string as json.dumps prints it: characters that are not ASCII are escaped. token: with its
 * quotes. */
static void append_ascii_string(struct tp_buf *out, struct tp_str token)
{
    for (size_t i = 0; i < token.len;) {
        int length = tp_utf8_length(token.ptr + i, token.len - i);
        if (length < 2) {
            tp_buf_putc(out, token.ptr[i++]);
            continue;
        }
        uint32_t point = tp_utf8_get(token.ptr + i, length);
        if (point >= 0x10000)
            tp_buf_printf(out, "\\u%04x\\u%04x", 0xD800 + ((point - 0x10000) >> 10),
                          0xDC00 + ((point - 0x10000) & 0x3FF));
        else
            tp_buf_printf(out, "\\u%04x", point);
        i += (size_t)length;
    }
}

static void append_string(struct tp_buf *out, struct tp_arena *arena, struct tp_str token, enum style style)
{
    if (style == STYLE_OUTPUT) {
        tp_buf_add(out, token.ptr, token.len);
    } else if (style == STYLE_DUMPS) {
        append_ascii_string(out, token);
    } else {
        struct tp_str text = tp_value_text(arena, token);
        if (is_plain_decimal(text))
            tp_buf_add(out, text.ptr, text.len);
        else
            append_quoted(out, text, '\'');
    }
}

static void append_json_word(struct tp_buf *out, struct tp_str word, enum style style)
{
    if (is_real_number(word)) {
        if (style == STYLE_SHAPE && is_plain_decimal(word))
            tp_buf_add(out, word.ptr, word.len);
        else
            append_quoted(out, word, style == STYLE_SHAPE ? '\'' : '"');
    } else if (style == STYLE_SHAPE &&
               (is_equal_to_word(word, "null") || is_equal_to_word(word, "true") || is_equal_to_word(word, "false"))) {
        tp_buf_puts(out, word.ptr[0] == 'n' ? "None" : word.ptr[0] == 't' ? "True" : "False");
    } else {
        tp_buf_add(out, word.ptr, word.len);
    }
}

/* Writes compact JSON in another style. Only separators, strings and words depend on the style. */
static struct tp_str rewrite_in_style(struct tp_arena *arena, struct tp_str json, enum style style)
{
    struct tp_buf out;
    tp_buf_init(&out, 0);
    for (size_t i = 0; i < json.len;) {
        char c = json.ptr[i];
        if (c == '"') {
            size_t end = find_string_end(json, i);
            append_string(&out, arena, (struct tp_str){json.ptr + i, end - i}, style);
            i = end;
        } else if (strchr("[]{}", c)) {
            tp_buf_putc(&out, c);
            i++;
        } else if (c == ',' || c == ':') {
            tp_buf_putc(&out, c);
            if (style != STYLE_OUTPUT)
                tp_buf_putc(&out, ' ');
            i++;
        } else {
            size_t end = i;
            while (end < json.len && !strchr("[]{},:\"", json.ptr[end]))
                end++;
            append_json_word(&out, (struct tp_str){json.ptr + i, end - i}, style);
            i = end;
        }
    }
    return copy_to_arena(arena, &out);
}

struct tp_str tp_value_shape_text(struct tp_arena *arena, struct tp_str json)
{
    return rewrite_in_style(arena, json, STYLE_SHAPE);
}

struct tp_str tp_value_python_text(struct tp_arena *arena, struct tp_str json)
{
    return rewrite_in_style(arena, json, STYLE_DUMPS);
}

struct tp_str tp_value_output_text(struct tp_arena *arena, struct tp_str json)
{
    return rewrite_in_style(arena, json, STYLE_OUTPUT);
}

int64_t tp_value_world_size(struct tp_str distributed)
{
    int64_t size = tp_value_int(tp_value_member(distributed, "world_size"));
    return size > 0 && size <= TP_MAX_JOB_RANKS ? size : TP_NULL_INT;
}

int64_t tp_value_rank(struct tp_str distributed)
{
    int64_t rank = tp_value_int(tp_value_member(distributed, "rank")), size = tp_value_world_size(distributed);
    bool is_below = size == TP_NULL_INT ? rank < TP_MAX_JOB_RANKS : rank < size;
    return rank >= 0 && is_below ? rank : TP_NULL_INT;
}
