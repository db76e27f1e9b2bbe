/* Reads SQLite databases of profilers: exports of Nsight Systems, rocpd of rocprofv3, and rpd of rocmProfileData. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_SQLITE_SQLITE_INPUT_H
#define TP_WEBREPORT_TRACE_INPUTS_SQLITE_SQLITE_INPUT_H

#include "webreport/trace/input_part.h"
#include "webreport/trace/source.h"

/* Reads a database and delivers its events to the sink. Reads source->options->part if it is set, otherwise the only
 * process of the file. Returns the codes of tp_source_reader. */
int tp_sqlite_input_read(struct tp_source *source);

/* Lists the processes of a database (input_part.h). */
int tp_sqlite_input_list_parts(struct tp_vec *parts, const char *path, struct tp_error *err);

#endif
