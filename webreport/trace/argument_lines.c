/* Formats the program's own arguments of ranges and moments as text: see argument_lines.h. */
#include "webreport/trace/argument_lines.h"

#include "webreport/trace/json/profiler_args.h"
#include "webreport/trace/json/scan.h"
#include "writer/base/error.h"
#include "writer/base/limits.h"
#include "writer/base/utf8.h"

enum { MAX_KEY_BYTES = 64 };

static unsigned hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
           : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                  : 16;
}

/* Returns the color 0xRRGGBB of a JSON string "#RRGGBB" or "#AARRGGBB", the form of NVTX. Returns TP_NO_ID for other
 * values. value: with its quotes. */
static uint32_t parse_json_color(struct tp_str value)
{
    uint32_t color = 0;
    if ((value.len != 9 && value.len != 11) || value.ptr[0] != '"' || value.ptr[1] != '#')
        return TP_NO_ID;
    for (size_t i = 2; i + 1 < value.len; i++) {
        unsigned digit = hex_digit(value.ptr[i]);
        if (digit == 16)
            return TP_NO_ID;
        color = color << 4 | digit;
    }
    return color & 0xFFFFFF;
}

/* Decodes the content of a JSON string and appends at most max_bytes bytes of the result. Replaces control characters
 * with spaces. Adds "…" if the text is cut. */
static void add_text(struct tp_buf *out, struct tp_str content, size_t max_bytes)
{
    size_t from = out->size;
    tp_clean_string(out, content, max_bytes + 1);
    if (out->size == from)
        return;
    size_t keep = tp_utf8_fitting_bytes(out->data + from, out->size - from, max_bytes);
    bool is_cut = keep < out->size - from;
    out->size = from + keep;
    for (size_t i = from; i < out->size; i++)
        if ((unsigned char)out->data[i] < ' ')
            out->data[i] = ' ';
    if (is_cut)
        tp_buf_puts(out, "…");
}

static bool is_string(struct tp_str value)
{
    return value.len >= 2 && value.ptr[0] == '"';
}

static void append_value_as_text(struct tp_buf *out, struct tp_str value)
{
    size_t from = out->size;
    if (is_string(value)) {
        add_text(out, (struct tp_str){value.ptr + 1, value.len - 2}, TP_MAX_SHOWN_NAME_BYTES);
        return;
    }
    tp_clean_value(out, value);
    if (out->size - from <= TP_MAX_SHOWN_NAME_BYTES)
        return;
    out->size = from + tp_utf8_fitting_bytes(out->data + from, out->size - from, TP_MAX_SHOWN_NAME_BYTES);
    tp_buf_puts(out, "…");
}

void tp_argument_lines_add(struct tp_argument_lines *lines, struct tp_str key, struct tp_str value)
{
    uint32_t color = tp_str_equal(key, TP_STR("color")) ? parse_json_color(value) : TP_NO_ID;
    if (color != TP_NO_ID)
        lines->color = color;
    if (color != TP_NO_ID || tp_scan_is_profiler_arg(key) || lines->count == TP_MAX_SHOWN_ARGUMENTS)
        return;
    tp_buf_puts(lines->lines, lines->count++ ? "\n" : "");
    add_text(lines->lines, key, MAX_KEY_BYTES);
    tp_buf_puts(lines->lines, ": ");
    append_value_as_text(lines->lines, value);
}

struct tp_argument_text tp_argument_lines_intern(struct tp_sink *sink, const struct tp_argument_lines *lines)
{
    struct tp_argument_text result = {TP_NO_ID, lines->color};
    struct tp_strings *texts = &sink->trace->argument_texts;
    struct tp_str text = {lines->lines->data, lines->lines->size};
    if (lines->lines->failed)
        tp_arena_fail(sink->trace->arena, TP_ENOMEM);
    if (lines->count && texts->count < TP_MAX_ARGUMENT_TEXTS)
        result.text = tp_strings_add(texts, text);
    else if (lines->count && (result.text = tp_strings_find(texts, text)) == TP_NO_ID)
        sink->trace->arguments_left_out++;
    return result;
}
