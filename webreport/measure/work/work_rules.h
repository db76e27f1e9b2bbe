/* What device time is spent on: the kinds of work, and the names that tell them (docs/definitions.md, section 18).
 *
 * The rules are data: a list of patterns per layer, first match wins. Names of kernels and operators are foreign text;
 * each distinct one is looked at once per layer (work_kinds.h). Any thread may ask. */
#ifndef TP_WEBREPORT_MEASURE_WORK_WORK_RULES_H
#define TP_WEBREPORT_MEASURE_WORK_WORK_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/str.h"

/* In the order of tables: ties of time go by it. */
enum tp_work {
    TP_WORK_GEMM,
    TP_WORK_ATTENTION,
    TP_WORK_CONVOLUTION,
    TP_WORK_MOE,
    TP_WORK_NORM,
    TP_WORK_SOFTMAX,
    TP_WORK_ELEMENTWISE,
    TP_WORK_REDUCTION,
    TP_WORK_LAYOUT,
    TP_WORK_EMBEDDING,
    TP_WORK_OPTIMIZER,
    TP_WORK_COMMUNICATION,
    TP_WORK_SAMPLING,
    TP_WORK_QUANTISE,
    TP_WORK_COPY,
    TP_WORK_WAIT,       /* an engine's event that is no work */
    TP_WORK_ALLOCATION, /* of operators on the host alone, as the next one */
    TP_WORK_ENGINE,
    TP_WORK_OTHER,
    TP_WORK_COUNT,
    TP_WORK_NONE = TP_WORK_COUNT /* no rule of the layer says anything */
};

/* Which names a rule is asked about. */
enum tp_work_layer {
    TP_WORK_OF_KERNEL_FIRST, /* kernels, whoever launched them: layout changes of libraries, expert routing */
    TP_WORK_OF_CHAIN,        /* operators, outermost first: what is made of many kernels */
    TP_WORK_OF_OWNER,        /* operators, innermost first */
    TP_WORK_OF_TRITON,       /* kernels of torch.compile, by the form of their names */
    TP_WORK_OF_KERNEL,       /* kernels */
    TP_WORK_OF_HOST,         /* operators that ask no device: for their own time on the host */
    TP_WORK_LAYERS
};

/* "gemm", "attention" .. as JSON and tables have them, and for people: "GEMM", "copy and cast". Static. */
const char *tp_work_text(enum tp_work work);
const char *tp_work_title(enum tp_work work);

/* What a layer says of a name; TP_WORK_NONE: nothing. */
enum tp_work tp_work_of_name(enum tp_work_layer layer, struct tp_str name);

/* Are all rules well written? For tests. */
bool tp_work_rules_are_whole(void);

/* A kernel that an operator of a convolution launched and that only moves or combines values: its own name decides. */
bool tp_work_is_next_to_convolution(struct tp_str kernel);

/* Operators that say nothing of what they hold: of autograd, of torch.compile. */
bool tp_work_is_wrapper(struct tp_str operator);

#endif
