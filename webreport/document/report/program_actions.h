/* The findings about a program recorded from outside, as a numbered list of actions. */
#ifndef TP_WEBREPORT_DOCUMENT_REPORT_PROGRAM_ACTIONS_H
#define TP_WEBREPORT_DOCUMENT_REPORT_PROGRAM_ACTIONS_H

#include "webreport/document/report/program_section.h"

/* Adds the list to the document. */
void tp_program_put_actions(const struct tp_section *section, struct tp_document *document);

/* Returns the number of a finding in the list, from 1; 0 if the list does not have it. index: index of the finding in
 * the view. */
unsigned tp_program_finding_number(const struct tp_program_view *view, unsigned index);

#endif
