/* Computes the time of a job without each cause of its lost time.
 *
 * The graph of the job's steps (step_graph.h) is replayed with usual lengths in place of outliers. The recorded
 * lengths give T, the time of the real job. Usual lengths everywhere give the ideal time. Each cause has three
 * numbers. Its cost alone is the time that a usual job loses with only this cause. Its saving is the time that the
 * real job gains without this cause. Its share is its gain when causes are removed one after the other, largest
 * first, so that shares and jitter add up to the loss. Definitions: docs/definitions.md, section 29. */
#ifndef TP_WEBREPORT_COMPARE_REPLAY_WHAT_IF_H
#define TP_WEBREPORT_COMPARE_REPLAY_WHAT_IF_H

#include "webreport/compare/replay/step_graph.h"

enum tp_cause_kind {
    TP_CAUSE_COMPUTE, /* first of COMPUTE, PAUSE and INPUT: a set of ranks is slow in this part of their work */
    TP_CAUSE_PAUSE,
    TP_CAUSE_INPUT,
    TP_CAUSE_SLOW_LEVEL,   /* many ranks run at a slower speed level */
    TP_CAUSE_BECOMES_SLOW, /* a rank is slow from a certain step on */
    TP_CAUSE_MOVING,       /* kernels of single ranks are slow in single steps */
    TP_CAUSE_PAUSES,       /* single ranks pause in single steps */
    TP_CAUSE_INPUTS,       /* single ranks wait for input in single steps */
    TP_CAUSE_SEQUENCE,
    TP_CAUSE_STAGE,
    TP_CAUSE_LINK,
    TP_CAUSE_ALL_LINKS,
    TP_CAUSE_UNEQUAL,  /* the rest of the loss: work is persistently unequal between ranks */
    TP_CAUSE_CHANGING, /* the rest of the loss: the ranks with more work change from step to step */
    TP_CAUSE_KINDS
};

/* Kinds of sets of ranks to which a cause applies. */
enum tp_rank_place { TP_PLACE_RANKS, TP_PLACE_RANK, TP_PLACE_HOST, TP_PLACE_GROUP, TP_PLACE_STAGE };

/* A cause of lost time. A cell is a rank in a step, at index rank * step_count + step. */
struct tp_cause {
    enum tp_cause_kind kind;
    enum tp_slot_part part;
    enum tp_rank_place place;
    uint32_t place_index;        /* index of the rank, host, group or stage, depending on `place` */
    uint32_t family;             /* index of the family of the groups or coordinates; TP_NO_ID without a family */
    uint32_t *ranks, rank_count; /* indexes of ranks in ascending order; empty if no rank causes the loss */
    uint32_t *cells, cell_count; /* indexes of the cells in which `part` is replaced by its usual length */
    uint32_t *pairs, pair_count; /* indexes in graph->pairs of the transfers that are replaced by their usual length */
    uint32_t *groups, group_count; /* indexes of the slow groups */
    /* for TP_CAUSE_LINK: the only host that all slow groups and no other groups use, or TP_NO_ID */
    uint32_t host;
    uint32_t
        host_of_whole_stage; /* for TP_CAUSE_STAGE: the host whose ranks are exactly those of the stage, or TP_NO_ID */
    /* for TP_CAUSE_STAGE: saving if the stage's ranks computed as fast as all others, percent of the job's time */
    double saved_if_equal_pct;
    uint32_t first_step;
    double excess_us;                          /* mean excess over the usual length, per rank and step, us */
    double least_excess_us, largest_excess_us; /* lowest and highest excess of a single cell, us */
    /* for stages and links: length divided by the usual length; for TP_CAUSE_SEQUENCE: ratio of the amounts of work */
    double ratio;
    double rate_gb_s; /* for TP_CAUSE_ALL_LINKS: rate on the bus, GB/s; 0 if unknown */
    /* for TP_CAUSE_SEQUENCE: for each cell, the length of its batch divided by the mean; else NULL */
    double *lengths;
    bool evens_stages;
    uint32_t slow_stage; /* for TP_CAUSE_SLOW_LEVEL: index of a stage whose ranks are all slow, or TP_NO_ID */
    /* true: the result depends on missing ranks. Perhaps there is no slower level, or a slow stage only has slow
     * ranks */
    bool depends_on_missing_ranks;
    bool leaves_collectives_late; /* for TP_CAUSE_LINK: true if the ranks of the host leave collectives later than all
                                     others */
    /* cost alone, saving and share, percent of the job's time, as defined at the top of this file */
    double alone, saved, share;
};

enum { TP_MOST_CAUSES = 64 };

struct tp_what_if {
    const char *why_not; /* reason why no causes are reported, or NULL */
    uint32_t rank_count, step_count, host_count;
    double step_us, ideal_us; /* time per step, us: replayed with recorded lengths, and with usual lengths everywhere */
    double measured_us;       /* recorded time per step, us */
    double error;             /* difference between the replayed and the recorded time, percent of the recorded time */
    double loss, jitter;      /* percent of T */
    struct tp_vec causes;     /* elements: struct tp_cause, costliest first, at most TP_MOST_CAUSES */
};

enum { TP_MOST_REPLAY_ERROR = 3 }; /* largest error of the replay with which causes are reported, percent */

#endif
