/* Writes the text of elements as valid JSON: see raw_text.h. */
#include "webreport/export/chrome/raw_text.h"

#include "webreport/trace/json/clean.h"
#include "webreport/trace/json/strict.h"
#include "writer/base/json_out.h"
#include "writer/base/limits.h"

static void put_text(struct tp_buf *out, struct tp_str text)
{
    tp_buf_add(out, text.ptr, text.len);
}

/* Writes a string as JSON. The content may have unescaped quotes, so that the whole content is decoded and escaped
 * again. */
static void put_string(struct tp_buf *out, struct tp_str content)
{
    struct tp_buf meaning;
    struct tp_json json;
    tp_buf_init(&meaning, 0);
    tp_clean_string(&meaning, content, TP_MAX_EVENT_BYTES);
    out->failed = out->failed ? out->failed : meaning.failed;
    tp_json_init(&json, out);
    tp_json_str(&json, (struct tp_str){meaning.size ? meaning.data : "", meaning.size});
    tp_buf_release(&meaning);
}

static void put_value(struct tp_buf *out, struct tp_str value)
{
    if (tp_strict_is_json(value))
        put_text(out, value);
    else if (value.len >= 2 && value.ptr[0] == '"')
        put_string(out, (struct tp_str){value.ptr + 1, value.len - 2});
    else
        tp_clean_value(out, value);
}

/* Writes the element's object with each value repaired, and the text between the values unchanged. Returns false if the
 * object has too many values. */
static bool put_values(struct tp_buf *out, const struct tp_event_text *event)
{
    struct tp_scan_trail trail = {.count = 0};
    struct tp_spans spans;
    struct tp_scan scan;
    const char *from = event->text.ptr;
    tp_scan_init(&scan);
    scan.at = event->text.ptr;
    scan.end = event->text.ptr + event->text.len;
    scan.is_lenient = event->is_repaired;
    scan.trail = &trail;
    if (tp_scan_event(&scan, &spans) != TP_SCAN_OK || trail.count >= TP_SCAN_TRAIL)
        return false;
    for (unsigned i = 0; i < trail.count; i++) {
        const struct tp_str *value = &trail.steps[i].value;
        put_text(out, (struct tp_str){from, (size_t)(value->ptr - from)});
        put_value(out, *value);
        from = value->ptr + value->len;
    }
    put_text(out, (struct tp_str){from, (size_t)(scan.end - from)});
    return true;
}

/* Repairs the text of `out` from position `start` on, if it is not JSON. Returns false if the text cannot be
 * repaired. */
static bool repair_text(struct tp_buf *out, size_t start)
{
    struct tp_buf whole;
    struct tp_str made = {out->data + start, out->size - start};
    if (out->failed || tp_strict_is_json(made))
        return true;
    tp_buf_init(&whole, 0);
    tp_clean_value(&whole, made);
    out->size = start;
    bool is_usable = whole.size && whole.data[0] == made.ptr[0];
    if (is_usable)
        put_text(out, (struct tp_str){whole.data, whole.size});
    out->failed = out->failed ? out->failed : whole.failed;
    tp_buf_release(&whole);
    return is_usable;
}

bool tp_raw_text_put(struct tp_buf *out, const struct tp_event_text *event)
{
    size_t start = out->size;
    if (!event->is_repaired && tp_strict_is_json(event->text)) {
        put_text(out, event->text);
        return true;
    }
    if (!event->spans || !put_values(out, event))
        put_text(out, event->text);
    return repair_text(out, start);
}

void tp_raw_text_put_member(struct tp_buf *out, struct tp_str key, struct tp_str value)
{
    size_t start = out->size;
    tp_buf_putc(out, '"');
    put_text(out, key);
    tp_buf_putc(out, '"');
    if (!out->failed && !tp_strict_is_json((struct tp_str){out->data + start, out->size - start})) {
        out->size = start;
        put_string(out, key);
    }
    tp_buf_putc(out, ':');
    put_value(out, value);
}
