/* Stores the evidence of an input in a `.tps` file as names, each with a word or a number
 * (writer/proto/summary.proto). */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_EVIDENCE_PACK_H
#define TP_WEBREPORT_MEASURE_SUMMARY_EVIDENCE_PACK_H

#include "webreport/measure/summary/summary_unpack.h"
#include "writer/base/str.h"

/* Fills the columns of `to` in `arena`; texts: of the process. Unknown evidence fills nothing. */
void tp_evidence_pack(struct Tp__SummaryProcess *to, const struct tp_input_evidence *evidence, struct tp_strings *texts,
                      struct tp_arena *arena);

/* Fills unpack->to->evidence: unknown if the columns are empty. An unrecognized word becomes "unknown"; an unrecognized
 * loss is kept as a loss of unknown events, so that no result relies on lost data. */
void tp_evidence_unpack(struct tp_unpack *unpack);

#endif
