/* Draws the states of threads over time. See chart_lanes.h. */
#include "webreport/document/charts/chart_lanes.h"

#include <math.h>
#include <stdio.h>

enum { HEIGHT = 100 };

/* Adds a slice to the columns that it overlaps. parts: for each column, the part of its time with each color. */
static void add_slice(double (*parts)[TP_LOOKS], const struct tp_process_tree *tree,
                      const struct tp_thread_slice *slice, unsigned columns)
{
    double scale = columns / (double)(tree->end_ns - tree->begin_ns);
    double from = (double)(slice->begin_ns - tree->begin_ns) * scale;
    double to = (double)(slice->end_ns - tree->begin_ns) * scale;
    enum tp_look look = tp_program_part_look(tp_wall_part_of_slice(slice));
    for (unsigned column = (unsigned)fmax(0, from); column < columns && column < to; column++)
        parts[column][look] += fmin(to, column + 1) - fmax(from, column);
}

static void append(struct tp_vec *path, const char *text, int size)
{
    for (int i = 0; i < size; i++)
        *(char *)tp_vec_push(path) = text[i];
}

/* Appends the areas of a color to its path. tops: for each column, the height that colors below reach, and is increased
 * by this color. Equal neighbors become one rectangle. */
static void draw_color(struct tp_vec *path, double (*parts)[TP_LOOKS], double *tops, enum tp_look look,
                       unsigned columns)
{
    unsigned first = 0;
    long low = 0, high = 0;
    for (unsigned column = 0; column <= columns; column++) {
        long from = 0, to = 0;
        if (column < columns) {
            from = lround(tops[column] * HEIGHT);
            tops[column] += parts[column][look];
            to = lround(tops[column] * HEIGHT);
        }
        if (column < columns && column > first && from == low && to == high)
            continue;
        if (high > low) {
            char text[96];
            int size = snprintf(text, sizeof text, "M%u %ldh%uv%ldh-%uz", first, HEIGHT - high, column - first,
                                high - low, column - first);
            append(path, text, size);
        }
        first = column;
        low = from;
        high = to;
    }
}

void tp_lane_areas_fill(struct tp_lane_areas *lane, struct tp_arena *arena, const struct tp_process_tree *tree,
                        uint32_t thread, unsigned columns)
{
    static const uint8_t order[] = {TP_LOOK_GPU,  TP_LOOK_COMM,  TP_LOOK_COMM2, TP_LOOK_COPY,
                                    TP_LOOK_NONE, TP_LOOK_HATCH, TP_LOOK_LAUNCH};
    const struct tp_tree_thread *t = &tree->threads[thread];
    double(*parts)[TP_LOOKS] = tp_arena_array(arena, columns, sizeof *parts);
    double *tops = tp_arena_array(arena, columns, sizeof *tops);
    lane->count = 0;
    for (uint32_t i = 0; i < t->count && tree->end_ns > tree->begin_ns; i++)
        add_slice(parts, tree, &tree->slices[t->first + i], columns);
    for (size_t i = 0; i < sizeof order; i++) {
        struct tp_vec path = TP_VEC(arena, char);
        draw_color(&path, parts, tops, (enum tp_look)order[i], columns);
        if (path.count)
            lane->areas[lane->count++] =
                (struct tp_row_area){(enum tp_look)order[i], (struct tp_str){path.data, path.count}};
    }
}
