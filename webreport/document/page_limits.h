/* Level of detail: how much of a profile is shown for its share of the page's bytes. */
#ifndef TP_WEBREPORT_DOCUMENT_PAGE_LIMITS_H
#define TP_WEBREPORT_DOCUMENT_PAGE_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

struct tp_page_limits {
    size_t operator_rows, shape_rows, kernel_rows, memory_rows, module_rows, line_rows, evidence, findings;
    size_t open_rows;  /* rows that open to stacks, shapes, launches */
    size_t open_items; /* of each list inside */
    size_t flame_boxes, step_bars;
    size_t timeline_bytes; /* 0: no timeline */
    size_t tree_nodes;     /* 0: no call tree */
    bool has_curves;
};

/* Levels are numbered from 0, all, to the last, only the overview. */
unsigned tp_page_level_count(void);

/* Limits of a level for a profile that may take about share_bytes. */
void tp_page_limits_of(struct tp_page_limits *limits, unsigned level, size_t share_bytes);

/* What the page says about the level; NULL for all. */
const char *tp_page_level_text(unsigned level);

#endif
