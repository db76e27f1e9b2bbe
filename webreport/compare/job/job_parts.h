/* Steps of tp_job_finish, in the order in which they run; each fills results of the job. */
#ifndef TP_WEBREPORT_COMPARE_JOB_JOB_PARTS_H
#define TP_WEBREPORT_COMPARE_JOB_JOB_PARTS_H

#include "webreport/compare/job/job.h"

/* rank_groups.c: clusters of ranks that do the same work; families of process groups. */
void tp_job_clusters_build(struct tp_job *job);
/* rank_clocks.c: offsets of the ranks' clocks, residuals, components; who arrived last and what the others waited. */
void tp_job_align(struct tp_job *job);
/* Whether the ranks of a collective of this name leave it together. */
bool tp_job_is_blocking(struct tp_str name);
/* group_links.c: whether a kernel's or call's name is that of a collective. */
bool tp_job_is_communication(struct tp_str name);
/* stragglers.c: own work of each rank against its cluster's, step by step. */
void tp_job_stragglers_build(struct tp_job *job);
/* group_links.c: bandwidths of groups. */
void tp_job_links_build(struct tp_job *job);
/* job_replay.c: the steps of all ranks as a graph, and what the job would take without each cause. */
void tp_job_replay_build(struct tp_job *job);
void tp_job_replay_add(struct tp_job *job, struct tp_job_rank *rank, const struct tp_summary *summary,
                       const uint32_t *labels);
/* job_replay.c: the causes of the replay as findings. */
void tp_job_replay_findings(struct tp_job *job);
/* "the link of dp groups 4-7", in the job's arena. */
const char *tp_job_cause_text(const struct tp_job *job, const struct tp_cause *cause);
/* cause_words.c: title, detail and what it is called; the finding has its ranks and worst rank. */
void tp_job_word_cause(const struct tp_job *job, const struct tp_cause *cause, struct tp_job_finding *finding);
/* A finding that costs so much per step of that length, without words. */
struct tp_job_finding *tp_job_new_finding(struct tp_job *job, enum tp_job_rule rule, int64_t cost_ns, int64_t step_ns);
/* What the kernels or operators of a rank do more than its peers: longer calls, or more of them; "": nothing. */
const char *tp_job_compute_detail(const struct tp_job *job, uint32_t rank);
/* rank_causes.c: findings. */
void tp_job_causes_build(struct tp_job *job);
void tp_job_link_rate_build(struct tp_job *job);
void tp_job_sort_findings(struct tp_job *job);

/* Whether the rank's own work is longer than its peers' beyond accident. */
bool tp_job_is_straggler(const struct tp_job *job, const struct tp_job_rank *rank);

/* A heavy row of a rank beside the median of its cluster. */
struct tp_job_excess {
    uint32_t name;
    enum tp_summary_kind kind;
    int64_t time_ns, peer_time_ns; /* per step */
    double count, peer_count;      /* per step */
};

/* The rows of a rank that have peers, most excess of time first. Returns how many. */
uint32_t tp_job_excess_rows(const struct tp_job *job, uint32_t rank, struct tp_job_excess **rows);

#endif
