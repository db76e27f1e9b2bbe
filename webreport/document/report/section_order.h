/* The order of a page's sections, which depends on the answer: the evidence of the answer comes first. */
#ifndef TP_WEBREPORT_DOCUMENT_REPORT_SECTION_ORDER_H
#define TP_WEBREPORT_DOCUMENT_REPORT_SECTION_ORDER_H

#include "webreport/document/section.h"

/* Returns the rows of the page below the overview, in reading order, followed by NULL. A row is the name of a section,
 * or two names such as "idle+work" for sections that are next to each other on wide pages. Sections without data are in
 * the list, too. The last row is about the report; sections without a row stand before it. Static. */
const char *const *tp_section_order(const struct tp_section *section);

#endif
