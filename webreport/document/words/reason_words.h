/* Words why numbers are unknown. */
#ifndef TP_WEBREPORT_DOCUMENT_WORDS_REASON_WORDS_H
#define TP_WEBREPORT_DOCUMENT_WORDS_REASON_WORDS_H

#include "webreport/measure/charts/folded_stacks.h"
#include "webreport/measure/metrics/metrics.h"

/* Returns the reason why a share of the device's peak is unknown; NULL for TP_RATE_KNOWN. Static. */
const char *tp_rate_reason_text(enum tp_rate_reason reason);

/* Returns a sentence for a trace that has no folded line: the missing data, and how to record it. Static. */
const char *tp_folded_missing_text(const struct tp_folded_metric *metric);

/* Fills `why` of the metrics that have a reason. values: TP_METRIC_COUNT of them. */
void tp_word_metrics(struct tp_metric_value *values);

#endif
