/* Draws the memory of a device as SVG: axes, boxes with titles, a raster for small boxes, the peak and a legend. See
 * memory_flow.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "webreport/document/charts/chart.h"
#include "webreport/export/memory_flow/memory_flow.h"
#include "webreport/export/svg.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"
#include "writer/base/stats.h"
#include "writer/text/format.h"

/* Sizes in pixels. CELL is the side of a raster cell. */
enum {
    TP_FLOW_LEFT = 130,
    TP_FLOW_TOP = 74,
    TP_FLOW_PLOT_WIDTH = 1040,
    TP_FLOW_PLOT_HEIGHT = 640,
    TP_FLOW_RIGHT = 250,
    TP_FLOW_BOTTOM = 46,
    TP_FLOW_CELL = 2
};

/* State of the drawing of one picture. */
struct tp_flow_drawing {
    struct tp_buf *out;
    const struct tp_memory_flow *flow;
    const struct tp_flow_colours *colours;
    struct tp_arena *arena;
    double x_scale, y_scale; /* x_scale: pixels per nanosecond; y_scale: pixels per byte of the picture */
    struct tp_flow_box *boxes;
    double least; /* smallest area of a block that is drawn as a box, square pixels */
};

/* ---- time axis, peak and title ---- */

static double x_position(const struct tp_flow_drawing *d, int64_t at_ns)
{
    return ((double)at_ns - (double)d->flow->start_ns) * d->x_scale;
}

static const char *time_since_start_text(const struct tp_flow_drawing *d, int64_t at_ns)
{
    if (d->flow->is_by_event)
        return tp_text_printf(d->arena, "event %" PRId64, at_ns);
    return tp_text_of_time(d->arena, tp_sat_sub(at_ns, d->flow->origin_ns));
}

static const char *duration_text(const struct tp_flow_drawing *d, int64_t duration_ns)
{
    return d->flow->is_by_event ? tp_text_of_counted_noun(d->arena, duration_ns, "event", "events")
                                : tp_text_of_time(d->arena, duration_ns);
}

static void draw_time_axis(const struct tp_flow_drawing *d)
{
    int64_t span = tp_sat_sub(d->flow->end_ns, d->flow->start_ns);
    struct tp_unit unit = d->flow->is_by_event ? (struct tp_unit){.divisor = 1} : tp_unit_for_time(span);
    double from = (double)tp_sat_sub(d->flow->start_ns, d->flow->origin_ns) / unit.divisor;
    double top, step = span > 0 ? tp_chart_tick_distance((double)span / unit.divisor, &top) : 0;
    for (double at = step > 0 ? ceil(from / step) * step : 0; step > 0 && (at - from) * unit.divisor <= (double)span;
         at += step) {
        double x = TP_FLOW_LEFT + (at - from) * unit.divisor * d->x_scale;
        tp_buf_printf(d->out,
                      "<path class=\"a\" stroke=\"#C3CAD4\" d=\"M%.1f %dv%d\"/><text x=\"%.1f\" y=\"%d\" "
                      "text-anchor=\"middle\">%.9g</text>\n",
                      x, TP_FLOW_TOP, TP_FLOW_PLOT_HEIGHT + 5, x, TP_FLOW_TOP + TP_FLOW_PLOT_HEIGHT + 18, at);
    }
    tp_buf_printf(d->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s%s%s</text>\n",
                  TP_FLOW_LEFT + TP_FLOW_PLOT_WIDTH / 2, TP_FLOW_TOP + TP_FLOW_PLOT_HEIGHT + 36,
                  unit.text ? "time since the start (" : "event", unit.text ? unit.text : "", unit.text ? ")" : "");
}

static void draw_peak(const struct tp_flow_drawing *d, const char *of_what)
{
    const struct tp_memory_flow *flow = d->flow;
    if (flow->peak_bytes == TP_NULL_INT)
        return;
    double x = TP_FLOW_LEFT + x_position(d, flow->peak_at_ns);
    bool is_right = x > TP_FLOW_LEFT + TP_FLOW_PLOT_WIDTH / 2.0;
    tp_buf_printf(d->out,
                  "<path id=\"peak\" stroke=\"#C22F2F\" stroke-width=\"1.5\" stroke-dasharray=\"6 3\" d=\"M%.1f "
                  "%dv%d\"/><text class=\"p\" x=\"%.1f\" y=\"%d\" fill=\"#C22F2F\" text-anchor=\"%s\">peak %s at "
                  "%s%s%s%s</text>\n",
                  x, TP_FLOW_TOP - 6, TP_FLOW_PLOT_HEIGHT + 6, is_right ? x - 5 : x + 5, TP_FLOW_TOP - 8,
                  is_right ? "end" : "start", tp_text_of_bytes(d->arena, flow->peak_bytes),
                  time_since_start_text(d, flow->peak_at_ns), flow->is_peak_reported ? "" : " (sum of the ",
                  flow->is_peak_reported ? "" : of_what, flow->is_peak_reported ? "" : ")");
}

