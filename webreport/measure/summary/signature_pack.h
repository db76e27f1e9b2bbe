/* Converts a signature to its columns in a SummaryProcess and back (writer/proto/summary.proto). */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SIGNATURE_PACK_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SIGNATURE_PACK_H

#include "webreport/measure/summary/signature.h"
#include "webreport/measure/summary/summary_unpack.h"

/* Fills the columns in `arena` (guard set); adds the texts to `texts`. */
void tp_signature_pack(struct Tp__SummaryProcess *to, const struct tp_signature *signature, struct tp_strings *texts,
                       struct tp_arena *arena);

/* Fills unpack->to->signature. */
void tp_signature_unpack(struct tp_unpack *unpack);

#endif
