/* Writes data for the page's script, which computes flame, functions and waits for a selected span of a program's
 * time. */
#ifndef TP_WEBREPORT_DOCUMENT_REPORT_PROGRAM_SPAN_H
#define TP_WEBREPORT_DOCUMENT_REPORT_PROGRAM_SPAN_H

#include "webreport/document/report/sections.h"

/* Adds a member `span_json` to the object: samples and waits by bins of the tree's time. Does nothing if the data is
 * too large for the level of detail. */
void tp_program_span_add_data(const struct tp_section *section, struct tp_object *object);

#endif
