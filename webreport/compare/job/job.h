/* A job: the summaries of many ranks, added one after the other, beside each other.
 *
 * Each summary leaves what the comparison needs (a few kilobytes) and may go at once, so ten thousand ranks fit in
 * memory. No clock of one rank is ever compared with that of another: own work is a difference of times of one rank,
 * and arrivals are brought together by collectives (rank_clocks.c).
 *
 *     tp_job_open(&job, &arena);
 *     for each summary, by rank: tp_job_add(&job, &summary);
 *     tp_job_finish(&job);                    then read the results, or tp_job_json, tp_job_page ..
 *
 * Everything lives in the arena, whose guard the caller sets. Times are int64 nanoseconds. One thread. */
#ifndef TP_WEBREPORT_COMPARE_JOB_JOB_H
#define TP_WEBREPORT_COMPARE_JOB_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/compare/replay/what_if.h"
#include "webreport/measure/ranks/distributed.h"
#include "webreport/measure/summary/summary.h"
#include "writer/base/keys.h"
#include "writer/base/number_set.h"

/* Where a rank's time in a step went, together its length. */
enum tp_job_part {
    TP_JOB_COMPUTE,       /* kernels, copies and sets; operators where there is no device */
    TP_JOB_HOST,          /* neither device nor input nor communication: launching, Python, idle */
    TP_JOB_DATA,          /* the data loader */
    TP_JOB_COMMUNICATION, /* communication that nothing else hides, waiting included */
    TP_JOB_PARTS
};

/* A step of a rank. */
struct tp_job_step {
    uint32_t label;           /* in job->labels */
    int64_t total_ns, own_ns; /* own: without exposed communication */
    int64_t part_ns[TP_JOB_PARTS];
};

/* A collective as one rank took part in it; times of that rank's clock. */
struct tp_job_call {
    uint32_t instance, step; /* step: in job->labels, TP_NO_ID: none */
    int64_t arrival_ns, end_ns;
};

/* A heavy row of a rank: kernels, operators. */
struct tp_job_cost {
    uint32_t name; /* in job->texts */
    enum tp_summary_kind kind;
    int64_t count, time_ns;
};

struct tp_job_rank {
    struct tp_summary_key key; /* texts are copies */
    int64_t number;            /* the rank, or the place in the job when ranks are not known */
    uint64_t fingerprint;
    int64_t event_count, peak_bytes; /* peak: allocated, largest of all devices; TP_NULL_INT: unknown */
    struct tp_str verdict, headline; /* of its summary */
    const char *damage; /* "the gzip is cut ..": nothing of it is called slow; "": nothing is known against its trace */
    bool is_gpu;
    bool has_no_communication;
    uint32_t recorded_step_count; /* with those that are not used: what sums over its recording are divided by */
    uint32_t first_step, step_count, first_call, call_count, first_cost, cost_count;
    uint32_t graph_rank; /* in job->graph; TP_NO_ID: not in it */
    /* results */
    uint32_t cluster;   /* in job->clusters */
    uint32_t component; /* ranks of one component are aligned with each other; TP_NO_ID: no joint collective */
    int64_t offset_ns, residual_ns; /* add the offset to a time of this rank; residual: what is left at the ends */
    int64_t step_ns, own_ns;        /* medians over the steps */
    int64_t part_ns[TP_JOB_PARTS];  /* likewise */
    int64_t excess_ns;              /* median over the steps of own time less the cluster's median in that step */
    int64_t part_excess_ns[TP_JOB_PARTS];
    double late_share;       /* 0..1, of the compared steps: longer than peers by more than half of the threshold */
    uint32_t compared_steps; /* with at least one peer */
    uint32_t joint_count, last_count; /* blocking collectives with others; those in which it arrived last */
    int64_t caused_wait_ns;           /* per step: what the others of a group waited for it on average; longest group */
};

/* One collective of a group, all ranks that saw it. */
struct tp_job_instance {
    uint32_t name, group; /* in job->texts, job->groups */
    int64_t sequence, bytes;
    uint32_t first_member, member_count; /* in job->members, by rank */
    uint32_t rank_count, last_rank;      /* different ranks among the members; count of ranks when the last was added */
    int64_t transfer_ns;                 /* the shortest duration: nobody waits longer than the last to arrive */
};

