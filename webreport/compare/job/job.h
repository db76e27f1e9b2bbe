/* Compares the summaries of all ranks of a job. Summaries are added one at a time, and the job keeps a few kilobytes of
 * each. A summary can be freed after it was added, so that ten thousand ranks fit in memory. Clocks of different ranks
 * are never compared directly: own work is a difference between times of one rank, and arrivals are compared after
 * collectives aligned the clocks (rank_clocks.c).
 *
 *     tp_job_init(&job, &arena);
 *     for each summary, by rank: tp_job_add_summary(&job, &summary);
 *     tp_job_finish(&job);                    then read the results
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

/* Parts of a rank's time in a step. They add up to the length of the step. */
enum tp_job_part {
    TP_JOB_COMPUTE, /* time in kernels, copies and sets; without a device, time in operators */
    /* time outside of device work, input and communication, such as launching, Python and idle time */
    TP_JOB_HOST,
    TP_JOB_DATA,          /* time in the data loader */
    TP_JOB_COMMUNICATION, /* exposed communication, including waiting */
    TP_JOB_PARTS
};

/* A step of one rank. */
struct tp_job_step {
    uint32_t label;           /* index of the step's name in job->labels */
    int64_t total_ns, own_ns; /* length of the step, with and without exposed communication, ns */
    int64_t part_ns[TP_JOB_PARTS];
};

/* One call of a collective by a rank. Times are from the rank's clock. */
struct tp_job_call {
    uint32_t instance, step; /* index in job->instances, and index in job->labels or TP_NO_ID */
    int64_t arrival_ns, end_ns;
};

/* Cost of one of the costliest kernels or operators of a rank, summed over the rank's recording. */
struct tp_job_cost {
    uint32_t name; /* index in job->texts */
    enum tp_summary_kind kind;
    int64_t count, time_ns;
};

struct tp_job_rank {
    struct tp_summary_key key; /* key of the rank's summary; its texts are copies */
    int64_t number;            /* number of the rank; without rank numbers, its index in the job */
    uint64_t fingerprint;
    /* number of events; allocated bytes on the device with the highest peak, TP_NULL_INT if unknown */
    int64_t event_count, peak_bytes;
    struct tp_str verdict, headline; /* verdict and headline of the report on this rank alone */
    /* damage of the rank's trace, such as "the file is cut, ..", or ""; damaged ranks are never reported as slow */
    const char *damage;
    bool is_gpu;
    bool has_no_communication;
    uint32_t recorded_step_count; /* number of used and unused steps; divides sums over the recording */
    uint32_t first_step, step_count, first_call, call_count, first_cost, cost_count;
    uint32_t graph_rank; /* index in job->graph, or TP_NO_ID */
    /* results of tp_job_finish */
    uint32_t cluster; /* index in job->clusters */
    /* number of the set of ranks with aligned clocks; TP_NO_ID without common collectives */
    uint32_t component;
    /* offset_ns: added to times of this rank to align them. residual_ns: remaining difference between ends of
     * collectives */
    int64_t offset_ns, residual_ns;
    /* medians over the rank's steps, ns: length of the step, and work without waiting for other ranks */
    int64_t step_ns, own_ns;
    int64_t part_ns[TP_JOB_PARTS]; /* median of each part over the rank's steps */
    /* excess of own work over the cluster's median in the same step; median over the steps */
    int64_t excess_ns;
    int64_t part_excess_ns[TP_JOB_PARTS];
    /* share (0 to 1) of the compared steps in which the excess is above half of the cluster's threshold */
    double late_step_ratio;
    uint32_t compared_step_count; /* number of steps that at least one other rank of the cluster also has */
    /* aligning_call_count: number of blocking collectives with other ranks; last_arrival_count: number of these in
     * which this rank arrived last */
    uint32_t aligning_call_count, last_arrival_count;
    /* mean time per step that the other ranks of a group wait for this rank, ns; maximum over the groups */
    int64_t caused_wait_ns;
};

/* One execution of a collective, with the calls of all ranks that recorded it. */
struct tp_job_instance {
    uint32_t name, group; /* indexes in job->texts and job->groups */
    int64_t sequence, bytes;
    uint32_t first_member, member_count; /* first: index in job->members, whose entries are sorted by rank */
    /* rank_count: number of different ranks among the members. rank_count_at_last_member: number of ranks that the job
     * had when the last member was added */
    uint32_t rank_count, rank_count_at_last_member;
    /* shortest duration of a member, ns: that of the last rank to arrive, which does not wait */
    int64_t transfer_ns;
};