static void put_picture_title(const struct tp_flow_drawing *d, struct tp_str title)
{
    tp_buf_puts(d->out, "<text class=\"t\" x=\"14\" y=\"24\">Memory of ");
    tp_svg_put_text(d->out, d->flow->device, TP_MAX_SHOWN_NAME_BYTES);
    tp_buf_puts(d->out, ": ");
    tp_svg_put_text_within(d->out, title, 110);
    tp_buf_puts(d->out, "</text>\n<text x=\"14\" y=\"42\">");
}

/* ---- records without addresses ----
 *
 * Traces of torch up to 1.9 contain allocated bytes without addresses. For these traces, the picture shows the total
 * over time. Each pixel column shows the largest total in its range of time, so that every peak is visible. */

/* Largest total of each pixel column, bytes. */
struct columns {
    int64_t highest[TP_FLOW_PLOT_WIDTH];
    int64_t low, high; /* smallest and largest total over all columns, bytes; the range always includes 0 */
};

static void compute_curve_columns(struct columns *c, const struct tp_flow_drawing *d)
{
    const struct tp_memory_flow *flow = d->flow;
    int64_t bytes = flow->bytes_before;
    uint32_t next = 0;
    c->low = c->high = 0;
    for (int x = 0; x < TP_FLOW_PLOT_WIDTH; x++) {
        c->highest[x] = bytes;
        for (; next < flow->total_count &&
               (x_position(d, flow->totals[next].at_ns) < x + 1 || x + 1 == TP_FLOW_PLOT_WIDTH);
             next++) {
            bytes = flow->totals[next].bytes;
            c->highest[x] = bytes > c->highest[x] ? bytes : c->highest[x];
            c->low = bytes < c->low ? bytes : c->low;
        }
        c->high = c->highest[x] > c->high ? c->highest[x] : c->high;
        c->low = c->highest[x] < c->low ? c->highest[x] : c->low;
    }
}

static double y_position(const struct columns *c, double bytes)
{
    double range = (double)c->high - (double)c->low;
    return TP_FLOW_TOP + TP_FLOW_PLOT_HEIGHT * (range > 0 ? ((double)c->high - bytes) / range : 1);
}

static void draw_curve_line(const struct tp_flow_drawing *d, const struct columns *c)
{
    struct tp_buf *out = d->out;
    tp_buf_printf(out, "<path id=\"curve\" fill=\"#A9CDEE\" stroke=\"#28619F\" d=\"M%d %.1f", TP_FLOW_LEFT,
                  y_position(c, 0));
    for (int x = 0; x < TP_FLOW_PLOT_WIDTH; x++) {
        if (x == 0 || c->highest[x] != c->highest[x - 1])
            tp_buf_printf(out, "V%.1f", y_position(c, (double)c->highest[x]));
        if (x + 1 == TP_FLOW_PLOT_WIDTH || c->highest[x] != c->highest[x + 1])
            tp_buf_printf(out, "H%d", TP_FLOW_LEFT + x + 1);
    }
    tp_buf_printf(out, "V%.1fz\"><title>highest total of each pixel column</title></path>\n", y_position(c, 0));
}

static void draw_byte_axis(const struct tp_flow_drawing *d, const struct columns *c)
{
    int64_t range = tp_sat_sub(c->high, c->low);
    struct tp_unit unit = tp_unit_for_bytes(range);
    double top, step = range > 0 ? tp_chart_tick_distance((double)range / unit.divisor, &top) * unit.divisor : 0;
    double first = step > 0 ? (double)(int64_t)((double)c->low / step) * step : 0;
    for (double at = first; step > 0 && at <= (double)c->high; at += step)
        tp_buf_printf(d->out,
                      "<path class=\"a\" stroke=\"#C3CAD4\" d=\"M%d %.1fh%d\"/><text x=\"%d\" y=\"%.1f\" "
                      "text-anchor=\"end\">%g</text>\n",
                      TP_FLOW_LEFT - 5, y_position(c, at), TP_FLOW_PLOT_WIDTH + 5, TP_FLOW_LEFT - 8,
                      y_position(c, at) + 4, at / unit.divisor);
    tp_buf_printf(d->out,
                  "<text x=\"14\" y=\"%d\" text-anchor=\"middle\" transform=\"rotate(-90 14 %d)\">allocated "
                  "(%s)</text>\n",
                  TP_FLOW_TOP + TP_FLOW_PLOT_HEIGHT / 2, TP_FLOW_TOP + TP_FLOW_PLOT_HEIGHT / 2, unit.text);
}

