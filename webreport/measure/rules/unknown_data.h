/* Finds the metrics and rules that need a kind of data which an input cannot show (webreport/trace/input_facts.h).
 * One table lists them, so that such metrics are unknown and such rules are not evaluated (docs/definitions.md, section
 * 2). */
#ifndef TP_WEBREPORT_MEASURE_RULES_UNKNOWN_DATA_H
#define TP_WEBREPORT_MEASURE_RULES_UNKNOWN_DATA_H

#include <stdint.h>

/* Returns the kinds of data that the metric needs, as bits of enum tp_unknown. name: such as "h2d.bytes". */
uint32_t tp_unknown_needs_of_metric(const char *name);

/* Returns the kinds of data that the rule needs, as bits of enum tp_unknown. id: such as "B3". */
uint32_t tp_unknown_needs_of_rule(const char *id);

/* Returns the needs (bits of enum tp_need) of the numbers that differ between an input that shows the data and an input
 * that cannot. unknown: bits of enum tp_unknown. */
unsigned tp_unknown_affected_needs(uint32_t unknown);

#endif
