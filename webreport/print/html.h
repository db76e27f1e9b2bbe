/* Documents as HTML: a page of its own (tp_print_html in print.h), or a part of the report's page.
 *
 * The template "document" says what the blocks of a page look like. A page keeps its ceiling by level of detail: fewer
 * rows, fewer rows that open, no pictures below the first screen. */
#ifndef TP_WEBREPORT_PRINT_HTML_H
#define TP_WEBREPORT_PRINT_HTML_H

#include "webreport/document/block.h"

/* How much of a document is shown. */
struct tp_html_level {
    size_t rows;      /* of each table; 0: only what stands on the first screen */
    size_t open_rows; /* 1 or more */
    bool has_charts;  /* below the first screen */
};

/* What a template reads of the blocks from `first` up to, without, `end`, in the document's arena: the members of the
 * template "document" into an object that exists. Charts become members of their names. */
void tp_html_put_blocks(struct tp_object *root, const struct tp_document *document, size_t first, size_t end,
                        const struct tp_html_level *level);

/* The whole document, which has one title, as data for the template "document", as a part of another page: in about so
 * many bytes. */
struct tp_data tp_html_part(const struct tp_document *document, const char *prefix, size_t max_bytes);

#endif
