/* The list of all metrics: see metric_list.h. */
#include "webreport/print/metric_list.h"

#include <stdio.h>

#include "webreport/measure/metrics.h"
#include "writer/base/json_out.h"
#include "writer/text/terminal.h"

enum { NAME = 34, INDENT = 4 };

void tp_metric_list_text(struct tp_buf *out)
{
    tp_buf_puts(out, "metric                             unit   against a baseline    better\n");
    for (int i = 0; i < TP_METRIC_COUNT; i++) {
        const struct tp_metric *m = &tp_metrics[i];
        char json[256];
        tp_terminal_left(out, m->name, NAME);
        tp_buf_printf(out, " %-6s %-21s %s\n", tp_metric_unit_text(m->unit),
                      m->is_timed ? "time: by statistics" : "count: as it is", m->is_lower_better ? "lower" : "higher");
        tp_terminal_wrap(out, tp_metric_title(m), INDENT);
        snprintf(json, sizeof json, "= %s", m->json);
        tp_terminal_wrap(out, json, INDENT);
    }
}

void tp_metric_list_json(struct tp_buf *out)
{
    struct tp_json json;
    tp_json_init(&json, out);
    tp_json_object(&json);
    tp_json_member_text(&json, "schema", "tracepress-metrics");
    tp_json_member_int(&json, "schema_version", 1);
    tp_json_key(&json, "metrics");
    tp_json_array(&json);
    for (int i = 0; i < TP_METRIC_COUNT; i++) {
        const struct tp_metric *m = &tp_metrics[i];
        tp_json_object(&json);
        tp_json_member_text(&json, "name", m->name);
        tp_json_member_text(&json, "unit", tp_metric_unit_text(m->unit));
        tp_json_member_text(&json, "judged", m->is_timed ? "time" : "count");
        tp_json_member_text(&json, "better", m->is_lower_better ? "lower" : "higher");
        tp_json_key(&json, "needs");
        tp_json_array(&json);
        for (unsigned need = 1; need <= TP_NEED_ALL; need <<= 1)
            if (m->needs & need)
                tp_json_text(&json, tp_need_text((enum tp_need)need));
        tp_json_array_end(&json);
        tp_json_member_text(&json, "title", tp_metric_title(m));
        tp_json_member_text(&json, "json", m->json);
        tp_json_object_end(&json);
    }
    tp_json_array_end(&json);
    tp_json_object_end(&json);
    tp_buf_putc(out, '\n');
}
