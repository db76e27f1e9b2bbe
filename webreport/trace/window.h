/* Defines the window over the text of one JSON document: the bytes that are read but not yet consumed. The window knows
 * bytes and brackets, no events. Internal to webreport/trace. */
#ifndef TP_WEBREPORT_TRACE_WINDOW_H
#define TP_WEBREPORT_TRACE_WINDOW_H

#include "webreport/trace/feed.h"
#include "webreport/trace/json/scan.h"
#include "webreport/trace/json/strict.h"

struct tp_window {
    struct tp_feed *feed;
    const char *at, *end; /* the text not yet consumed; at may be NULL before the first text */
    bool is_at_end;       /* true if the feed has no further text */
    bool is_strict;       /* true if every byte passes the strict check of the JSON */
    struct tp_strict strict;
    struct tp_error *err;
    int code; /* status of the feed, the strict check or the visitor; a negative code ends the reading */
};

/* Reads the next text into the window. Returns false at the end of the input, or on an error, which sets
 * window->code. */
bool tp_window_next(struct tp_window *window);

/* Reads until the window has at least `size` bytes, or the input ends. */
void tp_window_ensure_bytes(struct tp_window *window, size_t size);

/* Skips white space and returns the next byte without consuming it. Returns '\0' at the end of the input. */
char tp_window_peek(struct tp_window *window);

/* Skips a value of any length and depth. Counts brackets outside of strings, even across windows. */
void tp_window_skip_value(struct tp_window *window);

/* Doubles the text in the window before the value is scanned again, so that a long value costs linear time. Returns
 * false if there is no more text or the value is too long. */
bool tp_window_extend(struct tp_window *window);

#endif
