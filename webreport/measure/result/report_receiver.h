/* Who takes the results of a report, one after the other, while inputs are read: the harness calls it and knows no
 * output, the outputs fill it and know no input.
 *
 * Every function returns 0, or a negative tp_status with *err, which ends the report; functions that return nothing
 * keep a failure to themselves and tell it later. Results are borrowed for the call. One thread. */
#ifndef TP_WEBREPORT_MEASURE_RESULT_REPORT_RECEIVER_H
#define TP_WEBREPORT_MEASURE_RESULT_REPORT_RECEIVER_H

#include "webreport/measure/result/profile.h"
#include "writer/base/error.h"

struct tp_compare;
struct tp_distributed;
struct tp_history_run;

struct tp_report_receiver {
    /* First: profile_count is of all runs, inputs that will fail included; told_count of these say something of their
     * own (tp_profile.is_silent). */
    int (*open)(void *context, size_t profile_count, size_t told_count, struct tp_error *err);
    /* Stored runs in order, when there are any; before the first run. */
    int (*history)(void *context, const struct tp_history_run *runs, size_t count, struct tp_error *err);
    /* There will be a comparison; before the first run. */
    void (*reserve)(void *context);
    void (*begin_run)(void *context, struct tp_str name);
    /* The profile's model and views are ready, its advice and memory view may not be. */
    void (*start_profile)(void *context, const struct tp_profile *profile);
    /* A line about the profile for the terminal, in `arena`. */
    const char *(*line)(void *context, const struct tp_profile *profile, struct tp_arena *arena);
    int (*profile)(void *context, const struct tp_profile *profile, struct tp_error *err);
    /* An input that could not be used; of `named` the names alone are there. */
    int (*failed)(void *context, const struct tp_profile *named, const char *why, struct tp_error *err);
    void (*end_profiles)(void *context);
    /* The ranks of one span beside each other. */
    int (*distributed)(void *context, struct tp_str run, const struct tp_distributed *view, struct tp_error *err);
    int (*end_run)(void *context, struct tp_error *err);
    /* The comparison with the baseline; it lives until the report is committed. */
    int (*comparison)(void *context, const struct tp_compare *compare, struct tp_error *err);
    /* Last: everything went well. */
    int (*commit)(void *context, struct tp_error *err);
};

#endif
