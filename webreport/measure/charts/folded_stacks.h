/* Folded stacks: "outermost;..;innermost value" lines for flamegraph.pl and speedscope.
 *
 * The metrics of torch give the same bytes as its export_stacks: one line per event with a stack and at least one whole
 * microsecond, in order of start. Such a line lacks the event's own name and has "_" in place of blanks.
 *
 * The metrics of tracepress write one line per distinct stack, in order of first use; the line ends with the event's
 * name.
 *
 * Lines of samples begin with the thread, and a function is its name and file, as in the sample view. For a program
 * recorded from outside, lines begin with the process; functions and weights are those of the program view. */
#ifndef TP_WEBREPORT_MEASURE_CHARTS_FOLDED_STACKS_H
#define TP_WEBREPORT_MEASURE_CHARTS_FOLDED_STACKS_H

#include "webreport/measure/torch_tables/key_stacks.h"
#include "writer/base/buf.h"
#include "writer/base/error.h"
#include "writer/base/keys.h"

struct tp_folded_metric;

/* Returns the metric with this name; NULL: there is none.
 *
 * Metrics of torch: self_cpu_time_total, self_cuda_time_total, self_device_time_total, self_xpu_time_total and
 * self_privateuse1_time_total. Metrics of tracepress: cpu and device (microseconds), bytes (allocated bytes), calls,
 * samples (number of samples) and samples-cpu (microseconds that the samples represent). */
const struct tp_folded_metric *tp_folded_metric(const char *name);

/* Returns the name of the default metric: `usual`, or samples-cpu if the trace contains only samples. */
const char *tp_folded_default_metric(const struct tp_trace *trace, const char *usual);

/* Units of metrics; lines print TP_FOLDED_NS as whole microseconds. */
enum tp_folded_unit { TP_FOLDED_NS, TP_FOLDED_BYTES, TP_FOLDED_COUNT };
enum tp_folded_unit tp_folded_unit(const struct tp_folded_metric *metric);

/* Returns the title of a metric of tracepress; NULL for torch's. Static. */
const char *tp_folded_title(const struct tp_folded_metric *metric);

/* What the lines of a metric are made of. */
enum tp_folded_source {
    TP_FOLDED_CALL_STACKS,   /* calls of 1 us or more with a recorded stack */
    TP_FOLDED_DEVICE_STACKS, /* the same with 1 us of device work */
    TP_FOLDED_CALL_TIMES,    /* calls of 1 us or more */
    TP_FOLDED_LAUNCHES,      /* calls that launch 1 us of device work */
    TP_FOLDED_ALLOCATIONS,   /* recorded allocations of memory */
    TP_FOLDED_CALLS,
    TP_FOLDED_SAMPLES /* samples of running threads */
};
enum tp_folded_source tp_folded_source(const struct tp_folded_metric *metric);

struct tp_folded {
    const struct tp_folded_metric *metric;
    struct tp_torch torch;
    struct tp_key_stacks stacks; /* for torch's metrics */
    struct tp_keys paths;        /* for metrics of tracepress: (enclosing path, name) */
    struct tp_vec values;        /* int64_t by path: value of the innermost frame without its callees */
    struct tp_strings frames;    /* names of the frames of samples */
    uint32_t at;                 /* next index in torch's order, or next path */
};

/* Prepares the lines of a trace in `arena` (guard set by the caller). The trace must have been read with
 * keeps_frame_stacks and must outlive `folded`. metric: not NULL. */
void tp_folded_build(struct tp_folded *folded, const struct tp_trace *trace, const struct tp_folded_metric *metric,
                     enum tp_torch_rules rules, struct tp_arena *arena);

/* Returns the name of a path's innermost frame. path: index in folded->paths. Lives as long as the trace and the
 * arena. */
struct tp_str tp_folded_frame_name(const struct tp_folded *folded, uint32_t path);

/* Appends the next lines to `out`, the only place where it allocates. Returns false if there were no more lines. */
bool tp_folded_next_lines(struct tp_folded *folded, struct tp_buf *out);

/* Returns whether no more lines follow. Leaves `folded` unchanged. */
bool tp_folded_is_empty(struct tp_folded *folded);

/* Writes all lines to a file, which appears whole or not at all. Returns 0, TP_EIO or TP_ENOMEM. */
int tp_folded_write(struct tp_folded *folded, const char *path, struct tp_error *err);

#endif
