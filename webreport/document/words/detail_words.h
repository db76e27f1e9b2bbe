/* Writes the details of findings as sentences. */
#ifndef TP_WEBREPORT_DOCUMENT_WORDS_DETAIL_WORDS_H
#define TP_WEBREPORT_DOCUMENT_WORDS_DETAIL_WORDS_H

#include "webreport/measure/rules/details.h"
#include "webreport/model/facts.h"

/* Returns a detail as full sentences, or "" for NULL. The words fit the program that made the trace. The text is in
 * `arena`. */
struct tp_str tp_detail_text(const struct tp_detail *details, const struct tp_model *model, struct tp_arena *arena);

#endif
