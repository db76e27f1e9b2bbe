/* Memory flow, frame: axes of time, the peak, the title. See memory_flow_parts.h. */
#include <inttypes.h>

#include "webreport/document/chart.h"
#include "webreport/export/memory_flow_parts.h"
#include "webreport/export/svg.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"
#include "writer/text/format.h"

double tp_flow_x(const struct tp_flow_drawing *d, int64_t at_ns)
{
    return ((double)at_ns - (double)d->flow->start_ns) * d->x_scale;
}

const char *tp_flow_since_start(const struct tp_flow_drawing *d, int64_t at_ns)
{
    return tp_text_of_time(d->arena, tp_sat_sub(at_ns, d->flow->start_ns));
}

void tp_flow_put_time_axis(const struct tp_flow_drawing *d)
{
    int64_t span = tp_sat_sub(d->flow->end_ns, d->flow->start_ns);
    struct tp_unit unit = tp_unit_of_time(span);
    double top, step = span > 0 ? tp_chart_tick((double)span / unit.divisor, &top) : 0;
    for (double at = 0; step > 0 && at * unit.divisor <= (double)span; at += step) {
        double x = TP_FLOW_LEFT + at * unit.divisor * d->x_scale;
        tp_buf_printf(d->out,
                      "<path class=\"a\" stroke=\"#C3CAD4\" d=\"M%.1f %dv%d\"/><text x=\"%.1f\" y=\"%d\" "
                      "text-anchor=\"middle\">%g</text>\n",
                      x, TP_FLOW_TOP, TP_FLOW_PLOT_HEIGHT + 5, x, TP_FLOW_TOP + TP_FLOW_PLOT_HEIGHT + 18, at);
    }
    tp_buf_printf(d->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">time since the start (%s)</text>\n",
                  TP_FLOW_LEFT + TP_FLOW_PLOT_WIDTH / 2, TP_FLOW_TOP + TP_FLOW_PLOT_HEIGHT + 36, unit.text);
}

void tp_flow_put_peak(const struct tp_flow_drawing *d, const char *of_what)
{
    const struct tp_memory_flow *flow = d->flow;
    if (flow->peak_bytes == TP_NULL_INT)
        return;
    double x = TP_FLOW_LEFT + tp_flow_x(d, flow->peak_at_ns);
    bool is_right = x > TP_FLOW_LEFT + TP_FLOW_PLOT_WIDTH / 2.0;
    tp_buf_printf(d->out,
                  "<path id=\"peak\" stroke=\"#C22F2F\" stroke-width=\"1.5\" stroke-dasharray=\"6 3\" d=\"M%.1f "
                  "%dv%d\"/><text class=\"p\" x=\"%.1f\" y=\"%d\" fill=\"#C22F2F\" text-anchor=\"%s\">peak %s at "
                  "%s%s%s%s</text>\n",
                  x, TP_FLOW_TOP - 6, TP_FLOW_PLOT_HEIGHT + 6, is_right ? x - 5 : x + 5, TP_FLOW_TOP - 8,
                  is_right ? "end" : "start", tp_text_of_bytes(d->arena, flow->peak_bytes),
                  tp_flow_since_start(d, flow->peak_at_ns), flow->is_peak_reported ? "" : " (sum of the ",
                  flow->is_peak_reported ? "" : of_what, flow->is_peak_reported ? "" : ")");
}

void tp_flow_put_title(const struct tp_flow_drawing *d, struct tp_str title)
{
    tp_buf_puts(d->out, "<text class=\"t\" x=\"14\" y=\"24\">Memory of ");
    tp_svg_text(d->out, d->flow->device, TP_MAX_SHOWN_NAME_BYTES);
    tp_buf_puts(d->out, ": ");
    tp_svg_text_in(d->out, title, 110);
    tp_buf_puts(d->out, "</text>\n<text x=\"14\" y=\"42\">");
}
