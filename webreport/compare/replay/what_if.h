/* Computes the time of a job without each cause of its loss.
 * The graph of its steps (step_graph.h) is replayed with usual lengths in place of outliers. The recorded lengths give
 * T, and usual lengths everywhere give the ideal. Each cause has a cost alone (usual job plus the cause), a saving
 * (real job minus the cause), and a share: causes are removed one after the other, largest first, so that the shares
 * and the remaining jitter add up to the loss. Definitions: docs/definitions.md, section 29. */
#ifndef TP_WEBREPORT_COMPARE_REPLAY_WHAT_IF_H
#define TP_WEBREPORT_COMPARE_REPLAY_WHAT_IF_H

#include "webreport/compare/replay/step_graph.h"

enum tp_cause_kind {
    TP_CAUSE_COMPUTE, /* this and the next two concern a set of ranks */
    TP_CAUSE_PAUSE,
    TP_CAUSE_INPUT,
    TP_CAUSE_HALF,   /* many ranks form a slower level */
    TP_CAUSE_LATE,   /* a rank is slow from some step on */
    TP_CAUSE_MOVING, /* slow kernels of single rank-steps */
    TP_CAUSE_PAUSES, /* pauses of single rank-steps */
    TP_CAUSE_INPUTS, /* input of single rank-steps */
    TP_CAUSE_SEQUENCE,
    TP_CAUSE_STAGE,
    TP_CAUSE_LINK,
    TP_CAUSE_ALL_LINKS,
    TP_CAUSE_UNEQUAL,  /* the remaining loss is work that is persistently unequal between ranks */
    TP_CAUSE_CHANGING, /* the remaining loss is work that moves between ranks */
    TP_CAUSE_KINDS
};

/* Kind of a set of ranks. */
enum tp_rank_place { TP_PLACE_RANKS, TP_PLACE_RANK, TP_PLACE_HOST, TP_PLACE_GROUP, TP_PLACE_STAGE };

/* A cause. A cell is a rank in a step: rank * step_count + step. */
struct tp_cause {
    enum tp_cause_kind kind;
    enum tp_slot_part part;
    enum tp_rank_place place;
    uint32_t where;                /* index of the host, group, stage or rank, depending on `place` */
    uint32_t family;               /* family of groups and coordinates, or TP_NO_ID */
    uint32_t *ranks, rank_count;   /* indexes, ascending; empty if the cause has no ranks of its own */
    uint32_t *cells, cell_count;   /* cells whose `part` is removed */
    uint32_t *pairs, pair_count;   /* transfers that are removed */
    uint32_t *groups, group_count; /* slow groups */
    uint32_t host;                 /* link: the host that all slow groups use and no other group does, or TP_NO_ID */
    uint32_t own_host;             /* stage: the host whose ranks are exactly the stage, or TP_NO_ID */
    /* saving in percent if the ranks of that host computed as fast as the others */
    double as_ranks;
    uint32_t first_step;
    double excess_us;         /* mean excess per step of its ranks */
    double least_us, most_us; /* lowest and highest excess of single cells */
    double ratio;             /* stage, link: ratio to the usual length; sequence: ratio of the work */
    double rate_gb_s;         /* all links: rate on the bus; 0 if unknown */
    double *lengths;          /* sequence: length of the batch of each rank-step relative to the mean, else NULL */
    bool evens_stages;
    uint32_t whole_stage; /* half: the stage whose ranks are all among them, or TP_NO_ID */
    bool is_open;     /* missing ranks may change the cause: a level may not exist, and a stage may be slow ranks */
    bool leaves_late; /* link: the ranks of the host leave collectives later than all others */
    double alone, saved, share; /* percent of T */
};

enum { TP_MOST_CAUSES = 64 };

struct tp_what_if {
    const char *why_not; /* reason why no causes are reported, or NULL */
    uint32_t rank_count, step_count, host_count;
    double step_us, ideal_us; /* per step: replayed, and with usual lengths everywhere */
    double measured_us;       /* per step */
    double error;             /* difference between replay and measurement, percent */
    double loss, jitter;      /* percent of T */
    struct tp_vec causes;     /* struct tp_cause, costliest first, at most TP_MOST_CAUSES */
};

enum { TP_MOST_REPLAY_ERROR = 3 }; /* percent */

#endif
