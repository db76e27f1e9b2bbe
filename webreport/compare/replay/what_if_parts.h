/* Declares the state and functions that the rules of tp_what_if_build share. Each rule searches for one kind of cause
 * and adds the causes that it finds. T is the replayed time of the job (what_if.h). */
#ifndef TP_WEBREPORT_COMPARE_REPLAY_WHAT_IF_PARTS_H
#define TP_WEBREPORT_COMPARE_REPLAY_WHAT_IF_PARTS_H

#include "webreport/compare/replay/what_if.h"

/* Usual transfer time of a collective at one position in the step (struct tp_graph_key): the median over the faster
 * half of the groups. */
struct tp_usual_link {
    uint32_t first_pair, pair_count; /* range in tp_what_if_work.pairs_by_key */
    double usual_us;
};

struct tp_what_if_work {
    const struct tp_graph *graph;
    struct tp_arena *arena;
    struct tp_what_if *out;
    uint32_t ranks, steps;
    /* for each class: index in `usual` of its first value; slot k and part p is at first_usual_of_class + k *
     * TP_SLOT_OWN + p */
    uint32_t *first_usual_of_class;
    double *usual, *usual_with_equal_stages; /* usual own work, us; `equalized` has equal pipeline stages */
    double *work;                            /* for each class: usual kernel time of a step, us */
    double median_work_us;
    uint32_t class_with_most_work; /* class with the most work, or TP_NO_ID */
    bool are_stages_uneven; /* true: the longest stage is longer than the others, and all its ranks were recorded */
    /* index of a class whose ranks are all on a slower speed level, like ranks of other classes; TP_NO_ID without such
     * a class */
    uint32_t slow_level_class;
    double slow_level_ratio; /* work of the ranks on the slower level, divided by the usual work */
    bool is_input_late; /* true: input is late in whole classes, so that the usual input time is less than recorded */
    bool *is_upper[TP_SLOT_OWN]; /* for each part and rank: whether the rank is on the slower of two speed levels */
    double *total[TP_SLOT_OWN];  /* for each part and cell (rank, step): recorded time in the part of own work, us */
    double *excess[TP_SLOT_OWN]; /* for each part and cell: recorded time minus the usual time of the class, us */
    uint32_t *pairs_by_key;      /* indexes of pairs, sorted by key */
    double *median_pair_transfer_us; /* for each pair: median of the transfer time over the steps, us */
    struct tp_usual_link *links;     /* for each item of graph->keys: usual transfer time */
    bool is_done[TP_SLOT_OWN]; /* for each part: whether a rule has explained the part, so that later rules skip it */
    /* for each family: host whose ranks leave collectives of the family later than all others, or TP_NO_ID */
    uint32_t *late_host;
    /* for each pair: time that the ranks of other hosts spend in the collective, us; 0 if unknown */
    double *prompt_us;
    double measured_us; /* recorded time of the job, us */
    /* replayed time of the job, us: T with recorded lengths, ideal with usual lengths and equal stages, base with usual
     * lengths and unequal stages */
    double T, ideal, base;
    uint8_t *removed_parts; /* for each cell: the parts that get their usual length, one bit each; scratch memory */
    /* for each cell: length of its batch relative to the mean, if only the differences between batches are removed;
     * else NULL */
    const double *lengths;
    bool *is_pair_removed;  /* for each pair: whether its transfer gets the usual length; scratch memory */
    double *own, *transfer; /* own work and transfer times for a replay, us; scratch memory */
    double *values;         /* one number for each cell; scratch memory */
};

static inline double tp_usual_work_us(const struct tp_what_if_work *w, const double *usual, uint32_t class,
                                      uint32_t slot, unsigned part)
{
    return usual[w->first_usual_of_class[class] + slot * TP_SLOT_OWN + part];
}

static const double TP_LEAST_COST = 0.5; /* smallest reported cost, percent of the job's time */

/* Returns the time of the job (us) with usual lengths for the parts marked in removed_parts and is_pair_removed, and
 * recorded lengths for all others. If uses_usual is true, the two lengths are exchanged. (what_if_cost.c) */
double tp_what_if_replay(const struct tp_what_if_work *work, bool uses_usual, bool evens_stages);
/* Returns the time of the job if the kernels of a class took `factor` times their recorded time, us. */
double tp_what_if_replay_scaled(const struct tp_what_if_work *work, uint32_t class_index, double factor);
/* Returns the time of the job with usual lengths everywhere and equal stages, us. */
double tp_what_if_replay_ideal(const struct tp_what_if_work *work);
/* Computes ideal time, base time and loss from the usual lengths. */
void tp_what_if_measure_ideal(struct tp_what_if_work *work);
/* Marks the cells and pairs of a cause in removed_parts and is_pair_removed. */
void tp_what_if_mark_cause(struct tp_what_if_work *work, const struct tp_cause *cause);
/* Adds a cause and computes its cost. The lists of the cause must be in the arena. For TP_CAUSE_ALL_LINKS, the caller
 * sets `alone`. */
void tp_what_if_add_cause(struct tp_what_if_work *work, struct tp_cause cause);

/* Computes the usual lengths. (what_if_usual.c) */
void tp_what_if_find_usual_lengths(struct tp_what_if_work *work);
/* Replaces the usual kernel times by the mean over the steps and the ranks of a class, because work that only moves
 * between ranks is not lost. */
void tp_what_if_use_mean_kernel_times(struct tp_what_if_work *work);
/* Finds hosts whose ranks leave collectives late, and makes all ranks wait for these hosts in the replay.
 * (what_if_late_hosts.c) */
void tp_what_if_find_late_hosts(struct tp_what_if_work *work);
/* Finds ranks that are slow, and steps in which single ranks are slow. (what_if_ranks.c) */
void tp_what_if_find_ranks(struct tp_what_if_work *work);
/* Find causes in pipeline stages and in links. (what_if_links.c) */
void tp_what_if_find_stages(struct tp_what_if_work *work);
void tp_what_if_find_uneven_batches(struct tp_what_if_work *work);
void tp_what_if_find_links(struct tp_what_if_work *work);

#endif