/* A process group. */
struct tp_job_group {
    uint32_t name;
    int64_t size;             /* number of ranks as recorded in the trace; TP_NULL_INT if unknown */
    struct tp_rank_set ranks; /* numbers of the ranks that recorded the group */
    uint32_t instance_count;
    uint64_t family;           /* hash of the group's layout over the ranks, equal for groups with the same layout */
    uint32_t first_rank_index; /* index in job->ranks of the group's first rank */
};

/* Ranks that do the same work, so that their times can be compared. */
struct tp_job_cluster {
    struct tp_rank_set ranks;
    uint32_t rank_count;
    uint64_t fingerprint;
    int64_t step_ns, own_ns, part_ns[TP_JOB_PARTS]; /* medians over the ranks of the cluster, ns */
    int64_t threshold_ns;                           /* excess above which a rank is a straggler, ns */
    /* standard deviation of own work divided by its mean. spread_ratio: between ranks, without variation of single
     * steps; step_spread_ratio: between ranks within a step */
    double spread_ratio, step_spread_ratio;
    /* work of the slowest rank (without waiting) minus the mean of the ranks, averaged over the steps, ns */
    int64_t imbalance_ns;
    uint32_t slowest; /* index in job->ranks of the rank with the largest own_ns */
};

/* One step of a cluster, across its ranks. Each rank has at most one step in a column. */
struct tp_job_column {
    /* label: index in job->labels. first, count: range in job->column_steps */
    uint32_t cluster, label, first, count;
    int64_t own_ns, total_ns, part_ns[TP_JOB_PARTS]; /* medians over the ranks, ns */
};

/* Bus bandwidth of one group for messages of one size, compared with that of groups with the same layout. */
struct tp_job_link {
    uint32_t group;
    const char *collective; /* name of the collective, such as "all_reduce" */
    int64_t bytes;          /* size of the largest message in the size class */
    uint32_t calls, peers;
    /* bytes per second on the bus. bandwidth: median of the group; peer_bandwidth_bytes_per_s: 90th percentile of all
     * groups with the same layout, collective and size */
    double bandwidth, peer_bandwidth_bytes_per_s;
    /* additional time per step that the link costs its group, compared with the peers' median bandwidth, ns */
    int64_t lost_ns;
    bool is_slow;
};

/* Findings with the same rule and source line in the reports on several ranks, merged into one. */
struct tp_job_merged {
    struct tp_str rule, title, file_line, detail;
    uint8_t severity, confidence;
    struct tp_rank_set ranks;
    int64_t worst_rank, occurrences;
    /* possible gain per step if nothing else changes, us: largest of the ranks, and sum over the ranks */
    double max_gain_us, max_gain_sum_us;
};

/* A value of a fact that differs between ranks, and the ranks with this value. */
struct tp_job_fact {
    struct tp_str name, value;
    struct tp_rank_set ranks;
};

enum tp_job_rule { /* Rules of findings. Findings of equal cost are sorted in this order. */
                   TP_JOB_SLOW_COMPUTE,
                   TP_JOB_LATE_HOST,
                   TP_JOB_SLOW_DATA,
                   TP_JOB_SLOW_LINK,
                   TP_JOB_IMBALANCE,
                   TP_JOB_CHANGING_IMBALANCE,
                   TP_JOB_MISSING_RANKS,
                   TP_JOB_DAMAGED_RANKS,
                   TP_JOB_SLOW_LEVEL,
                   TP_JOB_BECOMES_SLOW,
                   TP_JOB_MOVING,
                   TP_JOB_PAUSES,
                   TP_JOB_INPUTS,
                   TP_JOB_SEQUENCE,
                   TP_JOB_STAGE,
                   TP_JOB_ALL_LINKS,
                   TP_JOB_RULES
};

