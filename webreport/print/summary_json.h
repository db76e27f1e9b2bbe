/* A summary as JSON, for scripts and for whoever wants to see what is in a `.tps` file. */
#ifndef TP_WEBREPORT_PRINT_SUMMARY_JSON_H
#define TP_WEBREPORT_PRINT_SUMMARY_JSON_H

#include "webreport/measure/summary.h"
#include "writer/base/json_out.h"

/* Names as in JSON: "operator_host", "idle_queue". Static. */
extern const char *const tp_summary_kind_names[TP_SUMMARY_KIND_COUNT];
extern const char *const tp_summary_part_names[TP_PART_COUNT];

/* Writes the summary as one object; times are nanoseconds, absent numbers null. arena: for what is
 * needed on the way; its guard is the caller's. */
void tp_summary_json(const struct tp_summary *summary, struct tp_json *json, struct tp_arena *arena);

#endif
