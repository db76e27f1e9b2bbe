/* Makes the document of jobs. See job_document.h. */
#include "webreport/document/job/job_document.h"

#include <math.h>
#include <string.h>

#include "webreport/document/job/job_tables.h"
#include "webreport/document/job/job_wording.h"
#include "webreport/measure/ranks/distributed.h"
#include "writer/base/limits.h"
#include "writer/text/format.h"

enum { SHOWN_FAILED = 20, SHOWN_NAME = 32 };

/* ---- title and notices ---- */

static void put_title(const struct tp_job_wording *w)
{
    const struct tp_job *job = w->job;
    struct tp_str name = tp_shown_text(&w->naming, job->name), cut = tp_text_shorten(w->arena, job->name, SHOWN_NAME);
    const char *label = "Overview";
    if (w->jobs->count > 1) {
        label = tp_text_printf(w->arena, "Job %.*s", (int)cut.len, cut.ptr);
        if (job->span != TP_NULL_INT)
            label = tp_text_printf(w->arena, "%s span %lld", label, (long long)job->span);
    }
    tp_document_add_title(
        w->document,
        &(struct tp_title_block){name.len ? tp_text_printf(w->arena, "Job %.*s", (int)name.len, name.ptr) : "Job",
                                 "job", label});
}

static void put_facts(const struct tp_job_wording *w)
{
    const struct tp_job *job = w->job;
    tp_document_add_fact(w->document, "",
                         tp_text_of_counted_noun(w->arena, (int64_t)job->ranks.count, "rank", "ranks"));
    tp_document_add_fact(w->document, "", tp_text_of_counted_noun(w->arena, job->labels.count, "step", "steps"));
    if (job->span != TP_NULL_INT)
        tp_document_add_fact(w->document, "", tp_text_printf(w->arena, "span %lld", (long long)job->span));
    if (job->clusters.count > 1)
        tp_document_add_fact(w->document, "",
                             tp_text_printf(w->arena, "%zu groups of comparable ranks", job->clusters.count));
}

static void put_failed_inputs(const struct tp_job_wording *w)
{
    const struct tp_jobs *jobs = w->jobs;
    if (!jobs->failed_count || w->job != jobs->items)
        return;
    tp_document_add_notice(
        w->document, TP_TONE_BAD,
        tp_text_printf(w->arena, "%s could not be used",
                       tp_text_of_counted_noun(w->arena, (int64_t)jobs->failed_count, "input", "inputs")),
        "");
    for (size_t i = 0; i < jobs->failed_count && i < SHOWN_FAILED; i++) {
        struct tp_str file = tp_shown_text(&w->naming, jobs->failed[i].file),
                      why = tp_shown_text(&w->naming, jobs->failed[i].why);
        tp_document_add_notice_point(
            w->document, tp_text_printf(w->arena, "%.*s: %.*s", (int)file.len, file.ptr, (int)why.len, why.ptr));
    }
    if (jobs->failed_count > SHOWN_FAILED)
        tp_document_add_notice_point(w->document,
                                     tp_text_printf(w->arena, "and %zu more", jobs->failed_count - SHOWN_FAILED));
}

/* Adds a notice with the reason why the replay of the job is missing. Without a replay, findings cover only work inside
 * the ranks, without waits between ranks. */
static void put_replay_notice(const struct tp_job_wording *w)
{
    const struct tp_what_if *what_if = &w->job->what_if;
    if (!what_if->why_not || w->job->ranks.count < 2)
        return;
    tp_document_add_notice(
        w->document, TP_TONE_UNSURE,
        tp_text_printf(w->arena, "The cost of each cause is unknown, because %s", what_if->why_not),
        what_if->error > TP_MOST_REPLAY_ERROR
            ? tp_text_printf(w->arena,
                             "The simulation predicts %s per step. The traces show %s per step, so the error is %s. "
                             "Costs are reported only if the error is at most %d %%.",
                             tp_text_of_time(w->arena, (int64_t)(what_if->step_us * 1000)),
                             tp_text_of_time(w->arena, (int64_t)(what_if->measured_us * 1000)),
                             tp_text_of_percent(w->arena, what_if->error), TP_MOST_REPLAY_ERROR)
            : "Each finding considers only ranks or only links, so the costs of several findings cannot be added.");
}

