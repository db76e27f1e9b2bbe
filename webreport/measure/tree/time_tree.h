/* The tree of a device's time. Each nanosecond of the window, which is the union of the analysed steps, belongs to
 * exactly one leaf (docs/definitions.md, section 20).
 *
 * Below the window are idle time by reason (host, launch, queue, outside, unknown), exposed work (communication,
 * copies, device waits), and compute. Compute is divided by kind of work, class of the module, operator with its
 * shapes, and kernel.
 *
 * A node has two times. The first is its part of the window, which is the exact sum of its children; shares use this
 * time. The second is the total duration of its operations, which may overlap; rates use this time. */
#ifndef TP_WEBREPORT_MEASURE_TREE_TIME_TREE_H
#define TP_WEBREPORT_MEASURE_TREE_TIME_TREE_H

#include "webreport/measure/idle/idle_view.h"
#include "webreport/measure/work/peaks.h"
#include "webreport/measure/work/work_costs.h"

/* Limit of a unit of work. A node has the limit with the most kernel time, among its units with a known least time. */
enum tp_bound { TP_BOUND_NONE, TP_BOUND_COMPUTE, TP_BOUND_MEMORY, TP_BOUND_LATENCY, TP_BOUND_COUNT };

/* Returns "compute", "memory" or "latency", or NULL for TP_BOUND_NONE. Static. */
const char *tp_bound_text(enum tp_bound bound);

#define TP_TIME_FIRST_CALL                                                                                             \
    "first: " /* prefix before the name of the call in the text of TP_IDLE_BY_EARLIER_WORK_LAUNCH */

struct tp_time_node {
    /* name of the node; for a reason of idle time, only tp_fill_time_tree_texts in webreport/document/words fills it */
    struct tp_str text;
    /* enum tp_idle_reason for idle time that is named by a sentence; TP_IDLE_BY_HOST for all other nodes */
    uint8_t reason;
    /* parent: TP_NO_ID for node 0, the window. A parent has a smaller index than its children */
    uint32_t parent, depth;
    /* time of the node within the analysed steps, ns; for node 0 the total length of the analysed steps */
    int64_t time_ns;
    int64_t calls,
        kernel_ns;        /* number of the operations that start in the analysed steps, and their total duration, ns */
    int64_t flops, bytes; /* floating-point operations and bytes of the units whose longest kernel is in this node */
    int64_t costed_ns;    /* total kernel time of the units that are included in `flops` and `bytes`, ns */
    int64_t floored_ns;   /* part of costed_ns for which the least time is known, ns */
    double floor_ns;      /* least time for the work in floored_ns at the peaks of the device, ns */
    uint8_t bound;        /* enum tp_bound */
};

/* The tree of a device. Nodes are in depth-first order. Children are sorted by time (longest first), then by text. */
struct tp_time_tree {
    int64_t device;
    struct tp_str device_name;    /* full name of the device; empty if unknown */
    const struct tp_peaks *peaks; /* peak rates of the device; NULL if unknown, then nodes have no least time */
    int64_t latency_ns; /* usual time from the end of a launch to the start of its operation on an idle device, ns */
    int64_t held_ns;    /* time of the analysed steps during which unrecorded work occupied the device, ns */
    struct tp_time_node *nodes;
    uint32_t node_count;
};

struct tp_time_trees {
    /* one tree per device: the device with the most work first; devices with equal work in order of their index */
    struct tp_time_tree *items;
    uint32_t count; /* number of trees; 0 without devices, or if the analysed steps have length 0 */
};

/* Builds the trees in `arena`, whose guard the caller has set. idle: idle view built with flames. All arguments must
 * outlive the trees. */
void tp_time_trees_build(struct tp_time_trees *trees, const struct tp_work_kinds *kinds,
                         const struct tp_work_units *units, const struct tp_idle_view *idle, struct tp_arena *arena);

extern const struct tp_fields tp_time_tree_fields; /* members of one tree in JSON */

#endif
