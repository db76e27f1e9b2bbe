/* The charts of the first screen of a program recorded from outside: the bar by cause over the wall time, and the strip
 * with a lane for each of the busiest threads. */
#ifndef TP_WEBREPORT_DOCUMENT_REPORT_PROGRAM_CHARTS_H
#define TP_WEBREPORT_DOCUMENT_REPORT_PROGRAM_CHARTS_H

#include "webreport/document/report/program_section.h"

/* Adds the bar and the strip to the document. */
void tp_program_put_charts(const struct tp_section *section, struct tp_document *document);

#endif
