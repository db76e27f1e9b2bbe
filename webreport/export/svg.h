/* Parts of an SVG document that stands alone: head, style, script, any bytes as text. */
#ifndef TP_WEBREPORT_EXPORT_SVG_H
#define TP_WEBREPORT_EXPORT_SVG_H

#include "writer/base/arena.h"
#include "writer/base/buf.h"
#include "writer/base/error.h"
#include "writer/base/str.h"

/* The opening tag of a document of that size in pixels. */
void tp_svg_begin(struct tp_buf *out, unsigned width, unsigned height);

/* The built-in file of that name (templates/) as <style> and as <script>. arena: holds nothing afterwards that matters.
 */
void tp_svg_style(struct tp_buf *out, const char *asset, struct tp_arena *arena);
void tp_svg_script(struct tp_buf *out, const char *asset, struct tp_arena *arena);

/* Any bytes as text on one line: markup escaped, what XML forbids as U+FFFD, line ends and tabs as blanks; at most
 * about max_bytes, then "…". */
void tp_svg_text(struct tp_buf *out, struct tp_str text, size_t max_bytes);

/* The same, at most max_columns wide in a font of fixed width; nothing when fewer than three. */
void tp_svg_text_in(struct tp_buf *out, struct tp_str text, size_t max_columns);

/* Has a document drawn and writes it to a file that appears whole or not at all. draw may leave through the arena's
 * guard. 0, TP_EIO, TP_ENOMEM, TP_ELIMIT. */
int tp_svg_write(const char *path, struct tp_arena *arena, void (*draw)(struct tp_buf *out, void *context),
                 void *context, struct tp_error *err);

#endif
