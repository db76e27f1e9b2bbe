/* Decodes JSON events: takes the spans of one element of traceEvents and delivers an event to a sink, or counts it. */
#ifndef TP_WEBREPORT_TRACE_DECODE_H
#define TP_WEBREPORT_TRACE_DECODE_H

#include "webreport/trace/json/scan.h"
#include "webreport/trace/learned_keys.h"
#include "webreport/trace/sink.h"

/* A known row: its spelling as two short tokens, and its thread. */
struct tp_row_seen {
    uint64_t pid, tid[2];
    uint32_t thread;
    uint8_t pid_size, tid_size; /* 0: free */
};

enum { TP_ROWS_SEEN = 64 };

struct tp_decoder {
    struct tp_sink *sink;
    struct tp_trace *trace;                     /* the sink's trace */
    struct tp_strings row_texts;                /* spellings of "pid, tid" pairs */
    struct tp_vec row_thread;                   /* thread by id of the pair's spelling */
    struct tp_row_seen rows_seen[TP_ROWS_SEEN]; /* by spelling, for short ones */
    struct tp_buf row_key, argument_text;       /* malloc'd: freed by tp_decoder_release */
    uint64_t begin_events, end_events;          /* ph B, E: never paired, only noted */
};

/* Opens a decoder that delivers to the sink, which the caller keeps open. */
void tp_decoder_init(struct tp_decoder *decoder, struct tp_sink *sink);
void tp_decoder_release(struct tp_decoder *decoder);

/* Sets in the layout the interners of the texts that the decoder interns. */
void tp_decoder_connect(struct tp_decoder *decoder, struct tp_learned_keys *layout);

/* Decodes one element that is an object. text: the whole element, which spans point into; ordinal: its position;
 * offset: the offset of its first byte, for notices. */
void tp_decoder_event(struct tp_decoder *decoder, struct tp_str text, const struct tp_spans *spans, uint32_t ordinal,
                      uint64_t offset);

/* Notes what the decoder counted over all events. */
void tp_decoder_finish(struct tp_decoder *decoder);

#endif
