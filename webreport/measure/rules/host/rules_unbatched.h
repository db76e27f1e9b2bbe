/* Calls of one module that work on one sample each, without a batch dimension (rule H18, rules_unbatched.c). The
 * functions are pure and may run on any thread. */
#ifndef TP_WEBREPORT_MEASURE_RULES_HOST_RULES_UNBATCHED_H
#define TP_WEBREPORT_MEASURE_RULES_HOST_RULES_UNBATCHED_H

#include "webreport/model/facts.h"
#include "writer/base/arena.h"

struct tp_cpu_call {
    struct tp_interval time;
    uint32_t event, step;
    bool is_of_batch; /* true if the call works on several samples, or on one sample with several rows */
    uint32_t dims;  /* value id of the operand sizes of the call's first operator that shows samples; TP_NO_ID: none */
    int64_t length; /* length of the sequence of this operator; 0: no sequence */
};

/* operators of one thread in order of start. items: indexes of operators in the model, borrowed */
struct tp_operator_list {
    const struct tp_model *model;
    const uint32_t *items;
    uint32_t count;
};

/* Keeps only those calls that work on one part of a tensor each, without a batch dimension, and whose results the
 * program stacks. calls: calls of one module in order of time; elements: struct tp_cpu_call. longest_ns: longest time
 * between two calls of one loop, ns. */
void tp_keep_calls_on_parts(struct tp_operator_list operators, struct tp_vec *calls, int64_t longest_ns);

#endif
