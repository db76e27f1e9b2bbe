/* What the page's script needs to make flame, functions and waits anew for a chosen span of a program's time. */
#ifndef TP_WEBREPORT_DOCUMENT_REPORT_PROGRAM_SPAN_H
#define TP_WEBREPORT_DOCUMENT_REPORT_PROGRAM_SPAN_H

#include "webreport/document/report/sections.h"

/* Puts `span_json` into the object: samples and waits by stretches of the tree's time. Nothing where that is more than
 * the level of detail has room for. */
void tp_program_span_put(const struct tp_section *section, struct tp_object *object);

#endif
