/* The digest of jobs: see job_print.h. */
#include <math.h>

#include "webreport/document/job_tables.h"
#include "webreport/print/job_print.h"
#include "writer/base/limits.h"
#include "writer/text/format.h"
#include "writer/text/markdown_escape.h"

enum { SHOWN_FINDINGS = 5, SHOWN_GROUPS = 10, SHOWN_RUNS = 8 };

/* Adds the line when there is room for it and a closing one. */
static void add_line(struct tp_buf *out, const struct tp_buf *line, unsigned *left_out)
{
    if (line->failed)
        out->failed = line->failed;
    else if (out->size + line->size + 64 > TP_MAX_MARKDOWN_BYTES)
        (*left_out)++;
    else
        tp_buf_add(out, line->data ? line->data : "", line->size);
}

static void add_finding(struct tp_buf *line, const struct tp_job *job, const struct tp_job_finding *finding)
{
    tp_buf_puts(line, "- **");
    tp_markdown_escape(line, tp_str_of(finding->title));
    tp_buf_printf(line, "** (%s", tp_job_rule_id(finding->rule));
    if (finding->cost_ns != TP_NULL_INT)
        tp_buf_printf(line, ", %s per step, %s", tp_text_of_time(job->arena, finding->cost_ns),
                      tp_text_of_percent(job->arena, 100 * finding->cost_ratio));
    tp_buf_puts(line, "). ");
    tp_markdown_escape(line, tp_str_of(finding->detail));
    tp_buf_puts(line, " ");
    tp_markdown_escape(line, tp_str_of(finding->advice));
    tp_buf_puts(line, "\n");
}

static void add_head(struct tp_buf *line, const struct tp_job *job)
{
    tp_buf_puts(line, "## Job");
    if (job->name.len) {
        tp_buf_puts(line, " ");
        tp_markdown_escape(line, job->name);
    }
    if (job->span != TP_NULL_INT)
        tp_buf_printf(line, ", span %lld", (long long)job->span);
    tp_buf_printf(line, ": %s, %s\n\n", tp_text_of_some(job->arena, (int64_t)job->ranks.count, "rank", "ranks"),
                  tp_text_of_some(job->arena, job->labels.count, "step", "steps"));
    if (!job->findings.count)
        tp_buf_puts(line, "No rank stands out.\n");
}

static void add_group(struct tp_buf *line, const struct tp_job *job, uint32_t number)
{
    const struct tp_job_cluster *cluster = tp_job_cluster_at(job, number);
    struct tp_str name = tp_job_cluster_name(job, number);
    tp_buf_printf(line, "| %.*s | %s | %s | %s | %s |\n", (int)name.len, name.ptr,
                  tp_rank_set_text(job->arena, &cluster->ranks, SHOWN_RUNS),
                  tp_text_of_time(job->arena, cluster->step_ns), tp_text_of_time(job->arena, cluster->own_ns),
                  tp_text_of_percent(job->arena, 100 * cluster->step_spread_ratio));
}

static unsigned beyond(size_t count, unsigned shown)
{
    return count > shown ? (unsigned)count - shown : 0;
}

static void add_job(struct tp_buf *out, struct tp_buf *line, const struct tp_job *job, unsigned *left_out)
{
    tp_buf_clear(line);
    add_head(line, job);
    add_line(out, line, left_out);
    for (size_t i = 0; i < job->findings.count && i < SHOWN_FINDINGS; i++) {
        tp_buf_clear(line);
        add_finding(line, job, TP_AT(&job->findings, struct tp_job_finding, i));
        add_line(out, line, left_out);
    }
    tp_buf_clear(line);
    tp_buf_puts(line, "\n| group | ranks | step | own work | spread |\n|---|---|---:|---:|---:|\n");
    add_line(out, line, left_out);
    for (uint32_t c = 0; c < job->clusters.count && c < SHOWN_GROUPS; c++) {
        tp_buf_clear(line);
        add_group(line, job, c);
        add_line(out, line, left_out);
    }
    tp_buf_clear(line);
    tp_buf_puts(line, "\n");
    add_line(out, line, left_out);
    *left_out += beyond(job->findings.count, SHOWN_FINDINGS) + beyond(job->clusters.count, SHOWN_GROUPS);
}

void tp_jobs_markdown(const struct tp_jobs *jobs, struct tp_buf *out, struct tp_buf *line)
{
    unsigned left_out = 0;
    for (size_t i = 0; i < jobs->count; i++)
        add_job(out, line, &jobs->items[i], &left_out);
    for (size_t i = 0; i < jobs->failed_count; i++) {
        tp_buf_clear(line);
        tp_buf_puts(line, "- not used: ");
        tp_markdown_escape(line, jobs->failed[i].file);
        tp_buf_puts(line, ": ");
        tp_markdown_escape(line, jobs->failed[i].why);
        tp_buf_puts(line, "\n");
        add_line(out, line, &left_out);
    }
    if (left_out)
        tp_buf_printf(out, "\n%u %s left out.\n", left_out, left_out == 1 ? "line" : "lines");
}
