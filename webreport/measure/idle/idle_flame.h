/* Builds the idle flame: the idle time of a device by host stack and by source line (docs/definitions.md, section
 * 6). */
#ifndef TP_WEBREPORT_MEASURE_IDLE_IDLE_FLAME_H
#define TP_WEBREPORT_MEASURE_IDLE_IDLE_FLAME_H

#include "webreport/measure/idle/idle_view.h"

/* Fills nodes, stacks, frames, lines and their times of `out` from the idle intervals of a device. */
void tp_idle_flame_build(struct tp_idle_device *out, const struct tp_model *model, const struct tp_gpu *gpu,
                         struct tp_arena *arena);

/* Makes a flame without nodes, for devices that get no flame. */
void tp_idle_flame_init_empty(struct tp_idle_device *out, struct tp_arena *arena);

#endif
