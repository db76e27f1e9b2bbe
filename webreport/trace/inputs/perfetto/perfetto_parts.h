/* Defines the state of reading one Perfetto trace, which all parts of the reader share. Internal to this folder. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_PERFETTO_PERFETTO_PARTS_H
#define TP_WEBREPORT_TRACE_INPUTS_PERFETTO_PERFETTO_PARTS_H

#include "webreport/trace/inputs/perfetto/annotations.h"
#include "webreport/trace/inputs/perfetto/clocks.h"
#include "webreport/trace/inputs/perfetto/exported_facts.h"
#include "webreport/trace/inputs/perfetto/slices.h"
#include "webreport/trace/inputs/perfetto/tracks.h"
#include "webreport/trace/inputs/perfetto/wire.h"
#include "webreport/trace/source.h"

enum { TP_TRACK_BITS = 0x3FFFFFFF };

/* Reasons why packets and events are dropped. */
enum tp_perfetto_drop {
    TP_DROP_BROKEN_PACKETS,
    TP_DROP_LOSSES,     /* places where the producer reports lost packets */
    TP_DROP_LOST_STATE, /* packets that need texts from lost packets */
    TP_DROP_CLOCKS,
    TP_DROP_INSTANTS,
    TP_DROP_COUNTERS,
    TP_DROP_LEGACY,
    TP_DROP_EARLY,
    TP_DROP_HSA,
    TP_DROP_FTRACE,
    TP_DROP_SEQUENCES,
    TP_DROP_COMPRESSED, /* compressed packets that cannot be inflated */
    TP_DROP_GRAPH_NODES,
    TP_DROP_COUNT
};

/* Names in the data of a stage that the reader of stages uses itself. */
enum tp_extra_name { TP_EXTRA_STREAM, TP_EXTRA_ROW, TP_EXTRA_DEVICE, TP_EXTRA_ARCH, TP_EXTRA_NAMES };

struct tp_perfetto {
    struct tp_source *source;
    struct tp_sink *sink;
    struct tp_builder builder;
    struct tp_interned interned;
    struct tp_annotations annotations;
    struct tp_clocks clocks;
    struct tp_tracks tracks;
    struct tp_slices slices;
    uint64_t dropped[TP_DROP_COUNT];
    uint64_t offset; /* position of the current packet in the file, bytes */
    bool is_cut;
    bool has_base;   /* true if base_ns is set, by the first event with a time */
    int64_t base_ns; /* subtracted from all times, ns: the time of the first snapshot if times count from 1970 */
    int64_t first_ns, last_ns; /* earliest start and latest end of all slices and stages, ns */
    /* facts about the contents */
    bool is_torch;                /* true if a slice has a category of torch.profiler */
    bool is_rocprof;              /* true if rocprofv3 wrote an operation of a device */
    bool is_own;                  /* true if tracepress export wrote the file */
    bool has_rank;                /* true if the name of the file has a rank */
    uint32_t unknown;             /* data that the exported trace could not show, bits of enum tp_unknown */
    struct tp_str own_producer;   /* producer of the exported trace; ptr NULL if it was a trace of torch.profiler */
    struct tp_str reading_member; /* what the reader of the exported trace counted, as JSON; ptr NULL if absent */
    uint64_t inflated_bytes;      /* bytes of all compressed packets after inflating */
    uint64_t slice_count, stage_count, counter_count, submission_count;
    uint64_t kernel_count, copies_without_direction, copies_without_kinds, copies_without_bytes;
    uint64_t kernels_without_grid, kernels_with_occupancy, graph_kernel_count;
    int64_t least_ns; /* begins before this time are dropped, ns of the trace's clock; 0 if no range was given */
    struct tp_keys counter_keys;          /* keys of state and track of counters whose values are differences */
    struct tp_vec counter_sums;           /* sum of each key in `counter_keys`; elements: double */
    struct tp_value_cache dimensions;     /* sizes of grids and blocks */
    struct tp_value_cache numbers;        /* numbers that the decoder also needs as texts */
    uint32_t extra_names[TP_EXTRA_NAMES]; /* names of data of stages, numbers of interned texts */
    struct tp_vec old_stages; /* names of stages that are numbered by their order; elements: uint32_t, interned text */
    struct tp_vec plain_slices; /* events of slices without a category, before is_torch was set; elements: uint32_t */
    struct tp_vec agents;       /* agents of rocprofv3 that are GPUs, ascending; elements: int64_t */
    struct tp_vec archs;        /* architecture of each device; elements: struct tp_perfetto_arch */
    struct tp_vec streams;      /* tokens of streams; elements: struct tp_stream_row */
    struct tp_keys stream_keys; /* keys of device and stream */
};

