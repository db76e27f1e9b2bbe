/* The kinds of work that device time is spent on, and the names that identify them (docs/definitions.md, section 18).
 *
 * The rules are data: a list of patterns per layer, the first match decides. Names of kernels and operators are
 * arbitrary text; each distinct one is matched once per layer (work_kinds.h). Any thread may call these functions. */
#ifndef TP_WEBREPORT_MEASURE_WORK_WORK_RULES_H
#define TP_WEBREPORT_MEASURE_WORK_WORK_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/str.h"

/* In the order of tables: equal times are sorted by it. */
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
    TP_WORK_WAIT,       /* an event of an engine without work */
    TP_WORK_ALLOCATION, /* only for operators on the host, like TP_WORK_ENGINE */
    TP_WORK_ENGINE,
    TP_WORK_OTHER,
    TP_WORK_COUNT,
    TP_WORK_NONE = TP_WORK_COUNT /* no rule of the layer matches */
};

/* The names that a layer of rules applies to. */
enum tp_work_layer {
    TP_WORK_OF_KERNEL_FIRST, /* kernels, whoever launched them: layout changes of libraries, expert routing */
    TP_WORK_OF_CHAIN,        /* operators, outermost first: operators made of many kernels */
    TP_WORK_OF_OWNER,        /* operators, innermost first */
    TP_WORK_OF_TRITON,       /* kernels of torch.compile, by the form of their names */
    TP_WORK_OF_KERNEL,       /* kernels */
    TP_WORK_OF_HOST,         /* operators without device work: for their own time on the host */
    TP_WORK_LAYERS
};

/* Return the name of a kind in JSON and tables ("gemm", "attention") and its text for people ("Matrix products").
 * Static. */
const char *tp_work_text(enum tp_work work);
const char *tp_work_title(enum tp_work work);

/* Returns the kind that a layer gives for a name; TP_WORK_NONE: no rule matches. */
enum tp_work tp_work_of_name(enum tp_work_layer layer, struct tp_str name);

/* Returns whether all patterns are valid. For tests. */
bool tp_work_rules_are_whole(void);

/* Returns whether a kernel that an operator of a convolution launched only moves or combines values: then its own name
 * decides. */
bool tp_work_is_next_to_convolution(struct tp_str kernel);

/* Returns whether an operator's name does not show the work inside: operators of autograd and torch.compile. */
bool tp_work_is_wrapper(struct tp_str operator);

#endif
