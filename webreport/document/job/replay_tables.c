/* Builds the tables of a job's replay: causes of lost time, and families of process groups. See job_tables.h. */
#include "webreport/compare/job/job_parts.h"
#include "webreport/document/job/job_tables.h"

/* ---- causes ---- */

static const struct tp_column_def cause_defs[TP_JOB_CAUSE_COLUMNS] = {
    {"what", "Cause", "", "Cause of delay that the simulation removes.", TP_COLUMN_TEXT},
    {"kind", "Kind", "", "Kind of the cause (docs/definitions.md, section 29).", TP_COLUMN_TEXT},
    {"part", "Part", "", "Part of a rank's own work that the cause affects.", TP_COLUMN_TEXT},
    {"ranks", "Ranks", "",
     "Ranks that the cause affects. A slow link affects the ranks of the slow process groups or of the slow host.",
     TP_COLUMN_TEXT},
    {"rank_count", "Count", "", "Number of ranks that the cause affects.", TP_COLUMN_INT},
    {"rank_steps", "Rank-steps", "", "Number of steps, summed over the ranks, that the cause affects.", TP_COLUMN_INT},
    {"alone_percent", "Alone", "%",
     "Time that the job would lose if this were the only cause, as a percentage of the step time.", TP_COLUMN_REAL},
    {"saved_percent", "Saved", "%",
     "Time that the job would save if only this cause were removed, as a percentage of the step time.", TP_COLUMN_REAL},
    {"share_percent", "Share", "%",
     "Time that the job would save if this cause were removed after all larger causes, as a percentage of the step "
     "time. The shares of all causes add up to the lost time.",
     TP_COLUMN_REAL},
};

static const char *const kind_names[TP_CAUSE_KINDS] = {[TP_CAUSE_COMPUTE] = "compute",
                                                       [TP_CAUSE_PAUSE] = "pause",
                                                       [TP_CAUSE_INPUT] = "input",
                                                       [TP_CAUSE_SLOW_LEVEL] = "slower_level",
                                                       [TP_CAUSE_BECOMES_SLOW] = "late",
                                                       [TP_CAUSE_MOVING] = "moving",
                                                       [TP_CAUSE_PAUSES] = "pauses",
                                                       [TP_CAUSE_INPUTS] = "late_input",
                                                       [TP_CAUSE_SEQUENCE] = "sequence_lengths",
                                                       [TP_CAUSE_STAGE] = "stage",
                                                       [TP_CAUSE_LINK] = "link",
                                                       [TP_CAUSE_ALL_LINKS] = "all_links",
                                                       [TP_CAUSE_UNEQUAL] = "imbalance",
                                                       [TP_CAUSE_CHANGING] = "changing_imbalance"};
static const char *const part_names[TP_SLOT_PARTS] = {"compute", "pause", "input", ""};

static bool has_slot_part(const struct tp_cause *cause)
{
    return cause->kind < TP_CAUSE_SEQUENCE;
}

static void fill_cause(struct tp_table *table, size_t row, const struct tp_job *job, size_t max_runs)
{
    const struct tp_cause *cause = TP_AT(&job->what_if.causes, struct tp_cause, row);
    struct tp_rank_set ranks;
    tp_rank_set_init(&ranks, job->arena);
    for (uint32_t i = 0; i < cause->rank_count; i++)
        tp_rank_set_add(&ranks, tp_graph_rank_at(&job->graph, cause->ranks[i])->number);
    tp_table_text(table, TP_JOB_CAUSE_TEXT)[row] = tp_str_of(tp_job_cause_text(job, cause));
    tp_table_text(table, TP_JOB_CAUSE_KIND)[row] = tp_str_of(kind_names[cause->kind]);
    tp_table_text(table, TP_JOB_CAUSE_PART)[row] = tp_str_of(has_slot_part(cause) ? part_names[cause->part] : "");
    tp_table_text(table, TP_JOB_CAUSE_RANKS)[row] = tp_str_of(tp_rank_set_text(job->arena, &ranks, max_runs));
    tp_table_int(table, TP_JOB_CAUSE_COUNT)[row] = cause->rank_count;
    tp_table_int(table, TP_JOB_CAUSE_CELLS)[row] = cause->cell_count;
    tp_table_real(table, TP_JOB_CAUSE_ALONE)[row] = cause->alone;
    tp_table_real(table, TP_JOB_CAUSE_SAVED)[row] = cause->saved;
    tp_table_real(table, TP_JOB_CAUSE_SHARE)[row] = cause->share;
}

