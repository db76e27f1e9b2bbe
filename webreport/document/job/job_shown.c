/* Adds the tables of a job. See job_wording.h. */
#include "webreport/document/job/job_wording.h"

#include <math.h>

#include "webreport/compare/job/job_parts.h"
#include "webreport/document/job/job_tables.h"
#include "webreport/document/name_text.h"
#include "webreport/document/section.h"
#include "webreport/document/section_verdict.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { MOST_ROWS = 200, OPEN_RANKS = 16, SHORT_ROWS = 10, MORE_ROWS = 8, CELL_RUNS = 5 };

/* ---- sections ---- */

static void put_section(const struct tp_job_wording *w, const struct tp_section_block *section,
                        struct tp_shown_table *table)
{
    tp_document_add_section(w->document, section);
    tp_document_add_table(w->document, table, NULL);
}

static struct tp_shown_table *new_table(const struct tp_job_wording *w, const struct tp_table *table,
                                        const struct tp_shown_column *columns, unsigned column_count)
{
    struct tp_shown_table *shown = tp_shown_table_new(w->arena, table, columns, column_count, MOST_ROWS);
    shown->name = table->name;
    shown->name_title = table->defs[0].title;
    shown->name_definition = table->defs[0].definition;
    shown->caption = shown->name;
    tp_shown_table_set_row_names(&w->naming, shown, 0);
    return shown;
}

/* ---- ranks ---- */

static const struct tp_shown_column rank_columns[] = {
    {TP_SHOW_TEXT, TP_JOB_RANK_GROUP, NULL, 0, 0, false, 0},
    {TP_SHOW_PRINTED, TP_JOB_RANK_VERDICT, NULL, 0, 0, false, 0},
    {TP_SHOW_TIME, TP_JOB_RANK_STEP, NULL, 1, 0, false, TP_SHOWN_NARROW},
    {TP_SHOW_TIME, TP_JOB_RANK_OWN, NULL, 1, 0, false, 0},
    {TP_SHOW_TIME, TP_JOB_RANK_EXCESS, NULL, 1, 0, true, 0},
    {TP_SHOW_BAR, TP_JOB_RANK_EXCESS, NULL, 0, 0, false, 0},
    {TP_SHOW_TIME, TP_JOB_RANK_COMPUTE, NULL, 1, 0, false, 0},
    {TP_SHOW_TIME, TP_JOB_RANK_HOST, NULL, 1, 0, false, 0},
    {TP_SHOW_TIME, TP_JOB_RANK_DATA, NULL, 1, 0, false, 0},
    {TP_SHOW_TIME, TP_JOB_RANK_COMMUNICATION, NULL, 1, 0, false, 0},
    {TP_SHOW_PERCENT, TP_JOB_RANK_LAST, NULL, 0, 0, false, TP_SHOWN_NARROW},
    {TP_SHOW_TIME, TP_JOB_RANK_CAUSED, NULL, 1, 0, false, 0},
    {TP_SHOW_BYTES, TP_JOB_RANK_PEAK, NULL, 0, 0, false, 0},
};

static int compare_worst_first(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_job_rank *a = tp_job_rank_at(context, x), *b = tp_job_rank_at(context, y);
    if (a->excess_ns != b->excess_ns)
        return a->excess_ns < b->excess_ns ? 1 : -1;
    return (a->caused_wait_ns < b->caused_wait_ns) - (a->caused_wait_ns > b->caused_wait_ns);
}

static void add_code_item(struct tp_list *items, struct tp_str code, const char *note)
{
    struct tp_object *item = tp_list_add_object(items);
    tp_object_add_str(item, "code", code);
    tp_object_add_text(item, "note", note);
}

static struct tp_list *add_titled_block(struct tp_list *blocks, const char *title)
{
    struct tp_object *block = tp_list_add_object(blocks);
    tp_object_add_text(block, "block_title", title);
    tp_object_add_bool(block, "has_items", true);
    return tp_object_add_list(block, "items");
}

/* Returns how much longer each part of a rank's step takes than in comparable ranks, followed by the kernels and
 * operators with the largest difference. */
