/* The processes of a set of summaries as one JSON text, part by part: what is written instead of a `.tps` file. */
#ifndef TP_WEBREPORT_PRINT_SUMMARIES_JSON_H
#define TP_WEBREPORT_PRINT_SUMMARIES_JSON_H

#include "webreport/measure/summary/summary_file.h"
#include "writer/base/json_out.h"

/* The parts in their order: begin, each process, end. A failure is sticky in what `json` writes to; memory that is
 * needed on the way is in `arena`, whose guard is the caller's. */
void tp_summaries_json_begin(struct tp_json *json);
void tp_summaries_json_process(struct tp_json *json, const struct tp_summary *summary, struct tp_arena *arena);
void tp_summaries_json_end(struct tp_json *json, const struct tp_summary_ranks *ranks, struct tp_arena *arena);

#endif
