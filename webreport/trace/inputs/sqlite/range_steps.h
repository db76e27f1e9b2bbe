/* Chooses which ranges of a program are its training steps: section 2 of docs/definitions.md ("Steps of ranges"). */
#ifndef TP_WEBREPORT_TRACE_INPUTS_SQLITE_RANGE_STEPS_H
#define TP_WEBREPORT_TRACE_INPUTS_SQLITE_RANGE_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/trace/sink.h"

/* A range that may be a step. Ranges of one thread are sorted by start. */
struct tp_step_range {
    int64_t start_ns, end_ns;
    uint32_t name;  /* name without its number, id in tp_step_search.names */
    int64_t number; /* number at the end of the name; TP_NULL_INT if absent */
    int64_t tid;
    uint32_t thread; /* thread in the trace */
    uint32_t domain, depth;
    uint32_t row; /* caller's number for the range */
};

struct tp_step_search {
    struct tp_arena *scratch;
    struct tp_strings names;
    struct tp_vec ranges;       /* elements: struct tp_step_range */
    int64_t device_time_ns;     /* time from the first start to the last end of all device operations, ns */
    const char *wanted;         /* name that the user gave, with or without number; NULL for the rules */
    const struct tp_sink *sink; /* has all calls and device operations */
};

struct tp_step_choice {
    struct tp_str name; /* name of the steps without number; ptr NULL if no ranges are steps */
    int64_t tid;
    double coverage;         /* time of the steps divided by device_time_ns */
    bool has_own_numbers;    /* true: each step has the number in its name; false: steps are numbered from 0 */
    uint32_t *ranges, count; /* the steps in order of time, indices in ranges */
};

void tp_step_search_init(struct tp_step_search *search, struct tp_arena *scratch, const struct tp_sink *sink);

/* Adds a range. name: as the program wrote it. */
void tp_step_search_add(struct tp_step_search *search, struct tp_step_range range, struct tp_str name);

struct tp_step_choice tp_step_search_choose(struct tp_step_search *search);

#endif
