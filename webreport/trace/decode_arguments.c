/* Decoding, what programs tell beside names: arguments of their own, colours, moments. See decode.h.
 *
 * Told arguments become lines "name: value" for a reader; texts of strings stand without quotes, lists and objects as
 * compact JSON. The text of an event is scanned again for them: few events have any. */
#include "webreport/trace/decode_parts.h"

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

/* 0xRRGGBB of "#RRGGBB" or, as NVTX writes it, "#AARRGGBB"; TP_NO_ID of anything else. value: with its quotes. */
static uint32_t color_of(struct tp_str value)
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

/* Appends the meaning of a string's content as part of one line. */
static void add_text(struct tp_buf *out, struct tp_str content, size_t max_bytes)
{
    size_t from = out->size;
    tp_clean_string(out, content, max_bytes + 1);
    if (out->size == from)
        return;
    size_t keep = tp_utf8_cut(out->data + from, out->size - from, max_bytes);
    bool is_cut = keep < out->size - from;
    out->size = from + keep;
    for (size_t i = from; i < out->size; i++)
        if ((unsigned char)out->data[i] < ' ')
            out->data[i] = ' ';
    if (is_cut)
        tp_buf_puts(out, "…");
}

static void add_value(struct tp_buf *out, struct tp_str value)
{
    size_t from = out->size;
    if (tp_token_is_string(value)) {
        add_text(out, tp_token_contents(value), TP_MAX_SHOWN_NAME_BYTES);
        return;
    }
    tp_clean_value(out, value);
    if (out->size - from <= TP_MAX_SHOWN_NAME_BYTES)
        return;
    out->size = from + tp_utf8_cut(out->data + from, out->size - from, TP_MAX_SHOWN_NAME_BYTES);
    tp_buf_puts(out, "…");
}

struct tp_str tp_element_args(struct tp_str text)
{
    struct tp_scan scan = {.at = text.ptr, .end = text.ptr + text.len, .is_lenient = true};
    struct tp_str key, value, args = {NULL, 0};
    while (tp_scan_member(&scan, &key, &value))
        if (tp_str_equal(key, TP_STR("args")))
            args = value.ptr[0] == '{' ? value : (struct tp_str){NULL, 0};
    return args;
}

static struct tp_said said_of(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_said said = {TP_NO_ID, TP_NO_ID};
    struct tp_str args = tp_element_args(e->text), key, value;
    struct tp_scan scan = {.at = args.ptr, .end = args.ptr + args.len, .is_lenient = true};
    struct tp_buf *out = &d->argument_text;
    unsigned count = 0;
    tp_buf_clear(out);
    while (args.ptr && tp_scan_member(&scan, &key, &value)) {
        uint32_t color = tp_str_equal(key, TP_STR("color")) ? color_of(value) : TP_NO_ID;
        if (color != TP_NO_ID)
            said.color = color;
        if (color != TP_NO_ID || tp_scan_is_profilers_arg(key) || count == TP_MAX_SHOWN_ARGUMENTS)
            continue;
        tp_buf_puts(out, count++ ? "\n" : "");
        add_text(out, key, MAX_KEY_BYTES);
        tp_buf_puts(out, ": ");
        add_value(out, value);
    }
    if (out->failed)
        tp_arena_fail(d->trace->arena, TP_ENOMEM);
    struct tp_strings *texts = &d->trace->argument_texts;
    struct tp_str text = {out->data, out->size};
    if (count && texts->count < TP_MAX_ARGUMENT_TEXTS)
        said.text = tp_strings_add(texts, text);
    else if (count && (said.text = tp_strings_find(texts, text)) == TP_NO_ID)
        d->trace->arguments_left_out++;
    return said;
}

void tp_decode_arguments(struct tp_decoder *d, const struct tp_element *e)
{
    tp_sink_argument(d->sink, said_of(d, e));
}

void tp_decode_moment(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_moment moment = {.name = e->name_id, .said = {TP_NO_ID, TP_NO_ID}};
    if (!e->has_name || tp_number_time(tp_span_of(e->spans, TP_FIELD_TS), &moment.ts_ns) != TP_NUMBER_OK)
        return;
    moment.thread = tp_element_thread(d, e);
    if (e->spans->has_own_args)
        moment.said = said_of(d, e);
    tp_sink_moment(d->sink, &moment);
}