static struct tp_data make_rank_details(const struct tp_job_wording *w, uint32_t index)
{
    static const char *const part_names[TP_JOB_PARTS] = {"compute", "host", "input", "communication"};
    const struct tp_job *job = w->job;
    const struct tp_job_rank *rank = tp_job_rank_at(job, index);
    struct tp_object *more = tp_object_new(w->arena);
    struct tp_list *blocks = tp_object_add_list(more, "blocks");
    struct tp_list *items = add_titled_block(blocks, "Parts of this rank's step compared with similar ranks (medians)");
    struct tp_job_excess *rows;
    for (int p = 0; p < TP_JOB_PARTS; p++)
        add_code_item(items, tp_str_of(part_names[p]),
                      tp_text_printf(
                          w->arena, "%s, %s%s than similar ranks", tp_text_of_time(w->arena, rank->part_ns[p]),
                          tp_text_of_time(w->arena, rank->part_excess_ns[p] < 0 ? tp_sat_sub(0, rank->part_excess_ns[p])
                                                                                : rank->part_excess_ns[p]),
                          rank->part_excess_ns[p] < 0 ? " less" : " more"));
    if (rank->verdict.len) {
        struct tp_verdict_block verdict = tp_stored_verdict_block(&w->naming, rank->verdict, rank->headline);
        items = add_titled_block(blocks, "Verdict of this rank's own report");
        add_code_item(items, tp_str_of(verdict.class), verdict.headline);
    }
    items = add_titled_block(blocks, "Trace");
    add_code_item(items, tp_shown_text(&w->naming, rank->key.worker),
                  tp_text_printf(w->arena, "%s, %s",
                                 tp_text_of_counted_noun(w->arena, rank->event_count, "event", "events"),
                                 tp_text_of_counted_noun(w->arena, rank->step_count, "step", "steps")));
    if (*rank->damage)
        add_code_item(items, TP_STR("damaged"), rank->damage);
    uint32_t count = tp_job_find_excess_rows(job, index, &rows);
    if (count)
        items = add_titled_block(
            blocks, "Time of kernels and operators per step compared with similar ranks, largest excess first");
    for (uint32_t i = 0; i < count && i < MORE_ROWS; i++) {
        struct tp_str name = tp_strings_get(&job->texts, rows[i].name);
        add_code_item(items, tp_shown_kernel_name(&w->naming, name),
                      tp_text_printf(w->arena, "%s in %s calls, and %s in %s calls on similar ranks",
                                     tp_text_of_time(w->arena, rows[i].time_ns),
                                     tp_text_of_fixed(w->arena, rows[i].count, 1),
                                     tp_text_of_time(w->arena, rows[i].peer_time_ns),
                                     tp_text_of_fixed(w->arena, rows[i].peer_count, 1)));
    }
    return tp_data_of_object(more);
}

static struct tp_str verdict_cell_text(struct tp_arena *arena, const struct tp_table *table, unsigned column,
                                       size_t row)
{
    struct tp_naming naming = {.arena = arena};
    return tp_str_of(tp_stored_verdict_block(&naming, tp_table_text(table, column)[row], TP_STR("")).class);
}

/* Returns how much longer the slowest rank works than its peers, and how far the next rank is behind them. order:
 * ranks, the slowest first. */
static const char *lead_on_ranks(const struct tp_job_wording *w, const uint32_t *order)
{
    const struct tp_job *job = w->job;
    size_t slow = 0;
    while (slow < job->ranks.count && tp_job_is_first_cause(job, tp_job_rank_at(job, order[slow])))
        slow++;
    const struct tp_job_rank *first = tp_job_rank_at(job, order[0]);
    const char *excess = tp_text_of_time(w->arena, first->excess_ns);
    const char *is_own = "Own work is the step without exposed communication.";
    if (job->ranks.count < 2 || !first->compared_step_count)
        return is_own;
    if (!slow || slow == job->ranks.count)
        return tp_text_printf(w->arena, "The most own work has %s: %s per step more than comparable ranks. %s",
                              tp_job_rank_name(job, first), excess, is_own);
    return tp_text_printf(w->arena,
                          "%s up to %s per step longer than comparable ranks. The next rank works %s longer. %s",
                          slow == 1 ? "One rank works" : tp_text_printf(w->arena, "%zu ranks work", slow), excess,
                          tp_text_of_time(w->arena, tp_job_rank_at(job, order[slow])->excess_ns), is_own);
}

