/* Declares functions for compare_document.c that make parts of the document of a comparison. */
#ifndef TP_WEBREPORT_DOCUMENT_COMMANDS_COMPARE_PARTS_H
#define TP_WEBREPORT_DOCUMENT_COMMANDS_COMPARE_PARTS_H

#include "webreport/compare/two/compare.h"
#include "webreport/document/block.h"
#include "webreport/document/charts/causes.h"
#include "webreport/document/charts/trace_picture.h"
#include "webreport/document/name_text.h"

/* Input and output of the functions that make parts of the document. */
struct tp_compare_wording {
    struct tp_document *document;
    const struct tp_compare *c;
    const struct tp_naming *naming;
    struct tp_arena *arena;
    size_t max_rows;
    const struct tp_trace_picture *pictures; /* of TP_SIDES traces, or NULL */
};

/* Returns the numbers of equal, different and unknown facts as text (compare_sections.c). */
const char *tp_compare_facts_text(const struct tp_compare_wording *wording);
/* Adds the verdict of the report on each side (compare_sections.c). */
void tp_compare_put_verdicts_of_sides(const struct tp_compare_wording *wording);

/* Adds the parts with tables below the answer, and a part on how the verdict was found (compare_sections.c). */
void tp_compare_put_parts(const struct tp_compare_wording *wording);
void tp_compare_put_method(const struct tp_compare_wording *wording);

/* Fills the record of the document, including the given verdict. */
void tp_compare_fill_record(struct tp_document *document, const struct tp_compare *compare,
                            const struct tp_verdict_block *verdict);

struct tp_shown_table *tp_compare_shown_table(const struct tp_compare *compare, const struct tp_naming *naming,
                                              enum tp_compare_table which, size_t max_rows);

/* Returns whether the name of a row is shown with its source line: artifacts of torch.compile show the line of the
 * generated kernel. table: a table of rows, not TP_COMPARE_STEP. */
bool tp_compare_is_named_by_line(const struct tp_compare *compare, const struct tp_table *table, size_t row);

/* Returns the name of a row as shown. A row that is named by its line has the family and the line as name, such as
 * "triton_poi_fused_add at model.py(12): forward". table: as above. */
struct tp_str tp_compare_row_name(const struct tp_compare *compare, const struct tp_naming *naming,
                                  const struct tp_table *table, size_t row);

/* Returns a table of operators by name, the sums of the table's rows, for pages. which: TP_COMPARE_OPERATORS_DEVICE or
 * TP_COMPARE_OPERATORS_HOST. */
struct tp_shown_table *tp_compare_names_table(const struct tp_compare *compare, const struct tp_naming *naming,
                                              enum tp_compare_table which, size_t max_rows);

/* ---- the change of the mean step (compare_cause.c, compare_charts.c) ---- */

/* A part of the change of the mean step. */
struct tp_step_change {
    const char *label;
    double ns; /* change, ns; negative: the part takes less time */
    enum tp_look look;
    enum tp_summary_part part; /* TP_PART_COUNT: all parts with small changes */
    bool is_cause;             /* true: the largest change in the direction of the step's change; at most one part */
};

enum { TP_STEP_CHANGES = TP_PART_OTHER + 2 };

/* Fills the parts that change by at least 1 % of the base's step, followed by the sum of the other changes. Parts that
 * change as the step does come first, largest first, so that only changes[0] can be the cause. Returns their number; 0
 * if step times are unknown. The changes add up to that of the mean step. */
unsigned tp_compare_step_changes(const struct tp_compare *compare, struct tp_step_change changes[TP_STEP_CHANGES]);

/* Returns whether the headline is about the length of a step, because this length changed for certain. Only then do
 * headline and charts name a cause of the change. */
bool tp_compare_is_about_step(const struct tp_compare *compare);

/* Sets the headline on a changed step and its mark, such as "A step takes 141 instead of 178 ms, because copies take 37
 * ms less; next, use half precision." The mark is the cause of tp_compare_step_changes. */
void tp_compare_put_step_headline(struct tp_verdict_block *verdict, const struct tp_compare *compare,
                                  struct tp_arena *arena);

/* Returns sentences about the device's work and about parts that change against the step, or "" if the parts are
 * unknown. */
const char *tp_compare_step_text(const struct tp_compare *compare, struct tp_arena *arena);

/* Returns the parts of the step's change as bars from the base's step to the new one; kind NONE if step times are
 * unknown. */
struct tp_data tp_compare_waterfall_data(const struct tp_compare *compare, struct tp_arena *arena);
/* Returns the strips of both traces on one axis; kind NONE unless both are present. pictures: of TP_SIDES traces. */
struct tp_data tp_compare_strips_data(const struct tp_trace_picture *pictures, struct tp_arena *arena);

/* Returns the boxes of the merged call tree; kind NONE without a tree. The width of a box is the larger time of both
 * sides; the color of the box shows the change. */
struct tp_data tp_compare_icicle_data(const struct tp_compare *compare, const struct tp_naming *naming);

/* Returns the nodes of the call tree that changed by at least TP_CHANGE_LEAST_SHARE of a step, with their ancestors;
 * at most max_rows. Returns NULL without such nodes. */
struct tp_shown_table *tp_compare_tree_table(const struct tp_compare *compare, const struct tp_naming *naming,
                                             size_t max_rows);

/* ---- the work of a step (compare_work.c) ---- */

/* Returns the first change of work that budget limits count, and the number of further changes. */
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
/* Adds the changes of work as a part of the page. Does nothing without such changes. */
void tp_compare_put_work_section(struct tp_document *document, const struct tp_compare *compare,
                                 const struct tp_naming *naming);
/* Adds a notice in which each change of work is a point. */
void tp_compare_put_work(struct tp_document *document, const struct tp_compare *compare,
                         const struct tp_naming *naming);

#endif