/* A finding about the job; findings are sorted by cost, costliest first. */
struct tp_job_finding {
    enum tp_job_rule rule;
    /* title: what to do, in at most 14 words; statement: the finding as a sentence without a period, for the verdict */
    const char *title, *statement, *detail, *advice;
    struct tp_rank_set ranks;
    int64_t worst_rank; /* number of the rank with the largest loss, or TP_NULL_INT */
    int64_t cost_ns;    /* cost per step, ns; TP_NULL_INT if the finding costs no time */
    double cost_ratio;  /* cost_ns divided by the median step; NaN without cost_ns */
    /* cost alone, saving and share of this cause in the replay (what_if.h), percent of the job's time; NaN without
     * replay */
    double alone, saved, share;
    /* another cause that explains the same lengths of time; only valid if alternative_title is set */
    enum tp_job_rule alternative;
    const char *alternative_title; /* title of that other cause; NULL if none exists */
    double
        alternative_saved_pct; /* saving if the alternative cause is true, percent of the job's time; NaN if unknown */
    /* name of the cause for use in other sentences, such as "the link of node3"; NULL without replay */
    const char *cause_name;
};

struct tp_job {
    struct tp_arena *arena;
    struct tp_str name; /* name of the job, given by option --job */
    /* number of the recording within the job, and number of ranks; TP_NULL_INT if unknown */
    int64_t span, world_size;
    bool has_rank_numbers;           /* true: every rank of the job has a number */
    enum tp_producer producer;       /* producer of the first rank's trace, since all ranks run the same program */
    struct tp_strings texts, labels; /* texts: names of groups and kernels; labels: names of steps */
    struct tp_vec ranks;             /* elements: struct tp_job_rank */
    struct tp_vec steps;             /* elements: struct tp_job_step */
    struct tp_vec calls;             /* elements: struct tp_job_call */
    struct tp_vec costs;             /* elements: struct tp_job_cost */
    struct tp_vec instances;         /* elements: struct tp_job_instance */
    struct tp_vec groups;            /* elements: struct tp_job_group */
    struct tp_vec merged;            /* elements: struct tp_job_merged */
    /* elements: struct tp_job_fact; after tp_job_finish only facts that differ between ranks */
    struct tp_vec facts;
    /* elements: struct tp_rank_summary, sorted by rank; empty if the ranks have too many records */
    struct tp_vec compared;
    struct tp_keys instance_keys, group_keys, merged_keys, job_fact_keys;
    uint64_t compared_record_count;
    /* number of steps and calls that were dropped because a rank has too many */
    uint64_t steps_left_out, dropped_call_count;
    /* members from here on are results of tp_job_finish */
    bool has_distributed; /* true: `compared` has all ranks, so that `distributed` is valid */
    struct tp_distributed distributed;
    uint32_t *members; /* indexes in `calls`, grouped by instance */
    /* elements: struct tp_job_cluster, tp_job_column, tp_job_link and tp_job_finding */
    struct tp_vec clusters, columns, links, findings;
    /* column_steps: indexes in `steps`, grouped by column; column_of_step: for each step, its column */
    uint32_t *column_steps, *column_of_step;
    struct tp_rank_set missing; /* ranks below the world size that have no summary */
    struct tp_rank_set damaged; /* ranks whose trace is damaged */
    uint32_t aligned_set_count;
    uint32_t aligning_collective_count; /* number of collectives from which the clocks were aligned */
    /* remaining clock difference of a rank, ns: median and maximum over the ranks */
    int64_t residual_ns, largest_residual_ns;
    struct tp_graph graph; /* graph of the steps, for all ranks that have slots */
    /* results of the replay. Findings of a valid replay replace those from own work and links */
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

/* Makes a job from ranks with only their steps, and replays it. Fills what_if, and findings if the replay is valid.
 * sources: sorted by rank number. labels: names of the steps. view: comparison of the same ranks. */
void tp_job_replay_add_steps(struct tp_job *job, const struct tp_graph_source *sources, uint32_t count,
                             const struct tp_strings *labels, const struct tp_distributed *view);

/* ---- functions that several files of the job share ---- */

/* Returns the name of a rank, "rank 5", or the worker's name if ranks have no numbers. The text is in the job's
 * arena. */
const char *tp_job_rank_name(const struct tp_job *job, const struct tp_job_rank *rank);

/* An input that could not be used, with the reason. */
struct tp_job_failed_input {
    struct tp_str file, why;
};

/* All jobs of one output, in the order of the output. */
struct tp_jobs {
    struct tp_job *items;
    size_t count;
    struct tp_job_failed_input *failed;
    size_t failed_count;
    uint64_t duplicate_count; /* number of summaries dropped in favor of another summary of the same rank */
    /* number of summaries dropped because the output already has TP_MAX_JOB_SPANS jobs and spans */
    uint64_t dropped_summary_count;
};

#endif
