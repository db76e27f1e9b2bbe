/* What a name says about its event, decided once per distinct name: region names, step markers, collectives, tensor
 * cores.
 *
 * Lists and order of the decisions are those of views-definitions.md sections 1, 9 and 10. */
#ifndef TP_WEBREPORT_MODEL_NAMES_H
#define TP_WEBREPORT_MODEL_NAMES_H

#include <stdint.h>

#include "webreport/trace/trace.h"

enum tp_name_meaning {
    TP_MEANS_REGION = 1 << 0,          /* an operator event of this name is an annotation */
    TP_MEANS_LOADER = 1 << 1,          /* data loader */
    TP_MEANS_STEP = 1 << 2,            /* starts with ProfilerStep# */
    TP_MEANS_PROFILER_STEP = 1 << 3,   /* ProfilerStep#N */
    TP_MEANS_EXECUTE_CONTEXT = 1 << 4, /* execute_*context_* */
    TP_MEANS_STEP_BRACKET = 1 << 5,    /* step[ */
    TP_MEANS_OPTIMIZER_STEP = 1 << 6,  /* Optimizer.step# */
    TP_MEANS_COLLECTIVE = 1 << 7,      /* host side of a collective: backend prefix, c10d::, record_param_comms */
    TP_MEANS_C10D = 1 << 8,            /* the same, of the dispatcher: no backend of its own */
    TP_MEANS_ELIGIBLE = 1 << 9,        /* operator that could use tensor cores */
    TP_MEANS_ALLOCATOR = 1 << 10,      /* allocation helper folded into its caller (aten::empty ..) */
    TP_MEANS_BACKWARD_NODE = 1 << 11,  /* autograd::engine::evaluate_function: */
    TP_MEANS_TC_YES = 1 << 12,         /* as a kernel: uses tensor cores */
    TP_MEANS_TC_UNKNOWN = 1 << 13,     /* as a kernel: may use them */
    TP_MEANS_COMM_KERNEL = 1 << 14     /* as a kernel: a collective */
};

struct tp_names {
    uint16_t *flags; /* by name id of the trace */
};

/* Classifies the names that some event of the trace needs classified. */
void tp_names_build(struct tp_names *names, const struct tp_trace *trace, struct tp_arena *arena);

/* Flags of one text; is_kernel adds the kernel's. */
uint16_t tp_name_flags(struct tp_str name, bool is_kernel);

/* "nccl", "gloo" .. of a host event's name; "c10d" for dispatcher names; NULL for everything else. Static text. */
const char *tp_name_comm_backend(struct tp_str name);

/* Bytes of one element of a tensor type ("float", "c10::Half", "BFloat16"); 0 when unknown. */
int tp_element_size(struct tp_str type);

#endif
