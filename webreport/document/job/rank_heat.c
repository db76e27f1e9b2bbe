/* Draws the heat map of a job: the excess of each rank over comparable ranks in each step. See job_wording.h. */
#include <math.h>

#include "webreport/document/job/job_wording.h"
#include "writer/png.h"
#include "writer/text/base64.h"
#include "writer/text/format.h"

enum {
    TP_JOB_HEAT_RANKS = 1000,
    TP_JOB_HEAT_STEPS = 200,
    TP_JOB_HEAT_NO_DATA_COLOR = 0xC4CAD2 /* color of cells without a recorded step or without a comparable rank */
};

/* Time by which each rank exceeds comparable ranks. A cell is one rank and one step, or several ranks and steps. */
struct tp_job_heat {
    uint32_t column_count,
        row_count; /* number of columns (one or more ranks each) and of rows (one or more steps each) */
    uint32_t ranks_per_cell, steps_per_cell;
    float *share; /* element for each cell, at row * column_count + column: largest excess, as a share of the median
                     step of comparable ranks; NaN if unknown */
};

/* Color classes of the excess, as shares of the step. A value belongs to the first class whose `end` is larger. The
 * colors also differ in lightness, so that the map is readable without color. */
static const struct {
    double end;
    uint32_t colour;
    const char *label;
} classes[] = {
    {-0.05, 0x9CC3EA, "over 5 % faster than comparable ranks"},
    {0.02, 0xEEF1F5, "5 % faster to 2 % slower"},
    {0.05, 0xFBE3B5, "2 to 5 % slower"},
    {0.10, 0xF3B35C, "5 to 10 % slower"},
    {0.20, 0xDE7430, "10 to 20 % slower"},
    {0.50, 0xB3321F, "20 to 50 % slower"},
    {INFINITY, 0x5E0F1A, "over 50 % slower"},
};
enum { CLASSES = sizeof classes / sizeof *classes };

static uint32_t share_colour(float share)
{
    if (isnan(share))
        return TP_JOB_HEAT_NO_DATA_COLOR;
    for (unsigned i = 0; i < CLASSES; i++)
        if (share < classes[i].end)
            return classes[i].colour;
    return classes[CLASSES - 1].colour;
}

static void build_heat_cells(struct tp_job_heat *heat, const struct tp_job *job, struct tp_arena *arena)
{
    uint32_t ranks = (uint32_t)job->ranks.count, steps = job->labels.count;
    heat->ranks_per_cell = (ranks + TP_JOB_HEAT_RANKS - 1) / TP_JOB_HEAT_RANKS;
    heat->steps_per_cell = (steps + TP_JOB_HEAT_STEPS - 1) / TP_JOB_HEAT_STEPS;
    heat->column_count = ranks ? (ranks + heat->ranks_per_cell - 1) / heat->ranks_per_cell : 0;
    heat->row_count = steps ? (steps + heat->steps_per_cell - 1) / heat->steps_per_cell : 0;
    heat->ranks_per_cell += !ranks;
    heat->steps_per_cell += !steps;
    size_t cells = (size_t)heat->column_count * heat->row_count;
    heat->share = tp_arena_array(arena, cells, sizeof *heat->share);
    for (size_t i = 0; i < cells; i++)
        heat->share[i] = NAN;
    for (uint32_t r = 0; r < ranks; r++) {
        const struct tp_job_rank *rank = tp_job_rank_at(job, r);
        double step_ns = (double)tp_job_cluster_at(job, rank->cluster)->step_ns;
        for (uint32_t s = rank->first_step; s < rank->first_step + rank->step_count; s++) {
            const struct tp_job_step *step = tp_job_step_at(job, s);
            const struct tp_job_column *column = TP_AT(&job->columns, struct tp_job_column, job->column_of_step[s]);
            size_t cell = (size_t)(step->label / heat->steps_per_cell) * heat->column_count + r / heat->ranks_per_cell;
            if (column->count < 2 || step_ns <= 0)
                continue;
            float share = (float)(((double)step->own_ns - (double)column->own_ns) / step_ns);
            if (!(share <= heat->share[cell])) /* the negated condition is also true if the cell is still NaN */
                heat->share[cell] = share;
        }
    }
}

/* Returns a PNG image with one pixel for each cell, as a "data:" URL in `arena`. */
static const char *picture_as_data_address(const struct tp_job_heat *heat, struct tp_arena *arena)
{
    struct tp_buf png, text;
    size_t cells = (size_t)heat->row_count * heat->column_count;
    uint8_t *rgb = tp_arena_array(arena, cells, 3);
    for (size_t i = 0; i < cells; i++) {
        uint32_t colour = share_colour(heat->share[i]);
        rgb[i * 3] = (uint8_t)(colour >> 16);
        rgb[i * 3 + 1] = (uint8_t)(colour >> 8);
        rgb[i * 3 + 2] = (uint8_t)colour;
    }
    tp_buf_init(&png, 0);
    tp_buf_init(&text, 0);
    tp_png_add(&png, rgb, heat->column_count, heat->row_count);
    tp_buf_puts(&text, "data:image/png;base64,");
    tp_base64_add(&text, png.data ? png.data : "", png.size);
    int failed = png.failed ? png.failed : text.failed;
    tp_buf_release(&png);
    if (failed) {
        tp_buf_release(&text);
        tp_arena_fail(arena, failed);
    }
    return tp_buf_move(&text, arena);
}

