/* A comparison of two sides in words: the verdict, what changed, and every table. */
#ifndef TP_WEBREPORT_DOCUMENT_COMMANDS_COMPARE_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_COMMANDS_COMPARE_DOCUMENT_H

#include "webreport/compare/two/compare.h"
#include "webreport/document/block.h"
#include "webreport/document/name_text.h"

/* Makes the document in naming->arena (guard set by the caller), which may be the comparison's; it borrows both.
 * max_rows: of each table and of what changed. */
void tp_compare_document(struct tp_document *document, const struct tp_compare *compare, const struct tp_naming *naming,
                         size_t max_rows);

/* ---- parts (compare_record.c, compare_shown.c, compare_charts.c) ---- */

/* Fills the document's record; verdict: of the document. */
void tp_compare_record(struct tp_document *document, const struct tp_compare *compare,
                       const struct tp_verdict_block *verdict);

struct tp_shown_table *tp_compare_shown(const struct tp_compare *compare, const struct tp_naming *naming,
                                        enum tp_compare_table which, size_t max_rows);

/* Where the change of the step comes from, as bars; NONE without step times. */
struct tp_data tp_compare_waterfall(const struct tp_compare *compare, struct tp_arena *arena);

/* Boxes of the merged call tree: width is the greater time of both sides, colour the change. NONE without a tree. */
struct tp_data tp_compare_icicle(const struct tp_compare *compare, const struct tp_naming *naming);

/* Nodes of the call tree that changed by TP_CHANGE_LEAST_SHARE of a step or more, and what stands above them; at most
 * max_rows. NULL when there is none. */
struct tp_shown_table *tp_compare_tree_table(const struct tp_compare *compare, const struct tp_naming *naming,
                                             size_t max_rows);

/* ---- the work of a step (compare_work.c) ---- */

/* What a limit counts: the first changes, and how many there are more. */
const char *tp_compare_work_words(const struct tp_compare *compare, struct tp_arena *arena);
/* What is told of the work, none of which a limit counts, behind a verdict on the times: "a hint: a call of load in the
 * data loader takes ..", "the work of a step differs (3 changes)"; "" where nothing is, or where a limit counts
 * some. */
const char *tp_compare_work_aside(const struct tp_compare *compare, struct tp_arena *arena);
/* What is told of the work: nothing; of functions of the data loader alone, that they take another time, or are called
 * otherwise, too; or more. */
enum tp_work_told { TP_WORK_TOLD_NOTHING, TP_WORK_TOLD_TIMES, TP_WORK_TOLD_FUNCTIONS, TP_WORK_TOLD_CHANGES };
enum tp_work_told tp_compare_work_told(const struct tp_compare *compare);
/* "same", "3 changes", "unknown". */
const char *tp_compare_work_figure(const struct tp_compare *compare, struct tp_arena *arena);
/* Puts a notice with a point for each change. */
void tp_compare_put_work(struct tp_document *document, const struct tp_compare *compare,
                         const struct tp_naming *naming);

#endif