static void put_rank_table(const struct tp_job_wording *w)
{
    const struct tp_job *job = w->job;
    size_t count = job->ranks.count, most = count < MOST_ROWS ? count : MOST_ROWS;
    uint32_t *order = tp_arena_array(w->arena, count, sizeof *order);
    size_t *rows = tp_arena_array(w->arena, count, sizeof *rows);
    struct tp_table *table = tp_arena_alloc(w->arena, sizeof *table);
    for (uint32_t r = 0; r < count; r++)
        order[r] = r;
    tp_sort_rows(order, count, compare_worst_first, job, w->arena);
    for (size_t i = 0; i < count; i++)
        rows[i] = order[i];
    tp_job_build_rank_table(table, job, 0);
    struct tp_shown_table *shown =
        new_table(w, tp_table_copy_rows(w->arena, table, rows, count), rank_columns, COUNT(rank_columns));
    shown->caption = "Ranks whose own work exceeds that of comparable ranks most";
    shown->noun = "ranks";
    shown->print = verdict_cell_text;
    for (size_t i = 0; i < most; i++) {
        const struct tp_job_rank *rank = tp_job_rank_at(job, order[i]);
        shown->rows[i].cause = tp_job_is_first_cause(job, rank) ? "comm" : "gpu3";
        if (i < OPEN_RANKS)
            shown->rows[i].more = make_rank_details(w, order[i]);
    }
    put_section(
        w,
        &(struct tp_section_block){.id = "ranks", .label = "Ranks", .title = "Ranks", .lead = lead_on_ranks(w, order)},
        shown);
}

/* ---- groups, collectives, links, findings, facts ---- */

