/* Decodes JSON events. The decoder receives the fields of one element of traceEvents. It delivers the element to a sink
 * as an event, or only counts the element. */
#ifndef TP_WEBREPORT_TRACE_DECODE_H
#define TP_WEBREPORT_TRACE_DECODE_H

#include "webreport/trace/json/scan.h"
#include "webreport/trace/learned_keys.h"
#include "webreport/trace/sink.h"

/* Cache entry: the short pid and tid tokens of an earlier event, and the number of the event's thread. */
struct tp_row_cache_entry {
    uint64_t pid, tid[2];
    uint32_t thread;
    uint8_t pid_token_bytes, tid_token_bytes; /* lengths of the tokens, bytes; 0 in a free entry */
};

enum { TP_ROW_CACHE_SIZE = 64 };

/* Values of fields that the input has as numbers. The span of such a field is a text that nobody reads as a number. */
struct tp_number_fields {
    uint64_t has;                  /* bits of the fields */
    int64_t value[TP_FIELD_COUNT]; /* times in ns, within TP_MAX_TIME_NS; other numbers as they are */
};

struct tp_decoder {
    struct tp_sink *sink;
    const struct tp_number_fields *numbers;                 /* NULL if all values are texts */
    struct tp_trace *trace;                                 /* trace that the sink fills */
    struct tp_strings row_texts;                            /* texts "pid, tid" as written in the file */
    struct tp_vec thread_by_row_text;                       /* thread number for each id in row_texts */
    struct tp_row_cache_entry row_cache[TP_ROW_CACHE_SIZE]; /* thread numbers of short pid and tid tokens */
    struct tp_buf row_key, argument_text;                   /* scratch buffers; allocated with malloc, freed by
                                                               tp_decoder_release */
    /* numbers of events with phase B and with phase E, which are counted but not paired */
    uint64_t begin_events, end_event_count;
    const struct tp_part_rows *part; /* the events to read of a merged trace (merged_ranks.h); NULL for all events */
    uint64_t other_part_events;      /* number of elements that do not belong to the part */
    struct tp_buf part_pid;          /* pid without its label; freed by tp_decoder_release */
    bool lists_ranks;                /* copy of the option in struct tp_trace_options */
    struct tp_vec thread_ranks;      /* elements: int64_t */
    struct tp_vec
        ascend_links; /* ends of the links of Ascend's profiler; elements: struct link_end (decode_ascend.c) */
    struct tp_vec ascend_skipped; /* events without a category; elements: struct skipped_rows (decode_ascend.c) */
    /* what torch's CUPTI backend wrote (decode_cuspy.c) */
    struct {
        bool is_recognized;                                   /* true if an event has a sign of this backend */
        uint64_t event_nodes, host_nodes, graph_dependencies; /* numbers of elements that are not read */
    } cuspy;
};

/* Opens a decoder that delivers to `sink`, which the caller must keep open. options: NULL for default options. */
void tp_decoder_init(struct tp_decoder *decoder, struct tp_sink *sink, const struct tp_trace_options *options);
void tp_decoder_release(struct tp_decoder *decoder);

/* Registers in `layout` the interner of each text field that the decoder interns. */
void tp_decoder_set_interners(struct tp_decoder *decoder, struct tp_learned_keys *layout);

/* Decodes one element that is an object. text: the whole element, into which the spans point. ordinal: position of
 * the element in the list. offset: offset of the element in the text, bytes; used in notices. */
void tp_decoder_event(struct tp_decoder *decoder, struct tp_str text, const struct tp_spans *spans, uint32_t ordinal,
                      uint64_t offset);

/* Adds the decoder's counters to the trace, after the last event. */
void tp_decoder_finish(struct tp_decoder *decoder);

#endif
