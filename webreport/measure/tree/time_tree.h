/* The tree of a device's time: each nanosecond of W in exactly one leaf (docs/definitions.md, section 20).
 *
 * Below the window: what the device waited for (host, launch, queue, outside, unknown), what it did that nothing hid
 * (exposed communication, exposed copy, device wait), and compute, by kind of work, class of the module, operator with
 * its shapes, and kernel. A node has two times: of its own (the children's sum to it exactly), and the sum of the
 * durations of its operations, which overlap. Shares are of the first, rates of the second. */
#ifndef TP_WEBREPORT_MEASURE_TREE_TIME_TREE_H
#define TP_WEBREPORT_MEASURE_TREE_TIME_TREE_H

#include "webreport/measure/idle/idle_view.h"
#include "webreport/measure/work/peaks.h"
#include "webreport/measure/work/work_costs.h"

/* What limits a unit of work; of a node: what limits most of its time that has a floor. */
enum tp_bound { TP_BOUND_NONE, TP_BOUND_COMPUTE, TP_BOUND_MEMORY, TP_BOUND_LATENCY, TP_BOUND_COUNT };

/* "compute", "memory", "latency"; NULL of none. Static. */
const char *tp_bound_text(enum tp_bound bound);

struct tp_time_node {
    struct tp_str text;
    uint32_t parent, depth;   /* parent of node 0, the window: TP_NO_ID; a parent stands before its children */
    int64_t time_ns;          /* of W; in node 0 |W| */
    int64_t calls, kernel_ns; /* operations that begin in W, and their durations */
    int64_t flops, bytes;     /* of the units whose longest kernel is among them */
    int64_t costed_ns;        /* durations of the kernels of these units */
    int64_t floored_ns;       /* of those of them that have a floor .. */
    double floor_ns;          /* .. and the least time that they could take */
    uint8_t bound;            /* enum tp_bound */
};

/* Children by time, longest first, then by text; all nodes in depth-first order. */
struct tp_time_tree {
    int64_t device;
    struct tp_str device_name;    /* "" when unknown */
    const struct tp_peaks *peaks; /* NULL: none is known, so there are no floors */
    int64_t latency_ns;           /* from the end of a launch to the start of its operation on a device that was free */
    int64_t held_ns;              /* of W: the device was held by something that is not in the recording */
    struct tp_time_node *nodes;
    uint32_t node_count;
};

struct tp_time_trees {
    struct tp_time_tree *items; /* the device with most work first, then by number */
    uint32_t count;             /* 0: there is no device, or no time in W */
};

/* In `arena` (guard set by the caller); idle: with its flames. What all point into must outlive it. */
void tp_time_trees_build(struct tp_time_trees *trees, const struct tp_work_kinds *kinds,
                         const struct tp_work_units *units, const struct tp_idle_view *idle, struct tp_arena *arena);

extern const struct tp_fields tp_time_tree_fields; /* of one tree */

#endif
