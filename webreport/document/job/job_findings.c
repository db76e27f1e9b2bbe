/* Writes the verdict, the findings and the replay of a job, for people and for scripts. See job_wording.h. */
#include <math.h>

#include "webreport/document/job/job_tables.h"
#include "webreport/document/job/job_wording.h"
#include "writer/text/format.h"

enum { SHOWN_RUNS = 12 };

/* ---- findings ---- */

static const struct {
    const char *id, *name;
} rules[TP_JOB_RULES] = {
    {"J1", "slow_compute"}, {"J2", "late_host"},          {"J3", "slow_input"},    {"J4", "slow_link"},
    {"J5", "imbalance"},    {"J6", "changing_imbalance"}, {"J7", "missing_ranks"}, {"J8", "damaged_ranks"},
    {"J9", "slower_level"}, {"J10", "late_slow"},         {"J11", "moving"},       {"J12", "pauses"},
    {"J13", "late_input"},  {"J14", "sequence_lengths"},  {"J15", "stage"},        {"J16", "all_links"}};

/* Returns the simulated cost of a finding's cause; "" without a valid replay. */
static const char *simulated_cost_text(const struct tp_job_wording *w, const struct tp_job_finding *finding)
{
    if (!finding->cause_name || finding->rule == TP_JOB_ALL_LINKS)
        return "";
    const char *saved = tp_text_of_percent(w->arena, finding->saved);
    const char *share = tp_text_of_percent(w->arena, finding->share);
    const char *text = tp_text_printf(
        w->arena,
        "This cause alone would cost %s of the step time. Removing only this cause would save %s of the step time.",
        tp_text_of_percent(w->arena, finding->alone), saved);
    return strcmp(saved, share) == 0
               ? text
               : tp_text_printf(w->arena, "%s After all larger causes are removed, it would save %s of the step time.",
                                text, share);
}

/* Returns the words "saves 19.0 ms"; NULL if the saving is unknown. */
static const char *saving_text(const struct tp_job_wording *w, const struct tp_job_finding *finding)
{
    return finding->cost_ns == TP_NULL_INT
               ? NULL
               : tp_text_printf(w->arena, "saves %s", tp_text_of_time(w->arena, finding->cost_ns));
}

/* Returns the summary of the findings after the third, or NULL. */
static const char *more_title(const struct tp_job_wording *w, size_t count)
{
    enum { OPEN_ITEMS = 3 };
    return count > OPEN_ITEMS
               ? tp_text_of_counted_noun(w->arena, (int64_t)(count - OPEN_ITEMS), "smaller cause", "smaller causes")
               : NULL;
}

static void fill_finding(struct tp_finding_block *block, const struct tp_job_wording *w,
                         const struct tp_job_finding *finding)
{
    struct tp_str title = tp_shown_text(&w->naming, tp_str_of(finding->title));
    bool has_cost = finding->cost_ns != TP_NULL_INT;
    /* a finding about a link rate is never "high", because the expected rate comes from a data sheet */
    bool is_high = has_cost && finding->cost_ratio >= 0.1 && finding->rule != TP_JOB_ALL_LINKS;
    *block = (struct tp_finding_block){
        .tone = is_high    ? TP_TONE_BAD
                : has_cost ? TP_TONE_WARN
                           : TP_TONE_UNSURE,
        .status = is_high    ? "high"
                  : has_cost ? "medium"
                             : "low",
        .id = rules[finding->rule].id,
        .title = tp_text_printf(w->arena, "%.*s", (int)title.len, title.ptr),
        .value = has_cost ? tp_text_of_time(w->arena, finding->cost_ns) : NULL,
        .change = has_cost ? tp_text_of_percent(w->arena, 100 * finding->cost_ratio) : NULL,
        .saving = saving_text(w, finding),
        .high_percent = has_cost ? 100 * finding->cost_ratio : 0,
        .low_percent = has_cost ? 100 * finding->cost_ratio : 0,
        .look = tp_look_name(tp_job_look_of_rule(finding->rule)),
        .scope = has_cost ? "of the step time" : NULL,
        .reasons = {finding->detail},
        .advice = finding->advice,
        .proof = tp_text_printf(w->arena, "%s Rule %s \xc2\xb7 %s: %s", simulated_cost_text(w, finding),
                                rules[finding->rule].id, finding->ranks.count == 1 ? "rank" : "ranks",
                                tp_rank_set_text(w->arena, &finding->ranks, SHOWN_RUNS))};
}

void tp_job_put_findings(const struct tp_job_wording *w)
{
    size_t count = w->job->findings.count;
    struct tp_findings_block list = {.heading = "What to change, best first",
                                     .more_title = more_title(w, count),
                                     .remark = "costliest first",
                                     .id_title = "id",
                                     .title_column_title = "finding",
                                     .value_title = "costs per step",
                                     .change_title = "of the step time",
                                     .reason_title = "cause, and what to try",
                                     .items = tp_arena_array(w->arena, count, sizeof *list.items),
                                     .count = count,
                                     .shown = count,
                                     .open_count = count};
    for (size_t i = 0; i < count; i++)
        fill_finding(&list.items[i], w, TP_AT(&w->job->findings, struct tp_job_finding, i));
    tp_document_add_findings(w->document, &list);
}