/* A process group. */
struct tp_job_group {
    uint32_t name;
    int64_t size;             /* as recorded; TP_NULL_INT: unknown */
    struct tp_rank_set ranks; /* seen */
    uint32_t instance_count;
    uint64_t family;           /* groups laid out alike over the ranks have equal numbers */
    uint32_t first_rank_index; /* in job->ranks */
};

/* Ranks that do the same work and may be compared. */
struct tp_job_cluster {
    struct tp_rank_set ranks;
    uint32_t rank_count;
    uint64_t fingerprint;
    int64_t step_ns, own_ns, part_ns[TP_JOB_PARTS]; /* medians over its ranks */
    int64_t threshold_ns;                           /* excess above it is no accident */
    double spread_ratio, step_spread_ratio; /* deviation / mean of own time: what stays with the ranks; inside steps */
    int64_t imbalance_ns;                   /* per step: slowest less mean, mean over the steps */
    uint32_t slowest;                       /* rank index by own_ns */
};

/* A step in one cluster: at most one step of each rank. */
struct tp_job_column {
    uint32_t cluster, label, first, count;           /* in column_steps: numbers of steps */
    int64_t own_ns, total_ns, part_ns[TP_JOB_PARTS]; /* medians */
};

/* Bus bandwidth of one group for messages of one size, against groups laid out alike. */
struct tp_job_link {
    uint32_t group;
    const char *collective; /* "all_reduce" */
    int64_t bytes;          /* largest of the size class */
    uint32_t calls, peers;
    double bandwidth, peer_bandwidth; /* bytes per second on the bus: median; 90th percentile of all such groups */
    int64_t lost_ns;                  /* per step of its ranks, against the peers' median */
    bool is_slow;
};

/* A finding of single ranks, merged by rule and line. */
struct tp_job_merged {
    struct tp_str rule, title, file_line, detail;
    uint8_t severity, confidence;
    struct tp_rank_set ranks;
    int64_t worst_rank, occurrences;
    double max_ceiling_us, ceiling_sum_us; /* per step, as long as nothing else changes */
};

/* A fact that is not the same everywhere. */
struct tp_job_fact {
    struct tp_str name, value;
    struct tp_rank_set ranks;
};

enum tp_job_rule { /* the order in which equal costs stand */
                   TP_JOB_SLOW_COMPUTE,
                   TP_JOB_LATE_HOST,
                   TP_JOB_SLOW_DATA,
                   TP_JOB_SLOW_LINK,
                   TP_JOB_IMBALANCE,
                   TP_JOB_CHANGING_IMBALANCE,
                   TP_JOB_MISSING_RANKS,
                   TP_JOB_DAMAGED_RANKS,
                   TP_JOB_HALF,
                   TP_JOB_LATE_SLOW,
                   TP_JOB_MOVING,
                   TP_JOB_PAUSES,
                   TP_JOB_INPUTS,
                   TP_JOB_SEQUENCE,
                   TP_JOB_STAGE,
                   TP_JOB_ALL_LINKS,
                   TP_JOB_RULES
};

/* What is wrong with the job, costliest first. */
struct tp_job_finding {
    enum tp_job_rule rule;
    const char *title, *detail, *advice;
    struct tp_rank_set ranks;
    int64_t worst_rank;         /* number; TP_NULL_INT: none */
    int64_t cost_ns;            /* per step; TP_NULL_INT: not a matter of time */
    double cost_ratio;          /* of the median step; NaN with cost_ns absent */
    double alone, saved, share; /* percent of the job (what_if.h); NaN: not replayed */
    enum tp_job_rule also;      /* what gives the same lengths, and fits as well */
    const char *also_title;     /* NULL: nothing else fits */
    double also_saved;          /* percent of the job; NaN: nobody knows */
    const char *told;           /* "the link of node3": what share of the job it is; NULL: not replayed */
};

