/* Declares the stages of tp_job_finish in the order in which they run. Each stage fills results of the job. */
#ifndef TP_WEBREPORT_COMPARE_JOB_JOB_PARTS_H
#define TP_WEBREPORT_COMPARE_JOB_JOB_PARTS_H

#include "webreport/compare/job/job.h"

/* Finds clusters of ranks with the same work, and families of process groups. (rank_groups.c) */
void tp_job_clusters_build(struct tp_job *job);
/* Aligns the ranks' clocks: computes offsets, residuals and components, and finds late arrivals and the waits that
 * they cause. (rank_clocks.c) */
void tp_job_align_clocks(struct tp_job *job);
/* Returns whether the ranks of a collective with this name leave the collective together. */
bool tp_job_is_blocking(struct tp_str name);
/* Returns whether a kernel or call with this name is a collective. (group_links.c) */
bool tp_job_is_communication(struct tp_str name);
/* Compares each rank's work (time without waiting) with that of its cluster, step by step. (stragglers.c) */
void tp_job_stragglers_build(struct tp_job *job);
/* Computes the bandwidths of groups. (group_links.c) */
void tp_job_links_build(struct tp_job *job);
/* Builds the graph of all ranks' steps, and computes the job's time without each cause. (job_replay.c) */
void tp_job_replay_build(struct tp_job *job);
void tp_job_replay_add_rank(struct tp_job *job, struct tp_job_rank *rank, const struct tp_summary *summary,
                            const uint32_t *labels);
/* Adds the causes that the replay finds as findings. (job_replay.c) */
void tp_job_replay_add_findings(struct tp_job *job);
/* Returns the name of a cause, such as "the link of dp groups 4-7". The text is in the job's arena. */
const char *tp_job_cause_text(const struct tp_job *job, const struct tp_cause *cause);
/* Fills title, statement, detail and name of a finding from its cause. The finding must have its ranks and worst_rank.
 * (cause_words.c) */
void tp_job_write_cause_finding(const struct tp_job *job, const struct tp_cause *cause, struct tp_job_finding *finding);
/* Return titles of findings about the ranks in the text `ranks`, such as "ranks 3, 8". part: part of the work in which
 * the ranks are slow. stays: the work is always unequal on the same ranks. (job_titles.c) */
const char *tp_job_title_of_slow_ranks(const struct tp_job *job, unsigned part, const char *ranks, bool is_one);
const char *tp_job_title_of_unequal_ranks(const struct tp_job *job, const char *ranks, bool stays);
/* Adds a finding with its cost per step, and returns it. The caller fills its texts. */
struct tp_job_finding *tp_job_new_finding(struct tp_job *job, enum tp_job_rule rule, int64_t cost_ns, int64_t step_ns);
/* Returns a text on how the kernels or operators of a rank differ from those of the rank's peers: longer calls, or more
 * calls. Returns "" if they do not differ. */
const char *tp_job_slow_compute_text(const struct tp_job *job, uint32_t rank);
/* Adds the findings of the job, costliest first. (rank_causes.c) */
void tp_job_causes_build(struct tp_job *job);
void tp_job_link_rate_build(struct tp_job *job);
void tp_job_sort_findings(struct tp_job *job);

/* Returns whether the rank's work (time without waiting) exceeds that of its peers by more than the threshold. */
bool tp_job_is_straggler(const struct tp_job *job, const struct tp_job_rank *rank);

/* A costly kernel or operator of a rank, compared with the median of the rank's cluster. */
struct tp_job_excess {
    uint32_t name;
    enum tp_summary_kind kind;
    int64_t time_ns, peer_time_ns; /* time per step, ns: of the rank, and the median of its peers */
    double count, peer_count;      /* calls per step: of the rank, and the median of its peers */
};

/* Fills the kernels or operators of a rank that its peers also have, sorted by excess of time, largest first.
 * Returns their number. */
uint32_t tp_job_find_excess_rows(const struct tp_job *job, uint32_t rank, struct tp_job_excess **rows);

#endif
