/* The first screen of a job: what is wrong, where a step goes, six figures, findings. See job_sections_parts.h. */
#include <math.h>

#include "webreport/document/chart.h"
#include "webreport/document/job_sections_parts.h"
#include "writer/base/limits.h"
#include "writer/text/format.h"

enum { SHOWN_RUNS = 12, SHOWN_FAILED = 20 };

static struct tp_str shown(const struct tp_job_page *page, struct tp_str text)
{
    return tp_shown_text(&page->naming, text);
}

/* ---- title and notices ---- */

static void put_title(const struct tp_job_page *page, struct tp_object *root)
{
    const struct tp_job *job = page->job;
    struct tp_list *meta = tp_object_list(root, "meta");
    struct tp_str name = shown(page, job->name);
    tp_object_text(root, "title", name.len ? tp_text_printf(page->arena, "Job %.*s", (int)name.len, name.ptr) : "Job");
    tp_object_text(tp_list_object(meta), "text",
                   tp_text_of_some(page->arena, (int64_t)job->ranks.count, "rank", "ranks"));
    tp_object_text(tp_list_object(meta), "text", tp_text_of_some(page->arena, job->labels.count, "step", "steps"));
    if (job->span != TP_NULL_INT)
        tp_object_text(tp_list_object(meta), "text", tp_text_printf(page->arena, "span %lld", (long long)job->span));
    if (job->clusters.count > 1)
        tp_object_text(tp_list_object(meta), "text",
                       tp_text_printf(page->arena, "%zu groups of comparable ranks", job->clusters.count));
}

static struct tp_object *add_notice(struct tp_list *notices, const char *tone, const char *head, const char *text)
{
    struct tp_object *notice = tp_list_object(notices);
    tp_object_text(notice, "tone", tone);
    tp_object_text(notice, "head", head);
    tp_object_text(notice, "text", text);
    tp_object_bool(notice, "has_points", false);
    return notice;
}

static void put_failed(const struct tp_job_page *page, struct tp_list *notices)
{
    const struct tp_jobs *jobs = page->jobs;
    if (!jobs->failed_count || page->job != jobs->items)
        return;
    struct tp_object *notice =
        add_notice(notices, "err",
                   tp_text_printf(page->arena, "%s could not be used",
                                  tp_text_of_some(page->arena, (int64_t)jobs->failed_count, "input", "inputs")),
                   "");
    tp_object_bool(notice, "has_points", true);
    struct tp_list *points = tp_object_list(notice, "points");
    for (size_t i = 0; i < jobs->failed_count && i < SHOWN_FAILED; i++) {
        struct tp_str file = shown(page, jobs->failed[i].file), why = shown(page, jobs->failed[i].why);
        tp_object_text(tp_list_object(points), "point",
                       tp_text_printf(page->arena, "%.*s: %.*s", (int)file.len, file.ptr, (int)why.len, why.ptr));
    }
    if (jobs->failed_count > SHOWN_FAILED)
        tp_object_text(tp_list_object(points), "point",
                       tp_text_printf(page->arena, "and %zu more", jobs->failed_count - SHOWN_FAILED));
}

static void put_notices(const struct tp_job_page *page, struct tp_object *root)
{
    const struct tp_job *job = page->job;
    struct tp_list *notices = tp_object_list(root, "notices");
    put_failed(page, notices);
    if (page->jobs->duplicate_count && job == page->jobs->items)
        add_notice(notices, "info",
                   tp_text_of_some(page->arena, (int64_t)page->jobs->duplicate_count, "record came twice",
                                   "records came twice"),
                   "Of two records of one rank the one with more events stands here.");
    if (page->jobs->left_out_count && job == page->jobs->items)
        add_notice(notices, "err",
                   tp_text_printf(page->arena, "%llu records of further jobs and spans are not here",
                                  (unsigned long long)page->jobs->left_out_count),
                   tp_text_printf(page->arena, "A page shows %u of them.", TP_MAX_JOB_SPANS));
    if (job->steps_left_out || job->calls_left_out)
        add_notice(notices, "info", "Only the first part of each rank is compared",
                   tp_text_printf(page->arena, "%u steps and %u collectives of a rank are kept.", TP_MAX_JOB_STEPS,
                                  TP_MAX_JOB_CALLS));
    if (job->component_count > 1)
        add_notice(notices, "info",
                   tp_text_printf(page->arena, "The ranks fall into %u parts without a common collective",
                                  job->component_count),
                   "Clocks of different parts cannot be brought together; own work is compared all the same.");
    else if (job->component_count == 0 && job->ranks.count > 1)
        add_notice(notices, "info", "No collective that ranks leave together was recorded",
                   "Who arrived last cannot be told; own work is compared all the same.");
    if (job->ranks.count > 1 && job->clusters.count == job->ranks.count)
        add_notice(notices, "info", "Each rank does work of its own",
                   "No two of them launch nearly the same kernels, so there is no rank to compare another with: a "
                   "pipeline of single ranks, or sharded work.");
    if (job->component_count && job->residual_ns > tp_job_rank_at(job, 0)->step_ns / 50)
        add_notice(notices, "info",
                   tp_text_printf(page->arena, "Clocks could be aligned to %s only",
                                  tp_text_of_time(page->arena, job->residual_ns)),
                   "Ranks do not leave these collectives together, or their recordings do not show the same ones. Who "
                   "arrived last is told beyond that only.");
    if (!job->has_numbers)
        add_notice(notices, "info", "Ranks are not known by number",
                   "The traces do not tell; tracepress summarize --rank N sets it.");
}

