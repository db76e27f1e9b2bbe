/* Prints documents as HTML: as a page (tp_print_html in print.h), or as a part of the report's page.
 * The template "document" defines the look of the blocks. A page keeps its size limit by level of detail: fewer rows,
 * fewer rows that open, no charts below the first screen. */
#ifndef TP_WEBREPORT_PRINT_HTML_H
#define TP_WEBREPORT_PRINT_HTML_H

#include "webreport/document/block.h"

/* Level of detail of a document. */
struct tp_html_level {
    size_t rows;      /* rows of each table; 0 for the first screen only */
    size_t open_rows; /* 1 or more */
    bool has_charts;  /* charts below the first screen */
};

/* Puts the members of the template "document" for the blocks [first, end) into an object; allocates from the document's
 * arena. Charts become members with their names. */
void tp_html_put_blocks(struct tp_object *root, const struct tp_document *document, size_t first, size_t end,
                        const struct tp_html_level *level);

/* Returns a document with one title as data for the template "document", to be a part of another page of about
 * max_bytes. */
struct tp_data tp_html_part(const struct tp_document *document, const char *prefix, size_t max_bytes);

#endif
