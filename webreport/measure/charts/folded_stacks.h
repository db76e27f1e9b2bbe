/* Folded stacks: "outermost;..;innermost value" lines for flamegraph.pl and speedscope.
 *
 * torch's metrics give what its export_stacks writes, byte for byte: one line per event with a stack and at least
 * one whole microsecond, in order of start, the event's own name left out, blanks as "_". Ours end in the event's
 * name and are merged: one line per distinct stack, in order of first use. Those of samples begin with the thread, and
 * a function is its name and file, as in the sample view; of a program recorded from outside with the process, and
 * functions and weights are those of its view. */
#ifndef TP_WEBREPORT_MEASURE_CHARTS_FOLDED_STACKS_H
#define TP_WEBREPORT_MEASURE_CHARTS_FOLDED_STACKS_H

#include "webreport/measure/torch_tables/key_stacks.h"
#include "writer/base/buf.h"
#include "writer/base/error.h"
#include "writer/base/keys.h"

struct tp_folded_metric;

/* The metric of that name, NULL when there is none. self_cpu_time_total, self_cuda_time_total (also self_device_,
 * self_xpu_, self_privateuse1_time_total): torch's. Ours: cpu and device: microseconds, bytes: allocated, calls;
 * samples: their number, samples-cpu: microseconds that they stand for. */
const struct tp_folded_metric *tp_folded_metric(const char *name);

/* The metric where none is named: `usual`, or, of a trace that holds nothing but samples, the processor time that they
 * stand for. */
const char *tp_folded_choice(const struct tp_trace *trace, const char *usual);

/* What the numbers of a metric count; lines print TP_FOLDED_NS as whole microseconds. */
enum tp_folded_unit { TP_FOLDED_NS, TP_FOLDED_BYTES, TP_FOLDED_COUNT };
enum tp_folded_unit tp_folded_unit(const struct tp_folded_metric *metric);

/* What a metric of ours shows, in words; NULL for torch's. Static. */
const char *tp_folded_title(const struct tp_folded_metric *metric);

/* What a trace lacks that has no line of the metric, and how it is recorded: a sentence. Static. */
const char *tp_folded_missing(const struct tp_folded_metric *metric);

struct tp_folded {
    const struct tp_folded_metric *metric;
    struct tp_torch torch;
    struct tp_key_stacks stacks; /* of torch's metrics */
    struct tp_keys paths;        /* of ours: (path around it, name) .. */
    struct tp_vec values;        /* .. and its int64_t value: of the innermost frame alone */
    struct tp_strings frames;    /* names of samples' frames */
    uint32_t at;                 /* place in torch's order, or path, that comes next */
};

/* Prepares the lines of a trace, which was read with keeps_frame_stacks and must outlive them, in `arena` (guard set by
 * the caller). metric: not NULL. */
void tp_folded_build(struct tp_folded *folded, const struct tp_trace *trace, const struct tp_folded_metric *metric,
                     enum tp_torch_rules rules, struct tp_arena *arena);

/* Name of a path's innermost frame. path: index in folded->paths. Lives as long as the trace and the arena. */
struct tp_str tp_folded_text(const struct tp_folded *folded, uint32_t path);

/* Appends some more lines; false when there were no more. Allocates nothing but in `out`. */
bool tp_folded_more(struct tp_folded *folded, struct tp_buf *out);

/* Is there no line that is still to come? Allocates nothing that stays. */
bool tp_folded_is_empty(struct tp_folded *folded);

/* All lines to a file, which appears whole or not at all. 0, TP_EIO, TP_ENOMEM. */
int tp_folded_write(struct tp_folded *folded, const char *path, struct tp_error *err);

#endif
