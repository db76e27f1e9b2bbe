/* Levels of detail: how much of a profile the page shows, depending on the profile's share of the page's bytes. */
#ifndef TP_WEBREPORT_DOCUMENT_PAGE_LIMITS_H
#define TP_WEBREPORT_DOCUMENT_PAGE_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

/* Which slices the timeline draws one by one: the longest ones within about 100 KB, all that the page has space for, or
 * no timeline. */
enum tp_timeline_detail { TP_TIMELINE_LONGEST, TP_TIMELINE_FULL, TP_TIMELINE_NONE };

struct tp_page_limits {
    size_t operator_rows, shape_rows, kernel_rows, memory_rows, module_rows, line_rows, evidence, findings;
    size_t open_rows;  /* number of rows that the reader can expand to see stacks, shapes or launches */
    size_t open_items; /* largest number of items in each list of an expanded row */
    size_t flame_boxes, step_bars;
    size_t timeline_bytes; /* largest size of the timeline, bytes; 0: no timeline */
    size_t span_bytes;     /* largest size of the samples in a program's time chart, bytes */
    size_t tree_nodes;     /* largest number of nodes in the call tree; 0: no call tree */
    bool has_curves;
};

/* Returns the number of levels. Level 0 shows everything, and the last level only the overview. */
unsigned tp_page_level_count(void);

/* Fills the limits of a level for a profile that may take about share_bytes bytes of the page. */
void tp_page_limits_fill(struct tp_page_limits *limits, unsigned level, size_t share_bytes,
                         enum tp_timeline_detail timeline);

/* Returns the sentence that explains the omissions at this level to readers of the page; NULL for level 0. */
const char *tp_page_level_text(unsigned level);

#endif
