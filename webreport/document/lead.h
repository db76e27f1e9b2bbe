/* Writes the sentence below the title of a section. */
#ifndef TP_WEBREPORT_DOCUMENT_LEAD_H
#define TP_WEBREPORT_DOCUMENT_LEAD_H

#include "webreport/document/data.h"

/* Adds the sentence below the title of a section as the list "lead" of runs {text, is_bold}. format: sentence with %s
 * for each argument (a const char *), %% for a percent sign, and ** at both ends of a bold part. Arguments can contain
 * any text, because only the format is searched for marks. */
void tp_object_add_lead(struct tp_object *object, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
