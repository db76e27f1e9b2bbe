/* Any text as Markdown that shows it as it is. */
#ifndef TP_WRITER_TEXT_MARKDOWN_ESCAPE_H
#define TP_WRITER_TEXT_MARKDOWN_ESCAPE_H

#include "writer/base/buf.h"
#include "writer/base/str.h"

/* Appends text so that Markdown shows it as it is: no formatting, no HTML, no table cell, no link, no mention. */
void tp_markdown_escape(struct tp_buf *out, struct tp_str text);

#endif
