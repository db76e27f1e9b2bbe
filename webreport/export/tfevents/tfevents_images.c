/* The Images tab: where each step's time goes, and memory over time. */
#include "webreport/export/tfevents/tfevents_picture.h"

#include <math.h>
#include <stdio.h>

#include "webreport/document/charts/chart.h"
#include "writer/base/limits.h"
#include "writer/text/format.h"

enum { WIDTH = TP_PICTURE_WIDTH, HEIGHT = TP_PICTURE_HEIGHT, SCALE = TP_PICTURE_SCALE };
enum { LETTER = TP_PICTURE_LETTER, LINE = TP_PICTURE_LINE, INK = TP_PICTURE_INK, GRID = TP_PICTURE_GRID };
enum { LEFT = 96, RIGHT = WIDTH - 10, TOP = 56, NS_PER_MS = 1000000, BYTES_PER_MIB = 1 << 20 };
enum { MOST_BARS = 24, CURVE = 0x2160B8 };

/* Values from 0 to `highest` between two rows of pixels. */
struct axis {
    double highest;
    int top, bottom;
};

static int row_of(const struct axis *axis, double value)
{
    double share = axis->highest > 0 ? value / axis->highest : 0;
    return axis->bottom - (int)lround(fmin(fmax(share, 0), 1) * (axis->bottom - axis->top));
}

/* Lines and numbers of round values; makes the axis end at one. */
static void draw_axis(struct tp_canvas *canvas, struct axis *axis, const char *title)
{
    char text[32];
    double top = axis->highest, tick = axis->highest > 0 ? tp_chart_tick(axis->highest, &top) : 0;
    axis->highest = top;
    tp_canvas_text(canvas, 10, 8, SCALE, INK, title);
    for (double value = 0; value <= top * (1 + 1e-9); value += tick) {
        int y = row_of(axis, value);
        snprintf(text, sizeof text, "%.4g", value);
        tp_canvas_fill(canvas, (struct tp_box){LEFT, y, RIGHT - LEFT, 1}, GRID);
        tp_canvas_text(canvas, LEFT - 6 - tp_canvas_text_width(text, SCALE), y - LINE / 2, SCALE, INK, text);
        if (!(tick > 0))
            break;
    }
}

void tp_picture_put(const struct tp_tf_run *run, struct tp_canvas *canvas, const char *tag, const char *description)
{
    struct tp_tf_image image = {tag, description, WIDTH, HEIGHT, {0}};
    tp_buf_clear(run->text);
    tp_canvas_png(canvas, run->text);
    tp_canvas_release(canvas);
    image.png = (struct tp_str){run->text->data, run->text->size};
    if (!run->text->failed)
        tp_tfevents_image(run->events, run->last, &image);
}

/* ---- step breakdown ---- */

static const unsigned step_columns[TP_CHART_KINDS] = {
    [TP_CHART_KERNEL] = TP_STEP_KERNEL, [TP_CHART_COMM] = TP_STEP_COMMUNICATION, [TP_CHART_MEMCPY] = TP_STEP_MEMCPY,
    [TP_CHART_MEMSET] = TP_STEP_MEMSET, [TP_CHART_RUNTIME] = TP_STEP_RUNTIME,    [TP_CHART_DATA] = TP_STEP_DATALOADER,
    [TP_CHART_CPU] = TP_STEP_CPU_EXEC,  [TP_CHART_OTHER] = TP_STEP_OTHER,
};

static void draw_bar(struct tp_canvas *canvas, const struct axis *axis, const struct tp_table *steps, uint32_t step,
                     struct tp_box box)
{
    double below = 0;
    for (enum tp_chart_kind kind = 0; kind < TP_CHART_KINDS; kind++) {
        double above = below + (double)tp_table_int(steps, step_columns[kind])[step] / NS_PER_MS;
        int y = row_of(axis, above);
        tp_canvas_fill(canvas, (struct tp_box){box.x, y, box.width, row_of(axis, below) - y}, tp_chart_colour(kind));
        below = above;
    }
}

void tp_picture_legend(struct tp_canvas *canvas)
{
    enum { PER_ROW = 4, CELL = 162, FIRST_ROW = TP_PICTURE_LEGEND_Y };
    for (int kind = 0; kind < TP_CHART_KINDS; kind++) {
        int x = 10 + kind % PER_ROW * CELL, y = FIRST_ROW + kind / PER_ROW * (LINE + 6);
        tp_canvas_fill(canvas, (struct tp_box){x, y, 20, 20}, tp_chart_colour(kind));
        tp_canvas_text(canvas, x + 26, y, SCALE, INK, tp_chart_name(kind));
    }
}

