/* Escapes any text for Markdown so that it is shown unchanged. */
#ifndef TP_WRITER_TEXT_MARKDOWN_ESCAPE_H
#define TP_WRITER_TEXT_MARKDOWN_ESCAPE_H

#include "writer/base/buf.h"
#include "writer/base/str.h"

/* Appends text so that Markdown, and GitHub, show it unchanged: no formatting, HTML, table cell, link, mention, issue,
 * commit or emoji. Words that GitHub could turn into one of these are put into code spans. Only for text outside of
 * tables. */
void tp_markdown_escape(struct tp_buf *out, struct tp_str text);

/* Appends text as tp_markdown_escape does, for a cell of a table. */
void tp_markdown_cell(struct tp_buf *out, struct tp_str text);

/* Appends text as one code span for a cell of a table. Control characters become spaces. Appends nothing for an empty
 * text. */
void tp_markdown_code_in_cell(struct tp_buf *out, struct tp_str text);

#endif
