/* What the pictures of the Images tab share. TensorBoard shows them small, so letters are large and the legend is
 * inside.
 *
 * A canvas has memory of its own: nothing may be allocated in the arena, whose failure jumps, while one is held. */
#ifndef TP_WEBREPORT_EXPORT_TFEVENTS_TFEVENTS_PICTURE_H
#define TP_WEBREPORT_EXPORT_TFEVENTS_TFEVENTS_PICTURE_H

#include "webreport/export/tfevents/export_tfevents.h"
#include "writer/canvas.h"

enum { TP_PICTURE_WIDTH = 660, TP_PICTURE_HEIGHT = 400, TP_PICTURE_SCALE = 3 };
enum { TP_PICTURE_LETTER = 6 * TP_PICTURE_SCALE, TP_PICTURE_LINE = 8 * TP_PICTURE_SCALE };
enum { TP_PICTURE_INK = 0x14181D, TP_PICTURE_GRID = 0xDDE1E6, TP_PICTURE_LEGEND_Y = 340 };

/* Names and colours of all categories, in two rows at the foot. */
void tp_picture_legend(struct tp_canvas *canvas);

/* Writes the canvas as a value of the whole capture, and releases it. */
void tp_picture_put(const struct tp_tf_run *run, struct tp_canvas *canvas, const char *tag, const char *description);

/* profile_images/timeline (tfevents_timeline.c). */
void tp_tf_add_timeline(const struct tp_tf_run *run);

#endif