static void add_steps(const struct tp_tf_run *run)
{
    const struct tp_table *steps = &run->export->profile->views->overview.steps;
    uint32_t count = run->step_count < MOST_BARS ? run->step_count : MOST_BARS;
    uint32_t first = run->step_count - count; /* the last ones: the first may be warm-up */
    struct axis axis = {0, TOP, 300};
    struct tp_canvas canvas;
    int pitch = (RIGHT - LEFT) / (int)count, label_end = 0;
    for (uint32_t i = first; i < run->step_count; i++)
        axis.highest = fmax(axis.highest, (double)tp_table_int(steps, TP_STEP_TOTAL)[i] / NS_PER_MS);
    if (tp_canvas_init(&canvas, WIDTH, HEIGHT) < 0)
        return;
    draw_axis(&canvas, &axis, "ms per step");
    for (uint32_t i = 0; i < count; i++) {
        char number[24];
        struct tp_box box = {.x = LEFT + (int)i * pitch + pitch / 8, .width = pitch - pitch / 4};
        draw_bar(&canvas, &axis, steps, first + i, box);
        snprintf(number, sizeof number, "%lld", (long long)run->step_numbers[first + i]);
        int width = tp_canvas_text_width(number, SCALE), x = box.x + (box.width - width) / 2;
        if (x < label_end) /* no room beside the label before */
            continue;
        tp_canvas_text(&canvas, x, axis.bottom + 6, SCALE, INK, number);
        label_end = x + width + LETTER / 2;
    }
    tp_picture_legend(&canvas);
    tp_picture_put(run, &canvas, "profile_images/step_breakdown",
                   "Where each step's time goes, each instant counted once; the last 24 steps at most.");
}

/* ---- memory ---- */

/* Highest value in each column of pixels; what held before it goes on. */
static void fill_columns(const struct tp_table *curve, double columns[], int count)
{
    const int64_t *times = tp_table_int(curve, TP_CURVE_TIME), *bytes = tp_table_int(curve, TP_CURVE_ALLOCATED);
    double first = (double)times[0], length = (double)times[curve->row_count - 1] - first, held = 0;
    size_t at = 0;
    for (int i = 0; i < count; i++) {
        double end = first + length * (i + 1) / count;
        columns[i] = held;
        for (; at < curve->row_count && ((double)times[at] <= end || i == count - 1); at++) {
            held = bytes[at] == TP_NULL_INT ? held : (double)bytes[at] / BYTES_PER_MIB;
            columns[i] = fmax(columns[i], held);
        }
    }
}

static void add_memory(const struct tp_tf_run *run, uint32_t device)
{
    enum { COLUMNS = RIGHT - LEFT };
    struct tp_arena *arena = run->export->arena;
    const struct tp_device_memory *memory = &run->export->profile->views->memory.devices[device];
    struct tp_table curve = tp_tf_memory_curve(run, device);
    struct axis axis = {0, TOP, HEIGHT - LINE - 16};
    struct tp_canvas canvas;
    double columns[COLUMNS];
    if (curve.row_count == 0)
        return;
    const char *name = tp_tf_tag_part(arena, memory->name);
    const char *tag = tp_text_printf(arena, "profile_images/memory_flow_%s", name);
    const char *title = tp_text_printf(arena, "%.16s: MiB in tensors over time", name);
    double ms =
        (double)(tp_table_int(&curve, TP_CURVE_TIME)[curve.row_count - 1] - tp_table_int(&curve, TP_CURVE_TIME)[0]) /
        NS_PER_MS;
    const char *length = tp_text_printf(arena, "%.4g ms", ms);
    fill_columns(&curve, columns, COLUMNS);
    for (int i = 0; i < COLUMNS; i++)
        axis.highest = fmax(axis.highest, columns[i]);
    if (tp_canvas_init(&canvas, WIDTH, HEIGHT) < 0)
        return;
    draw_axis(&canvas, &axis, title);
    for (int i = 0; i < COLUMNS; i++) {
        int y = row_of(&axis, columns[i]);
        tp_canvas_fill(&canvas, (struct tp_box){LEFT + i, y, 1, axis.bottom - y}, CURVE);
    }
    tp_canvas_text(&canvas, LEFT, axis.bottom + 8, SCALE, INK, "0");
    tp_canvas_text(&canvas, RIGHT - tp_canvas_text_width(length, SCALE), axis.bottom + 8, SCALE, INK, length);
    tp_picture_put(run, &canvas, tag, "Bytes in tensors over the recording.");
}

void tp_tf_add_images(const struct tp_tf_run *run)
{
    const struct tp_memory_view *memory = &run->export->profile->views->memory;
    add_steps(run);
    for (uint32_t i = 0; memory->is_present && i < memory->device_count && i < TP_MAX_EXPORT_DEVICES; i++)
        if (memory->devices[i].shown == i)
            add_memory(run, i);
}
