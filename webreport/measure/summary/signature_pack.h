/* Converts a signature to its columns in a SummaryProcess and back (writer/proto/summary.proto). */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SIGNATURE_PACK_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SIGNATURE_PACK_H

#include "webreport/measure/summary/columns.h"
#include "webreport/measure/summary/signature.h"

/* Writes the signature. If the hash of the signature is 0, writes only the number of steps and whether the signature is
 * cut. */
void tp_signature_pack(struct tp_column_writer *writer, const struct tp_signature *signature);

/* Reads the signature. */
void tp_signature_unpack(struct tp_column_reader *reader, struct tp_signature *signature);

#endif
