/* The timeline: every slice of the trace packed for the viewer in the page, and a close-up for the drawing that needs
 * no scripts. A slice is one event in the drawing.
 *
 * A lane is a thread (operators, annotations, runtime calls and frames nested by depth) or a device stream. The viewer
 * gets one gzip member, described in templates/README.md. If the member exceeds its size limit, the shortest host
 * slices are folded into coverage (share of time per bucket), then the shortest device slices. The viewer draws three
 * groups of host slices in rows of their own (enum tp_slice_group), so each group has its own coverage. This struct
 * keeps the counts and the duration below which slices are folded. */
#ifndef TP_WEBREPORT_MEASURE_CHARTS_TIMELINE_H
#define TP_WEBREPORT_MEASURE_CHARTS_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/model/facts.h"

enum {
    /* limit of host lanes and limit of device lanes; the lanes with the most slices are kept */
    TP_TIMELINE_MAX_LANES = 64,
    TP_TIMELINE_MAX_ROWS = 64 /* limit of rows per lane; slices nested more deeply are not shown */
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
    TP_SLICE_WAIT, /* a call that waits for the device */
    TP_SLICE_CLASS_COUNT
};

/* Groups of host slices. The viewer's data has the coverage of the groups in this order. */
enum tp_slice_group { TP_GROUP_CALLS, TP_GROUP_OPERATORS, TP_GROUP_FRAMES, TP_GROUP_COUNT };

/* Returns the group of a host slice: calls of the runtime, operators, or frames and ranges. */
enum tp_slice_group tp_group_of_slice(enum tp_slice_class class);

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
    uint64_t work_ns; /* for host lanes: time in the outermost operators and runtime calls, ns */
    bool has_steps, is_backward;
    /* number of the lane's groups that have coverage in the viewer's data: 0 if no slice of the lane is folded, 1 for a
     * device lane, TP_GROUP_COUNT for a host lane */
    uint32_t cover_count;
    struct tp_str title;
};

/* Rows of the close-up, from top to bottom. The last row of operators and of frames contains the inner ones. */
enum tp_close_row {
    TP_CLOSE_DEVICE,
    TP_CLOSE_CALLS,
    TP_CLOSE_OPERATORS,
    TP_CLOSE_INNER_OPERATORS,
    TP_CLOSE_FRAMES,
    TP_CLOSE_INNER_FRAMES,
    TP_CLOSE_ROWS
};

/* A box of the close-up: a slice, or several short slices of one class (is_many). Times count from the start of the
 * close-up, ns. */
struct tp_close_box {
    uint64_t start_ns, end_ns;
    enum tp_slice_class class;
    uint32_t name; /* name id of the first slice */
    bool is_many;
};

/* The part of a step in which the most work starts, for the drawing without scripts. */
struct tp_timeline_close {
    uint64_t start_ns, dur_ns; /* start_ns: time since the start of the timeline, ns; dur_ns is 0 without slices */
    uint32_t step;             /* index of the step; TP_NO_ID: a part of the whole recording */
    const struct tp_lane *device;
    struct {
        const struct tp_close_box *boxes;
        uint32_t count;
    } rows[TP_CLOSE_ROWS];
};

/* A device whose load the viewer's data contains. */
struct tp_timeline_gpu {
    int64_t id;
    struct tp_str title;    /* title of the device, such as "GPU 0" (tp_device_title) */
    bool has_sm_efficiency; /* true if the trace has the blocks per SM of at least one kernel */
    /* largest number of operations that are launched and not yet started, at the ends of the load's buckets; 0 if no
     * launch is known */
    uint32_t queue_depth;
};

struct tp_timeline {
    const struct tp_model *model;
    int64_t start_ns;        /* start of the timeline on the trace's clock, ns; other times are relative to start_ns */
    uint64_t drawn_range_ns; /* length of the drawing, ns: from start_ns to the end of the last operation */
    struct tp_lane *lanes;
    uint32_t lane_count, omitted_lane_count;
    uint32_t typical_step; /* the step of the options */
    struct tp_timeline_gpu *gpus;
    uint32_t gpu_count;
    struct tp_timeline_close close;
    uint64_t slice_count;              /* number of slices of all lanes in the trace */
    uint64_t shown_count;              /* number of slices in the viewer's data */
    uint64_t folded_count;             /* number of slices that are folded into coverage */
    uint64_t folded_below_ns;          /* host slices shorter than this many ns are folded; 0 folds no slice */
    bool rounds;                       /* true: times of slices are rounded down to 1 us, to keep the data small */
    uint64_t omitted_deep_slice_count; /* number of slices nested deeper than TP_TIMELINE_MAX_ROWS */
    uint64_t arguments_left_out;       /* number of slices and moments whose arguments did not fit into `data` */
    uint64_t omitted_moment_count;
    bool folds_devices;  /* true if short device slices are folded too */
    bool omits_shapes;   /* true if the shapes of operators did not fit into `data` */
    bool omits_launches; /* true if the launches of device slices did not fit into `data` */
    struct tp_str data;  /* gzip member for the viewer; empty if even the names of the lanes exceed the size limit */
};

/* A part of a band. */
struct tp_band_part {
    int64_t start_ns, end_ns; /* on the trace's clock */
    uint32_t color;           /* index in the viewer's colors of the band */
    struct tp_str text;       /* details for the reader */
};

/* A band above the lanes, such as the critical path. Parts are in order of time and disjoint. */
struct tp_band {
    const struct tp_band_part *parts;
    uint32_t count;
};

struct tp_timeline_options {
    size_t max_bytes; /* maximum size of `data` as base64 text in the page; 0: no data */
    /* index of the step that the page shows, which stands for the others; TP_NO_ID: no such step */
    uint32_t shown_step;
    struct tp_band band; /* the critical path; empty: no band */
    /* Returns the text to show for a name: shortened, without private parts, in memory that lives as long as the arena.
     * A NULL pointer shows all names unchanged. */
    struct tp_str (*show)(const void *context, struct tp_str name);
    /* Like `show`, for names of kernels. */
    struct tp_str (*show_kernel)(const void *context, struct tp_str name);
    /* Like `show`, for the full name of a slice whose shown name is shorter. */
    struct tp_str (*show_full)(const void *context, struct tp_str name);
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