static void put_notices(const struct tp_job_wording *w)
{
    const struct tp_job *job = w->job;
    put_failed_inputs(w);
    if (w->jobs->duplicate_count && job == w->jobs->items)
        tp_document_add_notice(w->document, TP_TONE_UNSURE,
                               tp_text_of_counted_noun(w->arena, (int64_t)w->jobs->duplicate_count,
                                                       "summary is a duplicate", "summaries are duplicates"),
                               "If a rank has several summaries, the page shows the summary with the most events.");
    if (w->jobs->dropped_summary_count && job == w->jobs->items)
        tp_document_add_notice(
            w->document, TP_TONE_BAD,
            tp_text_of_counted_noun(w->arena, (int64_t)w->jobs->dropped_summary_count,
                                    "summary of another job or span is not shown",
                                    "summaries of other jobs or spans are not shown"),
            tp_text_printf(w->arena, "A page shows at most %u spans (recordings) of jobs.", TP_MAX_JOB_SPANS));
    if (job->steps_left_out || job->dropped_call_count)
        tp_document_add_notice(w->document, TP_TONE_UNSURE, "Only the first steps of each rank are compared",
                               tp_text_printf(w->arena,
                                              "The page compares at most %u steps and %u collectives of each rank.",
                                              TP_MAX_JOB_STEPS, TP_MAX_JOB_CALLS));
    if (job->aligned_set_count > 1)
        tp_document_add_notice(
            w->document, TP_TONE_UNSURE,
            tp_text_printf(w->arena, "The ranks form %u sets without a common collective", job->aligned_set_count),
            "Clocks of ranks in different sets cannot be aligned. The page still compares the own work of all ranks "
            "(the step without exposed communication).");
    else if (job->aligned_set_count == 0 && job->ranks.count > 1)
        tp_document_add_notice(
            w->document, TP_TONE_UNSURE, "No blocking collective of several ranks was recorded",
            "The page therefore cannot show which rank arrives last at a collective. The page still compares the own "
            "work of the ranks (the step without exposed communication).");
    if (job->ranks.count > 1 && job->clusters.count == job->ranks.count)
        tp_document_add_notice(w->document, TP_TONE_UNSURE, "No two ranks do the same work",
                               "No two ranks launch similar kernels, so no rank can be compared with another. This is "
                               "normal for a pipeline with one rank per stage, and for sharded work.");
    if (job->aligned_set_count && job->residual_ns > tp_job_rank_at(job, 0)->step_ns / 50)
        tp_document_add_notice(
            w->document, TP_TONE_UNSURE,
            tp_text_printf(w->arena, "The ranks' clocks are aligned only to within %s",
                           tp_text_of_time(w->arena, job->residual_ns)),
            "The ranks do not leave blocking collectives at the same time, or their recordings contain "
            "different collectives. A late arrival is reported only if the delay exceeds this uncertainty.");
    put_replay_notice(w);
    if (!job->has_rank_numbers)
        tp_document_add_notice(
            w->document, TP_TONE_UNSURE, "The rank numbers are unknown",
            "Set each rank number with tracepress summarize --rank N, because the traces contain no rank numbers.");
}

/* ---- figures ---- */

static void put_figure(const struct tp_job_wording *w, const char *label, const char *definition, const char *value,
                       const char *note)
{
    const char *space = strrchr(value, ' '); /* the unit is the last word */
    tp_document_add_figure(
        w->document,
        &(struct tp_figure_block){.label = label,
                                  .definition = definition,
                                  .value = space ? tp_arena_copy(w->arena, value, (size_t)(space - value)) : value,
                                  .unit = space ? space + 1 : "",
                                  .note = note,
                                  .meter = NAN});
}

static void put_rank_figure(const struct tp_job_wording *w)
{
    const struct tp_job *job = w->job;
    const char *note = job->world_size == TP_NULL_INT
                           ? "world size not recorded"
                           : tp_text_printf(w->arena, "of %s", tp_text_of_count(w->arena, job->world_size));
    put_figure(w, "Ranks", "Number of ranks with a summary, and the world size of the job.",
               tp_text_of_count(w->arena, (int64_t)job->ranks.count), note);
}

