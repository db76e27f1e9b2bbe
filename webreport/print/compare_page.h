/* A comparison as HTML: a page of its own, or sections of the report. */
#ifndef TP_WEBREPORT_PRINT_COMPARE_PAGE_H
#define TP_WEBREPORT_PRINT_COMPARE_PAGE_H

#include "webreport/compare/compare.h"
#include "webreport/document/compare_sections.h"
#include "webreport/print/template.h"

struct tp_compare_page_options {
    bool redact;               /* hide path prefixes */
    const char *source_url;    /* turns path(line) into a link; NULL: none */
    const char *templates_dir; /* overrides built-in templates; NULL: none */
    size_t max_bytes;          /* ceiling of the page; 0: TP_MAX_PAGE_BYTES */
};

/* A whole page; fewer rows of each table are shown until it fits. Allocates in `arena` (guard set by the caller).
 * Returns 0; TP_EUSAGE for a source address that is no link; TP_ELIMIT when even the shortest page exceeds the ceiling;
 * the codes of templates. */
int tp_compare_page(struct tp_buf *out, const struct tp_compare *compare, const struct tp_compare_page_options *options,
                    struct tp_arena *arena, struct tp_error *err);

/* The sections alone, for the template "diff" of the report, in naming->arena: fewer rows for fewer bytes. */
struct tp_data tp_compare_section(const struct tp_compare *compare, const struct tp_naming *naming, size_t max_bytes);

#endif
