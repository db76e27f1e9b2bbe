/* Writes the verdict on two programs recorded from outside, which is based on the times of their functions. */
#ifndef TP_WEBREPORT_DOCUMENT_COMMANDS_COMPARE_PROGRAM_H
#define TP_WEBREPORT_DOCUMENT_COMMANDS_COMPARE_PROGRAM_H

#include "webreport/compare/two/compare.h"

/* Returns whether both sides are programs recorded from outside. If so, the verdict is based on the times of their
 * functions. */
bool tp_compare_is_between_programs(const struct tp_compare *compare);

/* Return the headline on two programs recorded from outside, and the text below the headline, in `arena`. */
const char *tp_compare_program_headline(const struct tp_compare *compare, struct tp_arena *arena);
const char *tp_compare_program_text(const struct tp_compare *compare, struct tp_arena *arena);

#endif
