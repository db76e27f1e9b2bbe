/* Delivers rows of databases to the sink as events of torch.profiler's format, so that all code after the reader works
 * for both. Shared by the readers of Nsight Systems, rocprofv3 and rocmProfileData.
 *
 * Absent integers are TP_NULL_INT. Memory outside the arena of the trace is in `scratch`. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_SQLITE_ROW_EVENTS_H
#define TP_WEBREPORT_TRACE_INPUTS_SQLITE_ROW_EVENTS_H

#include "webreport/trace/sink.h"
#include "writer/base/id_map.h"

enum tp_row_cat {
    TP_ROW_KERNEL,
    TP_ROW_COPY,
    TP_ROW_SET,
    TP_ROW_RUNTIME,
    TP_ROW_DRIVER,
    TP_ROW_OPERATOR,
    TP_ROW_RANGE,
    TP_ROW_WAIT, /* a synchronisation, as its device records it */
    TP_ROW_SPAN,
    TP_ROW_CATS
};

struct tp_row_setup; /* an entry in the cache of setups */

struct tp_row_events {
    struct tp_sink *sink;
    struct tp_arena *scratch;
    uint32_t cats[TP_ROW_CATS]; /* ids of the categories; TP_NO_ID until the first event */
    int64_t last_pid, last_tid; /* ids of last_thread; TP_NULL_INT before the first event */
    uint32_t last_thread;
    struct tp_id_map threads;    /* (pid, tid) of 32 bits each: number of the thread */
    struct tp_id_map processes;  /* pids whose process has a name */
    struct tp_row_setup *setups; /* cache: setups of recent kernels */
    struct tp_buf text, lines;   /* scratch buffers, allocated with malloc */
    int64_t first_ns, last_ns;   /* first start and last end of all events, ns; first_ns > last_ns without events */
    uint32_t ordinal;
};

/* A kernel, copy or memory set. */
struct tp_row_device {
    enum tp_row_cat cat;
    uint32_t name; /* id in names */
    int64_t start_ns, end_ns, device, stream, correlation, graph_id, bytes;
    int64_t grid[3], block[3], registers, shared_memory; /* of kernels; grid[0], block[0]: TP_NULL_INT if unknown */
    int64_t sm_count;                                    /* 0 if unknown */
};

/* An operator or a range. */
struct tp_row_range {
    uint32_t name, thread; /* id in names; number of the thread */
    int64_t start_ns, end_ns;
    int64_t external_id, sequence;
    uint32_t dims;        /* "Input Dims", id in values; TP_NO_ID if absent */
    struct tp_str domain; /* domain of the range; empty for the default domain */
};

void tp_row_events_open(struct tp_row_events *events, struct tp_sink *sink, struct tp_arena *scratch);
/* Frees the memory outside the arenas. Accepts zeroed events. */
void tp_row_events_release(struct tp_row_events *events);

/* Returns the id in names of a text of the file, cut at TP_MAX_NAME_BYTES. *known: the id of an earlier call with this
 * text, or TP_NO_ID before the first; the next function keeps none. */
uint32_t tp_row_events_known_name(struct tp_row_events *events, struct tp_str text, uint32_t *known);
uint32_t tp_row_events_name(struct tp_row_events *events, struct tp_str text);

/* Returns the thread for a stream of a device, and names it on the first call. */
uint32_t tp_row_events_stream(struct tp_row_events *events, int64_t device, int64_t stream);

/* Returns the thread of a host process, and names it on the first call. process, thread: names; ptr NULL if unknown. */
uint32_t tp_row_events_thread(struct tp_row_events *events, int64_t pid, int64_t tid, struct tp_str process,
                              struct tp_str thread);

void tp_row_events_add_device(struct tp_row_events *events, const struct tp_row_device *row);

/* Adds a call of the runtime or the driver. name: id in names. */
void tp_row_events_add_call(struct tp_row_events *events, enum tp_row_cat cat, uint32_t name, uint32_t thread,
                            const int64_t span_ns[2], int64_t correlation);

/* Adds a synchronisation on a stream; stream -1: on the whole device. */
void tp_row_events_add_wait(struct tp_row_events *events, const char *name, int64_t device, int64_t stream,
                            const int64_t span_ns[2], int64_t correlation);

void tp_row_events_add_operator(struct tp_row_events *events, const struct tp_row_range *row);
void tp_row_events_add_range(struct tp_row_events *events, const struct tp_row_range *row);

/* Changes the name of a range that was added, and keeps its old name as an argument. event: index in the events of the
 * sink. domain: as in struct tp_row_range. Call tp_row_events_sort_arguments after the last change. */
void tp_row_events_rename_range(struct tp_row_events *events, uint32_t event, uint32_t name, struct tp_str domain);
void tp_row_events_sort_arguments(struct tp_row_events *events);

/* Adds the events at the end of a recording: the span of the profiler, and the end of the window. */
void tp_row_events_finish(struct tp_row_events *events);

/* Adds the top-level members: the version of the format, the base of all times and the devices. base_ns: wall clock
 * time of time 0, ns since 1970; 0 if unknown. devices: a JSON list. */
void tp_row_events_add_members(struct tp_row_events *events, int64_t base_ns, struct tp_str devices);

/* Append the names that Kineto gives a copy, "Memcpy HtoD (Pinned -> Device)", and a memory set, "Memset (Device)". */
void tp_row_events_write_copy_name(struct tp_buf *out, const char *direction, struct tp_str source,
                                   struct tp_str target);
void tp_row_events_write_set_name(struct tp_buf *out, struct tp_str kind);

/* Returns the id in values of an integer; TP_NO_ID for TP_NULL_INT. */
uint32_t tp_row_events_integer(struct tp_row_events *events, int64_t number);

/* Returns the id in values of a JSON text of the file, which must be valid. */
uint32_t tp_row_events_value(struct tp_row_events *events, struct tp_str json);

/* Returns the text in events->text. Jumps to the guard of the trace's arena if the buffer has failed. */
struct tp_str tp_row_events_buffer_text(const struct tp_row_events *events);
/* Returns the id in names of the text in events->text. */
uint32_t tp_row_events_buffer_name(struct tp_row_events *events);

#endif
