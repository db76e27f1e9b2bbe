/* The findings of a document as SARIF 2.1.0. */
#ifndef TP_WEBREPORT_PRINT_SARIF_H
#define TP_WEBREPORT_PRINT_SARIF_H

#include "webreport/document/block.h"

/* Appends a log: a run per list of findings, in it a result per finding that is not good and place in the code. A
 * failure is sticky in `out`. Of the options: source_root. */
void tp_print_sarif(struct tp_buf *out, const struct tp_document *document, const struct tp_print_options *options);

#endif
