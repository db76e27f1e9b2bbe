/* Writes folded stacks: "outermost;..;innermost value" lines for flamegraph.pl and speedscope.
 *
 * A metric of torch gives the same bytes as torch's export_stacks. Each event with a stack and at least 1 us gets one
 * line, in order of start. The line lacks the event's own name and has "_" in place of blanks.
 *
 * A metric of tracepress gives one line per distinct stack, in order of first use. The line ends with the event's name.
 * For the metric device, the stack of a graph kernel with a known captured call is the stack of the graph launch, then
 * a frame that marks captured data, then the stack of the captured call (folded_captured.c).
 *
 * Lines of samples begin with the thread; functions are shown with their file, as in the sample view. Lines of a trace
 * of `record --outside` begin with the process; functions and weights are the same as in the program view. */
#ifndef TP_WEBREPORT_MEASURE_CHARTS_FOLDED_STACKS_H
#define TP_WEBREPORT_MEASURE_CHARTS_FOLDED_STACKS_H

#include "webreport/measure/torch_tables/key_stacks.h"
#include "webreport/model/facts.h"
#include "writer/base/buf.h"
#include "writer/base/error.h"
#include "writer/base/keys.h"

struct tp_folded_metric;

/* Returns the metric with this name, or NULL if none exists.
 *
 * Metrics of torch: self_cpu_time_total, self_cuda_time_total, self_device_time_total, self_xpu_time_total and
 * self_privateuse1_time_total. Metrics of tracepress: cpu and device (microseconds), bytes (allocated bytes), calls,
 * samples (number of samples) and samples-cpu (microseconds that the samples represent). */
const struct tp_folded_metric *tp_folded_metric(const char *name);

/* Returns the name of the default metric: samples if the trace has samples without times, samples-cpu if it contains
 * only samples, otherwise `usual`. */
const char *tp_folded_default_metric(const struct tp_trace *trace, const char *usual);

/* Unit of a metric's values. Lines print TP_FOLDED_NS values as whole microseconds. */
enum tp_folded_unit { TP_FOLDED_NS, TP_FOLDED_BYTES, TP_FOLDED_COUNT };
enum tp_folded_unit tp_folded_unit(const struct tp_folded_metric *metric);

/* Returns the title of a metric of tracepress; NULL for a metric of torch. Static. */
const char *tp_folded_metric_title(const struct tp_folded_metric *metric);

/* kind of data from which the lines of a metric are made */
enum tp_folded_source {
    TP_FOLDED_CALL_STACKS,   /* calls of 1 us or more with a recorded stack */
    TP_FOLDED_DEVICE_STACKS, /* calls with a recorded stack and 1 us or more of device work */
    TP_FOLDED_CALL_TIMES,    /* calls of 1 us or more */
    TP_FOLDED_LAUNCHES,      /* calls that launch 1 us or more of device work */
    TP_FOLDED_ALLOCATIONS,   /* recorded allocations of memory */
    TP_FOLDED_CALLS,
    TP_FOLDED_SAMPLES,    /* samples of running threads */
    TP_FOLDED_LIVE_MEMORY /* live blocks of a memory snapshot */
};
enum tp_folded_source tp_folded_source(const struct tp_folded_metric *metric);

/* Bytes of live blocks, a metric of memory snapshots only. The caller adds their stacks. */
extern const struct tp_folded_metric tp_folded_live_memory;

struct tp_folded {
    const struct tp_folded_metric *metric;
    struct tp_torch torch;
    struct tp_key_stacks stacks; /* used only for metrics of torch */
    struct tp_keys paths;        /* pairs (enclosing path, name), used only for metrics of tracepress */
    struct tp_vec values;        /* for each path: value of its innermost frame, without callees; elements: int64_t */
    struct tp_strings frames;    /* names of the frames in stacks that are no calls of a trace */
    /* for each item of torch's list: its path, and the number of frames in this path; used only for metrics of
     * tracepress. Items without a path have TP_NO_ID */
    uint32_t *path_of;
    uint16_t *depth_of;
    uint32_t at; /* next line to write: index of an item in torch's order, or index of a path */
};

/* Makes stacks without paths in `arena`, whose guard the caller has set, for stacks that the caller adds frame by frame
 * instead of reading them from a trace. */
void tp_folded_init(struct tp_folded *folded, const struct tp_folded_metric *metric, struct tp_arena *arena);
/* Returns the path in which a frame was called by the path `caller` (TP_NO_ID: the frame has no caller). */
uint32_t tp_folded_add_frame(struct tp_folded *folded, uint32_t caller, struct tp_str name);
/* Adds to the value of a path. */
void tp_folded_add_value(struct tp_folded *folded, uint32_t path, int64_t self);

/* Prepares the lines of a trace in `arena`, whose guard the caller has set. The trace must outlive `folded` and must
 * have been read with the option keeps_frame_stacks. `metric` must not be NULL. */
void tp_folded_build(struct tp_folded *folded, const struct tp_trace *trace, const struct tp_folded_metric *metric,
                     enum tp_torch_rules rules, struct tp_arena *arena);

/* Finds the path of every item of folded->torch, and its value. An item deeper than the limit gets the path of its
 * deepest ancestor within the limit. */
void tp_folded_find_paths(struct tp_folded *folded, struct tp_arena *arena);

/* Like tp_folded_build, for the trace of `model`. If the metric is device time, graph kernels have the stacks of their
 * captured calls (folded_captured.c). */
void tp_folded_build_captured(struct tp_folded *folded, const struct tp_model *model,
                              const struct tp_folded_metric *metric, enum tp_torch_rules rules, struct tp_arena *arena);

/* Returns the name of the innermost frame of a path. path: index in folded->paths. The text lives as long as the trace
 * and the arena. */
struct tp_str tp_folded_frame_name(const struct tp_folded *folded, uint32_t path);

/* Appends the next lines to `out`; allocates memory only there. Returns false after the last line. */
bool tp_folded_next_lines(struct tp_folded *folded, struct tp_buf *out);

/* Returns true if no line remains for tp_folded_next_lines. Does not change `folded`. */
bool tp_folded_is_at_end(struct tp_folded *folded);

/* Writes all lines to a file; creates no file if an error occurs. Returns 0, TP_EIO or TP_ENOMEM. */
int tp_folded_write(struct tp_folded *folded, const char *path, struct tp_error *err);

#endif
