/* The verdict of `tracepress check` as JSON. */
#ifndef TP_WEBREPORT_PRINT_CHECK_JSON_H
#define TP_WEBREPORT_PRINT_CHECK_JSON_H

#include "webreport/document/check_document.h"

/* Appends {"schema":"tracepress-check", ..}: the items, and all metrics of each run. document: that of the check, for
 * the verdict's words. A failure is sticky in `out`. */
void tp_check_json(struct tp_buf *out, const struct tp_check *check, const struct tp_document *document);

#endif
