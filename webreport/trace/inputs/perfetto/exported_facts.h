/* Writes and reads the facts that only files of `tracepress export --to perfetto` have: rows (processes and threads) as
 * they were in the trace, and what the reader of the trace counted. They are JSON members of an instant at the start of
 * the file, so that a damaged trace stays damaged after the export. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_PERFETTO_EXPORTED_FACTS_H
#define TP_WEBREPORT_TRACE_INPUTS_PERFETTO_EXPORTED_FACTS_H

#include "webreport/trace/sink.h"
#include "writer/base/buf.h"

/* Category of the instant. */
#define TP_EXPORTED_CATEGORY "tracepress"
/* Names of the members, in addition to the top-level members of the trace. */
#define TP_EXPORTED_UNKNOWN "tracepress_unknown"   /* data that the trace could not show, bits of enum tp_unknown */
#define TP_EXPORTED_PRODUCER "tracepress_producer" /* producer of the trace */
#define TP_EXPORTED_START "tracepress_start_ns"    /* time of the trace at the time of the first snapshot, ns */
#define TP_EXPORTED_ROWS "tracepress_rows"         /* processes and threads */
#define TP_EXPORTED_READING "tracepress_reading"   /* what the reader of the trace counted */
#define TP_EXPORTED_INPUT "tracepress_input"       /* notes and dropped rows of the input of the trace */
#define TP_EXPORTED_ROW "row"                      /* row of a stage whose device and stream are not its row */
/* Start of the names of counters that only viewers need. */
#define TP_EXPORTED_VIEW_COUNTER "memory "

/* A row as JSON tokens, which stay valid with the trace. */
struct tp_exported_row {
    struct tp_str pid, tid;
};

/* Appends the rows of a trace as JSON. */
void tp_exported_rows_write(struct tp_buf *out, const struct tp_trace *trace);

/* Adds the processes and threads in a JSON text to the sink, and the tokens of each thread to `rows` (elements: struct
 * tp_exported_row). */
void tp_exported_rows_read(struct tp_sink *sink, struct tp_vec *rows, struct tp_str json);

/* Appends the notes and the dropped rows of the input of a trace as JSON. */
void tp_exported_input_write(struct tp_buf *out, const struct tp_input_facts *input);

/* Adds the notes and dropped rows in a JSON text to the sink. */
void tp_exported_input_read(struct tp_sink *sink, struct tp_str json);

/* Appends the counters of a reading as JSON. cats: categories of the trace. */
void tp_exported_reading_write(struct tp_buf *out, const struct tp_reading *reading, const struct tp_strings *cats);

/* Sets the counters of a reading that a JSON text has. */
void tp_exported_reading_read(struct tp_sink *sink, struct tp_str json);

#endif
