/* Writes the verdict of a comparison as text. Texts are in the given arena. */
#ifndef TP_WEBREPORT_DOCUMENT_COMMANDS_COMPARE_WORDS_H
#define TP_WEBREPORT_DOCUMENT_COMMANDS_COMPARE_WORDS_H

#include "webreport/compare/two/compare.h"
#include "webreport/document/block.h"
#include "webreport/document/commands/signed_text.h"

/* Returns the interval of a change, such as "99 % interval \u22120.5 to +0.3 %". */
const char *tp_interval_text(const struct tp_run_change *change, struct tp_arena *arena);

/* Returns the reason of a verdict that is not based on a total, such as "2 table rows and memory". Returns "" if a
 * total changed, or if nothing changed. */
const char *tp_compare_reason_text(const struct tp_compare *compare);

/* Returns the text above the steps of a serving engine, such as "Classes as check names them .. decode 92,765 \u2192
 * 84,560 tokens/s." */
const char *tp_compare_serving_text(const struct tp_compare *compare, struct tp_arena *arena);

/* Returns the data that the comparison leaves out, such as "new has no Python stacks"; "" if it leaves out none. */
const char *tp_compare_left_out_text(const struct tp_compare *compare, struct tp_arena *arena);

/* Returns how the verdict was found: the totals with their detectable changes, and the number of changed rows. */
const char *tp_compare_statistics_text(const struct tp_compare *compare, struct tp_arena *arena);

/* Returns the verdict of the comparison. The headline has at most 24 words. The text below it has one or two sentences,
 * or is "". */
struct tp_verdict_block tp_compare_verdict(const struct tp_compare *compare, struct tp_arena *arena);

#endif
