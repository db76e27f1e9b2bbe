/* State shared by the rules of tp_what_if_build. Each rule searches for one kind of cause and adds its findings. */
#ifndef TP_WEBREPORT_COMPARE_REPLAY_WHAT_IF_PARTS_H
#define TP_WEBREPORT_COMPARE_REPLAY_WHAT_IF_PARTS_H

#include "webreport/compare/replay/what_if.h"

/* Usual transfer of a key, from the faster half of its groups. */
struct tp_usual_link {
    uint32_t first_pair, pair_count; /* range in by_key */
    double usual_us;
};

struct tp_what_if_work {
    const struct tp_graph *graph;
    struct tp_arena *arena;
    struct tp_what_if *out;
    uint32_t ranks, steps;
    uint32_t *first_usual; /* by class: first index in `usual`; slot k and part p is at + k * TP_SLOT_OWN + p */
    double *usual, *even;  /* even: with equal stages */
    double *work;          /* by class: usual kernel time of a step */
    double median_work;
    uint32_t longest_stage; /* class with most work, or TP_NO_ID */
    bool is_uneven;         /* the longest stage is longer than others and has all its ranks */
    /* class whose ranks are all in the slower level to which ranks of other classes belong, or TP_NO_ID */
    uint32_t level_class;
    double level_ratio;     /* work of that level relative to the usual work */
    bool is_input_late; /* input is late in whole classes, so usual input is less than recorded */
    bool *is_upper[TP_SLOT_OWN]; /* by rank: in the slower one of two levels */
    double *total[TP_SLOT_OWN];  /* by cell (rank, step) */
    double *excess[TP_SLOT_OWN]; /* total minus the usual of the class */
    uint32_t *by_key;            /* pairs by key */
    double *pair_us;             /* by pair: median over the steps */
    struct tp_usual_link *links; /* by key */
    bool is_done[TP_SLOT_OWN];   /* a rule has explained this part */
    /* by family: host whose ranks leave its collectives later than all others, or TP_NO_ID */
    uint32_t *late_host;
    double *prompt_us;           /* by pair: time that the other ranks spend; 0 if unknown */
    double measured_us;          /* measured T */
    double T, ideal, base;       /* base: usual lengths everywhere, stages as recorded */
    uint8_t *left_out;           /* by cell: removed parts; scratch memory */
    const double *lengths;       /* by cell: relative length of its batch, if only the different lengths are removed */
    bool *is_left_out;           /* by pair; scratch memory */
    double *own, *transfer;      /* scratch memory of a replay */
    double *values;              /* scratch memory: one per cell */
};

static inline double tp_usual_of(const struct tp_what_if_work *w, const double *usual, uint32_t class, uint32_t slot,
                                 unsigned part)
{
    return usual[w->first_usual[class] + slot * TP_SLOT_OWN + part];
}

static const double TP_LEAST_COST = 0.5; /* smallest reported cost, percent of T */

/* Returns T with usual lengths for the parts marked in left_out and is_left_out, or for all other parts if uses_usual
 * (what_if_cost.c). */
double tp_what_if_replay(const struct tp_what_if_work *work, bool uses_usual, bool evens_stages);
/* Returns T if the kernels of a class took `factor` times as long. */
double tp_what_if_scaled(const struct tp_what_if_work *work, uint32_t class_index, double factor);
/* Returns T with usual lengths everywhere and equal stages. */
double tp_what_if_ideal(const struct tp_what_if_work *work);
/* Computes ideal, base and loss from the usual lengths. */
void tp_what_if_measure_ideal(struct tp_what_if_work *work);
/* Marks the cells and pairs of a cause. */
void tp_what_if_mark(struct tp_what_if_work *work, const struct tp_cause *cause);
/* Adds a cause with its cost; its lists are in the arena. The cost of a roughly known link is in `alone`. */
void tp_what_if_add(struct tp_what_if_work *work, struct tp_cause cause);

/* Computes the usual lengths (what_if_usual.c). */
void tp_what_if_usual(struct tp_what_if_work *work);
/* Replaces usual kernel times by the mean of all, because evening out moving work loses none of it. */
void tp_what_if_use_means(struct tp_what_if_work *work);
/* Finds hosts that leave late, and makes all ranks wait for them in the replay (what_if_leaves.c). */
void tp_what_if_find_leaves(struct tp_what_if_work *work);
/* Finds slow ranks and rank-steps (what_if_ranks.c). */
void tp_what_if_ranks(struct tp_what_if_work *work);
/* Find causes in stages and links (what_if_links.c). */
void tp_what_if_stages(struct tp_what_if_work *work);
void tp_what_if_sequences(struct tp_what_if_work *work);
void tp_what_if_links(struct tp_what_if_work *work);

#endif
