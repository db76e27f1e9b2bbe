/* Selects the events of a trace to export, by the options for step, thread, time and category. */
#ifndef TP_WEBREPORT_EXPORT_FILTER_H
#define TP_WEBREPORT_EXPORT_FILTER_H

#include "webreport/model/facts.h"

enum { TP_FILTER_LIST_MAX = 64 };

/* The options as given, all borrowed. A count of 0 and NULL mean: all. */
struct tp_filter_options {
    const char *steps; /* "3" or "3-5": numbers in the names of steps, else indices from 0 */
    const char *from,
        *until; /* since the first event: "1.5ms", "20us", "3s", "7ns"; without a unit milliseconds */
    const char *const *threads; /* number of a thread or stream, or part of its name */
    size_t thread_count;
    const char *const *categories; /* "kernel,cpu_op" */
    size_t category_count;
};

struct tp_filter {
    struct tp_filter_options options;
    bool has_steps;
    int64_t first_step, last_step;
    int64_t from_ns, until_ns; /* relative; INT64_MIN, INT64_MAX: open */
};

/* Reads the options. Returns 0, or TP_EUSAGE with one line that names the mistake. */
int tp_filter_parse(struct tp_filter *filter, const struct tp_filter_options *options, struct tp_error *err);

/* Returns whether the filter omits anything. */
bool tp_filter_takes_part(const struct tp_filter *filter);

/* Returns the earliest time in the trace, ns: --from and --until count from it; 0 for an empty trace. */
int64_t tp_filter_first_ns(const struct tp_trace *trace);

/* A filter applied to one trace. */
struct tp_filter_trace {
    int64_t from_ns, until_ns; /* absolute: keeps what overlaps [from, until) */
    int64_t host_until_ns;     /* with steps: their end on the host; until_ns includes their device work */
    uint8_t *threads;          /* by thread: whether it is kept */
    const struct tp_filter *filter;
};

/* Prepares the filter in the model's arena (guard set by the caller). A filter without steps needs only the trace and
 * the arena of the model. first_ns: the origin of relative times. Returns 0, or TP_ENOTFOUND: the trace has no such
 * step. */
int tp_filter_apply(struct tp_filter_trace *out, const struct tp_filter *filter, const struct tp_model *model,
                    int64_t first_ns, struct tp_error *err);

/* Returns whether an event at that time is kept. A moment has start = end. */
bool tp_filter_keeps_time(const struct tp_filter_trace *filter, int64_t start_ns, int64_t end_ns);
bool tp_filter_keeps_thread(const struct tp_filter *filter, const struct tp_thread *thread);
bool tp_filter_keeps_category(const struct tp_filter *filter, struct tp_str category);

#endif
