/* Memory flow without addresses: traces of torch up to 1.9 know how much was allocated and not where. The total over
 * time, of each pixel column the highest, so that no peak is lost. */
#include "webreport/document/chart.h"
#include "webreport/export/memory_flow_parts.h"
#include "webreport/export/svg.h"
#include "writer/base/saturate.h"
#include "writer/text/format.h"

/* Highest total of each pixel column. */
struct columns {
    int64_t highest[TP_FLOW_PLOT_WIDTH];
    int64_t low, high; /* of all, and 0 */
};

static void find_columns(struct columns *c, const struct tp_flow_drawing *d)
{
    const struct tp_memory_flow *flow = d->flow;
    int64_t bytes = flow->bytes_before;
    uint32_t next = 0;
    c->low = c->high = 0;
    for (int x = 0; x < TP_FLOW_PLOT_WIDTH; x++) {
        c->highest[x] = bytes;
        for (; next < flow->total_count &&
               (tp_flow_x(d, flow->totals[next].at_ns) < x + 1 || x + 1 == TP_FLOW_PLOT_WIDTH);
             next++) {
            bytes = flow->totals[next].bytes;
            c->highest[x] = bytes > c->highest[x] ? bytes : c->highest[x];
            c->low = bytes < c->low ? bytes : c->low;
        }
        c->high = c->highest[x] > c->high ? c->highest[x] : c->high;
        c->low = c->highest[x] < c->low ? c->highest[x] : c->low;
    }
}

static double y_of(const struct columns *c, double bytes)
{
    double range = (double)c->high - (double)c->low;
    return TP_FLOW_TOP + TP_FLOW_PLOT_HEIGHT * (range > 0 ? ((double)c->high - bytes) / range : 1);
}

static void put_line(const struct tp_flow_drawing *d, const struct columns *c)
{
    struct tp_buf *out = d->out;
    tp_buf_printf(out, "<path id=\"curve\" fill=\"#A9CDEE\" stroke=\"#28619F\" d=\"M%d %.1f", TP_FLOW_LEFT, y_of(c, 0));
    for (int x = 0; x < TP_FLOW_PLOT_WIDTH; x++) {
        if (x == 0 || c->highest[x] != c->highest[x - 1])
            tp_buf_printf(out, "V%.1f", y_of(c, (double)c->highest[x]));
        if (x + 1 == TP_FLOW_PLOT_WIDTH || c->highest[x] != c->highest[x + 1])
            tp_buf_printf(out, "H%d", TP_FLOW_LEFT + x + 1);
    }
    tp_buf_printf(out, "V%.1fz\"><title>highest total of each pixel column</title></path>\n", y_of(c, 0));
}

static void put_axis(const struct tp_flow_drawing *d, const struct columns *c)
{
    int64_t range = tp_sat_sub(c->high, c->low);
    struct tp_unit unit = tp_unit_of_bytes(range);
    double top, step = range > 0 ? tp_chart_tick((double)range / unit.divisor, &top) * unit.divisor : 0;
    double first = step > 0 ? (double)(int64_t)((double)c->low / step) * step : 0;
    for (double at = first; step > 0 && at <= (double)c->high; at += step)
        tp_buf_printf(d->out,
                      "<path class=\"a\" stroke=\"#C3CAD4\" d=\"M%d %.1fh%d\"/><text x=\"%d\" y=\"%.1f\" "
                      "text-anchor=\"end\">%g</text>\n",
                      TP_FLOW_LEFT - 5, y_of(c, at), TP_FLOW_PLOT_WIDTH + 5, TP_FLOW_LEFT - 8, y_of(c, at) + 4,
                      at / unit.divisor);
    tp_buf_printf(d->out,
                  "<text x=\"14\" y=\"%d\" text-anchor=\"middle\" transform=\"rotate(-90 14 %d)\">allocated "
                  "(%s)</text>\n",
                  TP_FLOW_TOP + TP_FLOW_PLOT_HEIGHT / 2, TP_FLOW_TOP + TP_FLOW_PLOT_HEIGHT / 2, unit.text);
}

void tp_flow_put_curve(const struct tp_flow_drawing *d, struct tp_str title)
{
    const struct tp_memory_flow *flow = d->flow;
    struct columns *columns = tp_arena_alloc(d->arena, sizeof *columns);
    find_columns(columns, d);
    put_axis(d, columns);
    put_line(d, columns);
    tp_flow_put_peak(d, "records since the start");
    tp_flow_put_title(d, title);
    tp_buf_printf(d->out, "%s without an address: no block has a place. Over time: %s</text>\n",
                  tp_text_of_some(d->arena, (int64_t)flow->without_address, "record", "records"),
                  flow->is_peak_reported ? "the total that the allocator reported"
                                         : "what was allocated less what was released since the start");
}
