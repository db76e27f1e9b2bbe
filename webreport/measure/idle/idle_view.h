/* Idle view: activity of each device in W, reasons of its idle time, and host activity meanwhile (section 6).
 * Every idle nanosecond has one part (enum tp_idle_part). The flame assigns it to the stack at that moment on the
 * thread that launches the next operation. */
#ifndef TP_WEBREPORT_MEASURE_IDLE_IDLE_VIEW_H
#define TP_WEBREPORT_MEASURE_IDLE_IDLE_VIEW_H

#include "webreport/model/facts.h"
#include "webreport/model/stack_walk.h"
#include "writer/base/fields.h"

/* Idle time of one device within W or a step of it. */
struct tp_idle_split {
    int64_t window_ns; /* base of the percentages */
    int64_t gap_count, total_ns;
    int64_t part_ns[TP_IDLE_PARTS]; /* by enum tp_idle_part; the sum is total_ns */
    int64_t in_graph_ns;            /* the part of queue before operations of a graph launch */
};

/* A node of the idle flame. Node 0 is the whole idle time. Nodes are in depth-first order, children in the order of
 * (kind text, text). */
struct tp_flame_node {
    struct tp_str text;
    int64_t self_ns, self_starved_ns;   /* idle time with exactly this stack; the starved part of it */
    int64_t self_host_ns;               /* the part of it before the call of the next operation */
    int64_t total_ns, total_starved_ns; /* time with this stack or a deeper one */
    uint32_t parent, depth;             /* parent of node 0: TP_NO_ID; depth of node 0: 0 */
    uint32_t label;                     /* label id of text in trace->frames */
    uint8_t kind;                       /* enum tp_stack_kind */
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
    TP_IDLE_STEP_START, /* from the start of the profile */
    TP_IDLE_STEP_TOTAL,
    TP_IDLE_STEP_BUSY,
    TP_IDLE_STEP_GAPS, /* from here on: members of "idle" in JSON */
    TP_IDLE_STEP_IDLE,
    TP_IDLE_STEP_PART, /* + enum tp_idle_part */
    TP_IDLE_STEP_IN_GRAPH = TP_IDLE_STEP_PART + TP_IDLE_PARTS,
    TP_IDLE_STEP_IDLE_PERCENT,
    TP_IDLE_STEP_PART_PERCENT, /* + enum tp_idle_part */
    TP_IDLE_STEP_COLUMNS = TP_IDLE_STEP_PART_PERCENT + TP_IDLE_PARTS
};

struct tp_idle_device {
    struct tp_str title; /* "GPU 0" (tp_device_title) */
    int64_t device, operation_count, stream_count; /* counts of the whole recording */
    int64_t busy_ns, sum_ns;                       /* union and sum of the durations within W */
    double busy_percent, sum_over_union;
    struct tp_idle_split idle; /* within W */
    int64_t compute_ns, communication_ns, copy_ns, exposed_communication_ns, exposed_copy_ns;
    int64_t without_launch_ns; /* idle time before operations without launch, or after the last operation */
    int64_t flame_total_ns;
    struct tp_flame_node *nodes;
    uint32_t node_count;
    struct tp_table steps;   /* enum tp_idle_step_column; the used steps in order of time */
    struct tp_table frames;  /* enum tp_idle_frame_column: by frame at any depth */
    struct tp_table by_line; /* enum tp_idle_line_column: innermost project line, else annotation, else operator .. */
};

/* Number of devices that get a flame, because each walk reads the events of all threads again. */
enum { TP_IDLE_FLAME_DEVICES = 64 };

struct tp_idle_view {
    struct tp_idle_device *devices; /* by number */
    uint32_t device_count;
};

/* Builds the view of every device. Without has_flame, nodes, stacks, frames, lines and their times stay empty. */
void tp_idle_build(struct tp_idle_view *view, const struct tp_model *model, bool has_flame, struct tp_arena *arena);

extern const struct tp_fields tp_idle_device_fields; /* fields of one device */

#endif