/* Name of a device's architecture, such as sm_90. */
struct tp_perfetto_arch {
    int64_t device;
    unsigned major, minor;
};

/* A stream of a device, with the tokens of its process and thread. */
struct tp_stream_row {
    struct tp_str pid_token, tid_token;
    bool is_named;
};

/* Parts of a packet. Those before TP_PART_FTRACE change the state that following packets need. */
enum tp_packet_part {
    TP_PART_NONE,
    TP_PART_CLEARED,
    TP_PART_PREVIOUS_DROPPED,
    TP_PART_INTERNED,
    TP_PART_DEFAULTS,
    TP_PART_SNAPSHOT,
    TP_PART_DESCRIPTOR,
    TP_PART_THREAD, /* the next two are descriptions by old producers */
    TP_PART_PROCESS,
    TP_PART_RANGE, /* the range of interest */
    TP_PART_FTRACE,
    TP_PART_EVENT,
    TP_PART_STAGE,
    TP_PART_COUNTER,
    TP_PART_COMPRESSED,
    TP_PART_TIMESTAMP,
    TP_PART_CLOCK,
    TP_PART_SEQUENCE,
    TP_PART_FLAGS
};

/* A packet with its fields. Messages are only set if tp_packet_has is true; numbers are 0 if they are absent. */
struct tp_packet {
    uint32_t parts; /* bits of enum tp_packet_part */
    uint64_t timestamp, clock, sequence, flags, is_cleared, previous_dropped;
    struct tp_str interned, defaults, snapshot, descriptor, event, stage, counter, compressed, ftrace;
    struct tp_str thread, process, range;
};

static inline bool tp_packet_has(const struct tp_packet *packet, enum tp_packet_part part)
{
    return packet->parts >> part & 1;
}

/* Finds the time of a packet relative to the base of the trace. Returns false, and counts the packet, if it has none.
 */
bool tp_perfetto_time(struct tp_perfetto *p, struct tp_sequence *sequence, const struct tp_packet *packet, int64_t *ns);

/* Returns the correlation of a call and of the stage with this event id. It differs from all correlations of CUDA. */
static inline int64_t tp_perfetto_submission(uint64_t id)
{
    return (INT64_C(1) << 40) + (int64_t)(id & 0xFFFFFFFF);
}

/* Extends the time from first_ns to last_ns. */
static inline void tp_perfetto_extend(struct tp_perfetto *p, int64_t start_ns, int64_t end_ns)
{
    p->first_ns = start_ns < p->first_ns ? start_ns : p->first_ns;
    p->last_ns = end_ns > p->last_ns ? end_ns : p->last_ns;
}

/* Returns the id in the sink of an interned text as a name, or as a category. */
uint32_t tp_perfetto_name(struct tp_perfetto *p, uint32_t text);
uint32_t tp_perfetto_category(struct tp_perfetto *p, uint32_t text);

/* Returns the id in the sink of a text as a name, or as a category. */
uint32_t tp_perfetto_name_of_text(struct tp_perfetto *p, const char *text);
uint32_t tp_perfetto_category_of_text(struct tp_perfetto *p, const char *text);

/* Returns an interned text as a JSON string, which stays valid with the trace. */
struct tp_str tp_perfetto_json(struct tp_perfetto *p, uint32_t text);

#endif
