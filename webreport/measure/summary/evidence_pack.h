/* The evidence of an input in a `.tps` file: names with a word or a number each (writer/proto/summary.proto). */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_EVIDENCE_PACK_H
#define TP_WEBREPORT_MEASURE_SUMMARY_EVIDENCE_PACK_H

#include "webreport/measure/summary/summary_unpack.h"
#include "writer/base/str.h"

/* Fills the columns of `to` in `arena`; texts: of the process. Nothing for evidence that is not known. */
void tp_evidence_pack(struct Tp__SummaryProcess *to, const struct tp_input_evidence *evidence, struct tp_strings *texts,
                      struct tp_arena *arena);

/* Fills unpack->to->evidence: not known when the columns are empty. A word that is not known here is "unknown"; a loss
 * that is not is kept as one of unknown events, so that nothing rests on what was lost. */
void tp_evidence_unpack(struct tp_unpack *unpack);

#endif
