/* A document as Markdown, for pull requests, summaries of jobs and agents. */
#ifndef TP_WEBREPORT_PRINT_MARKDOWN_H
#define TP_WEBREPORT_PRINT_MARKDOWN_H

#include "webreport/document/block.h"

/* Appends all blocks; a failure is sticky in `out`. Texts are escaped, so that none can format, link or mention. With
 * options->end, lines for which there is no room before it are left out whole, and counted. */
void tp_print_markdown(struct tp_buf *out, const struct tp_document *document, const struct tp_print_options *options);

#endif
