/* Makes the document of a comparison: the verdict, the changes, and every table. */
#ifndef TP_WEBREPORT_DOCUMENT_COMMANDS_COMPARE_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_COMMANDS_COMPARE_DOCUMENT_H

#include "webreport/compare/two/compare.h"
#include "webreport/document/block.h"
#include "webreport/document/charts/trace_picture.h"
#include "webreport/document/name_text.h"

/* Input of the document. All of it is borrowed. */
struct tp_compare_shown {
    const struct tp_compare *compare;
    const struct tp_naming *naming; /* the document is made in naming->arena, whose guard the caller sets */
    size_t max_rows;                /* largest number of rows in each table, and of listed changes */
    /* one trace of each side (TP_SIDES items); NULL: the page has no strips and no findings */
    const struct tp_trace_picture *pictures;
};

void tp_compare_document(struct tp_document *document, const struct tp_compare_shown *shown);

#endif
