/* The kinds of work of device time, and the names that identify them (docs/definitions.md, section 18).
 *
 * The rules are data: each layer is a list of patterns, and the first match decides. Names of kernels and operators are
 * arbitrary text; each distinct name is matched once per layer (work_kinds.h). The functions can be called on any
 * thread. */
#ifndef TP_WEBREPORT_MEASURE_WORK_WORK_RULES_H
#define TP_WEBREPORT_MEASURE_WORK_WORK_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/str.h"

/* Kinds of work in the order of tables, which also orders kinds with equal times. */
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
    TP_WORK_WAIT,       /* event of an engine that does no work */
    TP_WORK_ALLOCATION, /* used only for operators on the host, as is TP_WORK_ENGINE */
    TP_WORK_ENGINE,
    TP_WORK_OTHER,
    TP_WORK_COUNT,
    TP_WORK_NONE = TP_WORK_COUNT /* no rule of the layer matches */
};

/* The layers of rules; each applies to other names. */
enum tp_work_layer {
    TP_WORK_OF_KERNEL_FIRST, /* kernels of any operator: layout changes of libraries, expert routing */
    TP_WORK_OF_CHAIN,        /* operators, searched outermost first: operators that consist of many kernels */
    TP_WORK_OF_OWNER,        /* operators, searched innermost first */
    TP_WORK_OF_TRITON,       /* kernels of torch.compile, by the pattern of their names */
    TP_WORK_OF_KERNEL,       /* other kernels */
    TP_WORK_OF_HOST,         /* operators without device work, for their own time on the host */
    TP_WORK_LAYERS
};

/* Return the name of a kind in JSON and tables ("gemm", "attention") and its text for people ("Matrix products").
 * Static. */
const char *tp_work_text(enum tp_work work);
const char *tp_work_title(enum tp_work work);

/* Returns the kind of a name by the rules of a layer; TP_WORK_NONE: no rule matches. */
enum tp_work tp_work_of_name(enum tp_work_layer layer, struct tp_str name);

/* Returns whether all patterns are valid. Used by tests. */
bool tp_work_rules_are_valid(void);

/* Returns whether a kernel launched by an operator of a convolution only moves or combines values. Its own name then
 * decides its kind. */
bool tp_work_is_next_to_convolution(struct tp_str kernel);

/* Returns whether the name of an operator hides the work inside, as for operators of autograd and torch.compile. */
bool tp_work_is_wrapper(struct tp_str operator);

#endif
