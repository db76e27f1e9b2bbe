/* Defines the state of reading one JSON document. Shared by the list of events and its repair (events.c), and the
 * document around the list (document.c). Internal to webreport/trace. */
#ifndef TP_WEBREPORT_TRACE_READER_H
#define TP_WEBREPORT_TRACE_READER_H

#include "webreport/trace/decode.h"
#include "webreport/trace/learned_keys.h"
#include "webreport/trace/trace.h"
#include "webreport/trace/visit.h"
#include "webreport/trace/window.h"

enum { TP_READER_LOOKAHEAD = 64 * 1024, TP_READER_REPAIR_BUDGET = 256 * 1024 * 1024 };

struct tp_reader {
    struct tp_trace *trace;
    struct tp_decoder decoder;
    struct tp_window window;
    struct tp_scan scan;
    struct tp_learned_keys layout;
    struct tp_spans spans;
    uint64_t ordinal;
    uint64_t repair_budget;
    bool has_events, is_array;
    /* receives the texts of events; NULL if the decoder receives the events */
    const struct tp_visitor *visitor;
    bool has_host_work; /* true if some event is work of the host; set only with a visitor */
};

/* Counts a notice at the current position in the text. */
void tp_reader_count_notice(struct tp_reader *r, enum tp_notice notice);

/* Reads the elements of a list of events after its '['. Moves reader->window.at after the ']'. */
void tp_reader_events(struct tp_reader *r);

#endif
