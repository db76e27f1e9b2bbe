/* The findings of a document as JUnit XML. */
#ifndef TP_WEBREPORT_PRINT_JUNIT_H
#define TP_WEBREPORT_PRINT_JUNIT_H

#include "webreport/document/block.h"

/* Appends a test case per finding of the document's one list: bad ones are failures, unsure ones are skipped, warnings
 * pass with a note. A failure is sticky in `out`. options: none of them concern it. */
void tp_print_junit(struct tp_buf *out, const struct tp_document *document, const struct tp_print_options *options);

#endif
