/* A job: compares the summaries of many ranks, which are added one at a time.
 * The job keeps a few kilobytes of each summary, which can then be freed, so ten thousand ranks fit in memory. Clocks
 * of different ranks are never compared directly: own work is a difference of times of one rank, and collectives align
 * arrivals (rank_clocks.c).
 *
 *     tp_job_open(&job, &arena);
 *
 *     for each summary, by rank: tp_job_add(&job, &summary);
 *
 *     tp_job_finish(&job);                    then read the results, or tp_job_json, tp_job_page ..
 *
 * All memory comes from the arena, whose guard the caller sets. Times are int64 nanoseconds. Single-threaded. */
#ifndef TP_WEBREPORT_COMPARE_JOB_JOB_H
#define TP_WEBREPORT_COMPARE_JOB_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/compare/replay/what_if.h"
#include "webreport/measure/ranks/distributed.h"
#include "webreport/measure/summary/summary.h"
#include "writer/base/keys.h"
#include "writer/base/number_set.h"

/* Parts of a rank's time in a step; their sum is its length. */
enum tp_job_part {
    TP_JOB_COMPUTE,       /* kernels, copies and sets; operators without a device */
    TP_JOB_HOST,          /* neither device nor input nor communication: launching, Python, idle */
    TP_JOB_DATA,          /* the data loader */
    TP_JOB_COMMUNICATION, /* exposed communication, including waiting */
    TP_JOB_PARTS
};

/* A step of a rank. */
struct tp_job_step {
    uint32_t label;           /* in job->labels */
    int64_t total_ns, own_ns; /* own_ns: without exposed communication */
    int64_t part_ns[TP_JOB_PARTS];
};

/* The part of one rank in a collective; times of that rank's clock. */
struct tp_job_call {
    uint32_t instance, step; /* step: index in job->labels, or TP_NO_ID */
    int64_t arrival_ns, end_ns;
};

/* A heavy row of a rank: a kernel or an operator. */
struct tp_job_cost {
    uint32_t name; /* index in job->texts */
    enum tp_summary_kind kind;
    int64_t count, time_ns;
};

struct tp_job_rank {
    struct tp_summary_key key; /* texts are copies */
    int64_t number;            /* the rank, or its place in the job if ranks are unknown */
    uint64_t fingerprint;
    int64_t event_count, peak_bytes; /* peak: allocated bytes, highest of all devices; TP_NULL_INT if unknown */
    struct tp_str verdict, headline; /* from its summary */
    const char *damage; /* damage of its trace ("the gzip is cut .."), or ""; a damaged rank is never called slow */
    bool is_gpu;
    bool has_no_communication;
    uint32_t recorded_step_count; /* used and unused steps; divisor of sums over its recording */
    uint32_t first_step, step_count, first_call, call_count, first_cost, cost_count;
    uint32_t graph_rank; /* index in job->graph, or TP_NO_ID */
    /* results */
    uint32_t cluster;   /* in job->clusters */
    uint32_t component; /* ranks of one component are aligned with each other; TP_NO_ID without common collectives */
    int64_t offset_ns, residual_ns; /* offset to add to a time of this rank; remaining difference of the ends */
    int64_t step_ns, own_ns;        /* medians over the steps */
    int64_t part_ns[TP_JOB_PARTS];  /* medians over the steps */
    int64_t excess_ns;              /* median over the steps of own time minus the cluster's median in that step */
    int64_t part_excess_ns[TP_JOB_PARTS];
    /* share (0 to 1) of the compared steps that are longer than the peers' by more than half of the threshold */
    double late_share;
    uint32_t compared_steps; /* steps with at least one peer */
    uint32_t joint_count, last_count; /* blocking collectives with other ranks; those at which this rank arrived last */
    /* per step: mean wait of the other ranks of a group for this rank; the group with the longest */
    int64_t caused_wait_ns;
};

/* A collective of a group with all ranks that recorded it. */
struct tp_job_instance {
    uint32_t name, group; /* indexes in job->texts, job->groups */
    int64_t sequence, bytes;
    uint32_t first_member, member_count; /* range in job->members, sorted by rank */
    /* number of different ranks among the members; number of ranks of the job when the last member was added */
    uint32_t rank_count, last_rank;
    /* the shortest duration, that of the last rank to arrive, which does not wait */
    int64_t transfer_ns;
};

/* A process group. */
struct tp_job_group {
    uint32_t name;
    int64_t size;             /* as recorded; TP_NULL_INT if unknown */
    struct tp_rank_set ranks; /* recorded ranks */
    uint32_t instance_count;
    uint64_t family;           /* equal for groups with the same layout over the ranks */
    uint32_t first_rank_index; /* in job->ranks */
};

/* Comparable ranks, which do the same work. */
struct tp_job_cluster {
    struct tp_rank_set ranks;
    uint32_t rank_count;
    uint64_t fingerprint;
    int64_t step_ns, own_ns, part_ns[TP_JOB_PARTS]; /* medians over its ranks */
    int64_t threshold_ns;                           /* an excess counts above this */
    /* deviation / mean of own time: the part that persists in ranks; the part inside steps */
    double spread_ratio, step_spread_ratio;
    int64_t imbalance_ns;                   /* slowest rank minus mean, mean over the steps */
    uint32_t slowest;                       /* index of the rank with the highest own_ns */
};

