/* Formats values, limits and changes of metrics as text for people. All texts are in the arena. */
#ifndef TP_WEBREPORT_COMPARE_GATE_METRIC_AMOUNT_H
#define TP_WEBREPORT_COMPARE_GATE_METRIC_AMOUNT_H

#include "webreport/compare/gate/budget.h"
#include "webreport/measure/metrics/metrics.h"

/* Returns a value as text, such as "21", "2.17", "59.3 ms", "2.60 GiB" or "55.5 %"; "–" for NaN. */
const char *tp_amount_text(struct tp_arena *arena, enum tp_metric_unit unit, double value);

/* Returns a change as text with its sign: "+2.1 %" for a relative change, "+64.0 MiB" for a difference in the metric's
 * unit. */
const char *tp_amount_change_text(struct tp_arena *arena, enum tp_metric_unit unit, enum tp_budget_kind kind,
                                  double change);

/* Returns the limit of a line as text, such as "<= 18.0 GiB" or "<= +3 %". */
const char *tp_amount_limit_text(struct tp_arena *arena, const struct tp_budget_line *line);

#endif