/* ---- the heat map as a block of the document ---- */

enum { HEAT_LEAST = 48, HEAT_MOST = 320, CELL_MOST = 26, TICKS = 5 };

static void put_color_legend(struct tp_object *heat, struct tp_arena *arena)
{
    struct tp_list *list = tp_object_add_list(heat, "heat_classes");
    for (unsigned i = 0; i < CLASSES; i++) {
        struct tp_object *item = tp_list_add_object(list);
        tp_object_add_formatted(item, "fill", "#%06X", (unsigned)classes[i].colour);
        tp_object_add_text(item, "label", classes[i].label);
    }
    struct tp_object *item = tp_list_add_object(list);
    tp_object_add_text(item, "fill", tp_text_printf(arena, "#%06X", (unsigned)TP_JOB_HEAT_NO_DATA_COLOR));
    tp_object_add_text(item, "label", "not recorded, or no comparable rank");
}

/* Returns whether at least one rank has another rank to compare with. */
static bool has_compared_ranks(const struct tp_job *job)
{
    for (size_t r = 0; r < job->ranks.count; r++)
        if (tp_job_rank_at(job, r)->compared_step_count)
            return true;
    return false;
}

/* Returns whether the first finding concerns other ranks, or other lengths, in different steps. */
static bool changes_in_time(const struct tp_job *job)
{
    if (!job->findings.count)
        return false;
    enum tp_job_rule rule = TP_AT(&job->findings, struct tp_job_finding, 0)->rule;
    return rule == TP_JOB_CHANGING_IMBALANCE || rule == TP_JOB_BECOMES_SLOW || rule == TP_JOB_MOVING ||
           rule == TP_JOB_PAUSES || rule == TP_JOB_INPUTS || rule == TP_JOB_SEQUENCE;
}

void tp_job_put_heat(const struct tp_job_wording *w)
{
    const struct tp_job *job = w->job;
    struct tp_job_heat heat;
    const char *picture;
    if (!has_compared_ranks(job))
        return;
    build_heat_cells(&heat, job, w->arena);
    picture = picture_as_data_address(&heat, w->arena);
    struct tp_object *object = tp_object_new(w->arena);
    uint32_t cell = HEAT_MOST / heat.row_count < CELL_MOST ? HEAT_MOST / heat.row_count : CELL_MOST;
    uint32_t height = heat.row_count * (cell ? cell : 1);
    tp_object_add_text(object, "picture", picture);
    tp_object_add_int(object, "heat_columns", heat.column_count);
    tp_object_add_int(object, "heat_height", height > HEAT_LEAST ? height : HEAT_LEAST);
    tp_object_add_text(object, "heat_alt",
                       tp_text_printf(w->arena, "Heat map of %s and %s. The table of ranks lists the numbers.",
                                      tp_text_of_counted_noun(w->arena, (int64_t)job->ranks.count, "rank", "ranks"),
                                      tp_text_of_counted_noun(w->arena, job->labels.count, "step", "steps")));
    tp_object_add_str(object, "first_step", tp_shown_text(&w->naming, tp_strings_get(&job->labels, 0)));
    tp_object_add_str(object, "last_step",
                      tp_shown_text(&w->naming, tp_strings_get(&job->labels, job->labels.count - 1)));
    struct tp_list *ticks = tp_object_add_list(object, "heat_ticks");
    size_t tick_count = job->ranks.count < TICKS ? job->ranks.count : TICKS;
    for (size_t i = 0; i < tick_count; i++) {
        size_t at = tick_count > 1 ? i * (job->ranks.count - 1) / (tick_count - 1) : 0;
        tp_object_add_formatted(tp_list_add_object(ticks), "tick", "%lld", (long long)tp_job_rank_at(job, at)->number);
    }
    put_color_legend(object, w->arena);
    if (heat.ranks_per_cell > 1 || heat.steps_per_cell > 1)
        tp_object_add_text(object, "heat_note",
                           tp_text_printf(w->arena, "Each cell covers %s and %s, and shows the slowest of them.",
                                          tp_text_of_counted_noun(w->arena, heat.ranks_per_cell, "rank", "ranks"),
                                          tp_text_of_counted_noun(w->arena, heat.steps_per_cell, "step", "steps")));
    tp_document_add_section(
        w->document, &(struct tp_section_block){
                         .id = "heat",
                         .title = "Ranks and steps",
                         .is_folded = !changes_in_time(job),
                         .lead = "Columns are ranks, rows are steps. The colour compares a rank's own work (the step "
                                 "without exposed communication) with the median of comparable ranks. The difference "
                                 "is a percentage of the median step time."});
    tp_document_add_chart(w->document, "heat", tp_data_of_object(object), NULL);
}
