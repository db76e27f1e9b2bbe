/* Prints documents as HTML: as a page (tp_print_html in print.h), or as a part of the report's page.
 *
 * The template "document" defines the look of the blocks. A page keeps its size limit by reducing its level of detail:
 * fewer rows, fewer rows that open, and no charts below the first screen. */
#ifndef TP_WEBREPORT_PRINT_HTML_H
#define TP_WEBREPORT_PRINT_HTML_H

#include "webreport/document/block.h"

/* The level of detail of a document. */
struct tp_html_level {
    size_t rows;      /* limit of rows in each table; 0: show only the first screen */
    size_t open_rows; /* limit of rows that can be opened, at least 1 */
    bool has_charts;  /* show charts below the first screen */
};

/* Adds the members of the template "document" for the blocks [first, end) to an object, allocated from the document's
 * arena. A chart becomes a member with its own name. */
void tp_html_put_blocks(struct tp_object *root, const struct tp_document *document, size_t first, size_t end,
                        const struct tp_html_level *level);

/* Returns a document with one title as data for the template "document", for use as a part of another page, of about
 * max_bytes. */
struct tp_data tp_html_part(const struct tp_document *document, const char *prefix, size_t max_bytes);

#endif
