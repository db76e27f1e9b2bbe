/* Parts of a self-contained SVG document: head, style, script, and any bytes as text. */
#ifndef TP_WEBREPORT_EXPORT_SVG_H
#define TP_WEBREPORT_EXPORT_SVG_H

#include "writer/base/arena.h"
#include "writer/base/buf.h"
#include "writer/base/error.h"
#include "writer/base/str.h"

/* Writes the opening tag of a document of that size in pixels. */
void tp_svg_begin(struct tp_buf *out, unsigned width, unsigned height);

/* Write the built-in file of that name (templates/) as <style> or <script>. arena: for scratch memory. */
void tp_svg_style(struct tp_buf *out, const char *asset, struct tp_arena *arena);
void tp_svg_script(struct tp_buf *out, const char *asset, struct tp_arena *arena);

/* Writes any bytes as text on one line: escapes markup, replaces what XML forbids by U+FFFD, line ends and tabs by
 * blanks; cuts after about max_bytes with "…". */
void tp_svg_text(struct tp_buf *out, struct tp_str text, size_t max_bytes);

/* Does the same, but cuts at max_columns of a font of fixed width; writes nothing when they are fewer than three. */
void tp_svg_text_in(struct tp_buf *out, struct tp_str text, size_t max_columns);

/* Calls `draw` and writes its document to a file that appears whole or not at all. `draw` may leave through the arena's
 * guard. Returns 0, TP_EIO, TP_ENOMEM or TP_ELIMIT. */
int tp_svg_write(const char *path, struct tp_arena *arena, void (*draw)(struct tp_buf *out, void *context),
                 void *context, struct tp_error *err);

#endif