static const struct tp_shown_column cluster_columns[] = {
    {TP_SHOW_COUNT, TP_JOB_CLUSTER_COUNT, NULL, 0, 0, false, TP_SHOWN_SUM},
    {TP_SHOW_TEXT, TP_JOB_CLUSTER_RANKS, NULL, 0, 0, false, 0},
    {TP_SHOW_TIME, TP_JOB_CLUSTER_STEP, NULL, 1, 0, false, 0},
    {TP_SHOW_TIME, TP_JOB_CLUSTER_OWN, NULL, 1, 0, false, 0},
    {TP_SHOW_TIME, TP_JOB_CLUSTER_COMPUTE, NULL, 1, 0, false, 0},
    {TP_SHOW_TIME, TP_JOB_CLUSTER_HOST, NULL, 1, 0, false, 0},
    {TP_SHOW_TIME, TP_JOB_CLUSTER_DATA, NULL, 1, 0, false, 0},
    {TP_SHOW_TIME, TP_JOB_CLUSTER_COMMUNICATION, NULL, 1, 0, false, 0},
    {TP_SHOW_PERCENT, TP_JOB_CLUSTER_SPREAD, NULL, 0, 0, false, 0},
    {TP_SHOW_PERCENT, TP_JOB_CLUSTER_STEP_SPREAD, NULL, 0, 0, false, 0},
    {TP_SHOW_TEXT, TP_JOB_CLUSTER_SLOWEST, NULL, 0, 0, false, 0},
};
static const struct tp_shown_column short_cluster_columns[] = {
    {TP_SHOW_TEXT, TP_JOB_CLUSTER_RANKS, NULL, 0, 0, false, 0},
    {TP_SHOW_TIME, TP_JOB_CLUSTER_STEP, NULL, 1, 0, false, 0},
    {TP_SHOW_TIME, TP_JOB_CLUSTER_OWN, NULL, 1, 0, false, 0},
    {TP_SHOW_PERCENT, TP_JOB_CLUSTER_STEP_SPREAD, "Spread", 0, 0, false, 0},
};
static const struct tp_shown_column collective_columns[] = {
    {TP_SHOW_COUNT, TP_JOB_COLLECTIVE_SIZE, NULL, 0, 0, false, 0},
    {TP_SHOW_COUNT, TP_JOB_COLLECTIVE_GROUPS, NULL, 0, 0, false, 0},
    {TP_SHOW_COUNT, TP_JOB_COLLECTIVE_CALLS, NULL, 0, 0, false, TP_SHOWN_SUM},
    {TP_SHOW_BYTES, TP_JOB_COLLECTIVE_BYTES, NULL, 0, 0, false, 0},
    {TP_SHOW_TIME, TP_JOB_COLLECTIVE_TRANSFER, NULL, 0, 0, false, TP_SHOWN_SUM},
    {TP_SHOW_TIME, TP_JOB_COLLECTIVE_WAIT, NULL, 0, 0, false, TP_SHOWN_SUM},
    {TP_SHOW_TIME, TP_JOB_COLLECTIVE_MEAN_WAIT, NULL, 0, 0, false, 0},
};
static const struct tp_shown_column cause_columns[] = {
    {TP_SHOW_TEXT, TP_JOB_CAUSE_KIND, NULL, 0, 0, false, 0},
    {TP_SHOW_TEXT, TP_JOB_CAUSE_RANKS, NULL, 0, 0, false, 0},
    {TP_SHOW_COUNT, TP_JOB_CAUSE_CELLS, NULL, 0, 0, false, 0},
    {TP_SHOW_PERCENT, TP_JOB_CAUSE_ALONE, NULL, 0, 0, false, 0},
    {TP_SHOW_PERCENT, TP_JOB_CAUSE_SAVED, NULL, 0, 0, false, 0},
    {TP_SHOW_PERCENT, TP_JOB_CAUSE_SHARE, NULL, 0, 0, false, TP_SHOWN_SUM},
};
static const struct tp_shown_column short_cause_columns[] = {
    {TP_SHOW_TEXT, TP_JOB_CAUSE_RANKS, NULL, 0, 0, false, 0},
    {TP_SHOW_PERCENT, TP_JOB_CAUSE_ALONE, NULL, 0, 0, false, 0},
    {TP_SHOW_PERCENT, TP_JOB_CAUSE_SAVED, NULL, 0, 0, false, 0},
    {TP_SHOW_PERCENT, TP_JOB_CAUSE_SHARE, NULL, 0, 0, false, 0},
};
static const struct tp_shown_column family_columns[] = {
    {TP_SHOW_COUNT, TP_JOB_FAMILY_GROUPS, NULL, 0, 0, false, 0},
    {TP_SHOW_COUNT, TP_JOB_FAMILY_SIZE, NULL, 0, 0, false, 0},
    {TP_SHOW_TEXT, TP_JOB_FAMILY_FIRST, NULL, 0, 0, false, 0},
    {TP_SHOW_YES_NO, TP_JOB_FAMILY_PIPELINE, NULL, 0, 0, false, 0},
};
static const struct tp_shown_column link_columns[] = {
    {TP_SHOW_TEXT, TP_JOB_LINK_RANKS, NULL, 0, 0, false, 0},
    {TP_SHOW_TEXT, TP_JOB_LINK_COLLECTIVE, NULL, 0, 0, false, 0},
    {TP_SHOW_BYTES, TP_JOB_LINK_BYTES, NULL, 0, 0, false, 0},
    {TP_SHOW_COUNT, TP_JOB_LINK_CALLS, NULL, 0, 0, false, 0},
    {TP_SHOW_REAL, TP_JOB_LINK_BANDWIDTH, "Bus GB/s", 0, 1, false, 0},
    {TP_SHOW_REAL, TP_JOB_LINK_PEER_BANDWIDTH, "Similar groups GB/s", 0, 1, false, 0},
    {TP_SHOW_COUNT, TP_JOB_LINK_PEERS, NULL, 0, 0, false, 0},
    {TP_SHOW_TIME, TP_JOB_LINK_LOST, NULL, 0, 0, false, 0},
    {TP_SHOW_YES_NO, TP_JOB_LINK_IS_SLOW, NULL, 0, 0, false, 0},
};
static const struct tp_shown_column merged_columns[] = {
    {TP_SHOW_TEXT, TP_JOB_MERGED_RULE, NULL, 0, 0, false, 0},
    {TP_SHOW_TEXT, TP_JOB_MERGED_SEVERITY, NULL, 0, 0, false, 0},
    {TP_SHOW_TEXT, TP_JOB_MERGED_LINE, NULL, 0, 0, false, 0},
    {TP_SHOW_COUNT, TP_JOB_MERGED_COUNT, "Rank count", 0, 0, false, 0},
    {TP_SHOW_TEXT, TP_JOB_MERGED_RANKS, NULL, 0, 0, false, 0},
    {TP_SHOW_COUNT, TP_JOB_MERGED_WORST, "Worst rank", 0, 0, false, 0},
    {TP_SHOW_TIME, TP_JOB_MERGED_CEILING, NULL, 1, 0, false, 0},
    {TP_SHOW_TIME, TP_JOB_MERGED_MEAN, NULL, 1, 0, false, 0},
    {TP_SHOW_COUNT, TP_JOB_MERGED_OCCURRENCES, NULL, 0, 0, false, 0},
};
static const struct tp_shown_column fact_columns[] = {
    {TP_SHOW_TEXT, TP_JOB_FACT_VALUE, NULL, 0, 0, false, 0},
    {TP_SHOW_COUNT, TP_JOB_FACT_COUNT, NULL, 0, 0, false, 0},
    {TP_SHOW_TEXT, TP_JOB_FACT_RANKS, NULL, 0, 0, false, 0},
};