static void put_time_figures(const struct tp_job_wording *w)
{
    const struct tp_job *job = w->job;
    const struct tp_job_finding *first = job->findings.count ? TP_AT(&job->findings, struct tp_job_finding, 0) : NULL;
    double part_ns[TP_JOB_PARTS], step_ns;
    tp_job_find_mean_parts(job, part_ns, &step_ns);
    put_figure(w, "Step", "Step time: median over the steps of a rank, averaged over the ranks.",
               tp_text_of_time(w->arena, (int64_t)step_ns),
               tp_text_of_counted_noun(w->arena, job->labels.count, "step", "steps"));
    if (!job->what_if.why_not && first && first->cost_ns != TP_NULL_INT)
        put_figure(
            w, "Without this cause",
            "Length of a step of the simulated job without the first cause (docs/definitions.md, section 29). The "
            "replay differs from the recorded steps by at most 3 %.",
            tp_text_of_time(w->arena, (int64_t)(job->what_if.step_us * 1000) - first->cost_ns), "simulated");
}

static void put_figures(const struct tp_job_wording *w)
{
    const struct tp_job *job = w->job;
    int64_t peak = TP_NULL_INT, excess = 0;
    const char *peak_rank = "";
    for (size_t r = 0; r < job->ranks.count; r++) {
        const struct tp_job_rank *rank = tp_job_rank_at(job, r);
        excess = rank->excess_ns > excess ? rank->excess_ns : excess;
        if (rank->peak_bytes <= peak)
            continue;
        peak = rank->peak_bytes;
        peak_rank = tp_job_rank_name(job, rank);
    }
    put_time_figures(w);
    put_rank_figure(w);
    if (job->ranks.count > 1)
        put_figure(w, "Slowest rank",
                   "Largest excess of a rank's own work (step time minus exposed communication) over comparable ranks. "
                   "It is the median of this excess over the steps of the rank.",
                   tp_text_printf(w->arena, "+%s", tp_text_of_time(w->arena, excess)), "own work");
    put_figure(w, "Peak memory", "Largest peak of allocated memory on any rank.", tp_text_of_bytes(w->arena, peak),
               peak_rank);
    put_figure(w, "Clocks agree within",
               "Largest clock error of a rank after the clocks are aligned by the ends of blocking collectives. The "
               "error of a rank is the median over its collectives.",
               job->aligned_set_count ? tp_text_of_time(w->arena, job->largest_residual_ns) : "\xe2\x80\x93", "");
}

/* ---- the record ---- */

static void add_steps_to_record(struct tp_object *record, const struct tp_job *job)
{
    struct tp_list *list = tp_object_add_list(record, "steps");
    for (size_t c = 0; c < job->columns.count; c++) {
        const struct tp_job_column *column = TP_AT(&job->columns, struct tp_job_column, c);
        struct tp_object *item = tp_list_add_object(list);
        tp_object_add_str(item, "group", tp_job_cluster_name(job, column->cluster));
        tp_object_add_str(item, "step", tp_strings_get(&job->labels, column->label));
        tp_object_add_int(item, "rank_count", column->count);
        tp_object_add_ns(item, "total_us", column->total_ns);
        tp_object_add_ns(item, "own_us", column->own_ns);
    }
}

static void write_distributed_view(const struct tp_data *value, struct tp_json *json)
{
    tp_fields_json(&tp_distributed_fields, value->self, NULL, json);
}

static const struct tp_data_source DISTRIBUTED = {.write = write_distributed_view};

/* Adds the ranks with damaged traces to the record, each with the most severe reason. */
static void add_damage_to_record(struct tp_object *record, const struct tp_job *job)
{
    struct tp_list *list = tp_object_add_list(record, "damaged_ranks");
    for (uint32_t r = 0; r < job->ranks.count; r++) {
        const struct tp_job_rank *rank = tp_job_rank_at(job, r);
        if (!*rank->damage)
            continue;
        struct tp_object *item = tp_list_add_object(list);
        tp_object_add_int_or_null(item, "rank", rank->number);
        tp_object_add_str(item, "worker", rank->key.worker);
        tp_object_add_text(item, "reason", rank->damage);
    }
}

