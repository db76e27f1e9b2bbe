/* The tree of a device's time. Each nanosecond of W belongs to exactly one leaf (docs/definitions.md, section 20).
 *
 * Below the window are idle time by reason (host, launch, queue, outside, unknown), exposed work (communication,
 * copies, device waits), and compute. Compute is divided by kind of work, class of the module, operator with its
 * shapes, and kernel.
 *
 * A node has two times: its part of W, which is the exact sum of its children, and the sum of the durations of its
 * operations, which may overlap. Shares use the first time, rates the second. */
#ifndef TP_WEBREPORT_MEASURE_TREE_TIME_TREE_H
#define TP_WEBREPORT_MEASURE_TREE_TIME_TREE_H

#include "webreport/measure/idle/idle_view.h"
#include "webreport/measure/work/peaks.h"
#include "webreport/measure/work/work_costs.h"

/* Limit of a unit of work. A node has the limit of most of its time, as far as least times are known. */
enum tp_bound { TP_BOUND_NONE, TP_BOUND_COMPUTE, TP_BOUND_MEMORY, TP_BOUND_LATENCY, TP_BOUND_COUNT };

/* Returns "compute", "memory" or "latency", or NULL for TP_BOUND_NONE. Static. */
const char *tp_bound_text(enum tp_bound bound);

#define TP_TIME_FIRST_CALL "first: " /* before the name of a call in the text of TP_IDLE_BY_HELD_LAUNCH */

struct tp_time_node {
    struct tp_str text; /* name; for a reason of idle time: reserved for webreport/document/words (tp_word_times) */
    uint8_t reason; /* enum tp_idle_reason of idle time whose name is a sentence; TP_IDLE_BY_HOST: all other nodes */
    uint32_t parent, depth;   /* parent: TP_NO_ID for node 0, the window; a parent is always before its children */
    int64_t time_ns;          /* part of W, ns; the length of W in node 0 */
    int64_t calls, kernel_ns; /* number and total duration of the operations that start in W */
    int64_t flops, bytes;     /* work of the units whose longest kernel is in this node */
    int64_t costed_ns;        /* duration of the kernels of these units, ns */
    int64_t floored_ns;       /* part of costed_ns whose least time is known, ns */
    double floor_ns;          /* least time of that part by the peaks of the device, ns */
    uint8_t bound;            /* enum tp_bound */
};

/* The tree of a device. Nodes are in depth-first order; children are sorted by time (longest first), then by text. */
struct tp_time_tree {
    int64_t device;
    struct tp_str device_name;    /* "" if unknown */
    const struct tp_peaks *peaks; /* NULL if no peak is known; then no node has a least time */
    int64_t latency_ns; /* usual time from the end of a launch to the start of its operation on a free device, ns */
    int64_t held_ns;    /* time of W in which unrecorded work occupied the device, ns */
    struct tp_time_node *nodes;
    uint32_t node_count;
};

struct tp_time_trees {
    struct tp_time_tree *items; /* trees by device: the device with most work first, then by number */
    uint32_t count;             /* 0 if there are no devices, or W is empty */
};

/* Builds the trees in `arena` (guard set by the caller). idle: idle view built with flames. All arguments must outlive
 * the trees. */
void tp_time_trees_build(struct tp_time_trees *trees, const struct tp_work_kinds *kinds,
                         const struct tp_work_units *units, const struct tp_idle_view *idle, struct tp_arena *arena);

extern const struct tp_fields tp_time_tree_fields; /* members of one tree in JSON */

#endif
