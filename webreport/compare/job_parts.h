/* Steps of tp_job_finish, in the order in which they run; each fills results of the job. */
#ifndef TP_WEBREPORT_COMPARE_JOB_PARTS_H
#define TP_WEBREPORT_COMPARE_JOB_PARTS_H

#include "webreport/compare/job.h"

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
/* rank_causes.c: findings. */
void tp_job_causes_build(struct tp_job *job);

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
