/* The timeline: every slice of the trace packed for the viewer in the page, and load curves for the drawing without
 * scripts.
 *
 * Lanes are threads (operators, annotations, runtime calls, frames nested by depth) and device streams. The viewer gets
 * one gzip member, described in templates/README.md. If it would exceed its budget, the shortest host slices are folded
 * into coverage (share of time per bucket), then the shortest device slices; the counts and the duration below which
 * slices are folded are kept here. */
#ifndef TP_WEBREPORT_MEASURE_CHARTS_TIMELINE_H
#define TP_WEBREPORT_MEASURE_CHARTS_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/model/facts.h"

enum {
    TP_TIMELINE_LOAD_BUCKETS = 512, /* buckets of the load curves in the drawing */
    /* limit for host lanes, and for device lanes; the lanes with most slices are kept */
    TP_TIMELINE_MAX_LANES = 64,
    TP_TIMELINE_MAX_ROWS = 64, /* limit of rows per lane; more deeply nested slices are not shown */
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
    uint32_t thread;                        /* index in trace->threads */
    const uint32_t *slices;                 /* events in order of start */
    const uint32_t *operations;             /* for a device: numbers of its slices in model->devices; NULL for the
                                             * host */
    uint32_t slice_count;                   /* slices of the lane in the trace */
    uint32_t shown_count;                   /* slices of the lane in the data */
    uint32_t row_count;                     /* depth of nesting + 1, at most TP_TIMELINE_MAX_ROWS */
    uint32_t moment_count;                  /* moments in the data */
    uint32_t rank;                          /* position among the shown lanes: host lanes by work, then devices */
    uint64_t work_ns;                       /* host lanes: time of the outermost operators and runtime calls, ns */
    bool has_steps, is_backward, has_cover; /* has_cover: some slices of the lane are folded */
    struct tp_str title;
    uint8_t *load; /* host lanes: share of each load bucket with work, 0 to 255 */
};

/* A part of the main lane for the drawing: an annotation directly below the step. */
struct tp_timeline_phase {
    struct tp_str name;
    uint64_t start_ns, dur_ns; /* start_ns: from the start of the timeline */
    enum tp_slice_class class;
};

/* Device load per bucket, 0 to 255. */
struct tp_timeline_gpu {
    int64_t id;
    struct tp_str title; /* "GPU 0" (tp_device_title) */
    bool has_sm;         /* at least one kernel has its blocks per SM recorded */
    uint8_t *busy, *sm;
};

struct tp_timeline {
    const struct tp_model *model;
    int64_t start_ns;  /* start of the timeline in the trace, ns; all other times are relative to start_ns */
    uint64_t range_ns; /* length of the drawing, up to the end of the last operation */
    struct tp_lane *lanes;
    uint32_t lane_count, lanes_left_out;
    struct tp_timeline_gpu *gpus;
    uint32_t gpu_count;
    struct tp_timeline_phase *phases; /* in order of start */
    uint32_t phase_count;
    uint64_t slice_count;        /* slices of all lanes in the trace */
    uint64_t shown_count;        /* slices in the data */
    uint64_t folded_count;       /* slices folded into coverage */
    uint64_t folded_below_ns;    /* host slices shorter than this are folded */
    uint64_t too_deep_count;     /* slices nested deeper than TP_TIMELINE_MAX_ROWS */
    uint64_t arguments_left_out; /* slices and moments whose arguments are left out */
    uint64_t moments_left_out;
    bool folds_devices;   /* device slices are folded as well */
    bool shapes_left_out; /* the data has no shapes of operators */
    struct tp_str data;   /* gzip member for the viewer; empty if even the names of the lanes do not fit */
};

struct tp_timeline_options {
    size_t max_bytes; /* most bytes of `data` as base64 text in the page; 0: the timeline gets no data */
    /* Returns the text to show for a name (shortened, without private parts). NULL: names are shown unchanged. The
     * result lives as long as the arena. */
    struct tp_str (*show)(const void *context, struct tp_str name);
    /* as `show`, for names of kernels */
    struct tp_str (*show_kernel)(const void *context, struct tp_str name);
    /* as `show`, for arguments that a program added to a slice */
    struct tp_str (*show_argument)(const void *context, struct tp_str lines);
    /* as `show`, for shapes in the form of "Input Dims" */
    struct tp_str (*show_shapes)(const void *context, struct tp_str dims);
    const void *context;
};

/* Builds the timeline in `arena` (guard set by the caller). model must outlive it. */
void tp_timeline_build(struct tp_timeline *timeline, const struct tp_model *model,
                       const struct tp_timeline_options *options, struct tp_arena *arena);

#endif
