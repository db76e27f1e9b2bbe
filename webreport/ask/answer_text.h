/* Shows an answer to people. */
#ifndef TP_WEBREPORT_ASK_ANSWER_TEXT_H
#define TP_WEBREPORT_ASK_ANSWER_TEXT_H

#include "writer/base/buf.h"
#include "writer/base/str.h"

/* Appends an answer, which is compact JSON of this program, as indented lines "name: value". Control characters of
 * texts are replaced by '?', so that no text can be a command to a terminal. */
void tp_answer_text_add(struct tp_buf *out, struct tp_str answer);

#endif
