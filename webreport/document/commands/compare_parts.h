/* The parts of the document of a comparison, each in a file of its own, for compare_document.c. */
#ifndef TP_WEBREPORT_DOCUMENT_COMMANDS_COMPARE_PARTS_H
#define TP_WEBREPORT_DOCUMENT_COMMANDS_COMPARE_PARTS_H

#include "webreport/compare/two/compare.h"
#include "webreport/document/block.h"
#include "webreport/document/name_text.h"

/* Fills the record of the document. verdict: verdict of the document. */
void tp_compare_record(struct tp_document *document, const struct tp_compare *compare,
                       const struct tp_verdict_block *verdict);

struct tp_shown_table *tp_compare_shown(const struct tp_compare *compare, const struct tp_naming *naming,
                                        enum tp_compare_table which, size_t max_rows);

/* Returns the parts of the step's change as bars; kind NONE without step times. */
struct tp_data tp_compare_waterfall(const struct tp_compare *compare, struct tp_arena *arena);

/* Returns the boxes of the merged call tree: the width is the larger time of both sides, the colour is the change; kind
 * NONE without a tree. */
struct tp_data tp_compare_icicle(const struct tp_compare *compare, const struct tp_naming *naming);

/* Returns at most max_rows nodes of the call tree that changed by at least TP_CHANGE_LEAST_SHARE of a step, with their
 * ancestors; NULL if there are none. */
struct tp_shown_table *tp_compare_tree_table(const struct tp_compare *compare, const struct tp_naming *naming,
                                             size_t max_rows);

/* ---- the work of a step (compare_work.c) ---- */

/* Returns the first changes of work that a limit counts, and the number of further ones. */
const char *tp_compare_work_words(const struct tp_compare *compare, struct tp_arena *arena);
/* Returns the changes of work for the text after the verdict on times: "a hint: a call of load in the data loader takes
 * ..", or "the work of a step differs (3 changes)". "" if there are no changes, or if a limit counts any. */
const char *tp_compare_work_remark(const struct tp_compare *compare, struct tp_arena *arena);
/* Kinds of changes of work in a comparison: none; only times of functions in the data loader; also numbers of calls of
 * such functions; any other. */
enum tp_work_change_kinds {
    TP_WORK_CHANGED_NOTHING,
    TP_WORK_CHANGED_TIMES,
    TP_WORK_CHANGED_FUNCTIONS,
    TP_WORK_CHANGED_OTHER
};
enum tp_work_change_kinds tp_compare_work_change_kinds(const struct tp_compare *compare);
/* Returns the number of changes as text: "same", "3 changes" or "unknown". */
const char *tp_compare_work_figure(const struct tp_compare *compare, struct tp_arena *arena);
/* Adds a notice with a point for each change. */
void tp_compare_put_work(struct tp_document *document, const struct tp_compare *compare,
                         const struct tp_naming *naming);

#endif
