/* Selects the events of a trace to export, by the options for step, thread, time and category. */
#ifndef TP_WEBREPORT_EXPORT_FILTER_H
#define TP_WEBREPORT_EXPORT_FILTER_H

#include "webreport/model/facts.h"

enum { TP_FILTER_LIST_MAX = 64 };

/* Values of the options; all pointers are borrowed. An option that is NULL or has a count of 0 selects everything. */
struct tp_filter_options {
    const char *steps; /* "3" or "3-5": numbers in the names of steps, or indexes from 0 if names have no numbers */
    /* from, until: times since the first event, such as "1.5ms", "20us", "3s" or "7ns"; ms if there is no unit */
    const char *from, *until;
    const char *const *threads; /* each entry is the number of a thread or stream, or a part of its name */
    size_t thread_count;
    const char *const *categories; /* each entry is a list of categories, such as "kernel,cpu_op" */
    size_t category_count;
};

struct tp_filter {
    struct tp_filter_options options;
    bool has_steps;
    int64_t first_step, last_step;
    /* time range of the exported events, ns since the first event; INT64_MIN and INT64_MAX: no limit */
    int64_t from_ns, until_ns;
};

/* Parses the options. Returns 0, or TP_EUSAGE with a message that names the mistake. */
int tp_filter_parse(struct tp_filter *filter, const struct tp_filter_options *options, struct tp_error *err);

/* Returns whether the filter can exclude events, because at least one option is set. */
bool tp_filter_selects_part(const struct tp_filter *filter);

/* Returns the time in the trace that --from and --until are relative to, ns: the earliest event or record; 0 for an
 * empty trace. */
int64_t tp_filter_first_ns(const struct tp_trace *trace);

/* A filter whose limits were converted for one trace. */
struct tp_filter_trace {
    /* times in the trace, ns; the filter keeps events that overlap the range from from_ns (included) to until_ns
     * (excluded) */
    int64_t from_ns, until_ns;
    /* with a filter of steps: end of the steps on the host, ns; until_ns is the end of their device work if this end is
     * later */
    int64_t host_until_ns;
    uint8_t *threads; /* for each thread: 1 if the filter keeps the thread */
    const struct tp_filter *filter;
};

/* Applies a filter to the trace of a model. Memory comes from the model's arena, whose guard the caller sets. Without a
 * filter of steps, only the model's trace and arena are needed. first_ns: time in the trace that --from and --until are
 * relative to, ns. Returns 0, or TP_ENOTFOUND if the trace lacks the requested steps. */
int tp_filter_apply(struct tp_filter_trace *out, const struct tp_filter *filter, const struct tp_model *model,
                    int64_t first_ns, struct tp_error *err);

/* Returns whether the filter keeps an event from start_ns to end_ns, which are equal for an event without duration. */
bool tp_filter_keeps_time(const struct tp_filter_trace *filter, int64_t start_ns, int64_t end_ns);
bool tp_filter_keeps_thread(const struct tp_filter *filter, const struct tp_thread *thread);
bool tp_filter_keeps_category(const struct tp_filter *filter, struct tp_str category);

#endif
