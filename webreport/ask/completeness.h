/* Writes whether the recordings of an input are complete, so that no answer hides damage. */
#ifndef TP_WEBREPORT_ASK_COMPLETENESS_H
#define TP_WEBREPORT_ASK_COMPLETENESS_H

#include "webreport/ask/ask_input.h"

/* Writes the members "clean", "lost" and "damage" about call->input, and sets call->is_damaged. is_always: false omits
 * them for a complete recording. */
void tp_completeness_write(struct tp_ask_call *call, bool is_always);

/* Returns the needs (enum tp_need) that the recordings of the input do not satisfy; 0 if they are complete. *why: the
 * gravest reason, in call->arena. */
unsigned tp_completeness_unmet(const char **why, struct tp_ask_call *call, unsigned needs);

/* Returns whether times of the input are known to be wrong, so that no sum of times is a bound. */
bool tp_completeness_is_clock_wrong(const struct tp_ask_call *call);

#endif