/* Returns the share of waiting in the time of all collectives. */
static const char *lead_on_collectives(const struct tp_job_wording *w, const struct tp_table *table)
{
    double waiting = 0, all = 0;
    for (size_t i = 0; i < table->row_count; i++) {
        double ranks = (double)tp_table_int(table, TP_JOB_COLLECTIVE_SIZE)[i];
        waiting += (double)tp_table_int(table, TP_JOB_COLLECTIVE_WAIT)[i];
        all += (double)tp_table_int(table, TP_JOB_COLLECTIVE_TRANSFER)[i] * ranks;
    }
    all += waiting;
    return tp_text_printf(w->arena,
                          "%s %% of the time in collectives is waiting for other ranks; the rest is transfer.",
                          tp_text_of_fixed(w->arena, all > 0 ? 100 * waiting / all : 0, 0));
}

/* Returns the number of slow links, or the link that is slowest compared with similar ones. */
static const char *lead_on_links(const struct tp_job_wording *w, const struct tp_table *table)
{
    size_t slow = 0;
    double worst = INFINITY;
    for (size_t i = 0; i < table->row_count; i++) {
        double own = tp_table_real(table, TP_JOB_LINK_BANDWIDTH)[i];
        double peers = tp_table_real(table, TP_JOB_LINK_PEER_BANDWIDTH)[i];
        slow += tp_table_bool(table, TP_JOB_LINK_IS_SLOW)[i];
        worst = peers > 0 && own / peers < worst ? own / peers : worst;
    }
    if (!isfinite(worst))
        return "No group has a similar group for comparison.";
    return tp_text_printf(w->arena, "%s: the worst reaches %s %% of the rate of similar groups.",
                          slow ? tp_text_of_counted_noun(w->arena, (int64_t)slow, "link is slow", "links are slow")
                               : "No link is slow",
                          tp_text_of_fixed(w->arena, 100 * worst, 0));
}

enum place { WHOLE_WIDTH, HALF_WIDTH, FOLDED };

static const struct part {
    void (*build)(struct tp_table *table, const struct tp_job *job, size_t max_runs);
    const struct tp_shown_column *columns;
    unsigned column_count;
    const char *id, *label, *title;
    const char *lead; /* NULL: `lead_on` returns it */
    const char *(*lead_on)(const struct tp_job_wording *w, const struct tp_table *table);
    enum place place;
    const char *noun;
} sections_of_tables[] = {
    {tp_job_build_collective_table, collective_columns, COUNT(collective_columns), "collectives", "Communication",
     "Communication", NULL, lead_on_collectives, HALF_WIDTH, "kinds of collectives"},
    {tp_job_build_link_table, link_columns, COUNT(link_columns), "links", "Links", "Links", NULL, lead_on_links,
     HALF_WIDTH, "links"},
    {tp_job_build_cluster_table, cluster_columns, COUNT(cluster_columns), "groups", "Groups", "Groups of ranks",
     "Ranks are compared only with ranks that do the same work.", NULL, WHOLE_WIDTH, "groups"},
    {tp_job_build_merged_table, merged_columns, COUNT(merged_columns), "rank-findings", "Findings",
     "Findings of single ranks", "Findings in the reports of single ranks, merged by rule and source line.", NULL,
     WHOLE_WIDTH, "findings"},
    {tp_job_build_family_table, family_columns, COUNT(family_columns), "coordinates", NULL, "Process groups",
     "Each row is a set of similar process groups, such as all tensor-parallel groups. A rank is in at most one group "
     "of a row.",
     NULL, FOLDED, "sets"},
    {tp_job_build_fact_table, fact_columns, COUNT(fact_columns), "facts", NULL, "Differences between the ranks' traces",
     "The table lists properties that are not the same in all traces of the job.", NULL, FOLDED, "facts"},
};

