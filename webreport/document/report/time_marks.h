/* Writes times that a row of the page marks in the timeline. */
#ifndef TP_WEBREPORT_DOCUMENT_REPORT_TIME_MARKS_H
#define TP_WEBREPORT_DOCUMENT_REPORT_TIME_MARKS_H

#include "webreport/document/section.h"

/* Returns intervals for the timeline: "gap,length;gap,length", us, rounded outwards; NULL without an interval. The
 * first gap is from the first event. Only the longest intervals if there are many; of equal ones, the first. The text
 * is in section->arena. */
const char *tp_time_marks_text(const struct tp_section *section, struct tp_intervals spans);

#endif
