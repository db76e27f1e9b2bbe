/* Collects the traces of the ranks of a job during a walk, and answers changes for the joined ranks. */
#ifndef TP_WEBREPORT_SESSION_JOINED_SESSION_H
#define TP_WEBREPORT_SESSION_JOINED_SESSION_H

#include "webreport/measure/result/priced_changes.h"
#include "webreport/session/trace_walk.h"

/* Receives one profile, or joined ranks, which are released after this call. Returns 0, or a negative tp_status with
 * *err. */
typedef int tp_what_if_receiver(void *context, const struct tp_what_if_profile *profile, struct tp_arena *arena,
                                struct tp_error *err);

/* State of collecting the ranks of one run. The caller sets the members up to `context`. */
struct tp_joined_session {
    struct tp_trace_walk *walk;
    const struct tp_asked_changes *asked;
    tp_what_if_receiver *receiver;
    void *context;                       /* first argument of the receiver */
    size_t joined_count, withheld_count; /* number of joined answers, and of those that are withheld */
    struct tp_vec found;                 /* kept traces of the run; elements: struct tp_joined_input */
    size_t used_bytes;                   /* memory of the kept traces */
    bool has_too_many;                   /* true if a limit was reached, so that the run is not joined */
};

/* Returns whether the file shows only a part of the work of a process that another file of the run shows. */
static inline bool tp_is_accompanying_file(const struct tp_run_file *file)
{
    return file->is_helper || file->is_silent || file->is_program;
}

/* Returns whether a change is that of a rank, "rank:N". */
bool tp_is_rank_change(struct tp_str text);

/* Begins a run. The walk may then keep traces, if at least two files of the run are ranks. */
void tp_joined_session_begin(struct tp_joined_session *ranks, const struct tp_run *run);

/* Returns an error with *err if a change "rank:N" was asked for and no run had several ranks: TP_EUSAGE, or
 * TP_ENOTFOUND or TP_ELIMIT if inputs could not be used. Otherwise returns 0. Called after the last run. */
int tp_joined_session_finish(const struct tp_joined_session *ranks, struct tp_error *err);

/* Keeps a trace whose model is built, if it may be a rank of a job. Without a change "rank:N", this is a trace that
 * names its rank and has collectives on a device; otherwise it is each trace. */
void tp_joined_session_add(struct tp_joined_session *ranks, const struct tp_walked *walked);

/* Joins the kept traces of a run, and passes the answers to the receiver: one answer for each recording, if the ranks
 * were recorded several times. Passes nothing if the traces are not ranks of one job. Returns 0, or a negative
 * tp_status with *err: TP_ELIMIT for a change "rank:N" of a job that is too large. */
int tp_joined_session_end(struct tp_joined_session *ranks, struct tp_error *err);

#endif
