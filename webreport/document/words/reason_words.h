/* Explains to readers why numbers are unknown. */
#ifndef TP_WEBREPORT_DOCUMENT_WORDS_REASON_WORDS_H
#define TP_WEBREPORT_DOCUMENT_WORDS_REASON_WORDS_H

#include "webreport/measure/charts/folded_stacks.h"
#include "webreport/measure/metrics/metrics.h"

/* Returns the reason why a share of the device's peak is unknown; NULL for TP_RATE_KNOWN. The text is static. */
const char *tp_rate_reason_text(enum tp_rate_reason reason);

/* Returns an instruction for a trace whose answers are withheld for this reason. The text is static. */
const char *tp_withheld_advice(enum tp_withheld reason);

/* Returns a sentence for a trace from which no stacks can be exported: which data the metric needs, and how to record
 * it. The text is static. */
const char *tp_folded_missing_text(const struct tp_folded_metric *metric);

/* Fills `why` for the metrics whose value is unknown for a known reason. values: array of TP_METRIC_COUNT metrics. */
void tp_fill_metric_texts(struct tp_metric_value *values);

#endif
