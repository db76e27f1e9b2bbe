/* The kinds of work on devices, and the names that identify them (docs/definitions.md, section 18).
 *
 * Each layer of rules is a list of patterns, of which the first match gives the kind. Names of kernels and operators
 * are arbitrary text. Each distinct name is matched once per layer (work_kinds.h). The functions may run on any
 * thread. */
#ifndef TP_WEBREPORT_MEASURE_WORK_WORK_RULES_H
#define TP_WEBREPORT_MEASURE_WORK_WORK_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/str.h"

/* kinds of work in the order of tables; kinds with equal times also have this order */
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
    TP_WORK_WAIT,       /* operation of a device engine without work, such as event_wait */
    TP_WORK_ALLOCATION, /* used only for operators on the host, like TP_WORK_ENGINE */
    TP_WORK_ENGINE,
    TP_WORK_OTHER,
    TP_WORK_COUNT,
    TP_WORK_NONE = TP_WORK_COUNT /* no rule of the layer matches */
};

/* layers of rules; each layer applies to different names */
enum tp_work_layer {
    /* kernels of any operator, before all other layers: layout changes of libraries, expert routing */
    TP_WORK_OF_KERNEL_FIRST,
    /* names of operators that consist of many kernels; of nested operators, the outermost match gives the kind */
    TP_WORK_OF_CHAIN,
    TP_WORK_OF_OWNER,  /* names of operators; of nested operators, the innermost match gives the kind */
    TP_WORK_OF_TRITON, /* kernels of torch.compile, by the form of their names */
    TP_WORK_OF_KERNEL, /* kernels to which no earlier layer gives a kind */
    TP_WORK_OF_HOST,   /* names of operators without device work, for their host self time */
    TP_WORK_LAYERS
};

/* Return a kind as a word for JSON and tables ("gemm", "attention"), and as text for people ("Matrix products").
 * Static. */
const char *tp_work_text(enum tp_work work);
const char *tp_work_title(enum tp_work work);

/* Returns the kind that the rules of a layer assign to a name; TP_WORK_NONE if no rule matches. */
enum tp_work tp_work_of_name(enum tp_work_layer layer, struct tp_str name);

/* Returns whether all patterns are valid. Used by tests. */
bool tp_work_rules_are_valid(void);

/* Returns whether a kernel of a convolution only moves or combines values. The kind of such a kernel follows from its
 * own name, not from its operator. */
bool tp_work_is_next_to_convolution(struct tp_str kernel);

/* Returns whether an operator only wraps other operators, so that its name does not show their work. Examples are
 * operators of autograd and torch.compile. */
bool tp_work_is_wrapper(struct tp_str operator);

#endif