/* Adds the table of groups of comparable ranks, for outputs with little space. */
static void put_group_table(const struct tp_job_wording *w)
{
    struct tp_table *table = tp_arena_alloc(w->arena, sizeof *table);
    tp_job_build_cluster_table(table, w->job, CELL_RUNS);
    struct tp_shown_table *shown = new_table(w, table, short_cluster_columns, COUNT(short_cluster_columns));
    shown->short_row_count = SHORT_ROWS;
    tp_document_add_table(w->document, shown, NULL);
}

/* Adds the table of the job's causes of lost time. is_short: true adds a table with few rows and columns, for terminals
 * and Markdown. */
static void put_causes_of_lost_time(const struct tp_job_wording *w, bool is_short)
{
    struct tp_table *table = tp_arena_alloc(w->arena, sizeof *table);
    tp_job_build_cause_table(table, w->job, CELL_RUNS);
    if (!table->row_count)
        return;
    struct tp_shown_table *shown = is_short ? new_table(w, table, short_cause_columns, COUNT(short_cause_columns))
                                            : new_table(w, table, cause_columns, COUNT(cause_columns));
    if (is_short) {
        shown->short_row_count = SHORT_ROWS;
        tp_document_add_table(w->document, shown, NULL);
        return;
    }
    shown->caption = "Causes";
    put_section(
        w,
        &(struct tp_section_block){
            .id = "causes",
            .title = "What each cause costs the job",
            .is_folded = true,
            .lead =
                "The numbers come from a simulation of the job, and are percentages of the step time. The column "
                "\"Alone\" shows the time that the cause would cost if it were the only one. The column \"Saved\" "
                "shows the gain from removing only this cause. The column \"Share\" shows the gain if the causes are "
                "removed one after the other, largest first. The shares add up to the lost time."},
        shown);
}

static void put_table_section(const struct tp_job_wording *w, const struct part *part)
{
    struct tp_table *table = tp_arena_alloc(w->arena, sizeof *table);
    part->build(table, w->job, CELL_RUNS);
    if (!table->row_count)
        return;
    struct tp_shown_table *shown = new_table(w, table, part->columns, part->column_count);
    shown->caption = part->title;
    shown->noun = part->noun;
    put_section(w,
                &(struct tp_section_block){.id = part->id,
                                           .label = part->label,
                                           .title = part->title,
                                           .lead = part->lead ? part->lead : part->lead_on(w, table),
                                           .is_half = part->place == HALF_WIDTH,
                                           .is_folded = part->place == FOLDED},
                shown);
}

void tp_job_put_tables(const struct tp_job_wording *w)
{
    w->document->places = TP_IN_TEXT | TP_IN_MARKDOWN;
    put_causes_of_lost_time(w, true);
    put_group_table(w);
    w->document->places = TP_IN_PAGES | TP_IN_DETAILED_TEXT;
    put_rank_table(w);
    for (unsigned i = 0; i < COUNT(sections_of_tables); i++)
        if (sections_of_tables[i].place != FOLDED)
            put_table_section(w, &sections_of_tables[i]);
    tp_job_put_heat(w);
    put_causes_of_lost_time(w, false);
    for (unsigned i = 0; i < COUNT(sections_of_tables); i++)
        if (sections_of_tables[i].place == FOLDED)
            put_table_section(w, &sections_of_tables[i]);
    w->document->places = TP_EVERYWHERE;
}
