/* Declares the parts of export --to perfetto. Internal to this folder. */
#ifndef TP_WEBREPORT_EXPORT_PERFETTO_PERFETTO_EXPORT_H
#define TP_WEBREPORT_EXPORT_PERFETTO_PERFETTO_EXPORT_H

#include "webreport/export/export_formats.h"
#include "webreport/export/perfetto/packet_writer.h"

/* Fields of Perfetto's message TracePacket. */
enum tp_packet_field {
    TP_PACKET_CLOCKS = 6,
    TP_PACKET_EVENT = 11,
    TP_PACKET_GPU_COUNTER = 52,
    TP_PACKET_STAGE = 53,
    TP_PACKET_DEFAULTS = 59,
    TP_PACKET_TRACK = 60
};

/* Numbers of devices for each trace of a file with several traces. */
enum { TP_PEXPORT_DEVICES = 64 };

/* What happens at one time. */
enum tp_edge_kind {
    TP_EDGE_BEGIN, /* item: index of an event */
    TP_EDGE_END,
    TP_EDGE_STAGE,
    TP_EDGE_MEMORY,      /* item: index of a memory record */
    TP_EDGE_COUNTER,     /* item: index of a counter value */
    TP_EDGE_GPU_COUNTER, /* item: index of a counter value of a device */
    TP_EDGE_LINK,        /* item: index in flows of the end of a link at which no operator begins */
    TP_EDGE_WINDOW_END,
    TP_EDGE_KINDS
};

struct tp_edge {
    int64_t ts_ns;
    uint32_t item;
    unsigned lane : 28; /* track of a begin or an end: index in lanes */
    unsigned kind : 4;  /* enum tp_edge_kind */
};

/* A track of slices. Slices of a thread that overlap without being nested are on several lanes. */
struct tp_lane {
    uint32_t thread;
    uint32_t level; /* 0 for the track of the thread itself */
    bool is_written;
};

/* One end of a link between a forward and a backward operator. */
struct tp_link_end {
    int64_t ts_ns;
    uint32_t thread;
    uint32_t flow;  /* index in flows */
    uint32_t event; /* operator that begins there; TP_NO_ID if none does */
};

/* A device operation and its correlation. */
struct tp_correlated {
    int64_t correlation;
    uint32_t event;
};

struct tp_pexport {
    const struct tp_export *export;
    const struct tp_trace *trace;
    struct tp_arena *arena;
    struct tp_packet_writer *writer;
    uint32_t rank_index;              /* position of the trace among all traces of the file */
    bool is_alone;                    /* true if the file has one trace */
    uint64_t uuid_base;               /* added to numbers of tracks, so that traces of one file differ */
    struct tp_vec edges;              /* sorted by time; elements: struct tp_edge */
    struct tp_vec lanes;              /* elements: struct tp_lane */
    struct tp_link_end *links;        /* sorted by thread and time */
    struct tp_correlated *correlated; /* sorted by correlation */
    uint32_t correlated_count;
    bool *written_processes, *written_threads; /* by thread: true if the description of the track was written */
    uint32_t *process_of_thread;               /* first thread with the same pid */
    struct tp_str *process_names;              /* name of each process, by its first thread; ptr NULL without a name */
    bool *written_counters;                    /* by track of a counter */
    int64_t *total_bytes;                      /* allocated memory by memory place */
    bool has_counter_names;                    /* true if the names of counters of devices were written */
};

/* Collects everything with a time, sorted by time. Gives each slice a lane. */
void tp_pexport_collect(struct tp_pexport *x);

/* Returns the ends of links at which an event begins, and their number. */
struct tp_link_end *tp_pexport_links_at(struct tp_pexport *x, const struct tp_event *event, uint32_t *count);

/* Writes the clock of the file and the members of the trace. */
void tp_pexport_header(struct tp_pexport *x);

/* Returns the number of the track of a thread, a lane, or a counter. Writes the description of the track if it is
 * new. counter: number of the counter, from 0; unit_name: such as "B", "" for none. */
uint64_t tp_pexport_thread_track(struct tp_pexport *x, uint32_t thread);
uint64_t tp_pexport_lane_track(struct tp_pexport *x, uint32_t lane);
uint64_t tp_pexport_counter_track(struct tp_pexport *x, uint32_t counter, struct tp_str name, bool is_bytes);

/* Returns the id of the stage of a device operation. */
static inline uint64_t tp_pexport_stage_id(const struct tp_pexport *x, uint32_t event)
{
    return (uint64_t)x->rank_index << 32 | ((uint64_t)event + 1);
}

/* Functions that write the packet of one edge. */
typedef void tp_pexport_edge(struct tp_pexport *x, const struct tp_edge *edge);
tp_pexport_edge tp_pexport_begin, tp_pexport_end, tp_pexport_link, tp_pexport_stage, tp_pexport_memory,
    tp_pexport_counter, tp_pexport_gpu_counter, tp_pexport_window_end;

#endif