/* A step of one cluster, with at most one step of each rank. */
struct tp_job_column {
    /* first, count: range in column_steps, which has numbers of steps */
    uint32_t cluster, label, first, count;
    int64_t own_ns, total_ns, part_ns[TP_JOB_PARTS]; /* medians */
};

/* Bus bandwidth of one group for messages of one size, compared with groups of the same layout. */
struct tp_job_link {
    uint32_t group;
    const char *collective; /* "all_reduce" */
    int64_t bytes;          /* largest of the size class */
    uint32_t calls, peers;
    /* bytes per second on the bus: median of the group; 90th percentile of all such groups */
    double bandwidth, peer_bandwidth;
    int64_t lost_ns;                  /* additional time per step of its ranks, compared with the peers' median */
    bool is_slow;
};

/* A finding of the ranks' own reports, merged by rule and line. */
struct tp_job_merged {
    struct tp_str rule, title, file_line, detail;
    uint8_t severity, confidence;
    struct tp_rank_set ranks;
    int64_t worst_rank, occurrences;
    double max_ceiling_us, ceiling_sum_us; /* per step, if nothing else changes */
};

/* A fact that differs between ranks. */
struct tp_job_fact {
    struct tp_str name, value;
    struct tp_rank_set ranks;
};

enum tp_job_rule { /* sorted in this order if costs are equal */
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

/* A finding about the job; costliest first. */
struct tp_job_finding {
    enum tp_job_rule rule;
    const char *title, *detail, *advice;
    struct tp_rank_set ranks;
    int64_t worst_rank;         /* number of the rank, or TP_NULL_INT */
    int64_t cost_ns;            /* per step; TP_NULL_INT if it costs no time */
    double cost_ratio;          /* share of the median step; NaN without cost_ns */
    double alone, saved, share; /* percent of the job (what_if.h); NaN without replay */
    enum tp_job_rule also;      /* another cause that gives the same lengths */
    const char *also_title;     /* title of `also`, or NULL */
    double also_saved;          /* percent of the job; NaN if unknown */
    const char *told;           /* name of the cause ("the link of node3"); NULL without replay */
};

struct tp_job {
    struct tp_arena *arena;
    struct tp_str name;              /* --job */
    int64_t span, world_size;        /* TP_NULL_INT if unknown */
    bool has_numbers;                /* every rank has a number */
    enum tp_producer producer;       /* producer of the first rank, because all ranks run one program */
    struct tp_strings texts, labels; /* labels: names of steps */
    struct tp_vec ranks;             /* struct tp_job_rank */
    struct tp_vec steps;             /* struct tp_job_step */
    struct tp_vec calls;             /* struct tp_job_call */
    struct tp_vec costs;             /* struct tp_job_cost */
    struct tp_vec instances;         /* struct tp_job_instance */
    struct tp_vec groups;            /* struct tp_job_group */
    struct tp_vec merged;            /* struct tp_job_merged */
    struct tp_vec facts;             /* struct tp_job_fact: all facts; after tp_job_finish only those that differ */
    struct tp_vec compared;          /* struct tp_rank_summary, by rank; empty with too many records */
    struct tp_keys instance_keys, group_keys, merged_keys, fact_keys;
    uint64_t compared_records;
    uint64_t steps_left_out, calls_left_out; /* not kept, because a rank has too many */
    /* results */
    bool has_distributed; /* `compared` has all ranks */
    struct tp_distributed distributed;
    uint32_t *members;                                /* calls by instance */
    struct tp_vec clusters, columns, links, findings; /* struct tp_job_cluster .. */
    uint32_t *column_steps, *step_column;             /* steps by column; column by step */
    struct tp_rank_set missing;                       /* ranks below the world size without a summary */
    struct tp_rank_set damaged;                       /* numbers of ranks with damage */
    uint32_t component_count;
    uint32_t blocking_count;                  /* instances that align clocks */
    int64_t residual_ns, largest_residual_ns; /* median over the ranks, largest */
    struct tp_graph graph;                    /* graph of the steps of all ranks with slots */
    /* results of the replay; its findings replace those of own work and links if the replay is valid */
    struct tp_what_if what_if;
};

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

/* Makes a job of ranks of which only the steps are known and replays it: fills what_if, and findings if the replay is
 * valid. sources: by ascending number. labels: names of their steps. view: their comparison. */
void tp_job_of_steps(struct tp_job *job, const struct tp_graph_source *sources, uint32_t count,
                     const struct tp_strings *labels, const struct tp_distributed *view);

/* ---- shared by the parts of a job ---- */

/* Returns "rank 5", or the worker's name if ranks have no numbers, in the job's arena. */
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
    uint64_t duplicate_count; /* records that were replaced by another one of the same rank */
    uint64_t left_out_count;  /* records of jobs and spans beyond TP_MAX_JOB_SPANS */
};

#endif
