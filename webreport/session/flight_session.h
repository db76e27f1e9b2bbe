/* Finds and reads dumps of the Flight Recorder, and decides who holds up the job. */
#ifndef TP_WEBREPORT_SESSION_FLIGHT_SESSION_H
#define TP_WEBREPORT_SESSION_FLIGHT_SESSION_H

#include "webreport/measure/flight/flight_result.h"
#include "webreport/session/console.h"
#include "webreport/trace/rundir.h"

struct tp_flight_session {
    const char *const *inputs; /* dumps and folders of dumps */
    size_t input_count;
    bool is_strict; /* option --strict: a file that cannot be read is an error */
    struct tp_console *console;
};

/* Returns 1 if the inputs are dumps of the Flight Recorder: every input is one, or a folder with dumps and without
 * traces. Returns 0 if no input is a dump, and TP_EUSAGE if only some are. Can also return TP_ENOMEM. */
int tp_flight_detect_inputs(const struct tp_run_search *search);

/* Reads the dumps and analyses them. Prints unusable files. Allocates from `arena`, whose guard the caller sets.
 * Returns 0, also if no dump could be read (result->verdict); TP_ENOTFOUND if an input does not exist or has no file
 * with the name of a dump, or with is_strict if a file cannot be read; TP_ELIMIT; or TP_ENOMEM. */
int tp_flight_session_run(struct tp_flight_result *result, const struct tp_flight_session *session,
                          struct tp_arena *arena, struct tp_error *err);

#endif
