/* Receives the results of a report, one after the other, while inputs are read: the harness calls it and knows no
 * output; the outputs implement it and know no input.
 *
 *
 * Every function returns 0, or a negative tp_status with *err, which ends the report; functions that return nothing
 * keep a failure and report it later. Results are borrowed for the call. One thread. */
#ifndef TP_WEBREPORT_MEASURE_RESULT_REPORT_RECEIVER_H
#define TP_WEBREPORT_MEASURE_RESULT_REPORT_RECEIVER_H

#include "webreport/measure/result/profile.h"
#include "writer/base/error.h"

struct tp_compare;
struct tp_distributed;
struct tp_history_run;

struct tp_report_receiver {
    /* Called first. profile_count: profiles of all runs, including inputs that will fail; told_count: those with
     * results of their own (not tp_profile.is_silent). */
    int (*open)(void *context, size_t profile_count, size_t told_count, struct tp_error *err);
    /* Receives the stored runs in order, if there are any; called before the first run. */
    int (*history)(void *context, const struct tp_history_run *runs, size_t count, struct tp_error *err);
    /* Announces a comparison; called before the first run. */
    void (*reserve)(void *context);
    void (*begin_run)(void *context, struct tp_str name);
    /* Called when the profile's model and views are ready; its advice and memory view may be incomplete. */
    void (*start_profile)(void *context, const struct tp_profile *profile);
    /* Returns a line about the profile for the terminal, in `arena`. */
    const char *(*line)(void *context, const struct tp_profile *profile, struct tp_arena *arena);
    int (*profile)(void *context, const struct tp_profile *profile, struct tp_error *err);
    /* Reports an input that could not be used; only the names in `named` are set. */
    int (*failed)(void *context, const struct tp_profile *named, const char *why, struct tp_error *err);
    void (*end_profiles)(void *context);
    /* Receives the comparison of the ranks of one span. */
    int (*distributed)(void *context, struct tp_str run, const struct tp_distributed *view, struct tp_error *err);
    int (*end_run)(void *context, struct tp_error *err);
    /* Receives the comparison with the baseline, which lives until the report is committed. */
    int (*comparison)(void *context, const struct tp_compare *compare, struct tp_error *err);
    /* Called last, after success. */
    int (*commit)(void *context, struct tp_error *err);
};

#endif