/* ---- the record ---- */

static void add_findings_to_record(struct tp_object *record, const struct tp_job *job)
{
    struct tp_list *list = tp_object_add_list(record, "findings");
    for (size_t i = 0; i < job->findings.count; i++) {
        const struct tp_job_finding *finding = TP_AT(&job->findings, struct tp_job_finding, i);
        struct tp_object *item = tp_list_add_object(list);
        tp_object_add_text(item, "id", rules[finding->rule].id);
        tp_object_add_text(item, "cause", rules[finding->rule].name);
        tp_object_add_text(item, "title", finding->title);
        tp_object_add_text(item, "detail", finding->detail);
        tp_object_add_text(item, "advice", finding->advice);
        tp_object_add_text(item, "ranks", tp_rank_set_text(job->arena, &finding->ranks, 0));
        tp_object_add_int_or_null(item, "rank_count", finding->ranks.count);
        tp_object_add_int_or_null(item, "worst_rank", finding->worst_rank);
        tp_object_add_ns(item, "cost_us_per_step", finding->cost_ns);
        tp_object_add_real(item, "cost_percent", 100 * finding->cost_ratio);
        tp_object_add_real(item, "alone_percent", finding->alone);
        tp_object_add_real(item, "saved_percent", finding->saved);
        tp_object_add_real(item, "share_percent", finding->share);
        struct tp_list *also = tp_object_add_list(item, "fits_as_well");
        if (!finding->alternative_title)
            continue;
        struct tp_object *other = tp_list_add_object(also);
        tp_object_add_text(other, "id", rules[finding->alternative].id);
        tp_object_add_text(other, "cause", rules[finding->alternative].name);
        tp_object_add_text(other, "title", finding->alternative_title);
        tp_object_add_real(other, "saved_percent", finding->alternative_saved_pct);
    }
}

void tp_job_add_table_to_record(struct tp_object *record, const char *key, const struct tp_job *job,
                                void (*build)(struct tp_table *table, const struct tp_job *job, size_t max_runs))
{
    struct tp_table *table = tp_arena_alloc(job->arena, sizeof *table);
    build(table, job, 0);
    tp_object_add_table(record, key, table);
}

/* Adds the results of the replay to the record: time of the job, ideal time, and the causes of the difference. */
static void add_replay_to_record(struct tp_object *record, const struct tp_job *job)
{
    const struct tp_what_if *what_if = &job->what_if;
    struct tp_object *item = tp_object_add_object(record, "replay");
    bool is_replayed = !what_if->why_not;
    tp_object_add_bool(item, "is_replayed", is_replayed);
    tp_object_add_text(item, "why_not", is_replayed ? "" : what_if->why_not);
    tp_object_add_int(item, "rank_count", what_if->rank_count);
    tp_object_add_int(item, "step_count", what_if->step_count);
    tp_object_add_real(item, "step_us", what_if->step_us);
    tp_object_add_real(item, "measured_step_us", what_if->measured_us);
    tp_object_add_real(item, "error_percent", what_if->error);
    tp_object_add_real(item, "ideal_step_us", is_replayed ? what_if->ideal_us : NAN);
    tp_object_add_real(item, "times_ideal", is_replayed ? what_if->step_us / what_if->ideal_us : NAN);
    tp_object_add_real(item, "loss_percent", is_replayed ? what_if->loss : NAN);
    tp_object_add_real(item, "jitter_percent", is_replayed ? what_if->jitter : NAN);
    tp_job_add_table_to_record(item, "causes", job, tp_job_build_cause_table);
    tp_job_add_table_to_record(item, "coordinates", job, tp_job_build_family_table);
}

void tp_job_add_causes_to_record(struct tp_object *record, const struct tp_job *job)
{
    add_findings_to_record(record, job);
    add_replay_to_record(record, job);
}

/* ---- the ranks of a report ---- */

void tp_job_ranks_document(struct tp_document *document, const struct tp_naming *naming, const struct tp_job *job)
{
    tp_document_init(document, "Ranks", naming->arena);
    struct tp_job_wording w = {.document = document, .job = job, .naming = *naming, .arena = naming->arena};
    struct tp_verdict_block verdict = tp_job_verdict(&w);
    tp_document_add_title(document, &(struct tp_title_block){"Ranks", "ranks", "Ranks"});
    tp_document_add_verdict(document, &verdict);
    tp_job_put_findings(&w);
    tp_object_add_text(document->record, "verdict", verdict.class);
    tp_object_add_text(document->record, "headline", verdict.headline);
    tp_job_add_causes_to_record(document->record, job);
}
