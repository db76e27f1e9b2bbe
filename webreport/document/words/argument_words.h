/* Fills templates of sentences and titles with arguments.
 *
 * A template uses {0} for the first argument, formatted by its type. Forms for integers: {0:,} separates thousands;
 * {0:call|calls} adds a noun in the singular or plural; {0?has|have} prints only the word for one or for several;
 * {0:steps} prints " in 6 steps", or "" for one step. Forms for real numbers: {0:.2} prints two decimals; {0:round}
 * prints none; {0:bare} prints a percentage without its sign. Forms for texts: {0:line} prints "train.py:88" for
 * "src/train.py(88): step"; {0:function} prints "step()" for this text. Both forms
 * print "vllm/…/engine.py:7" for a line of a library. */
#ifndef TP_WEBREPORT_DOCUMENT_WORDS_ARGUMENT_WORDS_H
#define TP_WEBREPORT_DOCUMENT_WORDS_ARGUMENT_WORDS_H

#include "webreport/measure/rules/details.h"
#include "webreport/trace/frame.h"
#include "writer/base/arena.h"
#include "writer/base/buf.h"

/* Appends a template with its arguments. Other texts of the template are copied as they are. */
void tp_fill_template(struct tp_buf *out, const char *words, const struct tp_detail_argument *arguments,
                      struct tp_arena *arena);

/* Returns file and line of a frame: "train.py:42", or only the file if the line is unknown. A library's file follows
 * its package, as in "vllm/…/engine.py:7", so that nobody takes it for a file of the user. */
const char *tp_place_text(struct tp_arena *arena, const struct tp_frame *frame);

#endif
