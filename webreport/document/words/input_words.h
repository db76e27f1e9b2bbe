/* Writes what an input cannot show, for the page and for messages. The facts come from webreport/trace/input_facts.h.
 */
#ifndef TP_WEBREPORT_DOCUMENT_WORDS_INPUT_WORDS_H
#define TP_WEBREPORT_DOCUMENT_WORDS_INPUT_WORDS_H

#include "webreport/trace/trace.h"

/* Returns one sentence about the kinds of data that the input cannot show: "This input cannot show Python stacks and
 * shapes of operators."; "" if it can show everything. The text is in `arena`. */
const char *tp_input_unknown_text(const struct tp_input_facts *facts, struct tp_arena *arena);

/* Returns the producer and the sentence of tp_input_unknown_text as one line, such as "Nsight Systems 2026.2.1. This
 * input cannot show ..."; "" for inputs of torch.profiler and of tracepress that can show everything. */
const char *tp_input_line(const struct tp_input_facts *facts, struct tp_arena *arena);

/* Returns a sentence, without a full stop, about the complete events whose category tracepress does not know: their
 * number and the three most frequent categories. Returns "" if they are at most 5 % of the complete events, and
 * for traces of other profilers, whose reader reports what it drops. show: returns the text to show for a category, for
 * pages that hide names; NULL shows the categories. context: first argument of `show`. The text is static or in
 * `arena`. */
const char *tp_input_unknown_categories_text(const struct tp_trace *trace,
                                             struct tp_str (*show)(const void *context, struct tp_str text),
                                             const void *context, struct tp_arena *arena);

#endif