struct tp_job {
    struct tp_arena *arena;
    struct tp_str name;              /* --job */
    int64_t span, world_size;        /* TP_NULL_INT: none */
    bool has_numbers;                /* every rank is known by number */
    enum tp_producer producer;       /* of the first rank: all run one program */
    struct tp_strings texts, labels; /* labels: names of steps */
    struct tp_vec ranks;             /* struct tp_job_rank */
    struct tp_vec steps;             /* struct tp_job_step */
    struct tp_vec calls;             /* struct tp_job_call */
    struct tp_vec costs;             /* struct tp_job_cost */
    struct tp_vec instances;         /* struct tp_job_instance */
    struct tp_vec groups;            /* struct tp_job_group */
    struct tp_vec merged;            /* struct tp_job_merged */
    struct tp_vec facts;             /* struct tp_job_fact, all; finish leaves those that differ */
    struct tp_vec compared;          /* struct tp_rank_summary: by rank; empty when there are too many records */
    struct tp_keys instance_keys, group_keys, merged_keys, fact_keys;
    uint64_t compared_records;
    uint64_t steps_left_out, calls_left_out; /* beyond what is kept of a rank */
    /* results */
    bool has_distributed; /* compared holds all ranks */
    struct tp_distributed distributed;
    uint32_t *members;                                /* calls by instance */
    struct tp_vec clusters, columns, links, findings; /* struct tp_job_cluster .. */
    uint32_t *column_steps, *step_column;             /* steps by column; column by step */
    struct tp_rank_set missing;                       /* numbers below the world size that no summary has */
    struct tp_rank_set damaged;                       /* numbers of ranks with damage */
    uint32_t component_count;
    uint32_t blocking_count;                  /* instances that align */
    int64_t residual_ns, largest_residual_ns; /* median over the ranks, largest */
    struct tp_graph graph;                    /* of the steps of all ranks that have slots */
    struct tp_what_if what_if; /* of it; its findings stand for those of own work and links when it tells */
};

/* An empty job. */
void tp_job_open(struct tp_job *job, struct tp_arena *arena, struct tp_str name, int64_t span);
/* Adds a rank; nothing of the summary is kept. Ranks come in the order of tp_summary_key_order. */
void tp_job_add(struct tp_job *job, const struct tp_summary *summary);
/* Compares them. */
void tp_job_finish(struct tp_job *job);

static inline struct tp_job_rank *tp_job_rank_at(const struct tp_job *job, size_t rank)
{
    return TP_AT(&job->ranks, struct tp_job_rank, rank);
}
static inline struct tp_job_step *tp_job_step_at(const struct tp_job *job, size_t step)
{
    return TP_AT(&job->steps, struct tp_job_step, step);
}
static inline struct tp_job_call *tp_job_call_at(const struct tp_job *job, size_t call)
{
    return TP_AT(&job->calls, struct tp_job_call, call);
}
static inline struct tp_job_instance *tp_job_instance_at(const struct tp_job *job, size_t instance)
{
    return TP_AT(&job->instances, struct tp_job_instance, instance);
}
static inline struct tp_job_group *tp_job_group_at(const struct tp_job *job, size_t group)
{
    return TP_AT(&job->groups, struct tp_job_group, group);
}
static inline struct tp_job_cluster *tp_job_cluster_at(const struct tp_job *job, size_t cluster)
{
    return TP_AT(&job->clusters, struct tp_job_cluster, cluster);
}

/* A job of ranks of which only the steps are known, replayed: what_if, and findings where it can be trusted. sources:
 * by ascending number; labels: names of their steps; view: their comparison. */
void tp_job_of_steps(struct tp_job *job, const struct tp_graph_source *sources, uint32_t count,
                     const struct tp_strings *labels, const struct tp_distributed *view);

/* ---- what several parts need ---- */

/* As struct tp_str -> "rank 5", or the worker's name where ranks have no numbers. In the job's arena. */
const char *tp_job_rank_name(const struct tp_job *job, const struct tp_job_rank *rank);

/* An input that could not be used. */
struct tp_job_failed {
    struct tp_str file, why;
};

/* All jobs of one output, in order. */
struct tp_jobs {
    struct tp_job *items;
    size_t count;
    struct tp_job_failed *failed;
    size_t failed_count;
    uint64_t duplicate_count; /* records that another one of the same rank replaced */
    uint64_t left_out_count;  /* records of jobs and spans beyond TP_MAX_JOB_SPANS */
};

#endif
