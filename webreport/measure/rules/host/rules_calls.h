/* Calls of one module in programs without a device (rule H18). */
#ifndef TP_WEBREPORT_MEASURE_RULES_HOST_RULES_CALLS_H
#define TP_WEBREPORT_MEASURE_RULES_HOST_RULES_CALLS_H

#include "webreport/measure/rules/host/rules_cpu.h"

struct tp_cpu_call {
    struct tp_interval time;
    uint32_t event, step;
    bool is_of_batch; /* true if the call works on several samples, or on one sample with several rows */
    uint32_t dims;  /* value id of the operand sizes of the call's first operator that shows samples; TP_NO_ID: none */
    int64_t length; /* length of the sequence of this operator; 0: no sequence */
};

/* Keeps only those calls that work on one part of a tensor each, without a batch dimension, and whose results the
 * program stacks. calls: calls of one module in order of time; elements: struct tp_cpu_call. longest_ns: longest time
 * between two calls of one loop, ns. (rules_unbatched.c) */
void tp_cpu_keep_calls_on_parts(struct tp_advisor *a, struct tp_vec *calls, int64_t longest_ns);

#endif
