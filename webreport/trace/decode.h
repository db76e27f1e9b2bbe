/* Decoding: the spans of one element of traceEvents become a row of the trace's columns, or a count.
 *
 * The decoder owns the interners and the growing columns while a trace is read; tp_decoder_finish hands them to the
 * trace. */
#ifndef TP_WEBREPORT_TRACE_DECODE_H
#define TP_WEBREPORT_TRACE_DECODE_H

#include "webreport/trace/learned_keys.h"
#include "webreport/trace/scan.h"
#include "webreport/trace/trace.h"
#include "writer/base/keys.h"

/* A row that was seen: its spelling as two short tokens, and its thread. */
struct tp_row_seen {
    uint64_t pid, tid[2];
    uint32_t thread;
    uint8_t pid_size, tid_size; /* 0: free */
};

enum { TP_ROWS_SEEN = 64 };

struct tp_decoder {
    struct tp_trace *trace;
    struct tp_interner names, cats, stacks, texts, values;
    struct tp_strings row_texts; /* spellings of "pid, tid" pairs */
    struct tp_vec events, hosts, host_more, launches, devices, modules, comms, others, concretes, memory, memory_more, memory_stacks,
        counters, task_ends, flows, samples, states, seen_processes, memory_looks, tensors, arguments, moments, threads,
        processes;
    struct tp_keys setups;                      /* struct tp_device_setup as numbers */
    struct tp_vec setup_after;                  /* uint32_t by setup: the one that followed it last; TP_NO_ID */
    uint32_t last_setup;                        /* of the latest device operation; TP_NO_ID: there was none */
    struct tp_keys memory_places;               /* (type, id) as four numbers */
    struct tp_memory_place last_memory_place;   /* of the latest record; its number is last_memory_number */
    uint32_t last_memory_number;                /* TP_NO_ID: there was none */
    struct tp_vec cat_meanings, name_meanings;  /* by id */
    struct tp_vec row_thread;                   /* thread by id of the pair's spelling */
    struct tp_strings row_canonical;            /* canonical pairs; their ids are the thread numbers */
    struct tp_strings process_canonical;        /* canonical pids with a name or label; ids number the processes */
    struct tp_buf row_key, scratch, argument_text;  /* malloc'd: released by tp_decoder_release */
    struct tp_row_seen rows_seen[TP_ROWS_SEEN]; /* by spelling, for short ones */
    uint64_t begin_events, end_events;          /* ph B, E: never paired, only noted */
    bool keeps_frame_stacks, wants_tensors, wants_arguments;
    bool is_of_program; /* a member before the events says that our recorder wrote them */
};

void tp_decoder_init(struct tp_decoder *decoder, struct tp_trace *trace);
void tp_decoder_release(struct tp_decoder *decoder);

/* Tells the layout which texts the decoder interns, and where. */
void tp_decoder_connect(struct tp_decoder *decoder, struct tp_learned_keys *layout);

/* One element that is an object. text: all of it, where spans point; ordinal: its position; offset: of its first byte,
 * for notices. */
void tp_decoder_event(struct tp_decoder *decoder, struct tp_str text, const struct tp_spans *spans, uint32_t ordinal,
                      uint64_t offset);

/* Counts a notice and keeps its first place. */
void tp_decoder_note(struct tp_decoder *decoder, enum tp_notice notice, uint64_t offset);

/* Moves the columns into the trace. */
void tp_decoder_finish(struct tp_decoder *decoder);

#endif
