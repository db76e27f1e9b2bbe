/* A comparison as HTML: a page of its own, or sections of the report. */
#ifndef TP_WEBREPORT_COMPARE_COMPARE_PAGE_H
#define TP_WEBREPORT_COMPARE_COMPARE_PAGE_H

#include "webreport/compare/compare.h"
#include "webreport/render/section_text.h"
#include "webreport/render/template.h"

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

/* ---- parts (compare_sections.c, compare_charts.c) ---- */

/* What is being rendered, and how much of it. */
struct tp_compare_view {
    const struct tp_compare *compare;
    const struct tp_naming *naming;
    struct tp_arena *arena; /* that of naming */
    size_t max_rows;        /* of each table */
    bool is_part;           /* of a report, not a page of its own */
};

/* A table for the template "table". */
struct tp_data tp_compare_shown_table(const struct tp_compare_view *view, enum tp_compare_table which);

/* Puts the list `parts`: sections below the first one, each with tables. */
void tp_compare_put_parts(const struct tp_compare_view *view, struct tp_object *object);

/* Adds a link to each of these sections. */
void tp_compare_put_links(const struct tp_compare_view *view, struct tp_list *links);

/* Where the change of the step comes from, as bars; NONE without step times. */
struct tp_data tp_compare_waterfall(const struct tp_compare *compare, struct tp_arena *arena);

/* Boxes of the merged call tree: width is the greater time of both sides, colour the change. NONE without a tree. */
struct tp_data tp_compare_icicle(const struct tp_compare *compare, const struct tp_naming *naming);

/* Nodes of the call tree that changed by TP_CHANGE_LEAST_SHARE of a step or more, and what stands above them; at most
 * max_rows. Returns the object for the template "table"; NONE when there is none. */
struct tp_data tp_compare_tree_table(const struct tp_compare *compare, const struct tp_naming *naming, size_t max_rows);

#endif
