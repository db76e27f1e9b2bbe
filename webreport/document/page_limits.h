/* Levels of detail: how much of a profile the page shows, depending on its share of the page's bytes. */
#ifndef TP_WEBREPORT_DOCUMENT_PAGE_LIMITS_H
#define TP_WEBREPORT_DOCUMENT_PAGE_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

struct tp_page_limits {
    size_t operator_rows, shape_rows, kernel_rows, memory_rows, module_rows, line_rows, evidence, findings;
    size_t open_rows;  /* rows that open to stacks, shapes, launches */
    size_t open_items; /* items of each list inside such a row */
    size_t flame_boxes, step_bars;
    size_t timeline_bytes; /* 0 for no timeline */
    size_t tree_nodes;     /* 0 for no call tree */
    bool has_curves;
};

/* Returns the number of levels, from 0 (everything) to the last (overview only). */
unsigned tp_page_level_count(void);

/* Fills the limits of a level for a profile that may take about share_bytes. */
void tp_page_limits_of(struct tp_page_limits *limits, unsigned level, size_t share_bytes);

/* Returns the page's sentence about the level, or NULL for level 0. */
const char *tp_page_level_text(unsigned level);

#endif
