/* Defines the result of joining the kernels of replayed graphs with the calls that captured them (docs/definitions.md,
 * section 33). Read-only after tp_model_build. */
#ifndef TP_WEBREPORT_MODEL_CAPTURE_JOINED_H
#define TP_WEBREPORT_MODEL_CAPTURE_JOINED_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/model/capture/graph_captures.h"

/* How a device operation was joined: by the order of the names, by its name only, by its position, or by the node of
 * the graph, which another launch of the graph showed. */
enum tp_join_how { TP_JOIN_ORDER, TP_JOIN_NAME, TP_JOIN_PLACE, TP_JOIN_NODE };

/* Returns "order", "name", "place" or "node id". Static text. */
const char *tp_join_how_text(enum tp_join_how how);

/* Why a graph launch was not joined, or which part of the captured data does not apply to it. */
enum tp_join_reason {
    TP_JOIN_ACCEPTED,
    TP_JOIN_NO_CAPTURE,    /* there are no sections */
    TP_JOIN_COUNTS_DIFFER, /* the capture shows no names, and the counts numbers[0] and numbers[1] differ */
    TP_JOIN_NO_ORDER,      /* the capture shows no names, and the order of the replay is unknown */
    TP_JOIN_INCONSISTENT,  /* numbers[0] names differ; numbers[1] of numbers[2] kernels are consistent */
    TP_JOIN_OTHER_NAMES,   /* at most numbers[0] of numbers[1] kernels have the same name */
    TP_JOIN_TOO_FEW,       /* numbers[0] of numbers[1] kernels were joined, less than 90 % */
    TP_JOIN_TOO_MUCH_WORK, /* the limit TP_MAX_CAPTURE_STEPS was reached */
    TP_JOIN_OTHER_GRIDS,   /* joined, but the launch configurations differ, so shapes are not used */
    TP_JOIN_SMALLER_BATCH, /* joined, but captured for batch numbers[0], replayed with numbers[1]: no shapes */
    TP_JOIN_BY_NODE        /* joined by the nodes that another launch of the graph showed */
};

/* What the capture shows about a device operation. */
struct tp_joined_row {
    uint32_t op;         /* operator around the captured call, index in operators; TP_NO_ID if unknown */
    uint32_t module;     /* module around the captured call, index in modules; TP_NO_ID if unknown */
    uint32_t line;       /* line id in trace->frames; TP_NO_ID if unknown */
    uint32_t call;       /* event of the captured call; TP_NO_ID if several sections are possible */
    uint32_t section;    /* index of the section, or of the first one, in captures->sections */
    uint32_t place;      /* index of the call in the section */
    uint32_t one_of;     /* number of possible sections, at least 1 */
    uint8_t how;         /* enum tp_join_how */
    bool has_shapes;     /* true if the shapes of the captured call are those of the replay */
    bool has_chain;      /* true if the operators around `op` are known too */
    bool is_bare_module; /* true if only the class of the module is known, not the number of its instance */
};

/* One launch of a graph. */
struct tp_graph_replay {
    uint32_t launch;      /* index in launches */
    uint32_t *operations; /* device operations: indexes in devices, in the order of the nodes or of their starts */
    uint32_t count;       /* number of device operations */
    bool has_nodes;       /* true if all operations have different node ids */
    bool is_ordered;      /* true if the order of `operations` is the order of the graph */
    int64_t batch;        /* batch size of the replay; TP_NULL_INT if unknown */
    uint32_t step;        /* event of the range that shows batch or step; TP_NO_ID if none exists */
    int64_t device_ns;    /* total duration of the operations, ns */
    uint32_t sequence;    /* replays with equal keys have the same number */
    uint32_t joined, joined_by_name;  /* number of joined operations; of these, joined by name only */
    uint32_t share_part, share_whole; /* share of the joined operations, or the best share of a refused section */
    enum tp_join_reason reason;
    uint32_t numbers[3];      /* numbers of the reason */
    const uint32_t *sections; /* sections from which the operations may come; indexes in captures->sections */
    uint32_t section_count;   /* 0 if the launch was refused */
};

struct tp_joined {
    const struct tp_captures *captures; /* sections of the capture traces, then of the trace itself */
    struct tp_graph_replay *replays;    /* launches of graphs, sorted by start */
    uint32_t replay_count;
    struct tp_joined_row *rows;
    uint32_t row_count;
    uint32_t *row_of_device; /* for each device operation: index in rows; TP_NO_ID if it was not joined */
};

#endif
