/* The evidence of an input as JSON, the same in the JSON of `report`, `check`, `diff`, `summarize` and of a job. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_EVIDENCE_JSON_H
#define TP_WEBREPORT_MEASURE_SUMMARY_EVIDENCE_JSON_H

#include "webreport/trace/evidence.h"
#include "writer/base/json_out.h"

/* {"clean":true,"reason":"","crc":"ok", ..} as a value; null when the evidence is not known. arena: for the reason. */
void tp_evidence_json(struct tp_json *json, const struct tp_input_evidence *evidence, struct tp_arena *arena);

#endif
