/* A profile: one analyzed trace with its names, the input of every output. Everything is borrowed: the caller owns it
 * for as long as the output uses it. */
#ifndef TP_WEBREPORT_MEASURE_RESULT_PROFILE_H
#define TP_WEBREPORT_MEASURE_RESULT_PROFILE_H

#include "webreport/measure/result/advice.h"
#include "webreport/measure/result/views.h"

struct tp_program_steps;

struct tp_profile {
    struct tp_str run, worker; /* worker: as in the file's name */
    struct tp_str beside;      /* the worker with more records of the same process (rundir.h); empty: no such worker */
    bool is_helper;            /* adds nothing to the numbers of the run (rundir.h) */
    /* has only memory and waits; another profile has the work of the process (TP_WORKER_INSIDE) */
    bool is_silent;
    bool is_program; /* the run's program recorded from outside; other traces show more of its processes */
    /* What the recording of the program from outside shows about the steps (program_steps.h); NULL: no such recording,
     * or it is about other steps. */
    const struct tp_program_steps *steps;
    int linked;           /* distance to the later profile at the other end of `steps`; 0: none */
    int64_t span;         /* TP_NULL_INT: none */
    struct tp_str file;   /* base name of the input */
    struct tp_str sha256; /* hexadecimal digits of the file's bytes; empty: unknown */
    const struct tp_trace *trace;
    const struct tp_order *order;
    const struct tp_model *model;
    const struct tp_views *views;
    const struct tp_advice *advice;
};

/* The members of a profile in the report's JSON, for a profile that was read; without its names. Needs an arena. */
extern const struct tp_fields tp_profile_fields;

#endif
