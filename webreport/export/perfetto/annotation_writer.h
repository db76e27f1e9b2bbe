/* Writes arguments of events as annotations of track events, or as texts of GPU stages. */
#ifndef TP_WEBREPORT_EXPORT_PERFETTO_ANNOTATION_WRITER_H
#define TP_WEBREPORT_EXPORT_PERFETTO_ANNOTATION_WRITER_H

#include "webreport/export/perfetto/packet_writer.h"

/* Field of a TrackEvent with its annotations. */
enum { TP_ANNOTATION_FIELD = 4 };

/* Adds an annotation with an integer, a text, or a JSON value. Objects and lists become nested annotations. */
void tp_annotation_int(struct tp_packet_writer *writer, const char *key, int64_t value);
void tp_annotation_text(struct tp_packet_writer *writer, const char *key, struct tp_str text);
void tp_annotation_json(struct tp_packet_writer *writer, const char *key, struct tp_str json);

/* Adds an annotation with a text that is not repeated, so that it needs no number. */
void tp_annotation_long_text(struct tp_packet_writer *writer, struct tp_str key, struct tp_str text);

/* Adds an entry to the data of a GPU stage: a text, an integer, or a JSON value. */
void tp_stage_text(struct tp_packet_writer *writer, const char *key, struct tp_str text);
void tp_stage_int(struct tp_packet_writer *writer, const char *key, int64_t value);
void tp_stage_json(struct tp_packet_writer *writer, const char *key, struct tp_str json);

#endif
