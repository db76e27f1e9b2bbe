/* The verdict of a document as a picture for a README. */
#ifndef TP_WEBREPORT_PRINT_BADGE_H
#define TP_WEBREPORT_PRINT_BADGE_H

#include "webreport/document/block.h"

/* Appends an SVG picture "performance | passing" of the first verdict. A failure is sticky in `out`. options: none of
 * them concern it. */
void tp_print_badge(struct tp_buf *out, const struct tp_document *document, const struct tp_print_options *options);

#endif
