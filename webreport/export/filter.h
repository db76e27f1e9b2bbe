/* Which events of a trace are exported: by step, thread, time and category, as options say it. */
#ifndef TP_WEBREPORT_EXPORT_FILTER_H
#define TP_WEBREPORT_EXPORT_FILTER_H

#include "webreport/model/facts.h"

enum { TP_FILTER_LIST_MAX = 64 };

/* Everything is borrowed. A count of 0 and NULL mean: all. */
struct tp_filter_options {
    const char *steps; /* "3" or "3-5": numbers as in the steps' names, else places from 0 */
    const char *from,
        *until; /* since the first event: "1.5", "1.5ms", "20us", "3s", "7ns"; without unit milliseconds */
    const char *const *threads; /* number, or part of the name, of a thread or stream */
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

/* Reads the options. 0 or TP_EUSAGE with one line that says what is wrong. */
int tp_filter_parse(struct tp_filter *filter, const struct tp_filter_options *options, struct tp_error *err);

/* Whether it leaves something out. */
bool tp_filter_takes_part(const struct tp_filter *filter);

/* The earliest time of anything in the trace, ns: what --from and --until count from; 0 when there is none. */
int64_t tp_filter_first_ns(const struct tp_trace *trace);

/* A filter against one trace. */
struct tp_filter_trace {
    int64_t from_ns, until_ns; /* absolute: kept is what meets [from, until) */
    int64_t host_until_ns;     /* with steps: where they end on the host; until_ns is behind their device work */
    uint8_t *threads;          /* by thread: kept */
    const struct tp_filter *filter;
};

/* Prepares it in the model's arena (guard set by the caller). Of the model only the trace and the arena need be there
 * when the filter names no steps. first_ns: what times are relative to. 0; TP_ENOTFOUND: the trace has no such step. */
int tp_filter_apply(struct tp_filter_trace *out, const struct tp_filter *filter, const struct tp_model *model,
                    int64_t first_ns, struct tp_error *err);

/* Whether something of that time is kept. Moments have start = end. */
bool tp_filter_keeps_time(const struct tp_filter_trace *filter, int64_t start_ns, int64_t end_ns);
bool tp_filter_keeps_thread(const struct tp_filter *filter, const struct tp_thread *thread);
bool tp_filter_keeps_category(const struct tp_filter *filter, struct tp_str category);

#endif
