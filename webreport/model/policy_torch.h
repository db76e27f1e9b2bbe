/* What torch.profiler's tables are made of: its FunctionEvents, rebuilt from a trace.
 *
 * The rules are those of torch/autograd/profiler.py and profiler_util.py (2.13): which events count, their order, who
 * is whose parent, what a parent absorbs, whose are the kernels and the memory. No number of the report, of a gate or
 * of a comparison comes from here: those have the facts (facts.h). What differs: a call of the runtime stands on the
 * thread of the operator that its External id names; an event that sticks out of its parent has no parent; a parent
 * takes the kernels of the child that it absorbs for its own; memory belongs to every event around its time, on any
 * thread. Here equality with torch is the point, down to the order in which doubles are summed. Times stand as exact
 * nanoseconds and as the doubles torch computes from them. */
#ifndef TP_WEBREPORT_MODEL_POLICY_TORCH_H
#define TP_WEBREPORT_MODEL_POLICY_TORCH_H

#include "webreport/trace/trace.h"

enum tp_function_flag {
    TP_FUNCTION_OPERATOR = 1,     /* category cpu_op */
    TP_FUNCTION_ANNOTATION = 2,   /* user_annotation, and gpu_user_annotation together with DEVICE */
    TP_FUNCTION_FRAME = 4,        /* python_function */
    TP_FUNCTION_RUNTIME = 8,      /* runtime and driver calls */
    TP_FUNCTION_DEVICE = 16,      /* kernels, copies, waits: rows of their own */
    TP_FUNCTION_UNOWNED = 32,     /* of a device whose work torch never counts for operators (MTIA) */
    TP_FUNCTION_ASYNC = 64,       /* neither parent nor child, no self time */
    TP_FUNCTION_FOLDED = 128,     /* absorbed by its equally named parent: counts nowhere any more */
    TP_FUNCTION_UNFINISHED = 256, /* open when the profiler stopped */
    TP_FUNCTION_WORK = 512        /* of a device, and neither a wait nor an annotation */
};

struct tp_function {
    int64_t start_ns, end_ns;
    int64_t cpu_bytes, device_bytes; /* memory records inside it, of any thread */
    int64_t kernels_ns, device_ns;   /* own device events; those and the children's */
    double kernels_us, device_us;    /* the same as torch sums them */
    uint32_t event;                  /* index in trace->events; TP_NO_ID: a memory record outside of every other */
    uint32_t name;                   /* for tp_function_name */
    uint32_t thread;
    uint32_t parent, first_child, last_child, next_sibling; /* TP_NO_ID */
    uint32_t flags;                                         /* enum tp_function_flag */
};

/* Whose rules. They differ in which memory records an event gets and in whether frames are parents. */
enum tp_torch_rules { TP_TORCH_2_13, TP_TORCH_2_6 };
#define TP_TORCH_RULES "2.13|2.6" /* the same as choices of an option */

struct tp_functions {
    const struct tp_trace *trace;
    struct tp_arena *arena;
    struct tp_function *items; /* by (start, end descending, place in the file) */
    uint32_t count;
    int64_t base_ns;    /* what torch's doubles are relative to: start of the profiler's span */
    int64_t end_ns;     /* end of that span */
    const char *device; /* "CUDA", "XPU", "MTIA"; NULL: no device was profiled */
    uint32_t step_name, memory_name, out_of_memory_name;
    enum tp_torch_rules rules;
};

/* Builds them in `arena` (guard set by the caller; more than fits leaves through it). The trace must outlive them. */
void tp_functions_build(struct tp_functions *functions, const struct tp_trace *trace, enum tp_torch_rules rules,
                        struct tp_arena *arena);

/* Text of a name: that of the trace, "ProfilerStep*" for every step, "[memory]". Borrowed from the trace. */
struct tp_str tp_function_name(const struct tp_functions *functions, uint32_t name);

/* A duration as torch's double of microseconds. */
static inline double tp_function_us(const struct tp_functions *functions, const struct tp_function *f)
{
    return (double)(f->end_ns - functions->base_ns) / 1000 - (double)(f->start_ns - functions->base_ns) / 1000;
}

static inline const struct tp_event *tp_function_event(const struct tp_functions *functions,
                                                       const struct tp_function *f)
{
    return f->event == TP_NO_ID ? NULL : &functions->trace->events[f->event];
}

/* "Input Dims" and the like of an operator or annotation; NULL for everything else. */
static inline const struct tp_host_detail *tp_function_detail(const struct tp_functions *functions,
                                                              const struct tp_function *f)
{
    const struct tp_event *e = tp_function_event(functions, f);
    bool has_detail = e && (e->kind == TP_KIND_OPERATOR || e->kind == TP_KIND_ANNOTATION) && e->detail != TP_NO_ID;
    return has_detail ? &functions->trace->hosts[e->detail] : NULL;
}

#endif