/* ---- verdict ---- */

/* Means over all ranks of their medians: so the parts add up. */
static void find_split(const struct tp_job *job, double part_ns[TP_JOB_PARTS], double *step_ns)
{
    double count = 0;
    *step_ns = 0;
    for (int p = 0; p < TP_JOB_PARTS; p++)
        part_ns[p] = 0;
    for (size_t r = 0; r < job->ranks.count; r++) {
        const struct tp_job_rank *rank = tp_job_rank_at(job, r);
        count += rank->step_count > 0;
        *step_ns += (double)rank->step_ns;
        for (int p = 0; p < TP_JOB_PARTS; p++)
            part_ns[p] += (double)rank->part_ns[p];
    }
    for (int p = 0; p < TP_JOB_PARTS; p++)
        part_ns[p] /= count > 0 ? count : 1;
    *step_ns /= count > 0 ? count : 1;
}

static const struct {
    enum tp_chart_kind kind;
    const char *label, *definition;
} split_parts[TP_JOB_PARTS] = {
    [TP_JOB_COMPUTE] = {TP_CHART_KERNEL, "Compute", "Kernels and copies; operators where there is no device."},
    [TP_JOB_HOST] = {TP_CHART_RUNTIME, "Host", "Neither device nor input nor communication."},
    [TP_JOB_DATA] = {TP_CHART_DATA, "Input", "In the data loader."},
    [TP_JOB_COMMUNICATION] = {TP_CHART_COMM, "Communication", "That nothing hides, waiting for others included."},
};

static void put_verdict(const struct tp_job_page *page, struct tp_object *root)
{
    const struct tp_job *job = page->job;
    struct tp_chart_part parts[TP_JOB_PARTS];
    double part_ns[TP_JOB_PARTS], step_ns;
    find_split(job, part_ns, &step_ns);
    for (int p = 0; p < TP_JOB_PARTS; p++)
        parts[p] =
            (struct tp_chart_part){split_parts[p].kind, split_parts[p].label, split_parts[p].definition, part_ns[p]};
    tp_chart_put_split(root, page->arena, parts, TP_JOB_PARTS);
    tp_object_text(
        root, "split_caption",
        tp_text_printf(page->arena, "A step, mean over the ranks: %s", tp_text_of_time(page->arena, (int64_t)step_ns)));
    if (job->findings.count) {
        const struct tp_job_finding *first = TP_AT(&job->findings, struct tp_job_finding, 0);
        bool has_cost = first->cost_ns != TP_NULL_INT;
        tp_object_text(root, "verdict_tag", has_cost ? "Held up" : "Incomplete");
        tp_object_text(root, "verdict_tone", has_cost ? "" : "low");
        tp_object_str(root, "verdict_headline", shown(page, tp_str_of(first->title)));
        tp_object_text(root, "verdict_text",
                       has_cost
                           ? tp_text_printf(page->arena, "It costs %s per step, %s of it. %s",
                                            tp_text_of_time(page->arena, first->cost_ns),
                                            tp_text_of_percent(page->arena, 100 * first->cost_ratio), first->advice)
                           : first->advice);
        return;
    }
    bool has_peers = job->clusters.count < job->ranks.count;
    tp_object_text(root, "verdict_tag", has_peers ? "Even" : "No peers");
    tp_object_text(root, "verdict_tone", has_peers ? "good" : "low");
    tp_object_text(root, "verdict_headline", has_peers ? "No rank holds the others up" : "There is nothing to compare");
    tp_object_text(root, "verdict_text",
                   has_peers ? "No rank's own work, no link and no imbalance stands out beyond the usual spread."
                             : "A rank is compared with others that do the same work.");
}

/* ---- figures ---- */

