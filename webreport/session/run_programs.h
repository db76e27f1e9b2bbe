/* Reads the programs of a run that were recorded from outside, for the steps of the other traces of its processes
 * (rundir.h). They are read before the first profile, and again as profiles of their own: except for them, one trace is
 * in memory at a time. One thread. */
#ifndef TP_WEBREPORT_SESSION_RUN_PROGRAMS_H
#define TP_WEBREPORT_SESSION_RUN_PROGRAMS_H

#include "webreport/measure/program/program_steps.h"
#include "webreport/trace/rundir.h"

struct tp_run_program {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_program_view view;
    size_t file;  /* its index in the run */
    size_t asker; /* index of the first file whose steps it knows; its own index: no file */
};

struct tp_run_programs {
    struct tp_run_program *items; /* in the arena of the caller */
    size_t count;
};

/* Reads the programs of a run, TP_MAX_RUN_PROGRAMS at most. A program that cannot be read is left out: the walk prints
 * why. read: how traces are read. The caller closes it before the next run. */
void tp_run_programs_open(struct tp_run_programs *programs, const struct tp_run *run,
                          const struct tp_trace_options *read, struct tp_arena *arena);
void tp_run_programs_close(struct tp_run_programs *programs);

/* Finds the program that the model's process belongs to and returns its data for the model's steps; NULL: none. file:
 * index of the model's trace in its run; *at: index of the program's trace. In `arena` (guard set by the caller). */
const struct tp_program_steps *tp_run_programs_steps(struct tp_run_programs *programs, size_t file,
                                                     const struct tp_model *model, size_t *at, struct tp_arena *arena);

/* Returns the index of the first file that got steps from the program at index `file`; `file` itself: none. */
size_t tp_run_programs_asker(const struct tp_run_programs *programs, size_t file);

#endif
