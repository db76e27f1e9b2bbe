/* What a job would take without each cause of its loss.
 *
 * The graph of its steps (step_graph.h) is replayed with what is usual in place of what stands out: the job as it was
 * gives T, everything usual gives the ideal, and each cause what it costs alone (usual job plus it), what leaving it
 * out saves (real job less it), and its share: causes are left out one after the other, largest first, so that shares
 * and what is left, the jitter, add up to the loss. Definitions: docs/jobs.md. */
#ifndef TP_WEBREPORT_COMPARE_REPLAY_WHAT_IF_H
#define TP_WEBREPORT_COMPARE_REPLAY_WHAT_IF_H

#include "webreport/compare/replay/step_graph.h"

enum tp_cause_kind {
    TP_CAUSE_COMPUTE, /* of a set of ranks, as the next two */
    TP_CAUSE_PAUSE,
    TP_CAUSE_INPUT,
    TP_CAUSE_HALF,   /* many ranks are a slower level of their own */
    TP_CAUSE_LATE,   /* a rank from a step on */
    TP_CAUSE_MOVING, /* slow kernels of single rank-steps */
    TP_CAUSE_PAUSES, /* pauses of single rank-steps */
    TP_CAUSE_INPUTS, /* input of single rank-steps */
    TP_CAUSE_SEQUENCE,
    TP_CAUSE_STAGE,
    TP_CAUSE_LINK,
    TP_CAUSE_ALL_LINKS,
    TP_CAUSE_UNEQUAL,  /* what is left is work that stays unequal between ranks */
    TP_CAUSE_CHANGING, /* .. or work that moves between them */
    TP_CAUSE_KINDS
};

/* What a set of ranks is. */
enum tp_rank_place { TP_PLACE_RANKS, TP_PLACE_RANK, TP_PLACE_HOST, TP_PLACE_GROUP, TP_PLACE_STAGE };

/* A rank in a step, by number: rank * step_count + step. */
struct tp_cause {
    enum tp_cause_kind kind;
    enum tp_slot_part part;
    enum tp_rank_place place;
    uint32_t where;                /* host; group; stage; rank: by place */
    uint32_t family;               /* of groups and coordinates; TP_NO_ID: none */
    uint32_t *ranks, rank_count;   /* indexes, ascending; none: it has no ranks of its own */
    uint32_t *cells, cell_count;   /* what of `part` is left out */
    uint32_t *pairs, pair_count;   /* transfers that are left out */
    uint32_t *groups, group_count; /* slow ones */
    uint32_t host;                 /* link: the one that all slow groups pass and no other does; TP_NO_ID: none */
    uint32_t own_host;             /* stage: the one that is all of it and nothing else; TP_NO_ID: none */
    /* .. what the job would save, in percent, if its ranks computed as fast as the others */
    double as_ranks;
    uint32_t first_step;
    double excess_us;         /* mean per step of its ranks */
    double least_us, most_us; /* of single cells */
    double ratio;             /* stage, link: times the usual; sequence: of the work */
    double rate_gb_s;         /* all links: on the bus; 0: not known */
    double *lengths;          /* sequence: of the batch of each rank-step, 1: the mean; else NULL */
    bool evens_stages;
    uint32_t whole_stage; /* half: all ranks of that stage are among them; TP_NO_ID: of none */
    bool is_open;     /* with ranks that are not here it may be a level of its own, or none; of a stage: slow ranks */
    bool leaves_late; /* link: of the host, whose ranks leave collectives later than all others */
    double alone, saved, share; /* percent of T */
};

enum { TP_MOST_CAUSES = 64 };

struct tp_what_if {
    const char *why_not; /* why nothing is told; NULL: it is */
    uint32_t rank_count, step_count, host_count;
    double step_us, ideal_us; /* per step: replayed, and with everything usual */
    double measured_us;       /* per step */
    double error;             /* percent: replay against measured */
    double loss, jitter;      /* percent of T */
    struct tp_vec causes;     /* struct tp_cause, costliest first, at most TP_MOST_CAUSES */
};

enum { TP_MOST_REPLAY_ERROR = 3 }; /* percent */

/* Replays, and finds causes. Everything in the graph's arena. */
void tp_what_if_build(struct tp_what_if *result, const struct tp_graph *graph);

/* From the replay's error on nothing is told; the numbers stay. */
void tp_what_if_trust(struct tp_what_if *result);

#endif
