/* The list of all metrics: `tracepress check --list-metrics`. */
#ifndef TP_WEBREPORT_PRINT_METRIC_LIST_H
#define TP_WEBREPORT_PRINT_METRIC_LIST_H

#include "writer/base/buf.h"

/* Per metric its name, unit, how it is judged, what it is and what of `report --json` it is made of; 80 columns. */
void tp_metric_list_text(struct tp_buf *out);

/* {"schema":"tracepress-metrics", "metrics":[{name, unit, ..}]}. */
void tp_metric_list_json(struct tp_buf *out);

#endif