static void draw_curve(const struct tp_flow_drawing *d, struct tp_str title)
{
    const struct tp_memory_flow *flow = d->flow;
    struct columns *columns = tp_arena_alloc(d->arena, sizeof *columns);
    compute_curve_columns(columns, d);
    draw_byte_axis(d, columns);
    draw_curve_line(d, columns);
    draw_peak(d, "records since the start");
    put_picture_title(d, title);
    tp_buf_printf(d->out, "%s without an address: no block has a place. Over time: %s</text>\n",
                  tp_text_of_counted_noun(d->arena, (int64_t)flow->without_address, "record", "records"),
                  flow->is_peak_reported ? "the total that the allocator reported"
                                         : "what was allocated less what was released since the start");
}

enum { ADDRESS_TICKS = 8, MAX_GAP_LINES = 30, LEGEND_COLUMNS = 31 };

/* ---- geometry ---- */

/* Places a block or segment, cut at the borders of the picture. */
static void place_box(const struct tp_flow_drawing *d, int64_t start_ns, int64_t end_ns, int64_t address, int64_t bytes,
                      struct tp_flow_box *box)
{
    const struct tp_memory_flow *flow = d->flow;
    box->x = x_position(d, start_ns > flow->start_ns ? start_ns : flow->start_ns);
    box->width = x_position(d, end_ns < flow->end_ns ? end_ns : flow->end_ns) - box->x;
    box->y = tp_memory_flow_position(flow, address) * d->y_scale;
    box->height = (double)bytes * d->y_scale;
    if (box->y + box->height > TP_FLOW_PLOT_HEIGHT)
        box->height = TP_FLOW_PLOT_HEIGHT - box->y;
}

static void find_boxes(struct tp_flow_drawing *d)
{
    const struct tp_memory_flow *flow = d->flow;
    d->boxes = tp_arena_array(d->arena, flow->count, sizeof *d->boxes);
    for (uint32_t i = 0; i < flow->count; i++) {
        const struct tp_flow_block *block = &flow->blocks[i];
        struct tp_flow_box *box = &d->boxes[i];
        place_box(d, block->start_ns, block->end_ns, block->address, block->bytes, box);
        box->colour = d->colours->colour_by_block[i];
    }
}

static double area_of_box(const struct tp_flow_box *box)
{
    return box->width * box->height;
}

static bool is_box_drawn(const struct tp_flow_drawing *d, const struct tp_flow_box *box)
{
    return area_of_box(box) >= d->least && box->width >= 0.5 && box->height >= 0.5;
}

/* Chooses the blocks that are drawn as boxes: all blocks of at least one square pixel, or only the largest if there are
 * more than TP_MAX_FLOW_BLOCKS. */
static void choose_boxes_to_draw(struct tp_flow_drawing *d)
{
    uint32_t count = 0;
    double *areas = tp_arena_array(d->arena, d->flow->count, sizeof *areas);
    d->least = 1;
    for (uint32_t i = 0; i < d->flow->count; i++)
        if (is_box_drawn(d, &d->boxes[i]))
            areas[count++] = area_of_box(&d->boxes[i]);
    if (count <= TP_MAX_FLOW_BLOCKS)
        return;
    tp_sort_reals(areas, count);
    d->least = areas[count - TP_MAX_FLOW_BLOCKS];
}

/* ---- segments ---- */

