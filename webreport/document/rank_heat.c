/* Rank x step as a picture: see rank_heat.h. */
#include "webreport/document/rank_heat.h"

#include <math.h>

#include "writer/canvas.h"
#include "writer/text/base64.h"

/* Classes of excess, as a share of the step; the first whose end lies above the value. Chosen to differ in lightness
 * too: they read without colour. */
static const struct {
    double end;
    uint32_t colour;
    const char *label;
} classes[] = {
    {-0.05, 0x9CC3EA, "over 5 % faster than comparable ranks"},
    {0.02, 0xEEF1F5, "as fast (within 2 %)"},
    {0.05, 0xFBE3B5, "2 to 5 % slower"},
    {0.10, 0xF3B35C, "5 to 10 %"},
    {0.20, 0xDE7430, "10 to 20 %"},
    {0.50, 0xB3321F, "20 to 50 %"},
    {INFINITY, 0x5E0F1A, "beyond 50 %"},
};
enum { CLASSES = sizeof classes / sizeof *classes };

unsigned tp_job_heat_class_count(void)
{
    return CLASSES;
}

void tp_job_heat_class(unsigned index, uint32_t *colour, const char **label)
{
    *colour = classes[index].colour;
    *label = classes[index].label;
}

static uint32_t colour_of(float share)
{
    if (isnan(share))
        return TP_JOB_HEAT_NOTHING;
    for (unsigned i = 0; i < CLASSES; i++)
        if (share < classes[i].end)
            return classes[i].colour;
    return classes[CLASSES - 1].colour;
}

void tp_job_heat_build(struct tp_job_heat *heat, const struct tp_job *job, struct tp_arena *arena)
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
            const struct tp_job_column *column = TP_AT(&job->columns, struct tp_job_column, job->step_column[s]);
            size_t cell = (size_t)(step->label / heat->steps_per_cell) * heat->column_count + r / heat->ranks_per_cell;
            if (column->count < 2 || step_ns <= 0)
                continue;
            float share = (float)(((double)step->own_ns - (double)column->own_ns) / step_ns);
            if (!(share <= heat->share[cell])) /* NaN: not yet set */
                heat->share[cell] = share;
        }
    }
}

const char *tp_job_heat_picture(const struct tp_job_heat *heat, struct tp_arena *arena)
{
    struct tp_canvas canvas = {0};
    struct tp_buf png, text;
    int code = tp_canvas_init(&canvas, heat->column_count, heat->row_count);
    tp_buf_init(&png, 0);
    tp_buf_init(&text, 0);
    for (uint32_t y = 0; code == 0 && y < heat->row_count; y++)
        for (uint32_t x = 0; x < heat->column_count; x++)
            tp_canvas_fill(&canvas, (struct tp_box){(int)x, (int)y, 1, 1},
                           colour_of(heat->share[(size_t)y * heat->column_count + x]));
    if (code == 0)
        tp_canvas_png(&canvas, &png);
    tp_canvas_release(&canvas);
    tp_buf_puts(&text, "data:image/png;base64,");
    tp_base64_add(&text, png.data ? png.data : "", png.size);
    if (code || png.failed || text.failed) {
        tp_buf_release(&png);
        tp_buf_release(&text);
        tp_arena_fail(arena, code == TP_ELIMIT ? code : TP_ENOMEM);
    }
    tp_buf_release(&png);
    return tp_buf_move(&text, arena);
}
