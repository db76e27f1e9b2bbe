/* A small picture: boxes and letters on white, as a PNG file. For the one place that cannot show a chart any other way:
 * TensorBoard's Images tab. */
#ifndef TP_WRITER_CANVAS_H
#define TP_WRITER_CANVAS_H

#include <stdint.h>

#include "writer/base/buf.h"

enum { TP_CANVAS_MAX = 4096 }; /* pixels in each direction */

struct tp_canvas {
    uint8_t *rgb; /* rows from the top, 3 bytes per pixel */
    unsigned width, height;
};

struct tp_box {
    int x, y, width, height; /* pixels, from the top left corner; parts outside the canvas are left out */
};

/* Makes a white canvas, 1 to TP_CANVAS_MAX pixels wide and high. 0, TP_ELIMIT, TP_ENOMEM. */
int tp_canvas_init(struct tp_canvas *canvas, unsigned width, unsigned height);
/* Accepts a zeroed canvas. */
void tp_canvas_release(struct tp_canvas *canvas);

/* colour: 0xRRGGBB. */
void tp_canvas_fill(struct tp_canvas *canvas, struct tp_box box, uint32_t colour);

/* ASCII text from its top left corner; a letter is 5 x 8 dots of scale x scale pixels, with a dot of space, drawn as
 * round strokes from dot to dot with soft edges. Other bytes show as "?". */
void tp_canvas_text(struct tp_canvas *canvas, int x, int y, int scale, uint32_t colour, const char *text);
/* Pixels such a text takes. */
int tp_canvas_text_width(const char *text, int scale);

/* Appends the picture as a PNG file. Failure is sticky in `out`. */
void tp_canvas_png(const struct tp_canvas *canvas, struct tp_buf *out);

#endif