/* Draws the segments of a memory snapshot below the blocks: the first TP_MAX_FLOW_BLOCKS that are visible. */
static void draw_segments(const struct tp_flow_drawing *d)
{
    uint32_t drawn = 0;
    if (!d->flow->segment_count)
        return;
    tp_buf_puts(d->out, "<g id=\"segments\">\n");
    for (uint32_t i = 0; i < d->flow->segment_count && drawn < TP_MAX_FLOW_BLOCKS && !d->out->failed; i++) {
        const struct tp_flow_segment *segment = &d->flow->segments[i];
        struct tp_flow_box box;
        place_box(d, segment->start_ns, segment->end_ns, segment->address, segment->bytes, &box);
        if (box.width < 0.5 || box.height < 0.1)
            continue;
        drawn++;
        tp_buf_printf(
            d->out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#D8DEE6\"><title>segment of %s "
            "at 0x%" PRIx64 "\nstream %" PRId64 ", %s to %s</title></rect>\n",
            TP_FLOW_LEFT + box.x, TP_FLOW_TOP + TP_FLOW_PLOT_HEIGHT - box.y - box.height, box.width, box.height,
            tp_text_of_bytes(d->arena, segment->bytes), (uint64_t)segment->address, segment->stream,
            time_since_start_text(d, segment->start_ns), time_since_start_text(d, segment->end_ns));
    }
    tp_buf_puts(d->out, "</g>\n");
}

/* ---- blocks ---- */

static void write_tooltip_of_block(const struct tp_flow_drawing *d, const struct tp_flow_block *block)
{
    bool is_snapshot = d->flow->snapshot != NULL;
    struct tp_str name = tp_flow_property(d->flow, block, is_snapshot ? TP_EXPORT_BY_LINE : TP_EXPORT_BY_OPERATOR);
    struct tp_str more = tp_flow_property(d->flow, block, is_snapshot ? TP_EXPORT_BY_CATEGORY : TP_EXPORT_BY_MODULE);
    tp_buf_puts(d->out, "<title>");
    tp_svg_put_text(d->out,
                    name.len      ? name
                    : is_snapshot ? TP_STR("(no stack)")
                                  : TP_STR("(outside of operators)"),
                    TP_MAX_SHOWN_NAME_BYTES);
    if (more.len) {
        tp_buf_puts(d->out, is_snapshot ? ": " : " in ");
        tp_svg_put_text(d->out, more, TP_MAX_SHOWN_NAME_BYTES);
    }
    tp_buf_printf(d->out, "\n%s at 0x%" PRIx64 "\n", tp_text_of_bytes(d->arena, block->bytes),
                  (uint64_t)block->address);
    if ((block->flags & TP_FLOW_FROM_BEFORE) && (block->flags & TP_FLOW_NEVER_FREED))
        tp_buf_puts(d->out, "from before the recording, never freed");
    else if (block->flags & TP_FLOW_FROM_BEFORE)
        tp_buf_printf(d->out, "from before the recording to %s", time_since_start_text(d, block->end_ns));
    else if (block->flags & TP_FLOW_NEVER_FREED)
        tp_buf_printf(d->out, "from %s, never freed", time_since_start_text(d, block->start_ns));
    else
        tp_buf_printf(d->out, "%s to %s: %s%s", time_since_start_text(d, block->start_ns),
                      time_since_start_text(d, block->end_ns), duration_text(d, block->end_ns - block->start_ns),
                      block->flags & TP_FLOW_REUSED ? ", release not recorded" : "");
    tp_buf_puts(d->out, "</title>");
}

static void draw_boxes(const struct tp_flow_drawing *d)
{
    tp_buf_puts(d->out, "<g id=\"blocks\" stroke=\"#FFFFFF\" stroke-width=\"0.4\">\n");
    for (uint32_t i = 0; i < d->flow->count && !d->out->failed; i++) {
        const struct tp_flow_box *box = &d->boxes[i];
        if (!is_box_drawn(d, box))
            continue;
        tp_buf_printf(d->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\">",
                      TP_FLOW_LEFT + box->x, TP_FLOW_TOP + TP_FLOW_PLOT_HEIGHT - box->y - box->height, box->width,
                      box->height, d->colours->fill[box->colour]);
        write_tooltip_of_block(d, &d->flow->blocks[i]);
        tp_buf_puts(d->out, "</rect>\n");
    }
    tp_buf_puts(d->out, "</g>\n");
}

