/* Declares the parts of a job's document, which are in separate files, and the input of all parts. */
#ifndef TP_WEBREPORT_DOCUMENT_JOB_JOB_WORDING_H
#define TP_WEBREPORT_DOCUMENT_JOB_JOB_WORDING_H

#include "webreport/compare/job/job.h"
#include "webreport/document/block.h"
#include "webreport/document/charts/causes.h"
#include "webreport/document/name_text.h"

struct tp_job_wording {
    struct tp_document *document;
    const struct tp_jobs *jobs;
    const struct tp_job *job;
    struct tp_naming naming;
    struct tp_arena *arena;
};

/* Returns the verdict of a job: its largest cause of lost time, or that all ranks are equally fast. The headline marks
 * the cause that is the largest avoidable segment of the bar. wording->document may be NULL. */
struct tp_verdict_block tp_job_verdict(const struct tp_job_wording *wording);
/* Returns the color of the time that a rule reports. */
enum tp_look tp_job_look_of_rule(enum tp_job_rule rule);
/* Returns up to three ranks as text, such as "3, 88 and 173"; NULL for more ranks or no rank. */
const char *tp_job_few_ranks_text(const struct tp_rank_set *ranks, struct tp_arena *arena);
/* Computes the mean step and its parts over all ranks, ns. The values of a rank are medians over its steps; means of
 * medians still add up. */
void tp_job_find_mean_parts(const struct tp_job *job, double part_ns[TP_JOB_PARTS], double *step_ns);
/* Returns whether the first finding is that this rank delays the others. */
bool tp_job_is_first_cause(const struct tp_job *job, const struct tp_job_rank *rank);
/* Adds the bar by cause, and one column or lane for each rank. */
void tp_job_put_picture(const struct tp_job_wording *wording);
/* Adds all findings of the job to the document, costliest first. */
void tp_job_put_findings(const struct tp_job_wording *wording);
/* Adds one of the tables of job_tables.h to a record, with all rows. build: function that builds the table. */
void tp_job_add_table_to_record(struct tp_object *record, const char *key, const struct tp_job *job,
                                void (*build)(struct tp_table *table, const struct tp_job *job, size_t max_runs));
/* Adds the findings and the results of the replay to a record. */
void tp_job_add_causes_to_record(struct tp_object *record, const struct tp_job *job);
/* Adds a section with the heat map of ranks and steps. Does nothing if no ranks are comparable. */
void tp_job_put_heat(const struct tp_job_wording *wording);
/* Adds the heat map and the tables to the document, each as a section. */
void tp_job_put_tables(const struct tp_job_wording *wording);

/* Makes a document with verdict and findings for the ranks of a report, as if they were a job. The document's record
 * also has the results of the replay. job: the job after tp_job_replay_add_steps. */
void tp_job_ranks_document(struct tp_document *document, const struct tp_naming *naming, const struct tp_job *job);

#endif
