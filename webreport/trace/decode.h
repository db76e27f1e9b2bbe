/* Decodes JSON events. Takes the fields of one element of traceEvents, and delivers an event to a sink or counts the
 * element. */
#ifndef TP_WEBREPORT_TRACE_DECODE_H
#define TP_WEBREPORT_TRACE_DECODE_H

#include "webreport/trace/json/scan.h"
#include "webreport/trace/learned_keys.h"
#include "webreport/trace/sink.h"

/* A pair of short tokens (pid, tid) seen before, with its thread. */
struct tp_row_cache_entry {
    uint64_t pid, tid[2];
    uint32_t thread;
    uint8_t pid_size, tid_size; /* lengths of the tokens, bytes; 0: the entry is free */
};

enum { TP_ROW_CACHE_SIZE = 64 };

struct tp_decoder {
    struct tp_sink *sink;
    struct tp_trace *trace;                                 /* trace that the sink fills */
    struct tp_strings row_texts;                            /* texts "pid, tid" as written in the file */
    struct tp_vec row_thread;                               /* by id in row_texts: thread number */
    struct tp_row_cache_entry row_cache[TP_ROW_CACHE_SIZE]; /* cache for short tokens */
    struct tp_buf row_key, argument_text;                   /* use malloc; freed by tp_decoder_release */
    /* number of events with phase B or E, which are counted but never paired */
    uint64_t begin_events, end_events;
};

/* Opens a decoder that delivers to `sink`, which the caller must keep open. */
void tp_decoder_init(struct tp_decoder *decoder, struct tp_sink *sink);
void tp_decoder_release(struct tp_decoder *decoder);

/* Registers in `layout` the interners of the texts that the decoder interns. */
void tp_decoder_connect(struct tp_decoder *decoder, struct tp_learned_keys *layout);

/* Decodes one element that is an object. text: the whole element, into which the spans point. ordinal: its position in
 * the list. offset: byte offset of its start, for notices. */
void tp_decoder_event(struct tp_decoder *decoder, struct tp_str text, const struct tp_spans *spans, uint32_t ordinal,
                      uint64_t offset);

/* Writes the decoder's counts over all events into the trace. */
void tp_decoder_finish(struct tp_decoder *decoder);

#endif
