/* The timeline: every slice of the trace packed for the viewer in the page, and load curves for the drawing that needs
 * no scripts. A slice is one event in the drawing.
 *
 * A lane is a thread (operators, annotations, runtime calls and frames nested by depth) or a device stream. The viewer
 * gets one gzip member, described in templates/README.md. If the member exceeds its size limit, the shortest host
 * slices are folded into coverage (share of time per bucket), then the shortest device slices. This struct keeps the
 * counts and the duration below which slices are folded. */
#ifndef TP_WEBREPORT_MEASURE_CHARTS_TIMELINE_H
#define TP_WEBREPORT_MEASURE_CHARTS_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/model/facts.h"

enum {
    TP_TIMELINE_LOAD_BUCKETS = 512, /* number of buckets of each load curve in the drawing */
    /* limit of host lanes and limit of device lanes; the lanes with the most slices are kept */
    TP_TIMELINE_MAX_LANES = 64,
    TP_TIMELINE_MAX_ROWS = 64, /* limit of rows per lane; slices nested more deeply are not shown */
    TP_TIMELINE_MAX_PHASES = 150
};

/* Class of a slice, which selects its color. The viewer's data contains these numbers, so the order must not change. */
enum tp_slice_class {
    TP_SLICE_CPU,
    TP_SLICE_KERNEL,
    TP_SLICE_COMMUNICATION,
    TP_SLICE_MEMCPY,
    TP_SLICE_MEMSET,
    TP_SLICE_RUNTIME,
    TP_SLICE_DATA,
    TP_SLICE_FRAME,
    TP_SLICE_STEP,
    TP_SLICE_ANNOTATION,
    TP_SLICE_CLASS_COUNT
};

struct tp_lane {
    bool is_device;
    uint32_t thread;            /* index in trace->threads */
    const uint32_t *slices;     /* indexes of the lane's events, in order of start */
    const uint32_t *operations; /* for a device lane: indexes of its slices in model->devices; NULL for a host lane */
    uint32_t slice_count;       /* number of the lane's slices in the trace */
    uint32_t shown_count;       /* number of the lane's slices in the viewer's data */
    uint32_t row_count;         /* depth of nesting + 1, at most TP_TIMELINE_MAX_ROWS */
    uint32_t moment_count;      /* number of the lane's moments (events without duration) in the viewer's data */
    /* position among the shown lanes. Host lanes come first; the host lane with the most work is at the top */
    uint32_t rank;
    uint64_t work_ns;                       /* for host lanes: time in the outermost operators and runtime calls, ns */
    bool has_steps, is_backward, has_cover; /* has_cover: some slices of the lane are folded */
    struct tp_str title;
    uint8_t *load; /* for host lanes: share of work in each load bucket; 255 is the whole bucket */
};

/* A part of the main lane in the drawing: an annotation that only a step encloses. */
struct tp_timeline_phase {
    struct tp_str name;
    uint64_t start_ns, dur_ns; /* start_ns: time since the start of the timeline, ns */
    enum tp_slice_class class;
};

/* Load of a device in each bucket; 255 is full load. */
struct tp_timeline_gpu {
    int64_t id;
    struct tp_str title;    /* title of the device, such as "GPU 0" (tp_device_title) */
    bool has_sm_efficiency; /* true if the trace has the blocks per SM of at least one kernel */
    uint8_t *busy, *sm;
};

struct tp_timeline {
    const struct tp_model *model;
    int64_t start_ns;        /* start of the timeline on the trace's clock, ns; other times are relative to start_ns */
    uint64_t drawn_range_ns; /* length of the drawing, ns: from start_ns to the end of the last operation */
    struct tp_lane *lanes;
    uint32_t lane_count, omitted_lane_count;
    struct tp_timeline_gpu *gpus;
    uint32_t gpu_count;
    struct tp_timeline_phase *phases; /* phases in order of start */
    uint32_t phase_count;
    uint64_t slice_count;              /* number of slices of all lanes in the trace */
    uint64_t shown_count;              /* number of slices in the viewer's data */
    uint64_t folded_count;             /* number of slices that are folded into coverage */
    uint64_t folded_below_ns;          /* host slices shorter than this many ns are folded; 0 folds no slice */
    uint64_t omitted_deep_slice_count; /* number of slices nested deeper than TP_TIMELINE_MAX_ROWS */
    uint64_t arguments_left_out;       /* number of slices and moments whose arguments did not fit into `data` */
    uint64_t omitted_moment_count;
    bool folds_devices; /* true if short device slices are folded too */
    bool omits_shapes;  /* true if the shapes of operators did not fit into `data` */
    struct tp_str data; /* gzip member for the viewer; empty if even the names of the lanes exceed the size limit */
};

struct tp_timeline_options {
    size_t max_bytes; /* maximum size of `data` as base64 text in the page; 0: no data */
    /* Returns the text to show for a name: shortened, without private parts, in memory that lives as long as the arena.
     * A NULL pointer shows all names unchanged. */
    struct tp_str (*show)(const void *context, struct tp_str name);
    /* Like `show`, for names of kernels. */
    struct tp_str (*show_kernel)(const void *context, struct tp_str name);
    /* Like `show`, for arguments that the program added to a slice. */
    struct tp_str (*show_argument)(const void *context, struct tp_str lines);
    /* Like `show`, for shapes in the form of "Input Dims". */
    struct tp_str (*show_shapes)(const void *context, struct tp_str dims);
    const void *context;
};

/* Builds the timeline in `arena`, whose guard the caller has set. `model` must outlive the timeline. */
void tp_timeline_build(struct tp_timeline *timeline, const struct tp_model *model,
                       const struct tp_timeline_options *options, struct tp_arena *arena);

#endif
