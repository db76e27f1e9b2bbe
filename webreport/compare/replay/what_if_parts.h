/* What the rules of tp_what_if_build share. Each looks at one kind of cause and adds what it finds. */
#ifndef TP_WEBREPORT_COMPARE_REPLAY_WHAT_IF_PARTS_H
#define TP_WEBREPORT_COMPARE_REPLAY_WHAT_IF_PARTS_H

#include "webreport/compare/replay/what_if.h"

/* Usual transfer of a key: of the faster half of its groups. */
struct tp_usual_link {
    uint32_t first_pair, pair_count; /* in by_key */
    double usual_us;
};

struct tp_what_if_work {
    const struct tp_graph *graph;
    struct tp_arena *arena;
    struct tp_what_if *out;
    uint32_t ranks, steps;
    uint32_t *first_usual; /* by class: of slot k and part p: + k * TP_SLOT_OWN + p */
    double *usual, *even;  /* the second: stages evened out */
    double *work;          /* by class: usual kernels of a step */
    double median_work;
    uint32_t longest_stage; /* class with most work; TP_NO_ID: none */
    bool is_uneven;         /* it is longer than others, and whole */
    uint32_t level_class;   /* class of which all ranks are of the slower level that others are of; TP_NO_ID: none */
    double level_ratio;     /* .. that many times the usual work */
    bool is_input_late; /* of whole classes: usual input is less than they have */
    bool *is_upper[TP_SLOT_OWN]; /* by rank: of the slower one of two levels */
    double *total[TP_SLOT_OWN];  /* by cell (rank, step) */
    double *excess[TP_SLOT_OWN]; /* total less the usual of the class */
    uint32_t *by_key;            /* pairs by key */
    double *pair_us;             /* by pair: median over the steps */
    struct tp_usual_link *links; /* by key */
    bool is_done[TP_SLOT_OWN];   /* a rule has told what is to tell of this part */
    /* by family: whose ranks leave its collectives later than all others; TP_NO_ID: none */
    uint32_t *late_host;
    double *prompt_us;           /* by pair: what those others spend; 0: that cannot be told */
    double measured_us;          /* what T has to be */
    double T, ideal, base;       /* base: everything usual, stages as they are */
    uint8_t *left_out;           /* by cell: parts; scratch */
    const double *lengths;       /* by cell: of batches, where their unlike length is left out: only that goes */
    bool *is_left_out;           /* by pair; scratch */
    double *own, *transfer;      /* scratch of a replay */
    double *values;              /* scratch: as many as cells of any kind */
};

static inline double tp_usual_of(const struct tp_what_if_work *w, const double *usual, uint32_t class, uint32_t slot,
                                 unsigned part)
{
    return usual[w->first_usual[class] + slot * TP_SLOT_OWN + part];
}

static const double TP_LEAST_COST = 0.5; /* percent of T: what is told */

/* what_if_cost.c: T with what is marked in left_out and is_left_out as usual; uses_usual: with all but that as usual.
 */
double tp_what_if_replay(const struct tp_what_if_work *work, bool uses_usual, bool evens_stages);
/* T if the kernels of a class took `factor` times as long as they did. */
double tp_what_if_scaled(const struct tp_what_if_work *work, uint32_t class_index, double factor);
/* T with everything usual, and the stages even where they are not. */
double tp_what_if_ideal(const struct tp_what_if_work *work);
/* Ideal, base and loss, of what is usual. */
void tp_what_if_measure_ideal(struct tp_what_if_work *work);
/* Marks what the cause is. */
void tp_what_if_mark(struct tp_what_if_work *work, const struct tp_cause *cause);
/* A cause with what it costs; its lists live in the arena. A link that is no more than rough has its cost in `alone`.
 */
void tp_what_if_add(struct tp_what_if_work *work, struct tp_cause cause);

/* what_if_usual.c */
void tp_what_if_usual(struct tp_what_if_work *work);
/* Usual kernels become the mean of all: of work that moves along, none is lost when it is evened out. */
void tp_what_if_use_means(struct tp_what_if_work *work);
/* what_if_leaves.c: finds hosts that leave late, and lets all wait for them in the replay. */
void tp_what_if_find_leaves(struct tp_what_if_work *work);
/* what_if_ranks.c */
void tp_what_if_ranks(struct tp_what_if_work *work);
/* what_if_links.c */
void tp_what_if_stages(struct tp_what_if_work *work);
void tp_what_if_sequences(struct tp_what_if_work *work);
void tp_what_if_links(struct tp_what_if_work *work);

#endif
