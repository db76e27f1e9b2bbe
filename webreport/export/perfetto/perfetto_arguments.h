/* Writes arguments of events that both slices and GPU stages have. */
#ifndef TP_WEBREPORT_EXPORT_PERFETTO_PERFETTO_ARGUMENTS_H
#define TP_WEBREPORT_EXPORT_PERFETTO_PERFETTO_ARGUMENTS_H

#include "webreport/export/perfetto/perfetto_export.h"

/* Where an argument is written: as an annotation of a track event, or in the data of a GPU stage. */
enum tp_argument_place { TP_IN_EVENT, TP_IN_STAGE };

/* Writes an integer. Writes nothing for TP_NULL_INT. */
void tp_argument_int(struct tp_pexport *x, enum tp_argument_place place, const char *key, int64_t value);

/* Writes a value of the trace's table of values. Writes nothing for TP_NO_ID. */
void tp_argument_value(struct tp_pexport *x, enum tp_argument_place place, const char *key, uint32_t value);

/* Writes a text that is not in a table. */
void tp_argument_text(struct tp_pexport *x, enum tp_argument_place place, const char *key, const char *text);

/* Writes the arguments of a collective. comm: index in comms; TP_NO_ID for none. */
void tp_argument_comm(struct tp_pexport *x, enum tp_argument_place place, uint32_t comm);

#endif
