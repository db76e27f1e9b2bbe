/* The reading of one document, shared by its parts: the window and what it holds (reader.c), the list of events and the
 * repair of broken ones (events.c), the document around them (document.c). Internal to webreport/trace. */
#ifndef TP_WEBREPORT_TRACE_READER_H
#define TP_WEBREPORT_TRACE_READER_H

#include "webreport/trace/decode.h"
#include "webreport/trace/feed.h"
#include "webreport/trace/learned_keys.h"
#include "webreport/trace/scan.h"
#include "webreport/trace/strict.h"
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
    const struct tp_visitor *visitor; /* gets the text of what is read instead of the decoder; NULL: the decoder */
    bool has_host_work;               /* with a visitor: an event is work of a host */
    struct tp_error *err;
    int code; /* of the feed, the strict check or the visitor; ends the reading */
};

/* More text behind reader->at; false at the end of the input or on an error (then reader->code is set). */
bool tp_reader_more(struct tp_reader *r);

/* At least `size` bytes in the window, if the input has them. */
void tp_reader_want(struct tp_reader *r, size_t size);

/* Next byte that is no white space, consumed up to it; '\0' at the end of the input. */
char tp_reader_peek(struct tp_reader *r);

/* Counts a notice at the current place. */
void tp_reader_note(struct tp_reader *r, enum tp_notice notice);

/* Drops a value of any length and depth: counts brackets outside strings across windows. */
void tp_reader_skip_value(struct tp_reader *r);

/* Twice the text before the next try, so that a long value costs linear time. False when there is no more, or too much.
 */
bool tp_reader_widen(struct tp_reader *r);

/* Reads the elements behind '[' of the list of events; leaves reader->at behind its ']'. */
void tp_reader_events(struct tp_reader *r);

#endif
