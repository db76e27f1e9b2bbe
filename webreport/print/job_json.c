/* Jobs as JSON: see job_print.h. */
#include <math.h>

#include "webreport/document/job_tables.h"
#include "webreport/print/job_print.h"

static const char *const rule_ids[TP_JOB_RULES] = {"J1", "J2", "J3", "J4", "J5", "J6", "J7"};

const char *tp_job_rule_id(enum tp_job_rule rule)
{
    return rule_ids[rule];
}

static const char *const rule_names[TP_JOB_RULES] = {"slow_compute", "late_host",          "slow_input",   "slow_link",
                                                     "imbalance",    "changing_imbalance", "missing_ranks"};

static void member_int(struct tp_json *json, const char *key, int64_t value)
{
    if (value == TP_NULL_INT)
        tp_json_member_null(json, key);
    else
        tp_json_member_int(json, key, value);
}

static void member_us(struct tp_json *json, const char *key, int64_t ns)
{
    if (ns == TP_NULL_INT)
        tp_json_member_null(json, key);
    else
        tp_json_member_us(json, key, ns);
}

static void write_findings(const struct tp_job *job, struct tp_json *json)
{
    tp_json_key(json, "findings");
    tp_json_array(json);
    for (size_t i = 0; i < job->findings.count; i++) {
        const struct tp_job_finding *finding = TP_AT(&job->findings, struct tp_job_finding, i);
        tp_json_object(json);
        tp_json_member_text(json, "id", rule_ids[finding->rule]);
        tp_json_member_text(json, "cause", rule_names[finding->rule]);
        tp_json_member_text(json, "title", finding->title);
        tp_json_member_text(json, "detail", finding->detail);
        tp_json_member_text(json, "advice", finding->advice);
        tp_json_member_text(json, "ranks", tp_rank_set_text(job->arena, &finding->ranks, 0));
        member_int(json, "rank_count", finding->ranks.count);
        member_int(json, "worst_rank", finding->worst_rank);
        member_us(json, "cost_us_per_step", finding->cost_ns);
        tp_json_member_real(json, "cost_percent", 100 * finding->cost_ratio);
        tp_json_object_end(json);
    }
    tp_json_array_end(json);
}

static void write_alignment(const struct tp_job *job, struct tp_json *json)
{
    tp_json_key(json, "alignment");
    tp_json_object(json);
    tp_json_member_int(json, "blocking_collectives", job->blocking_count);
    tp_json_member_int(json, "components", job->component_count);
    tp_json_member_us(json, "residual_us", job->residual_ns);
    tp_json_member_us(json, "largest_residual_us", job->largest_residual_ns);
    tp_json_object_end(json);
}

static void write_steps(const struct tp_job *job, struct tp_json *json)
{
    tp_json_key(json, "steps");
    tp_json_array(json);
    for (size_t c = 0; c < job->columns.count; c++) {
        const struct tp_job_column *column = TP_AT(&job->columns, struct tp_job_column, c);
        tp_json_object(json);
        tp_json_member_str(json, "group", tp_job_cluster_name(job, column->cluster));
        tp_json_member_str(json, "step", tp_strings_get(&job->labels, column->label));
        tp_json_member_int(json, "rank_count", column->count);
        tp_json_member_us(json, "total_us", column->total_ns);
        tp_json_member_us(json, "own_us", column->own_ns);
        tp_json_object_end(json);
    }
    tp_json_array_end(json);
}

static void write_table(const struct tp_table *table, const char *key, struct tp_json *json)
{
    tp_json_key(json, key);
    tp_table_json(table, json);
}

static void write_tables(const struct tp_job *job, struct tp_json *json)
{
    struct tp_table table;
    tp_job_cluster_table(&table, job, 0);
    write_table(&table, "groups", json);
    tp_job_rank_table(&table, job);
    write_table(&table, "ranks", json);
    write_steps(job, json);
    tp_job_collective_table(&table, job, 0);
    write_table(&table, "collectives", json);
    tp_job_link_table(&table, job, 0);
    write_table(&table, "links", json);
    tp_job_merged_table(&table, job, 0);
    write_table(&table, "rank_findings", json);
    tp_job_fact_table(&table, job, 0);
    write_table(&table, "differing_facts", json);
}

static void write_job(const struct tp_job *job, struct tp_json *json)
{
    tp_json_object(json);
    tp_json_member_str(json, "job", job->name);
    member_int(json, "span", job->span);
    tp_json_member_int(json, "rank_count", (int64_t)job->ranks.count);
    member_int(json, "world_size", job->world_size);
    tp_json_member_text(json, "missing_ranks", tp_rank_set_text(job->arena, &job->missing, 0));
    tp_json_member_int(json, "step_count", job->labels.count);
    tp_json_member_int(json, "steps_left_out", (int64_t)job->steps_left_out);
    tp_json_member_int(json, "collectives_left_out", (int64_t)job->calls_left_out);
    write_alignment(job, json);
    write_findings(job, json);
    write_tables(job, json);
    tp_json_key(json, "distributed");
    if (job->has_distributed && job->distributed.is_present)
        tp_distributed_json(&job->distributed, json);
    else
        tp_json_null(json);
    tp_json_object_end(json);
}

void tp_jobs_json(const struct tp_jobs *jobs, struct tp_json *json)
{
    tp_json_object(json);
    tp_json_member_text(json, "schema", "tracepress-job");
    tp_json_member_int(json, "schema_version", 1);
    tp_json_key(json, "jobs");
    tp_json_array(json);
    for (size_t i = 0; i < jobs->count; i++)
        write_job(&jobs->items[i], json);
    tp_json_array_end(json);
    tp_json_key(json, "failed");
    tp_json_array(json);
    for (size_t i = 0; i < jobs->failed_count; i++) {
        tp_json_object(json);
        tp_json_member_str(json, "file", jobs->failed[i].file);
        tp_json_member_str(json, "error", jobs->failed[i].why);
        tp_json_object_end(json);
    }
    tp_json_array_end(json);
    tp_json_member_int(json, "duplicate_records", (int64_t)jobs->duplicate_count);
    tp_json_member_int(json, "records_left_out", (int64_t)jobs->left_out_count);
    tp_json_object_end(json);
}
