/* Writes a set of summaries as one JSON text instead of a `.tps` file, one process at a time. */
#ifndef TP_WEBREPORT_PRINT_SUMMARIES_JSON_H
#define TP_WEBREPORT_PRINT_SUMMARIES_JSON_H

#include "webreport/measure/summary/summary_file.h"
#include "writer/base/json_out.h"

/* Write the parts of the JSON text in this order: begin, each process, end. The buffer of `json` stores the first
 * failure. Working memory comes from `arena`, whose guard the caller sets. */
void tp_summaries_json_begin(struct tp_json *json);
void tp_summaries_json_add(struct tp_json *json, const struct tp_summary *summary, struct tp_arena *arena);
void tp_summaries_json_end(struct tp_json *json, const struct tp_summary_ranks *ranks, struct tp_arena *arena);

#endif