void tp_job_build_cause_table(struct tp_table *table, const struct tp_job *job, size_t max_runs)
{
    size_t count = job->what_if.why_not ? 0 : job->what_if.causes.count, rows = job->what_if.why_not ? 0 : count + 1;
    tp_table_init(table, job->arena, "causes", cause_defs, TP_JOB_CAUSE_COLUMNS, rows);
    for (size_t row = 0; row < count; row++)
        fill_cause(table, row, job, max_runs);
    if (!rows)
        return;
    tp_table_text(table, TP_JOB_CAUSE_TEXT)[count] =
        TP_STR("random variation, because each step waits for its slowest rank");
    tp_table_text(table, TP_JOB_CAUSE_KIND)[count] = TP_STR("jitter");
    tp_table_text(table, TP_JOB_CAUSE_PART)[count] = tp_table_text(table, TP_JOB_CAUSE_RANKS)[count] = TP_STR("");
    tp_table_int(table, TP_JOB_CAUSE_COUNT)[count] = job->what_if.rank_count;
    tp_table_int(table, TP_JOB_CAUSE_CELLS)[count] = (int64_t)job->what_if.rank_count * job->what_if.step_count;
    tp_table_real(table, TP_JOB_CAUSE_ALONE)[count] = tp_table_real(table, TP_JOB_CAUSE_SAVED)[count] =
        tp_table_real(table, TP_JOB_CAUSE_SHARE)[count] = job->what_if.jitter;
}

/* ---- families ---- */

static const struct tp_column_def family_defs[TP_JOB_FAMILY_COLUMNS] = {
    {"family", "Process groups", "",
     "Description of the process groups, or the size of the groups and the distance between their ranks.",
     TP_COLUMN_TEXT},
    {"groups", "Groups", "", "Number of process groups in this row.", TP_COLUMN_INT},
    {"size", "Ranks", "", "Number of ranks in the first of these process groups.", TP_COLUMN_INT},
    {"first_ranks", "First group", "", "Ranks in the first of these process groups.", TP_COLUMN_TEXT},
    {"is_pipeline", "Pipeline", "", "yes if the position of a rank in its process group is its pipeline stage.",
     TP_COLUMN_BOOL},
};

void tp_job_build_family_table(struct tp_table *table, const struct tp_job *job, size_t max_runs)
{
    const struct tp_graph *graph = &job->graph;
    tp_table_init(table, job->arena, "coordinates", family_defs, TP_JOB_FAMILY_COLUMNS, graph->families.count);
    for (size_t row = 0; row < table->row_count; row++) {
        const struct tp_graph_family *family = tp_graph_family_at(graph, row);
        const struct tp_graph_group *first = tp_graph_group_at(graph, family->groups[0]);
        struct tp_rank_set ranks;
        tp_rank_set_init(&ranks, job->arena);
        for (uint32_t m = 0; m < first->member_count; m++)
            tp_rank_set_add(&ranks, tp_graph_rank_at(graph, graph->members[first->first_member + m])->number);
        tp_table_text(table, TP_JOB_FAMILY_NAME)[row] = tp_str_of(family->name);
        tp_table_int(table, TP_JOB_FAMILY_GROUPS)[row] = family->count;
        tp_table_int(table, TP_JOB_FAMILY_SIZE)[row] = first->member_count;
        tp_table_text(table, TP_JOB_FAMILY_FIRST)[row] = tp_str_of(tp_rank_set_text(job->arena, &ranks, max_runs));
        tp_table_bool(table, TP_JOB_FAMILY_PIPELINE)[row] = row == graph->pipeline;
    }
}