/* Draws all cells of one color and level as one path, with one rectangle for adjacent cells in a row. */
static void draw_cells(const struct tp_flow_drawing *d, const struct tp_flow_raster *raster, unsigned colour,
                       unsigned level)
{
    static const char *const opacities[TP_FLOW_LEVELS + 1] = {"0", "0.3", "0.6", "1"};
    bool is_begun = false;
    for (unsigned row = 0; row < raster->rows; row++) {
        const struct tp_flow_cell *cells = raster->cells + (size_t)row * raster->columns;
        for (unsigned from = 0, to; from < raster->columns; from = to + 1) {
            for (to = from; to < raster->columns && cells[to].level == level && cells[to].colour == colour; to++) {
            }
            if (to == from)
                continue;
            if (!is_begun)
                tp_buf_printf(d->out, "<path fill=\"%s\" fill-opacity=\"%s\" d=\"", d->colours->fill[colour],
                              opacities[level]);
            is_begun = true;
            tp_buf_printf(d->out, "M%u %uh%uv%dh-%uz", TP_FLOW_LEFT + from * TP_FLOW_CELL,
                          TP_FLOW_TOP + TP_FLOW_PLOT_HEIGHT - (row + 1) * TP_FLOW_CELL, (to - from) * TP_FLOW_CELL,
                          TP_FLOW_CELL, (to - from) * TP_FLOW_CELL);
        }
    }
    if (is_begun)
        tp_buf_puts(d->out, "\"/>\n");
}

/* Draws the raster. Returns the number of blocks that have no box and appear only in the raster. */
static uint32_t draw_raster(const struct tp_flow_drawing *d)
{
    struct tp_flow_raster raster = {.columns = TP_FLOW_PLOT_WIDTH / TP_FLOW_CELL,
                                    .rows = TP_FLOW_PLOT_HEIGHT / TP_FLOW_CELL,
                                    .pixels = TP_FLOW_CELL};
    struct tp_flow_box *small = tp_arena_array(d->arena, d->flow->count, sizeof *small);
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->flow->count; i++)
        if (!is_box_drawn(d, &d->boxes[i]))
            small[count++] = d->boxes[i];
    tp_flow_raster_paint(&raster, small, count, d->colours->count, d->arena);
    tp_buf_puts(d->out, "<g id=\"small\">\n");
    for (unsigned colour = 0; colour < d->colours->count && count; colour++)
        for (unsigned level = 1; level <= TP_FLOW_LEVELS; level++)
            draw_cells(d, &raster, colour, level);
    tp_buf_puts(d->out, "</g>\n");
    return count;
}

/* ---- address axis and legend ---- */

static void draw_address_axis(const struct tp_flow_drawing *d)
{
    const struct tp_memory_flow *flow = d->flow;
    for (int i = 0; i <= ADDRESS_TICKS && flow->count; i++) {
        double place = flow->height * i / ADDRESS_TICKS,
               y = TP_FLOW_TOP + TP_FLOW_PLOT_HEIGHT * (1 - (double)i / ADDRESS_TICKS);
        tp_buf_printf(d->out,
                      "<path class=\"a\" stroke=\"#1B2430\" d=\"M%d %.1fh5\"/><text class=\"m\" x=\"%d\" "
                      "y=\"%.1f\" text-anchor=\"end\">0x%" PRIx64 "</text>\n",
                      TP_FLOW_LEFT - 5, y, TP_FLOW_LEFT - 8, y + 4, (uint64_t)tp_memory_flow_address(flow, place));
    }
    tp_buf_printf(d->out,
                  "<text x=\"14\" y=\"%d\" text-anchor=\"middle\" transform=\"rotate(-90 14 %d)\">address (%s "
                  "used at some time)</text>\n",
                  TP_FLOW_TOP + TP_FLOW_PLOT_HEIGHT / 2, TP_FLOW_TOP + TP_FLOW_PLOT_HEIGHT / 2,
                  tp_text_of_bytes(d->arena, (int64_t)flow->height));
}

/* Draws a mark where a gap between address ranges is reduced. */
static void draw_address_gaps(const struct tp_flow_drawing *d)
{
    const struct tp_memory_flow *flow = d->flow;
    if (flow->range_count > MAX_GAP_LINES)
        return;
    for (uint32_t i = 1; i < flow->range_count; i++) {
        const struct tp_flow_range *range = &flow->ranges[i];
        int64_t gap = tp_sat_sub(range->start, range[-1].end);
        double below = range[-1].position + ((double)range[-1].end - (double)range[-1].start);
        if ((double)gap <= (range->position - below) * 1.01)
            continue;
        tp_buf_printf(d->out,
                      "<path stroke=\"#9AA4B1\" stroke-dasharray=\"4 3\" d=\"M%d %.1fh%d\"><title>%s of addresses left "
                      "out</title></path>\n",
                      TP_FLOW_LEFT, TP_FLOW_TOP + TP_FLOW_PLOT_HEIGHT - (below + range->position) / 2 * d->y_scale,
                      TP_FLOW_PLOT_WIDTH, tp_text_of_bytes(d->arena, gap));
    }
}

