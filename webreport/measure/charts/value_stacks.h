/* Assigns the numbers of a device trace to stacks, for formats that show several values per stack: device time, host
 * time, host self time of operators, idle time of devices, and allocated bytes.
 *
 * A stack consists of Python functions, modules, annotations, operators and calls, outermost first. Below the stack of
 * its launch, a device operation has its own name. Idle time has the stack of the host, and below this stack its reason
 * (docs/definitions.md, section 6). A time without a host event has the stack "[no host event]". The sums of the values
 * equal numbers of the report:
 *
 *     TP_VALUE_DEVICE           durations of all device operations of the recording (section 8)
 *     TP_VALUE_IDLE             idle time of each device in the analysed steps (section 6)
 *     TP_VALUE_OPERATORS        host self time of all operators (section 4, host_self)
 *     TP_VALUE_DEVICE_BYTES,
 *     TP_VALUE_HOST_BYTES       allocated bytes of the memory records of devices and of the host (section 10)
 *
 * TP_VALUE_HOST is the time that threads spend in recorded events. Each nanosecond of a thread has the stack that the
 * thread has at this time. All memory is in one arena; after the build, the stacks are read-only. */
#ifndef TP_WEBREPORT_MEASURE_CHARTS_VALUE_STACKS_H
#define TP_WEBREPORT_MEASURE_CHARTS_VALUE_STACKS_H

#include "webreport/model/facts.h"
#include "writer/base/keys.h"

enum tp_value {
    TP_VALUE_DEVICE,
    TP_VALUE_HOST,
    TP_VALUE_OPERATORS,
    TP_VALUE_IDLE,
    TP_VALUE_DEVICE_BYTES,
    TP_VALUE_HOST_BYTES,
    TP_VALUES
};

/* Returns the name of a value in files: "device", "host", "operators", "idle", "device_bytes" or "host_bytes".
 * Static text. */
const char *tp_value_name(enum tp_value value);
/* Returns the title of a value, such as "device time". Static text. */
const char *tp_value_title(enum tp_value value);

static inline bool tp_value_is_bytes(enum tp_value value)
{
    return value == TP_VALUE_DEVICE_BYTES || value == TP_VALUE_HOST_BYTES;
}

/* Kinds of frames, which viewers show in different colors. */
enum tp_value_frame_kind {
    TP_VALUE_FRAME_PYTHON, /* Python function, or function of a program */
    TP_VALUE_FRAME_MODULE,
    TP_VALUE_FRAME_RANGE, /* annotation */
    TP_VALUE_FRAME_OPERATOR,
    TP_VALUE_FRAME_CALL,   /* call of the runtime or of the driver */
    TP_VALUE_FRAME_DEVICE, /* device operation */
    TP_VALUE_FRAME_IDLE,   /* reason of idle time */
    TP_VALUE_FRAME_KINDS
};

struct tp_value_frame {
    struct tp_str name, file; /* file: empty if unknown */
    uint32_t line;            /* 0: unknown */
    enum tp_value_frame_kind kind;
};

/* A part of a value: of one device, or of one thread. */
struct tp_value_track {
    enum tp_value value;
    struct tp_str name;    /* title of the device, or name of the thread; empty if the value has a single track */
    uint32_t thread;       /* index in trace->threads; TP_NO_ID if the track is not a thread */
    uint32_t first, count; /* items first to first + count - 1 of the track, in order of time */
};

struct tp_value_item {
    int64_t ts_ns;
    int64_t amount; /* time, ns, or bytes; above 0 */
    uint32_t stack; /* node of the stack */
};

struct tp_value_stacks {
    const struct tp_model *model;
    struct tp_arena *arena;
    struct tp_strings texts;
    struct tp_keys frames; /* keys: (name, file, line, kind), name and file as ids in `texts` */
    struct tp_keys nodes;  /* pairs (node of the caller or TP_NO_ID, frame) */
    struct tp_vec depths;  /* for each node: number of frames in the stack; elements: uint32_t */
    struct tp_vec tracks;  /* elements: struct tp_value_track; sorted by value, then by device or thread */
    struct tp_vec items;   /* elements: struct tp_value_item, track by track */
    int64_t sums[TP_VALUES];
};

/* Fills *stacks in `arena`, whose guard the caller has set. The model must outlive *stacks. Tracks without items are
 * omitted. A stack deeper than TP_MAX_FOLDED_DEPTH lacks its innermost frames. */
void tp_value_stacks_build(struct tp_value_stacks *stacks, const struct tp_model *model, struct tp_arena *arena);

/* Returns a frame. frame: index in stacks->frames. */
struct tp_value_frame tp_value_frame_at(const struct tp_value_stacks *stacks, uint32_t frame);

/* Fills `path` (elements: uint32_t) with the frames of a stack, innermost first. node: TP_NO_ID for no frames. */
void tp_value_stack_path(const struct tp_value_stacks *stacks, uint32_t node, struct tp_vec *path);

/* Sums of a track by stack, in the order in which the stacks first appear. */
struct tp_value_sums {
    struct tp_value_item *items; /* ts_ns: first time of the stack, ns; amount: sum of the stack */
    uint32_t count;
};

/* Sums the items of a track in the arena of the stacks. */
void tp_value_sums_of_track(struct tp_value_sums *sums, const struct tp_value_stacks *stacks,
                            const struct tp_value_track *track);

static inline uint32_t tp_value_track_count(const struct tp_value_stacks *stacks)
{
    return (uint32_t)stacks->tracks.count;
}
static inline const struct tp_value_track *tp_value_track_at(const struct tp_value_stacks *stacks, uint32_t track)
{
    return TP_AT(&stacks->tracks, struct tp_value_track, track);
}
static inline const struct tp_value_item *tp_value_items_of(const struct tp_value_stacks *stacks,
                                                            const struct tp_value_track *track)
{
    return TP_AT(&stacks->items, struct tp_value_item, track->first);
}

#endif
