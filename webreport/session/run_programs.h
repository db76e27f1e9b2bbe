/* Reads the programs of a run that were recorded from outside, because the steps of other traces need their data
 * (rundir.h). All programs of a run are read before its first profile, and each is read again to become a profile. So
 * memory contains all programs of the run and one other trace at a time. Single-threaded. */
#ifndef TP_WEBREPORT_SESSION_RUN_PROGRAMS_H
#define TP_WEBREPORT_SESSION_RUN_PROGRAMS_H

#include "webreport/measure/program/program_steps.h"
#include "webreport/trace/rundir.h"

struct tp_run_program {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_program_view view;
    size_t file; /* index of the program's trace among the files of the run */
    /* index of the first file whose steps got data of this program; `file` if no steps got any */
    size_t first_accompanied_file;
};

struct tp_run_programs {
    struct tp_run_program *items; /* the programs, in the arena of the caller */
    size_t count;
};

/* Reads the programs of a run, at most TP_MAX_RUN_PROGRAMS. Skips a program that cannot be read; tp_trace_walk prints
 * the reason later. read: options for reading traces. The caller closes `programs` before the next run. */
void tp_run_programs_open(struct tp_run_programs *programs, const struct tp_run *run,
                          const struct tp_trace_options *read, struct tp_arena *arena);
void tp_run_programs_close(struct tp_run_programs *programs);

/* Finds the program that started the process of a model. Returns the program's data for the steps of the model; NULL if
 * there is no such program. file: index of the model's trace in its run. *at: set to the index of the program's trace.
 * Allocates from `arena`, whose guard the caller sets. */
const struct tp_program_steps *tp_run_programs_find_steps(struct tp_run_programs *programs, size_t file,
                                                          const struct tp_model *model, size_t *at,
                                                          struct tp_arena *arena);

/* Returns the index of the first file whose steps got data of the program at index `file`; `file` if no steps got
 * any. */
size_t tp_run_programs_find_first_file(const struct tp_run_programs *programs, size_t file);

#endif
