/* The idle view: the activity of each device in the analysed steps, the reasons of its idle time, and the host's
 * activity during this time (docs/definitions.md, section 6). Every idle nanosecond has one part (enum tp_idle_part).
 * The flame assigns each nanosecond to a stack: the stack at that time on the thread that launches the next operation.
 */
#ifndef TP_WEBREPORT_MEASURE_IDLE_IDLE_VIEW_H
#define TP_WEBREPORT_MEASURE_IDLE_IDLE_VIEW_H

#include "webreport/model/facts.h"
#include "webreport/model/stack_walk.h"
#include "writer/base/fields.h"

/* Idle time of a device within the analysed steps, or within one step. */
struct tp_idle_split {
    int64_t window_ns; /* total length of the analysed steps, or length of the step, ns; base of the percentages */
    int64_t gap_count, total_ns;
    int64_t part_ns[TP_IDLE_PARTS];     /* idle time for each enum tp_idle_part, ns; the sum is total_ns */
    int64_t before_graph_operations_ns; /* part of the queue time that precedes operations of a graph launch, ns */
};

/* A node of the idle flame. Node 0 is the whole idle time. Nodes are in depth-first order. Children are sorted by the
 * text of their kind, then by their own text. */
struct tp_flame_node {
    struct tp_str text;
    /* self_ns: idle time with exactly this stack, ns; self_starved_ns: part of self_ns in which the device waited for
     * the host, ns */
    int64_t self_ns, self_starved_ns;
    int64_t self_host_ns; /* part of self_ns before the host calls the next operation */
    /* idle time with this stack or a deeper stack, ns; total_starved_ns: part in which the device waited for the host,
     * ns */
    int64_t total_ns, total_starved_ns;
    /* parent: index of the parent, TP_NO_ID for node 0; depth: number of ancestors */
    uint32_t parent, depth;
    uint32_t label; /* label id of `text` in trace->frames */
    uint8_t kind;   /* enum tp_stack_kind */
};

enum tp_idle_frame_column {
    TP_IDLE_FRAME_KIND,
    TP_IDLE_FRAME_NAME,
    TP_IDLE_FRAME_SELF,
    TP_IDLE_FRAME_TOTAL,
    TP_IDLE_FRAME_STARVED
};
enum tp_idle_line_column {
    TP_IDLE_LINE_KIND,
    TP_IDLE_LINE_LINE,
    TP_IDLE_LINE_NS,
    TP_IDLE_LINE_STARVED,
    TP_IDLE_LINE_PERCENT
};
enum tp_idle_step_column {
    TP_IDLE_STEP_NAME,
    TP_IDLE_STEP_START, /* start of the step, ns since the start of the profile */
    TP_IDLE_STEP_TOTAL,
    TP_IDLE_STEP_BUSY,
    TP_IDLE_STEP_GAPS, /* from here on, columns are members of "idle" in JSON */
    TP_IDLE_STEP_IDLE,
    TP_IDLE_STEP_PART, /* first of TP_IDLE_PARTS columns, one per enum tp_idle_part */
    TP_IDLE_STEP_IN_GRAPH = TP_IDLE_STEP_PART + TP_IDLE_PARTS,
    TP_IDLE_STEP_IDLE_PERCENT,
    TP_IDLE_STEP_PART_PERCENT, /* first of TP_IDLE_PARTS columns, one per enum tp_idle_part */
    TP_IDLE_STEP_COLUMNS = TP_IDLE_STEP_PART_PERCENT + TP_IDLE_PARTS
};

struct tp_idle_device {
    struct tp_str title; /* title of the device, such as "GPU 0" (tp_device_title) */
    /* device: number of the device; operation_count, stream_count: counts in the whole recording */
    int64_t device, operation_count, stream_count;
    /* within the analysed steps: busy_ns is the length of the union of all operations, sum_ns the sum of their
     * durations */
    int64_t busy_ns, sum_ns;
    double busy_percent, sum_over_union;
    struct tp_idle_split idle; /* idle time within the analysed steps */
    int64_t compute_ns, communication_ns, copy_ns, exposed_communication_ns, exposed_copy_ns;
    /* idle time before operations without a known launch, and after the last operation, ns */
    int64_t without_launch_ns;
    int64_t flame_total_ns;
    struct tp_flame_node *nodes;
    uint32_t node_count;
    struct tp_table steps;  /* one row per analysed step, in order of time (enum tp_idle_step_column) */
    struct tp_table frames; /* idle time by frame, for frames at any depth of the stack (enum tp_idle_frame_column) */
    /* idle time by innermost project line (enum tp_idle_line_column); for stacks without a line, by annotation or
     * operator */
    struct tp_table by_line;
};

/* maximum number of devices that get a flame, because each flame needs a walk over the events of all threads */
enum { TP_IDLE_FLAME_DEVICES = 64 };

struct tp_idle_view {
    struct tp_idle_device *devices; /* devices in order of device number */
    uint32_t device_count;
};

/* Builds the view of every device in `arena`. If has_flame is false, nodes, frames, lines and their times stay
 * empty. */
void tp_idle_build(struct tp_idle_view *view, const struct tp_model *model, bool has_flame, struct tp_arena *arena);

extern const struct tp_fields tp_idle_device_fields; /* members of a device in JSON */

#endif
