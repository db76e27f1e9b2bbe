/* Builds the tables of a job for JSON, page and Markdown, in the job's arena.
 *
 * The tables show a set of ranks as a text such as "0-3, 8", which has two ranges. max_runs: largest number of ranges
 * in such a text; 0: no limit. */
#ifndef TP_WEBREPORT_DOCUMENT_JOB_JOB_TABLES_H
#define TP_WEBREPORT_DOCUMENT_JOB_JOB_TABLES_H

#include "webreport/compare/job/job.h"
#include "writer/base/table.h"

enum tp_job_rank_column {
    TP_JOB_RANK_NAME,
    TP_JOB_RANK_WORKER,
    TP_JOB_RANK_GROUP,
    TP_JOB_RANK_STEPS,
    TP_JOB_RANK_STEP,
    TP_JOB_RANK_OWN,
    TP_JOB_RANK_EXCESS,
    TP_JOB_RANK_COMPUTE, /* first column of the step's parts, which follow in the order of enum tp_job_part */
    TP_JOB_RANK_HOST,
    TP_JOB_RANK_DATA,
    TP_JOB_RANK_COMMUNICATION,
    TP_JOB_RANK_LATE,
    TP_JOB_RANK_LAST,
    TP_JOB_RANK_CAUSED,
    TP_JOB_RANK_JOINT,
    TP_JOB_RANK_OFFSET,
    TP_JOB_RANK_RESIDUAL,
    TP_JOB_RANK_COMPONENT,
    TP_JOB_RANK_PEAK,
    TP_JOB_RANK_VERDICT,
    TP_JOB_RANK_HEADLINE,
    TP_JOB_RANK_COLUMNS
};
/* Builds a row for each rank, in the order of the job's ranks. max_runs is unused. */
void tp_job_build_rank_table(struct tp_table *table, const struct tp_job *job, size_t max_runs);

enum tp_job_cluster_column {
    TP_JOB_CLUSTER_NAME,
    TP_JOB_CLUSTER_RANKS,
    TP_JOB_CLUSTER_COUNT,
    TP_JOB_CLUSTER_STEP,
    TP_JOB_CLUSTER_OWN,
    TP_JOB_CLUSTER_COMPUTE, /* first column of the step's parts, which follow in the order of enum tp_job_part */
    TP_JOB_CLUSTER_HOST,
    TP_JOB_CLUSTER_DATA,
    TP_JOB_CLUSTER_COMMUNICATION,
    TP_JOB_CLUSTER_SPREAD,
    TP_JOB_CLUSTER_STEP_SPREAD,
    TP_JOB_CLUSTER_SLOWEST,
    TP_JOB_CLUSTER_COLUMNS
};
/* Builds a row for each group of comparable ranks, largest group first. */
void tp_job_build_cluster_table(struct tp_table *table, const struct tp_job *job, size_t max_runs);
/* Returns the letter that names a group of comparable ranks: "A", "B" up to "Z", then "AA" and so on. */
struct tp_str tp_job_cluster_name(const struct tp_job *job, uint32_t cluster);

enum tp_job_collective_column {
    TP_JOB_COLLECTIVE_NAME,
    TP_JOB_COLLECTIVE_SIZE,
    TP_JOB_COLLECTIVE_GROUPS,
    TP_JOB_COLLECTIVE_CALLS,
    TP_JOB_COLLECTIVE_BYTES,
    TP_JOB_COLLECTIVE_TRANSFER,
    TP_JOB_COLLECTIVE_WAIT,
    TP_JOB_COLLECTIVE_MEAN_WAIT,
    TP_JOB_COLLECTIVE_COLUMNS
};
/* Builds a row for each combination of collective, size class and group size; the row with the most time comes
 * first. */
void tp_job_build_collective_table(struct tp_table *table, const struct tp_job *job, size_t max_runs);

enum tp_job_cause_column {
    TP_JOB_CAUSE_TEXT,
    TP_JOB_CAUSE_KIND,
    TP_JOB_CAUSE_PART,
    TP_JOB_CAUSE_RANKS,
    TP_JOB_CAUSE_COUNT,
    TP_JOB_CAUSE_CELLS,
    TP_JOB_CAUSE_ALONE,
    TP_JOB_CAUSE_SAVED,
    TP_JOB_CAUSE_SHARE,
    TP_JOB_CAUSE_COLUMNS
};
/* Builds a row for each cause of lost time in the replay, costliest first, and one row for the jitter. The table has no
 * rows if the replay is not valid. */
void tp_job_build_cause_table(struct tp_table *table, const struct tp_job *job, size_t max_runs);

enum tp_job_family_column {
    TP_JOB_FAMILY_NAME,
    TP_JOB_FAMILY_GROUPS,
    TP_JOB_FAMILY_SIZE,
    TP_JOB_FAMILY_FIRST,
    TP_JOB_FAMILY_PIPELINE,
    TP_JOB_FAMILY_COLUMNS
};
/* Builds a row for each family of process groups, with the coordinates of its ranks. */
void tp_job_build_family_table(struct tp_table *table, const struct tp_job *job, size_t max_runs);

enum tp_job_link_column {
    TP_JOB_LINK_GROUP,
    TP_JOB_LINK_RANKS,
    TP_JOB_LINK_COLLECTIVE,
    TP_JOB_LINK_BYTES,
    TP_JOB_LINK_CALLS,
    TP_JOB_LINK_BANDWIDTH,
    TP_JOB_LINK_PEER_BANDWIDTH,
    TP_JOB_LINK_PEERS,
    TP_JOB_LINK_LOST,
    TP_JOB_LINK_IS_SLOW,
    TP_JOB_LINK_COLUMNS
};
/* Builds a row for each link between ranks. The links that are slowest compared with similar links come first. */
void tp_job_build_link_table(struct tp_table *table, const struct tp_job *job, size_t max_runs);

enum tp_job_merged_column {
    TP_JOB_MERGED_TITLE,
    TP_JOB_MERGED_RULE,
    TP_JOB_MERGED_SEVERITY,
    TP_JOB_MERGED_LINE,
    TP_JOB_MERGED_RANKS,
    TP_JOB_MERGED_COUNT,
    TP_JOB_MERGED_WORST,
    TP_JOB_MERGED_CEILING,
    TP_JOB_MERGED_MEAN,
    TP_JOB_MERGED_OCCURRENCES,
    TP_JOB_MERGED_COLUMNS
};
/* Merges the findings of single ranks: builds a row for each rule and source line, sorted by severity, then by upper
 * bound of the gain. */
void tp_job_build_merged_table(struct tp_table *table, const struct tp_job *job, size_t max_runs);

enum tp_job_fact_column {
    TP_JOB_FACT_NAME,
    TP_JOB_FACT_VALUE,
    TP_JOB_FACT_RANKS,
    TP_JOB_FACT_COUNT,
    TP_JOB_FACT_COLUMNS
};
/* Builds a row for each property whose value differs between the traces of the ranks, in order of first appearance. */
void tp_job_build_fact_table(struct tp_table *table, const struct tp_job *job, size_t max_runs);

#endif
