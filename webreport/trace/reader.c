/* Moves the window of a reader: see reader.h. */
#include "webreport/trace/reader.h"

#include "writer/base/limits.h"

bool tp_reader_next_window(struct tp_reader *r)
{
    if (r->is_at_end || r->code < 0)
        return false;
    size_t before = r->at ? (size_t)(r->end - r->at) : 0;
    int status = tp_feed_next_window(r->feed, &r->at, &r->end, r->err);
    r->is_at_end = status == 0;
    if (status < 0)
        r->code = status;
    if (status > 0 && r->is_strict)
        r->code = tp_strict_feed(&r->strict, r->at + before, (size_t)(r->end - r->at) - before, r->err);
    return status > 0 && r->code >= 0;
}

void tp_reader_ensure_bytes(struct tp_reader *r, size_t size)
{
    while ((size_t)(r->end - r->at) < size && tp_reader_next_window(r))
        ;
}

char tp_reader_peek(struct tp_reader *r)
{
    for (;;) {
        if (r->at)
            r->at = tp_scan_skip_space(r->at, r->end);
        if (r->at && r->at < r->end)
            return *r->at ? *r->at : '\1'; /* a NUL byte becomes '\1', because '\0' means the end of the input */
        if (!tp_reader_next_window(r))
            return '\0';
    }
}

void tp_reader_count_notice(struct tp_reader *r, enum tp_notice notice)
{
    tp_sink_count_notice(r->decoder.sink, notice, tp_feed_offset(r->feed, r->at));
}

void tp_reader_skip_value(struct tp_reader *r)
{
    uint64_t depth = 0;
    bool in_string = false, is_escaped = false;
    do {
        for (; r->at < r->end; r->at++) {
            char c = *r->at;
            if (in_string) {
                in_string = c != '"' || is_escaped;
                is_escaped = c == '\\' && !is_escaped;
            } else if (c == '"') {
                in_string = true;
            } else if (c == '[' || c == '{') {
                depth++;
            } else if ((c == ']' || c == '}') && depth && --depth == 0) {
                r->at++;
                return;
            } else if (depth == 0 && (c == ',' || c == ']' || c == '}')) {
                return;
            }
        }
    } while (tp_reader_next_window(r));
}

bool tp_reader_extend_window(struct tp_reader *r)
{
    size_t size = (size_t)(r->end - r->at);
    if (size > TP_MAX_EVENT_BYTES || !tp_reader_next_window(r))
        return false;
    tp_reader_ensure_bytes(r, size * 2);
    return true;
}
