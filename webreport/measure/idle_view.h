/* Idle view: when each device had nothing to do, and what the host did meanwhile (advice-definitions D3, D5).
 *
 * Every nanosecond without device work has one class: `host` (the next operation was not yet called), `dependency` (it
 * was queued; something on the device held it), `unknown` (its launch was not recorded). The flame charges each of them
 * to the host stack of the thread that launches the next operation. */
#ifndef TP_WEBREPORT_MEASURE_IDLE_VIEW_H
#define TP_WEBREPORT_MEASURE_IDLE_VIEW_H

#include "webreport/model/host_frames.h"
#include "writer/base/table.h"

struct tp_host;

/* Idle time of one device within one window. */
struct tp_idle_split {
    int64_t gap_count, total_ns, host_ns, dependency_ns, unknown_ns;
    int64_t in_graph_ns; /* part of dependency_ns: the next operation belongs to a graph launch */
    int64_t window_ns;   /* what the percentages are of */
};

/* One node of the idle flame. Node 0 is the whole idle time; a parent stands before its children, children are in the
 * order (kind text, text): the nodes are in depth-first order. */
struct tp_flame_node {
    struct tp_str text;
    int64_t self_ns, self_host_ns;   /* idle time with exactly this stack; part of class host */
    int64_t total_ns, total_host_ns; /* with this stack or a deeper one */
    uint32_t parent, depth;          /* parent of node 0: TP_NO_ID; depth of node 0: 0 */
    uint8_t kind;                    /* enum tp_frame_kind */
};

enum tp_idle_frame_column {
    TP_IDLE_FRAME_KIND,
    TP_IDLE_FRAME_NAME,
    TP_IDLE_FRAME_SELF,
    TP_IDLE_FRAME_TOTAL,
    TP_IDLE_FRAME_HOST
};
enum tp_idle_line_column {
    TP_IDLE_LINE_KIND,
    TP_IDLE_LINE_LINE,
    TP_IDLE_LINE_NS,
    TP_IDLE_LINE_HOST,
    TP_IDLE_LINE_PERCENT
};
enum tp_idle_step_column {
    TP_IDLE_STEP_NAME,
    TP_IDLE_STEP_START,    /* relative to the trace's start */
    TP_IDLE_STEP_DURATION, /* host interval */
    TP_IDLE_STEP_WINDOW,
    TP_IDLE_STEP_BUSY,
    TP_IDLE_STEP_GAPS, /* from here on: members of "idle" in JSON */
    TP_IDLE_STEP_IDLE,
    TP_IDLE_STEP_HOST,
    TP_IDLE_STEP_DEPENDENCY,
    TP_IDLE_STEP_UNKNOWN,
    TP_IDLE_STEP_IN_GRAPH,
    TP_IDLE_STEP_IDLE_PERCENT,
    TP_IDLE_STEP_HOST_PERCENT,
    TP_IDLE_STEP_DEPENDENCY_PERCENT,
    TP_IDLE_STEP_UNKNOWN_PERCENT,
    TP_IDLE_STEP_COLUMNS
};

struct tp_idle_device {
    int64_t device, operation_count, stream_count;
    int64_t window_start_ns, window_ns; /* first start (relative to the trace's start), last end - first start */
    int64_t busy_ns, sum_ns;            /* union and sum of the operations' durations */
    double busy_percent, sum_over_union;
    struct tp_idle_split idle; /* within that window */
    int64_t compute_ns, communication_ns, copy_ns, exposed_communication_ns, exposed_copy_ns;
    int64_t fallback_thread_ns; /* idle charged to the device's main thread, the launching one being unknown */
    int64_t flame_total_ns;
    struct tp_flame_node *nodes;
    uint32_t node_count;
    uint32_t *stacks; /* nodes with self time: longest first */
    uint32_t stack_count;
    struct tp_table steps;   /* enum tp_idle_step_column; in order of time */
    struct tp_table frames;  /* enum tp_idle_frame_column: a frame wherever it stands */
    struct tp_table by_line; /* enum tp_idle_line_column: innermost project line, else annotation, else operator .. */
};

struct tp_idle_view {
    struct tp_idle_device *devices; /* by number */
    uint32_t device_count;
};

/* Builds the view of every device; without its flame (nodes, stacks, frames, lines and their times stay empty) unless
 * has_flame. */
void tp_idle_build(struct tp_idle_view *view, struct tp_host *host, bool has_flame, struct tp_arena *arena);

/* Writes the view as a JSON array. */
void tp_idle_json(const struct tp_idle_view *view, struct tp_json *json);

#endif
