/* Moves the window over the text of a document: see window.h. */
#include "webreport/trace/window.h"

#include "writer/base/limits.h"

bool tp_window_next(struct tp_window *window)
{
    if (window->is_at_end || window->code < 0)
        return false;
    size_t before = window->at ? (size_t)(window->end - window->at) : 0;
    int status = tp_feed_next_window(window->feed, &window->at, &window->end, window->err);
    window->is_at_end = status == 0;
    if (status < 0)
        window->code = status;
    if (status > 0 && window->is_strict)
        window->code = tp_strict_feed(&window->strict, window->at + before, (size_t)(window->end - window->at) - before,
                                      window->err);
    return status > 0 && window->code >= 0;
}

void tp_window_ensure_bytes(struct tp_window *window, size_t size)
{
    while ((size_t)(window->end - window->at) < size && tp_window_next(window))
        ;
}

char tp_window_peek(struct tp_window *window)
{
    for (;;) {
        if (window->at)
            window->at = tp_scan_skip_space(window->at, window->end);
        if (window->at && window->at < window->end)
            return *window->at ? *window->at
                               : '\1'; /* a NUL byte becomes '\1', because '\0' means the end of the input */
        if (!tp_window_next(window))
            return '\0';
    }
}

void tp_window_skip_value(struct tp_window *window)
{
    uint64_t depth = 0;
    bool in_string = false, is_escaped = false;
    do {
        for (; window->at < window->end; window->at++) {
            char c = *window->at;
            if (in_string) {
                in_string = c != '"' || is_escaped;
                is_escaped = c == '\\' && !is_escaped;
            } else if (c == '"') {
                in_string = true;
            } else if (c == '[' || c == '{') {
                depth++;
            } else if ((c == ']' || c == '}') && depth && --depth == 0) {
                window->at++;
                return;
            } else if (depth == 0 && (c == ',' || c == ']' || c == '}')) {
                return;
            }
        }
    } while (tp_window_next(window));
}

bool tp_window_extend(struct tp_window *window)
{
    size_t size = (size_t)(window->end - window->at);
    if (size > TP_MAX_EVENT_BYTES || !tp_window_next(window))
        return false;
    tp_window_ensure_bytes(window, size * 2);
    return true;
}