static void add_figure(struct tp_list *figures, const char *label, const char *definition, const char *value,
                       const char *note)
{
    struct tp_object *figure = tp_list_object(figures);
    tp_object_text(figure, "label", label);
    tp_object_text(figure, "definition", definition);
    tp_object_text(figure, "value", value);
    tp_object_text(figure, "note", note);
}

static void put_rank_figure(const struct tp_job_page *page, struct tp_list *figures)
{
    const struct tp_job *job = page->job;
    const char *note = job->world_size == TP_NULL_INT
                           ? "world size not recorded"
                           : tp_text_printf(page->arena, "of %s", tp_text_of_count(page->arena, job->world_size));
    add_figure(figures, "Ranks", "Ranks with a summary, and how many the job had.",
               tp_text_of_count(page->arena, (int64_t)job->ranks.count), note);
}

static void put_figures(const struct tp_job_page *page, struct tp_object *root)
{
    const struct tp_job *job = page->job;
    struct tp_list *figures = tp_object_list(root, "figures");
    int64_t peak = TP_NULL_INT, excess = 0;
    double part_ns[TP_JOB_PARTS], step_ns, spread = 0;
    const char *peak_rank = "not recorded";
    find_split(job, part_ns, &step_ns);
    for (size_t c = 0; c < job->clusters.count; c++)
        spread = fmax(spread, tp_job_cluster_at(job, c)->step_spread_ratio);
    for (size_t r = 0; r < job->ranks.count; r++) {
        const struct tp_job_rank *rank = tp_job_rank_at(job, r);
        excess = rank->excess_ns > excess ? rank->excess_ns : excess;
        if (rank->peak_bytes <= peak)
            continue;
        peak = rank->peak_bytes;
        peak_rank = tp_job_rank_name(job, rank);
    }
    put_rank_figure(page, figures);
    add_figure(figures, "Step", "Median over the steps of a rank, mean over the ranks.",
               tp_text_of_time(page->arena, (int64_t)step_ns),
               tp_text_of_some(page->arena, job->labels.count, "step", "steps"));
    add_figure(figures, "Slowest beyond its peers", "Largest excess of own work of any rank, median over its steps.",
               tp_text_of_time(page->arena, excess), "own work per step");
    add_figure(figures, "Spread inside a step",
               "Deviation over mean of own work of comparable ranks, largest group, stragglers left out.",
               tp_text_of_percent(page->arena, 100 * spread), "own work of comparable ranks");
    add_figure(figures, "Clocks agree within",
               "Clocks are aligned by the ends of collectives that ranks leave together: what is left, largest median "
               "of any rank.",
               job->component_count ? tp_text_of_time(page->arena, job->largest_residual_ns) : "\xe2\x80\x93",
               tp_text_printf(page->arena, "by %s collectives", tp_text_of_count(page->arena, job->blocking_count)));
    add_figure(figures, "Largest memory peak", "Allocated memory.", tp_text_of_bytes(page->arena, peak), peak_rank);
}

/* ---- findings ---- */

static void put_findings(const struct tp_job_page *page, struct tp_object *root)
{
    const struct tp_job *job = page->job;
    struct tp_list *list = tp_object_list(root, "findings");
    tp_object_bool(root, "has_findings", job->findings.count > 0);
    for (size_t i = 0; i < job->findings.count; i++) {
        const struct tp_job_finding *finding = TP_AT(&job->findings, struct tp_job_finding, i);
        struct tp_object *item = tp_list_object(list);
        bool has_cost = finding->cost_ns != TP_NULL_INT, is_high = has_cost && finding->cost_ratio >= 0.1;
        tp_object_text(item, "severity", is_high ? "high" : has_cost ? "medium" : "low");
        tp_object_text(item, "severity_text", is_high ? "High" : has_cost ? "Medium" : "Low");
        tp_object_str(item, "finding_title", shown(page, tp_str_of(finding->title)));
        tp_object_text(item, "impact", has_cost ? tp_text_of_time(page->arena, finding->cost_ns) : "");
        tp_object_text(item, "impact_share",
                       has_cost ? tp_text_of_percent(page->arena, 100 * finding->cost_ratio) : "");
        tp_object_text(item, "why", finding->detail);
        tp_object_text(item, "advice", finding->advice);
        tp_object_text(item, "proof",
                       tp_text_printf(page->arena, "Rule %s \xc2\xb7 %s: %s", tp_job_rule_id(finding->rule),
                                      finding->ranks.count == 1 ? "rank" : "ranks",
                                      tp_rank_set_text(page->arena, &finding->ranks, SHOWN_RUNS)));
    }
}

void tp_job_page_put_overview(const struct tp_job_page *page, struct tp_object *root)
{
    put_title(page, root);
    put_notices(page, root);
    put_verdict(page, root);
    put_figures(page, root);
    put_findings(page, root);
}
