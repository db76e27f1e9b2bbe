/* Writes JSON token by token: see json_out.h. */
#include "writer/base/json_out.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void tp_json_init(struct tp_json *json, struct tp_buf *out)
{
    memset(json, 0, sizeof *json);
    json->out = out;
}

static void put_comma_if_needed(struct tp_json *json)
{
    if (json->needs_comma)
        tp_buf_putc(json->out, ',');
    json->needs_comma = true;
}

static void open_level(struct tp_json *json, char bracket)
{
    put_comma_if_needed(json);
    tp_buf_putc(json->out, bracket);
    json->depth++;
    json->needs_comma = false;
}

static void close_level(struct tp_json *json, char bracket)
{
    assert(json->depth > 0);
    tp_buf_putc(json->out, bracket);
    json->depth--;
    json->needs_comma = true;
}

void tp_json_object(struct tp_json *json)
{
    open_level(json, '{');
}

void tp_json_object_end(struct tp_json *json)
{
    close_level(json, '}');
}

void tp_json_array(struct tp_json *json)
{
    open_level(json, '[');
}

void tp_json_array_end(struct tp_json *json)
{
    close_level(json, ']');
}

/* Returns whether a byte needs no escape in a JSON string. */
static bool is_plain(unsigned char c, bool is_html_safe)
{
    if (c < 0x20 || c == '"' || c == '\\')
        return false;
    return !is_html_safe || (c != '<' && c != '>' && c != '&' && c != 0xE2);
}

static void escape_byte(struct tp_json *json, unsigned char c)
{
    static const char short_form[] = "btn\0fr";
    tp_buf_putc(json->out, '\\');
    if (c == '"' || c == '\\')
        tp_buf_putc(json->out, (char)c);
    else if (c >= 8 && c <= 13 && c != 11)
        tp_buf_putc(json->out, short_form[c - 8]);
    else
        tp_buf_printf(json->out, "u%04x", c);
}

static void write_string(struct tp_json *json, struct tp_str text)
{
    size_t from = 0;
    tp_buf_putc(json->out, '"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (is_plain(c, json->is_html_safe))
            continue;
        tp_buf_add(json->out, text.ptr + from, i - from);
        from = i + 1;
        if (c != 0xE2) {
            escape_byte(json, c);
        } else if (text.len - i >= 3 && text.ptr[i + 1] == '\x80' && (text.ptr[i + 2] & '\xFE') == '\xA8') {
            tp_buf_puts(json->out, text.ptr[i + 2] == '\xA8' ? "\\u2028" : "\\u2029");
            i += 2;
            from = i + 1;
        } else {
            tp_buf_putc(json->out, (char)c);
        }
    }
    if (from < text.len) /* an empty text may have a NULL pointer */
        tp_buf_add(json->out, text.ptr + from, text.len - from);
    tp_buf_putc(json->out, '"');
}

void tp_json_key_str(struct tp_json *json, struct tp_str text)
{
    put_comma_if_needed(json);
    write_string(json, text);
    tp_buf_putc(json->out, ':');
    json->needs_comma = false;
}

void tp_json_key(struct tp_json *json, const char *text)
{
    tp_json_key_str(json, tp_str_of(text));
}

void tp_json_str(struct tp_json *json, struct tp_str text)
{
    if (!text.ptr) {
        tp_json_null(json);
        return;
    }
    put_comma_if_needed(json);
    write_string(json, text);
}

void tp_json_text(struct tp_json *json, const char *text)
{
    tp_json_str(json, text ? tp_str_of(text) : (struct tp_str){NULL, 0});
}

void tp_json_int(struct tp_json *json, int64_t value)
{
    put_comma_if_needed(json);
    tp_buf_int(json->out, value);
}

void tp_json_uint(struct tp_json *json, uint64_t value)
{
    put_comma_if_needed(json);
    tp_buf_printf(json->out, "%llu", (unsigned long long)value);
}

void tp_json_bool(struct tp_json *json, bool value)
{
    put_comma_if_needed(json);
    tp_buf_puts(json->out, value ? "true" : "false");
}

void tp_json_null(struct tp_json *json)
{
    put_comma_if_needed(json);
    tp_buf_puts(json->out, "null");
}

void tp_json_real(struct tp_json *json, double value)
{
    char text[40];
    if (isnan(value) || isinf(value)) {
        tp_json_null(json);
        return;
    }
    put_comma_if_needed(json);
    /* tries 15 to 17 digits; every double is read back unchanged from 17 digits */
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (digits == 17 || strtod(text, NULL) == value)
            break;
    }
    tp_buf_puts(json->out, text);
    if (!strpbrk(text, ".e"))
        tp_buf_puts(json->out, ".0");
}

void tp_json_us(struct tp_json *json, int64_t ns)
{
    uint64_t rest = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    char fraction[5] = {'.', (char)('0' + rest % 1000 / 100), (char)('0' + rest % 100 / 10), (char)('0' + rest % 10),
                        0};
    size_t keep = fraction[3] != '0' ? 4 : fraction[2] != '0' ? 3 : fraction[1] != '0' ? 2 : 0;
    put_comma_if_needed(json);
    if (ns < 0)
        tp_buf_putc(json->out, '-');
    tp_buf_int(json->out, (int64_t)(rest / 1000));
    tp_buf_add(json->out, fraction, keep);
}

void tp_json_raw(struct tp_json *json, struct tp_str text)
{
    put_comma_if_needed(json);
    tp_buf_add(json->out, text.ptr, text.len);
}

void tp_json_member_text(struct tp_json *json, const char *key, const char *value)
{
    tp_json_key(json, key);
    tp_json_text(json, value);
}

void tp_json_member_str(struct tp_json *json, const char *key, struct tp_str value)
{
    tp_json_key(json, key);
    tp_json_str(json, value);
}

void tp_json_member_int(struct tp_json *json, const char *key, int64_t value)
{
    tp_json_key(json, key);
    tp_json_int(json, value);
}

void tp_json_member_bool(struct tp_json *json, const char *key, bool value)
{
    tp_json_key(json, key);
    tp_json_bool(json, value);
}

void tp_json_member_real(struct tp_json *json, const char *key, double value)
{
    tp_json_key(json, key);
    tp_json_real(json, value);
}

void tp_json_member_us(struct tp_json *json, const char *key, int64_t ns)
{
    tp_json_key(json, key);
    tp_json_us(json, ns);
}

void tp_json_member_null(struct tp_json *json, const char *key)
{
    tp_json_key(json, key);
    tp_json_null(json);
}
