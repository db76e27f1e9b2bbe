/* Receives the results of a report one after the other, while the inputs are read. The code that reads inputs calls
 * these functions and does not depend on any output. Each output implements the functions and does not depend on any
 * input.
 *
 * Functions that return int return 0, or a negative tp_status with *err, which stops the report. Other functions
 * remember a failure and report it later. The caller owns the results; they are valid only during the call. All calls
 * come from one thread. */
#ifndef TP_WEBREPORT_MEASURE_RESULT_REPORT_RECEIVER_H
#define TP_WEBREPORT_MEASURE_RESULT_REPORT_RECEIVER_H

#include "webreport/measure/result/profile.h"
#include "writer/base/error.h"

struct tp_compare;
struct tp_distributed;
struct tp_history_run;
struct tp_joined_snapshot;

struct tp_report_receiver {
    /* Called first. profile_count: number of profiles of all runs, including inputs that will fail; reported_count:
     * number of profiles with own results (not tp_profile.is_silent). */
    int (*open)(void *context, size_t profile_count, size_t reported_count, struct tp_error *err);
    /* Receives the stored runs in order. Called before the first run, and only if there are stored runs. */
    int (*history)(void *context, const struct tp_history_run *runs, size_t count, struct tp_error *err);
    /* Announces that a comparison or a snapshot will follow. Called before the first run. */
    void (*reserve)(void *context);
    void (*begin_run)(void *context, struct tp_str name);
    /* Called when the model and the views of the profile are complete. The advice and the memory view can still be
     * incomplete. */
    void (*start_profile)(void *context, const struct tp_profile *profile);
    /* Returns a line about the profile for the terminal. The text is in `arena`. */
    const char *(*line)(void *context, const struct tp_profile *profile, struct tp_arena *arena);
    int (*profile)(void *context, const struct tp_profile *profile, struct tp_error *err);
    /* Reports an input that could not be used. In `named`, only the names of the profile are set. */
    int (*failed)(void *context, const struct tp_profile *named, const char *why, struct tp_error *err);
    void (*end_profiles)(void *context);
    /* Receives the comparison of the ranks of one span (one recording on all ranks). */
    int (*distributed)(void *context, struct tp_str run, const struct tp_distributed *view, struct tp_error *err);
    int (*end_run)(void *context, struct tp_error *err);
    /* Receives the comparison with the baseline. `compare` lives until `commit`. */
    int (*comparison)(void *context, const struct tp_compare *compare, struct tp_error *err);
    /* Receives the memory snapshot that was named together with the traces. `snapshot` lives until `commit`. */
    int (*snapshot)(void *context, const struct tp_joined_snapshot *snapshot, struct tp_error *err);
    /* Called last, if no call failed. */
    int (*commit)(void *context, struct tp_error *err);
};

#endif
