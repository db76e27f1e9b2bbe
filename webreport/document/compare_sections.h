/* A comparison as sections of a page: the data of the template "diff", its tables and charts. */
#ifndef TP_WEBREPORT_DOCUMENT_COMPARE_SECTIONS_H
#define TP_WEBREPORT_DOCUMENT_COMPARE_SECTIONS_H

#include "webreport/compare/compare.h"
#include "webreport/document/data.h"
#include "webreport/document/name_text.h"

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
