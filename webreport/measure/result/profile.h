/* A profile: one analysed trace with its names, as every output takes it. Everything is borrowed: the caller owns it
 * for as long as the output looks at it. */
#ifndef TP_WEBREPORT_MEASURE_RESULT_PROFILE_H
#define TP_WEBREPORT_MEASURE_RESULT_PROFILE_H

#include "webreport/measure/result/advice.h"
#include "webreport/measure/result/views.h"

struct tp_program_steps;

struct tp_profile {
    struct tp_str run, worker; /* worker: as in the file's name */
    struct tp_str beside;      /* the worker whose process this trace has more records of (rundir.h); empty: none */
    bool is_helper;            /* it speaks for no number of the run (rundir.h) */
    bool is_silent;            /* memory and waits of a process whose doings another profile has (TP_WORKER_INSIDE) */
    bool is_program;           /* the program of the run from outside, beside traces that tell more of its processes */
    /* What the program from outside says of the steps (program_steps.h); NULL: there is none, or it is not of them. */
    const struct tp_program_steps *steps;
    int linked;   /* how many profiles behind this one the other side of `steps` is; 0: none */
    int64_t span; /* TP_NULL_INT: none */
    struct tp_str file;        /* base name of the input */
    struct tp_str sha256;      /* hexadecimal digits of the file's bytes; empty: unknown */
    const struct tp_trace *trace;
    const struct tp_order *order;
    const struct tp_model *model;
    const struct tp_views *views;
    const struct tp_advice *advice;
};

/* What the report's JSON has of a profile that was read, without its names. Needs an arena. */
extern const struct tp_fields tp_profile_fields;

#endif
