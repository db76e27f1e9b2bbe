/* Prints documents as HTML: as a whole page (tp_print_html in print.h), or as a part of the report's page.
 *
 * The template "document" defines the appearance of the blocks. A page that would exceed its size limit gets a lower
 * level of detail: fewer rows, fewer rows that can be expanded, and no charts below the first screen. */
#ifndef TP_WEBREPORT_PRINT_HTML_H
#define TP_WEBREPORT_PRINT_HTML_H

#include "webreport/document/block.h"

/* The level of detail of a document. */
struct tp_html_level {
    size_t rows;      /* largest number of rows in each table; 0: show only the first screen */
    size_t open_rows; /* largest number of rows that can be expanded, at least 1 */
    bool has_charts;  /* true: show charts below the first screen */
};

/* Adds members for the template "document" to `root`, from the blocks `first` to `end` - 1. Memory is from the
 * document's arena. Each chart becomes a member that is named after the chart. */
void tp_html_put_blocks(struct tp_object *root, const struct tp_document *document, size_t first, size_t end,
                        const struct tp_html_level *level);

/* Returns data for the template "document", for a document with one title that is a part of another page. The part has
 * about max_bytes bytes. prefix: prefix of ids in the part. */
struct tp_data tp_html_part(const struct tp_document *document, const char *prefix, size_t max_bytes);

#endif
