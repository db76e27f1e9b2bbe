/* The verdict on two programs recorded from outside in words: what their functions took. */
#ifndef TP_WEBREPORT_DOCUMENT_COMMANDS_COMPARE_PROGRAM_H
#define TP_WEBREPORT_DOCUMENT_COMMANDS_COMPARE_PROGRAM_H

#include "webreport/compare/two/compare.h"

/* Are both sides programs recorded from outside, judged by their functions? */
bool tp_compare_is_of_programs(const struct tp_compare *compare);

/* What they took, as a headline, and what stands beneath it; only of such sides. In `arena`. */
const char *tp_compare_program_words(const struct tp_compare *compare, struct tp_arena *arena);
const char *tp_compare_program_text(const struct tp_compare *compare, struct tp_arena *arena);

#endif