static void draw_legend(const struct tp_flow_drawing *d)
{
    static const char *const heads[] = {
        "lifetime", "allocated by operator", "allocated in module", "allocated by line", "purpose", "stream"};
    int x = TP_FLOW_LEFT + TP_FLOW_PLOT_WIDTH + 16, y = TP_FLOW_TOP + 12;
    tp_buf_printf(d->out, "<text class=\"h\" x=\"%d\" y=\"%d\">%s</text>\n", x, y, heads[d->colours->kind]);
    for (unsigned i = 0; i < d->colours->count; i++) {
        y += 20;
        tp_buf_printf(d->out, "<g><title>");
        tp_svg_put_text(d->out, d->colours->label[i], TP_MAX_SHOWN_NAME_BYTES);
        tp_buf_printf(d->out,
                      "</title><rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%d\" "
                      "y=\"%d\">",
                      x, y - 10, d->colours->fill[i], x + 18, y);
        tp_svg_put_text_within(d->out, d->colours->label[i], LEGEND_COLUMNS);
        tp_buf_puts(d->out, "</text></g>\n");
    }
}

static void draw_heading(const struct tp_flow_drawing *d, struct tp_str title, uint32_t small)
{
    const struct tp_memory_flow *flow = d->flow;
    put_picture_title(d, title);
    tp_buf_puts(d->out, tp_text_of_counted_noun(d->arena, flow->count, "block", "blocks"));
    if (flow->segment_count)
        tp_buf_printf(d->out, " in %s",
                      tp_text_of_counted_noun(d->arena, flow->segment_count, "segment (gray)", "segments (gray)"));
    if (flow->never_freed_count)
        tp_buf_printf(d->out, ", %s never freed", tp_text_of_count(d->arena, (int64_t)flow->never_freed_count));
    if (flow->allocated_before_count)
        tp_buf_printf(d->out, ", %s from before the recording",
                      tp_text_of_count(d->arena, (int64_t)flow->allocated_before_count));
    if (small)
        tp_buf_printf(d->out, "; %s too small for a box and a tooltip", tp_text_of_count(d->arena, small));
    if (flow->without_address)
        tp_buf_printf(d->out, "; %s without an address left out",
                      tp_text_of_counted_noun(d->arena, (int64_t)flow->without_address, "record", "records"));
    tp_buf_puts(d->out, "</text>\n");
}

static void draw_blocks(struct tp_flow_drawing *d, struct tp_str title)
{
    find_boxes(d);
    choose_boxes_to_draw(d);
    draw_segments(d);
    uint32_t small = draw_raster(d);
    draw_boxes(d);
    draw_address_gaps(d);
    draw_peak(d, "blocks");
    draw_address_axis(d);
    draw_legend(d);
    draw_heading(d, title, small);
}

void tp_memory_flow_write_svg(struct tp_buf *out, const struct tp_memory_flow *flow,
                              const struct tp_flow_colours *colours, struct tp_str title, struct tp_arena *arena)
{
    struct tp_flow_drawing d = {.out = out, .flow = flow, .colours = colours, .arena = arena};
    double span = (double)flow->end_ns - (double)flow->start_ns;
    d.x_scale = span > 0 ? TP_FLOW_PLOT_WIDTH / span : 0;
    d.y_scale = flow->height > 0 ? TP_FLOW_PLOT_HEIGHT / flow->height : 0;
    tp_svg_begin(out, TP_FLOW_LEFT + TP_FLOW_PLOT_WIDTH + TP_FLOW_RIGHT,
                 TP_FLOW_TOP + TP_FLOW_PLOT_HEIGHT + TP_FLOW_BOTTOM);
    tp_buf_puts(out, "<title>");
    tp_svg_put_text(out, title, TP_MAX_SHOWN_NAME_BYTES);
    tp_buf_puts(out, "</title>\n");
    tp_svg_put_style(out, "svg/memory_flow.css", arena);
    tp_buf_printf(
        out,
        "<rect class=\"b\" width=\"100%%\" height=\"100%%\" fill=\"#FFFFFF\"/>\n<rect class=\"q\" x=\"%d\" y=\"%d\" "
        "width=\"%d\" height=\"%d\" fill=\"#F4F6F8\"/>\n",
        TP_FLOW_LEFT, TP_FLOW_TOP, TP_FLOW_PLOT_WIDTH, TP_FLOW_PLOT_HEIGHT);
    draw_time_axis(&d);
    if (flow->count == 0 && flow->without_address)
        draw_curve(&d, title);
    else
        draw_blocks(&d, title);
    tp_buf_puts(out, "</svg>\n");
}
