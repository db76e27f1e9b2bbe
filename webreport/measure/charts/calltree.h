/* The call tree: all calls of a trace, merged by their callers (phase -> Python frame -> operator -> kernel).
 *
 * Calls with equal paths share one node. The times and bytes of a node include all nodes below it. The tree keeps only
 * nodes that are large enough to be visible; a node "other" is the sum of the omitted children of a node. All steps
 * share one node. */
#ifndef TP_WEBREPORT_MEASURE_CHARTS_CALLTREE_H
#define TP_WEBREPORT_MEASURE_CHARTS_CALLTREE_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/measure/program/program_view.h"
#include "webreport/model/facts.h"

enum tp_call_kind {
    TP_CALL_ROOT,
    TP_CALL_PHASE, /* node for a step, annotation, backward pass or thread */
    TP_CALL_FRAME, /* node for a Python frame or module */
    TP_CALL_OPERATOR,
    TP_CALL_KERNEL,  /* node for a kernel, copy or set */
    TP_CALL_OTHER,   /* sum of nodes that are too small to be shown */
    TP_CALL_LARGEST, /* in a program: node for the function that the bar shows as the largest, */
    TP_CALL_SECOND   /* and for the second largest */
};

struct tp_call {
    struct tp_str name;
    /* for a Python frame: the text of the trace, "path(line): function"; else empty */
    struct tp_str frame;
    /* host_ns, device_ns: total time including nodes below, ns; bytes: allocated bytes, only those on devices if any
     * device allocates */
    int64_t host_ns, device_ns, bytes;
    uint64_t call_count;
    uint32_t parent;      /* index of the parent; TP_NO_ID for node 0 */
    uint32_t subtree_end; /* node i contains the nodes [i + 1, subtree_end) */
    uint16_t depth;       /* number of ancestors; 0 for node 0 */
    uint8_t kind;         /* enum tp_call_kind */
};

struct tp_calltree {
    const char *devices; /* word for devices (tp_devices_word); NULL means GPU */
    enum tp_producer producer;
    /* nodes in depth-first order; node 0 is the root. Siblings are sorted by device time (longest first), then by host
     * time (longest first), then by name */
    struct tp_call *calls;
    uint32_t count;        /* number of nodes; 0: the trace has no calls to show */
    uint64_t merged_count; /* number of nodes before pruning */
    bool has_device;
    bool has_samples; /* the tree is built from samples: call_count is the number of samples, frames are functions */
    bool is_untimed;  /* the samples have no times: host_ns is the number of samples too */
    /* true for a trace of `record --outside`. In addition to has_samples, phases are programs, operators are native
     * functions and kernels are functions of the operating system's kernel */
    bool is_program;
    uint32_t longest_stack; /* for is_program: largest number of functions in a stack */
    /* true if the trace has more distinct paths than the limit; the deepest calls are then added to their callers */
    bool is_cut;
};

struct tp_calltree_options {
    uint32_t max_nodes; /* approximate limit of nodes, not counting "other" nodes */
    /* Returns the text to show for a name, in memory that lives as long as the arena. A NULL pointer shows all names
     * unchanged. */
    struct tp_str (*show)(const void *context, struct tp_str name);
    /* Like `show`, for names of kernels; NULL: `show` is used. */
    struct tp_str (*show_kernel)(const void *context, struct tp_str name);
    const void *context;
};

/* Builds the tree in `arena`, whose guard the caller has set. `model` must outlive the tree. */
void tp_calltree_build(struct tp_calltree *tree, const struct tp_model *model,
                       const struct tp_calltree_options *options, struct tp_arena *arena);

/* Builds the tree from samples (thread -> function -> function). host_ns is processor time, call_count the number of
 * samples. A function is identified by name and file, without the line. Each level of a recursion is a separate
 * node. */
void tp_calltree_build_from_samples(struct tp_calltree *tree, const struct tp_model *model,
                                    const struct tp_calltree_options *options, struct tp_arena *arena);

/* Builds the tree of a program recorded by `record --outside` (program -> function -> function). Node times are the
 * weights of the samples. Directly recursive calls share one node, and a function that only calls the next one (98 % of
 * its time) has no node. */
void tp_calltree_build_from_program(struct tp_calltree *tree, const struct tp_model *model,
                                    const struct tp_program_view *view, const struct tp_calltree_options *options,
                                    struct tp_arena *arena);

#endif
