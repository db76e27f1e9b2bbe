/* The programs of a run that were recorded from outside, beside traces that tell of its processes (rundir.h): what each
 * of those traces asks them for its steps. They are read before the first profile, and once more when their turn comes,
 * so that traces stay one at a time but for them. One thread. */
#ifndef TP_WEBREPORT_SESSION_RUN_PROGRAMS_H
#define TP_WEBREPORT_SESSION_RUN_PROGRAMS_H

#include "webreport/measure/program/program_steps.h"
#include "webreport/trace/rundir.h"

struct tp_run_program {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_program_view view;
    size_t file;  /* its place in the run */
    size_t asker; /* place of the first file whose steps it knows; its own: nobody's */
};

struct tp_run_programs {
    struct tp_run_program *items; /* in the arena given */
    size_t count;
};

/* Reads those of a run, TP_MAX_RUN_PROGRAMS at most; one that cannot be read is left out: the walk will say why. read:
 * how traces are read. Close it before the next run. */
void tp_run_programs_open(struct tp_run_programs *programs, const struct tp_run *run,
                          const struct tp_trace_options *read, struct tp_arena *arena);
void tp_run_programs_close(struct tp_run_programs *programs);

/* Looks which program the model's process is in; NULL: none. file: place of the model's trace in its run; *at: place of
 * the program's. In `arena` (guard set by the caller). */
const struct tp_program_steps *tp_run_programs_steps(struct tp_run_programs *programs, size_t file,
                                                     const struct tp_model *model, size_t *at, struct tp_arena *arena);

/* Place of the first file that asked the program at place `file`; `file` itself: none. */
size_t tp_run_programs_asker(const struct tp_run_programs *programs, size_t file);

#endif
