/* Folded stacks: "outermost;..;innermost value" lines for flamegraph.pl and speedscope.
 *
 * torch's metrics give what its export_stacks writes, byte for byte: one line per function with a stack and at least
 * one whole microsecond, in order of start, the function's own name left out, blanks as "_". Ours end in the function's
 * name and are merged: one line per distinct stack, in order of first use. */
#ifndef TP_WEBREPORT_QUERY_FOLDED_H
#define TP_WEBREPORT_QUERY_FOLDED_H

#include "webreport/model/tuples.h"
#include "webreport/query/functions_stacks.h"
#include "writer/base/buf.h"
#include "writer/base/error.h"

struct tp_folded_metric;

/* The metric of that name, NULL when there is none. self_cpu_time_total, self_cuda_time_total (also self_device_,
 * self_xpu_, self_privateuse1_time_total): torch's. Ours: cpu and device: microseconds, bytes: allocated, calls. */
const struct tp_folded_metric *tp_folded_metric(const char *name);

struct tp_folded {
    const struct tp_folded_metric *metric;
    struct tp_functions functions;
    struct tp_function_stacks stacks; /* of torch's metrics */
    struct tp_tuples paths;           /* of ours: (path around it, name) .. */
    struct tp_vec values;             /* .. and its int64_t value */
    uint32_t at;                      /* function or path that comes next */
};

/* Prepares the lines of a trace, which was read with keeps_frame_stacks and must outlive them, in `arena` (guard set by
 * the caller). metric: not NULL. */
void tp_folded_build(struct tp_folded *folded, const struct tp_trace *trace, const struct tp_folded_metric *metric,
                     enum tp_torch_rules rules, struct tp_arena *arena);

/* Appends some more lines; false when there were no more. Allocates nothing but in `out`. */
bool tp_folded_more(struct tp_folded *folded, struct tp_buf *out);

/* All lines to a file, which appears whole or not at all. 0, TP_EIO, TP_ENOMEM. */
int tp_folded_write(struct tp_folded *folded, const char *path, struct tp_error *err);

#endif