static void add_job_to_record(struct tp_object *record, const struct tp_job *job)
{
    bool has_view = job->has_distributed && job->distributed.is_present;
    tp_object_add_str(record, "job", job->name);
    tp_object_add_int_or_null(record, "span", job->span);
    tp_object_add_int(record, "rank_count", (int64_t)job->ranks.count);
    tp_object_add_int_or_null(record, "world_size", job->world_size);
    tp_object_add_text(record, "missing_ranks", tp_rank_set_text(job->arena, &job->missing, 0));
    add_damage_to_record(record, job);
    tp_object_add_int(record, "step_count", job->labels.count);
    tp_object_add_int(record, "steps_left_out", (int64_t)job->steps_left_out);
    tp_object_add_int(record, "collectives_left_out", (int64_t)job->dropped_call_count);
    struct tp_object *alignment = tp_object_add_object(record, "alignment");
    tp_object_add_int(alignment, "blocking_collectives", job->aligning_collective_count);
    tp_object_add_int(alignment, "components", job->aligned_set_count);
    tp_object_add_ns(alignment, "residual_us", job->residual_ns);
    tp_object_add_ns(alignment, "largest_residual_us", job->largest_residual_ns);
    tp_job_add_causes_to_record(record, job);
    tp_job_add_table_to_record(record, "groups", job, tp_job_build_cluster_table);
    tp_job_add_table_to_record(record, "ranks", job, tp_job_build_rank_table);
    add_steps_to_record(record, job);
    tp_job_add_table_to_record(record, "collectives", job, tp_job_build_collective_table);
    tp_job_add_table_to_record(record, "links", job, tp_job_build_link_table);
    tp_job_add_table_to_record(record, "rank_findings", job, tp_job_build_merged_table);
    tp_job_add_table_to_record(record, "differing_facts", job, tp_job_build_fact_table);
    tp_object_add_value(
        record, "distributed",
        has_view ? (struct tp_data){.kind = TP_DATA_WRITTEN, .source = &DISTRIBUTED, .self = &job->distributed}
                 : (struct tp_data){.kind = TP_DATA_NONE});
}

static void fill_record(struct tp_object *record, const struct tp_jobs *jobs)
{
    tp_object_add_text(record, "schema", "tracepress-job");
    tp_object_add_int(record, "schema_version", 1);
    struct tp_list *list = tp_object_add_list(record, "jobs");
    for (size_t i = 0; i < jobs->count; i++)
        add_job_to_record(tp_list_add_object(list), &jobs->items[i]);
    struct tp_list *failed = tp_object_add_list(record, "failed");
    for (size_t i = 0; i < jobs->failed_count; i++) {
        struct tp_object *item = tp_list_add_object(failed);
        tp_object_add_str(item, "file", jobs->failed[i].file);
        tp_object_add_str(item, "error", jobs->failed[i].why);
    }
    tp_object_add_int(record, "duplicate_records", (int64_t)jobs->duplicate_count);
    tp_object_add_int(record, "records_left_out", (int64_t)jobs->dropped_summary_count);
}

/* ---- the whole document ---- */

static void put_job(const struct tp_job_wording *w)
{
    struct tp_verdict_block verdict = tp_job_verdict(w);
    put_title(w);
    tp_document_add_verdict(w->document, &verdict);
    put_facts(w);
    w->document->places = TP_IN_PAGES;
    tp_job_put_picture(w);
    put_figures(w);
    w->document->places = TP_EVERYWHERE;
    tp_job_put_findings(w);
    put_notices(w);
    tp_job_put_tables(w);
}

void tp_job_document(struct tp_document *document, const struct tp_jobs *jobs, bool redact, const char *source_url,
                     struct tp_arena *arena)
{
    tp_document_init(document, "Job", arena);
    fill_record(document->record, jobs);
    for (size_t i = 0; i < jobs->count; i++) {
        const struct tp_job *job = &jobs->items[i];
        struct tp_job_wording w = {.document = document,
                                   .jobs = jobs,
                                   .job = job,
                                   .naming = {.arena = arena, .redact = redact, .source_url = source_url},
                                   .arena = arena};
        if (redact && job->ranks.count)
            w.naming.host = tp_worker_host(tp_job_rank_at(job, 0)->key.worker);
        put_job(&w);
    }
}
