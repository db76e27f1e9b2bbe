/* Stores the evidence of an input in a `.tps` file as names, each with a word or a number
 * (writer/proto/summary.proto). */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_EVIDENCE_PACK_H
#define TP_WEBREPORT_MEASURE_SUMMARY_EVIDENCE_PACK_H

#include "webreport/measure/summary/columns.h"
#include "webreport/trace/evidence.h"

/* Writes the evidence. Writes nothing if the evidence is unknown. */
void tp_evidence_pack(struct tp_column_writer *writer, const struct tp_input_evidence *evidence);

/* Reads the evidence. If the columns are empty, the evidence is unknown. An unrecognized word becomes "unknown". An
 * unrecognized loss becomes a loss of unknown events, so that no result relies on lost data. */
void tp_evidence_unpack(struct tp_column_reader *reader, struct tp_input_evidence *evidence);

#endif
