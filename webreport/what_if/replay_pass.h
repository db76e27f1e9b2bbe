/* State of one pass of replay_run.c, which computes a group of lanes. */
#ifndef TP_WEBREPORT_WHAT_IF_REPLAY_PASS_H
#define TP_WEBREPORT_WHAT_IF_REPLAY_PASS_H

#include "webreport/what_if/replay_lanes.h"
#include "writer/base/limits.h"

enum { TP_BLOCK = 8 /* lanes of one row */ };

/* Earlier than each time of a trace. */
#define TP_NEVER (-1e300)

/* One value for each of TP_BLOCK lanes. A group of lanes has `blocks` rows one after the other. */
struct tp_row {
    double v[TP_BLOCK];
};

/* Two neighbours of a row, which each processor of 64 bits can compute with one instruction. (GNU C; all compilers of
 * this project have it. The compiler would use more instructions for loops over single values.) */
typedef double tp_pair __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef int64_t tp_pair_mask __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));
enum { TP_PAIRS = TP_BLOCK / 2 };

struct tp_lane_factor {
    struct tp_fraction factor;
    uint32_t lane;
};

struct tp_pass {
    struct tp_what_if_replay *replay;
    const struct tp_step_frame *frame;
    const struct tp_replay_graph *graph;
    struct tp_arena *arena;
    int64_t base_ns;
    uint32_t first_lane, lane_count, path_count, blocks; /* lanes of this group */
    uint32_t *slot_of;                                   /* for each node: slot of its times */
    uint32_t *last_use;                                  /* for each node: position in the order of its last target */
    struct tp_vec free_slots;
    uint32_t slot_count;
    struct tp_row *starts, *ends; /* times of each slot */
    struct tp_row *at;            /* start that an edge into the current node allows */
    struct tp_row *ones;
    struct tp_row *keeps;                   /* 1, or 0 for lanes without residuals */
    struct tp_row *waits_for_launch;        /* 1, or 0 for lanes without the latency of launches */
    struct tp_row *allows[TP_EDGE_REASONS]; /* 0, or TP_NEVER for lanes without edges of this reason */
    unsigned drops;                         /* bits of the reasons that, or whose latency, at least one lane drops */
    uint32_t *first_factor;                 /* for each label: index in factors; label_count + 1 items */
    struct tp_lane_factor *factors;
    /* for each kind of nodes: lanes whose changes depend on the node */
    uint32_t *specials[TP_NODE_KINDS], special_count[TP_NODE_KINDS];
    const struct tp_fixes *fixes; /* fixes of all lanes in `fixed`; NULL: no lane has fixes */
    uint32_t *fixed, fixed_count; /* lanes with fixes */
    /* ---- steps (replay_steps.c) ---- */
    /* for each step: latest end of its operations; then the same for the operations before the first step */
    struct tp_row *step_end;
    uint32_t *step_last;     /* for each step and path lane: operation with this end; TP_NO_ID: none */
    uint32_t *step_of;       /* for each device operation whose end may be that of its step: the step; else TP_NO_ID */
    struct tp_id_map points; /* node: index of its row in point_* */
    uint64_t *is_point;      /* for each node: bit that is set if the node is in `points` */
    struct tp_row *point_start, *point_end;
    uint32_t *point_first;       /* for each point and path lane: first node of the thread with the same end */
    struct tp_row *thread_end;   /* end of the latest node of the reference thread */
    uint32_t *thread_first;      /* for each path lane: first node with this end */
    struct tp_row *window_start; /* trace without markers: start of the window */
};

/* Return the values of neighbouring rows as one array, with the lane as the index. */
static inline double *tp_rows_values(struct tp_row *rows)
{
    return (double *)(void *)rows;
}
static inline const double *tp_rows_const_values(const struct tp_row *rows)
{
    return (const double *)(const void *)rows;
}

static inline void tp_rows_set(struct tp_row *rows, uint32_t lane, double value)
{
    rows[lane / TP_BLOCK].v[lane % TP_BLOCK] = value;
}
static inline double tp_rows_get(const struct tp_row *rows, uint32_t lane)
{
    return rows[lane / TP_BLOCK].v[lane % TP_BLOCK];
}

#endif
