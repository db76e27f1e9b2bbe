/* A document for a terminal of 80 columns. */
#ifndef TP_WEBREPORT_PRINT_TEXT_H
#define TP_WEBREPORT_PRINT_TEXT_H

#include "webreport/document/block.h"

/* Appends all blocks; a failure is sticky in `out`. Texts of traces are made harmless for a terminal. Tables keep to 80
 * columns as long as their first column has room; of findings, what is not shown is counted. */
void tp_print_text(struct tp_buf *out, const struct tp_document *document, const struct tp_print_options *options);

#endif
