/* A profile: one analyzed trace with its names. Every output receives profiles. The caller owns all members and keeps
 * them while the output uses the profile. */
#ifndef TP_WEBREPORT_MEASURE_RESULT_PROFILE_H
#define TP_WEBREPORT_MEASURE_RESULT_PROFILE_H

#include "webreport/measure/result/advice.h"
#include "webreport/measure/result/views.h"

struct tp_program_steps;

struct tp_profile {
    struct tp_str run, worker; /* worker: name of the worker in the file's name */
    struct tp_str main_worker; /* worker of the same process that has more records (rundir.h); empty if none exists */
    bool is_helper;            /* true: the totals of the run do not include this profile (rundir.h) */
    /* the trace has only memory and waits; another profile shows the work of the process (TP_WORKER_INSIDE) */
    bool is_silent;
    /* true: the profile is the recording of the run's program from outside; other traces show its processes in more
     * detail */
    bool is_program;
    /* facts about the steps from the recording of the program from outside (program_steps.h); NULL without such a
     * recording, or if the recording does not cover these steps */
    const struct tp_program_steps *steps;
    /* distance to the linked profile, which shows the same program or process, in profiles of the run: positive if that
     * profile comes later, negative if it comes earlier; 0: no linked profile */
    int linked;
    int64_t span;         /* number of the recording within its worker; TP_NULL_INT if unknown */
    struct tp_str file;   /* base name of the input */
    struct tp_str sha256; /* SHA-256 of the file as hexadecimal digits; empty if unknown */
    const struct tp_trace *trace;
    const struct tp_order *order;
    const struct tp_model *model;
    const struct tp_views *views;
    const struct tp_advice *advice;
};

/* members of a successfully read profile in the report's JSON, without the names of the profile; writing these members
 * needs an arena */
extern const struct tp_fields tp_profile_fields;

#endif
