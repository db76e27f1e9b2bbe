/* Words the verdict of a comparison, and numbers with their sign. Texts are in the arena given. */
#ifndef TP_WEBREPORT_DOCUMENT_COMMANDS_COMPARE_WORDS_H
#define TP_WEBREPORT_DOCUMENT_COMMANDS_COMPARE_WORDS_H

#include "webreport/compare/two/compare.h"
#include "webreport/document/block.h"

/* Return a number with its sign: "+20.6 ms", "+1.2 MB", "+3.3". */
const char *tp_signed_time_text(struct tp_arena *arena, int64_t ns);
const char *tp_signed_bytes_text(struct tp_arena *arena, int64_t bytes);
const char *tp_signed_percent_text(struct tp_arena *arena, double percent);

/* "99 % interval \u22120.5 to +0.3 %" */
const char *tp_interval_text(const struct tp_run_change *change, struct tp_arena *arena);

/* Returns the reason of a verdict without a changed total ("13 rows and memory"), or "" if a total changed or nothing
 * did. */
const char *tp_compare_reason_text(const struct tp_compare *compare);

/* "Classes as check names them .. decode 92,765 \u2192 84,560 tokens/s.": what stands over the steps of an engine. */
const char *tp_compare_serving_text(const struct tp_compare *compare, struct tp_arena *arena);

/* The first line, and what stands under it: which totals moved, from what on they would have been seen, how many rows.
 */
struct tp_verdict_block tp_compare_verdict(const struct tp_compare *compare, struct tp_arena *arena);

#endif
