/* Draws many small memory blocks as a raster. A cell has the color that covers most of it. The computing time grows
 * with the number of cells, and with the number of blocks times the number of rows. See memory_flow.h. */
#include "webreport/export/memory_flow/memory_flow.h"

enum { MARGIN = 2 }; /* number of extra columns on the right, for the right edges of boxes */

struct painting {
    const struct tp_flow_raster *raster;
    /* for each color, row and column: covered share of the cell minus the covered share of the cell on its left */
    float *changes;
    size_t stride;
};

static double clamp_to_range(double value, double most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

/* Starts an area at x (in cells) that covers `share` of the height of the row. A negative share ends an area. */
static void add_edge_of_area(float *row, double x, double share)
{
    size_t cell = (size_t)x;
    double behind = x - (double)cell; /* width of the part of the cell to the left of x, from 0 to 1 */
    row[cell] += (float)(share * (1 - behind));
    row[cell + 1] += (float)(share * behind);
}

static void add_box_to_rows(const struct painting *p, const struct tp_flow_box *box)
{
    const struct tp_flow_raster *raster = p->raster;
    /* smallest width and height of a box, in cells, so that every box is visible */
    const double least = 0.05;
    double x = clamp_to_range(box->x / raster->pixels, raster->columns - least), width = box->width / raster->pixels;
    double y = clamp_to_range(box->y / raster->pixels, raster->rows - least), height = box->height / raster->pixels;
    double right = clamp_to_range(x + (width > least ? width : least), raster->columns);
    double top = clamp_to_range(y + (height > least ? height : least), raster->rows);
    for (unsigned row = (unsigned)y; row < raster->rows && row < top; row++) {
        double share = (top < row + 1 ? top : row + 1) - (y > row ? y : row);
        float *changes = p->changes + ((size_t)box->colour * raster->rows + row) * p->stride;
        add_edge_of_area(changes, x, share);
        add_edge_of_area(changes, right, -share);
    }
}

/* Finds the covered share of each cell in a row, and the color that covers most of the cell. */
static void compute_levels_of_row(const struct painting *p, unsigned colour_count, unsigned row)
{
    const struct tp_flow_raster *raster = p->raster;
    struct tp_flow_cell *cells = raster->cells + (size_t)row * raster->columns;
    float total[TP_FLOW_MAX_COLUMNS] = {0}, most[TP_FLOW_MAX_COLUMNS] = {0};
    for (unsigned colour = 0; colour < colour_count; colour++) {
        const float *changes = p->changes + ((size_t)colour * raster->rows + row) * p->stride;
        float covered = 0;
        for (unsigned c = 0; c < raster->columns; c++) {
            covered += changes[c];
            total[c] += covered;
            if (covered > most[c] + 1e-4F) {
                most[c] = covered;
                cells[c].colour = (uint8_t)colour;
            }
        }
    }
    for (unsigned c = 0; c < raster->columns; c++)
        cells[c].level = total[c] < 0.02F ? 0 : total[c] < 0.3F ? 1 : total[c] < 0.6F ? 2 : TP_FLOW_LEVELS;
}

void tp_flow_raster_paint(struct tp_flow_raster *raster, const struct tp_flow_box *boxes, uint32_t count,
                          unsigned colour_count, struct tp_arena *arena)
{
    struct painting p = {.raster = raster, .stride = (size_t)raster->columns + MARGIN};
    raster->cells = tp_arena_array(arena, (size_t)raster->columns * raster->rows, sizeof *raster->cells);
    p.changes = tp_arena_array(arena, p.stride * raster->rows * colour_count, sizeof *p.changes);
    for (uint32_t i = 0; i < count; i++)
        add_box_to_rows(&p, &boxes[i]);
    for (unsigned row = 0; row < raster->rows; row++)
        compute_levels_of_row(&p, colour_count, row);
}
