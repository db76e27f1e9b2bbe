/* Encodes pixels as a PNG file. Any thread may call the function. */
#ifndef TP_WRITER_PNG_H
#define TP_WRITER_PNG_H

#include <stdint.h>

#include "writer/base/buf.h"

enum { TP_PNG_MAX = 4096 }; /* largest width and height in pixels */

/* Appends a PNG file to out. rgb: width x height pixels of 3 bytes (red, green, blue), rows from the top. A failure
 * sets out->failed: TP_ELIMIT if width or height is 0 or above TP_PNG_MAX, TP_ENOMEM if memory is short. */
void tp_png_add(struct tp_buf *out, const uint8_t *rgb, unsigned width, unsigned height);

#endif
