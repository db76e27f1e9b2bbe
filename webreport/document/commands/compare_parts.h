/* Declares functions for compare_document.c that make parts of the document of a comparison. */
#ifndef TP_WEBREPORT_DOCUMENT_COMMANDS_COMPARE_PARTS_H
#define TP_WEBREPORT_DOCUMENT_COMMANDS_COMPARE_PARTS_H

#include "webreport/compare/two/compare.h"
#include "webreport/document/block.h"
#include "webreport/document/name_text.h"

/* Fills the record of the document, including the given verdict. */
void tp_compare_fill_record(struct tp_document *document, const struct tp_compare *compare,
                            const struct tp_verdict_block *verdict);

struct tp_shown_table *tp_compare_shown_table(const struct tp_compare *compare, const struct tp_naming *naming,
                                              enum tp_compare_table which, size_t max_rows);

/* Returns the parts of the step's change as bars; kind NONE if step times are unknown. */
struct tp_data tp_compare_waterfall_data(const struct tp_compare *compare, struct tp_arena *arena);

/* Returns the boxes of the merged call tree; kind NONE without a tree. The width of a box is the larger time of both
 * sides; the color of the box shows the change. */
struct tp_data tp_compare_icicle_data(const struct tp_compare *compare, const struct tp_naming *naming);

/* Returns the nodes of the call tree that changed by at least TP_CHANGE_LEAST_SHARE of a step, with their ancestors;
 * at most max_rows. Returns NULL without such nodes. */
struct tp_shown_table *tp_compare_tree_table(const struct tp_compare *compare, const struct tp_naming *naming,
                                             size_t max_rows);

/* ---- the work of a step (compare_work.c) ---- */

/* Returns a text with the first changes of work that budget limits count, and the number of further changes. */
const char *tp_compare_work_headline(const struct tp_compare *compare, struct tp_arena *arena);
/* Returns the text about changes of work that follows the verdict on times, such as "a hint: a call of load in the data
 * loader takes ..". Returns "" if there are no changes of work, or if budget limits count at least one change. */
const char *tp_compare_work_remark(const struct tp_compare *compare, struct tp_arena *arena);
/* Which changes of work a comparison contains. TIMES: only changed times of functions in the data loader. FUNCTIONS:
 * also changed numbers of calls of such functions. OTHER: any other change. */
enum tp_work_change_kinds {
    TP_WORK_CHANGED_NOTHING,
    TP_WORK_CHANGED_TIMES,
    TP_WORK_CHANGED_FUNCTIONS,
    TP_WORK_CHANGED_OTHER
};
enum tp_work_change_kinds tp_compare_work_change_kinds(const struct tp_compare *compare);
/* Returns the number of changes as text: "same", "3 changes" or "unknown". */
const char *tp_compare_work_figure(const struct tp_compare *compare, struct tp_arena *arena);
/* Adds a notice in which each change of work is a point. */
void tp_compare_put_work(struct tp_document *document, const struct tp_compare *compare,
                         const struct tp_naming *naming);

#endif
