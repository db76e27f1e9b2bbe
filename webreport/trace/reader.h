/* Defines the state of reading one JSON document. Shared by the window (reader.c), the list of events and its repair
 * (events.c), and the document around the list (document.c). Internal to webreport/trace. */
#ifndef TP_WEBREPORT_TRACE_READER_H
#define TP_WEBREPORT_TRACE_READER_H

#include "webreport/trace/decode.h"
#include "webreport/trace/feed.h"
#include "webreport/trace/json/scan.h"
#include "webreport/trace/json/strict.h"
#include "webreport/trace/learned_keys.h"
#include "webreport/trace/trace.h"
#include "webreport/trace/visit.h"

enum { TP_READER_LOOKAHEAD = 64 * 1024, TP_READER_REPAIR_BUDGET = 256 * 1024 * 1024 };

struct tp_reader {
    struct tp_trace *trace;
    struct tp_decoder decoder;
    struct tp_feed *feed;
    struct tp_scan scan;
    struct tp_learned_keys layout;
    struct tp_spans spans;
    const char *at, *end;
    uint64_t ordinal;
    uint64_t repair_budget;
    bool is_at_end, has_events, is_array, is_strict;
    struct tp_strict strict;
    /* receives the texts of events; NULL if the decoder receives the events */
    const struct tp_visitor *visitor;
    bool has_host_work; /* true if some event is work of the host; set only with a visitor */
    struct tp_error *err;
    int code; /* status of the feed, the strict check or the visitor; a negative code ends the reading */
};

/* Reads the next text into the window. Returns false at the end of the input, or on an error, which sets
 * reader->code. */
bool tp_reader_next_window(struct tp_reader *r);

/* Reads until the window has at least `size` bytes, or the input ends. */
void tp_reader_ensure_bytes(struct tp_reader *r, size_t size);

/* Skips white space and returns the next byte without consuming it. Returns '\0' at the end of the input. */
char tp_reader_peek(struct tp_reader *r);

/* Counts a notice at the current position in the text. */
void tp_reader_count_notice(struct tp_reader *r, enum tp_notice notice);

/* Skips a value of any length and depth. Counts brackets outside of strings, even across windows. */
void tp_reader_skip_value(struct tp_reader *r);

/* Doubles the text in the window before the value is scanned again, so that a long value costs linear time. Returns
 * false if there is no more text or the value is too long. */
bool tp_reader_extend_window(struct tp_reader *r);

/* Reads the elements of a list of events after its '['. Moves reader->at after the ']'. */
void tp_reader_events(struct tp_reader *r);

#endif
