/* Defines the critical path of a replay: the chain of nodes and edges that decides the length of the window. */
#ifndef TP_WEBREPORT_WHAT_IF_PATH_SPANS_H
#define TP_WEBREPORT_WHAT_IF_PATH_SPANS_H

#include "webreport/what_if/replay_graph.h"

/* A span of the critical path. Spans are disjoint and come from the end of the window to its start. */
struct tp_path_span {
    int64_t start_ns, end_ns;
    struct tp_str
        name;         /* name of the part; for latency the reason of the edge; for unexplained time the node after it */
    uint32_t node;    /* node whose work this is, or before which this time is; TP_NO_ID for TP_PATH_OUTSIDE */
    uint8_t kind;     /* enum tp_path_kind */
    bool is_edge;     /* true for time before the node, false for work of the node */
    uint8_t reason;   /* enum tp_edge_reason, if is_edge */
    bool is_inferred; /* true if no record of the trace names the edge */
};

/* Sums of a critical path, ns. */
struct tp_path_sums {
    int64_t kind_ns[TP_PATH_KINDS], group_ns[TP_GROUPS];
    int64_t inferred_ns; /* time of edges that no record names */
};

/* A row of the critical path: all spans of one kind and name. */
struct tp_path_row {
    int64_t ns;
    struct tp_str name;
    uint8_t kind; /* enum tp_path_kind */
};

/* The details of a critical path. */
struct tp_path_details {
    struct tp_path_row *rows; /* longest row first; of equal length by kind and name */
    size_t row_count;
    /* all spans of the path; of a longer path, the window is divided into equal slices, and each slice has the kind and
     * the longest span of the group with the most time in it */
    struct tp_path_span *spans;
    size_t span_count;
};

/* What names a span. */
enum tp_path_name_kind {
    TP_NAME_LABEL,  /* id: label of the graph */
    TP_NAME_REASON, /* id: enum tp_edge_reason */
    TP_NAME_EVENT,  /* id: node whose event has the name */
    TP_NAME_BEFORE, /* id: node before which the time is */
    TP_NAME_OUTSIDE
};

struct tp_path_name {
    enum tp_path_name_kind kind;
    uint32_t id;
};

#endif
