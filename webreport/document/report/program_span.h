/* Writes data for the page's script, which computes flame graph, functions and waits for a time range that the reader
 * selects. */
#ifndef TP_WEBREPORT_DOCUMENT_REPORT_PROGRAM_SPAN_H
#define TP_WEBREPORT_DOCUMENT_REPORT_PROGRAM_SPAN_H

#include "webreport/document/report/sections.h"

/* Adds a member `span_json` to the object: samples and waits per interval of the recorded time. Does nothing if the
 * data is too large for the level of detail. */
void tp_program_span_add_data(const struct tp_section *section, struct tp_object *object);

#endif
