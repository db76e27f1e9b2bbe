/* Writes the parts of a self-contained SVG document: opening tag, style, script, and text that may contain any
 * bytes. */
#ifndef TP_WEBREPORT_EXPORT_SVG_H
#define TP_WEBREPORT_EXPORT_SVG_H

#include "writer/base/arena.h"
#include "writer/base/buf.h"
#include "writer/base/error.h"
#include "writer/base/str.h"

/* Writes the opening tag of a document. width, height: size of the picture, pixels. */
void tp_svg_begin(struct tp_buf *out, unsigned width, unsigned height);

/* tp_svg_put_style writes a built-in file of templates/ as <style>, and tp_svg_put_script as <script>. asset: name of
 * the file. arena: for scratch memory. */
void tp_svg_put_style(struct tp_buf *out, const char *asset, struct tp_arena *arena);
void tp_svg_put_script(struct tp_buf *out, const char *asset, struct tp_arena *arena);

/* Writes any bytes as text on one line. Escapes markup, replaces characters that XML forbids with U+FFFD, and replaces
 * line ends and tabs with blanks. Cuts the text after about max_bytes and appends "…". */
void tp_svg_put_text(struct tp_buf *out, struct tp_str text, size_t max_bytes);

/* Writes text like tp_svg_put_text, but cuts the text to max_columns columns of a fixed-width font. Writes nothing if
 * max_columns is below three. */
void tp_svg_put_text_within(struct tp_buf *out, struct tp_str text, size_t max_columns);

/* Calls `draw` and writes the document that it draws to a file. The file gets its name only after it is complete. A
 * failed allocation in `draw` may jump to the arena's guard. Returns 0, TP_EIO, TP_ENOMEM or TP_ELIMIT. */
int tp_svg_write(const char *path, struct tp_arena *arena, void (*draw)(struct tp_buf *out, void *context),
                 void *context, struct tp_error *err);

#endif
