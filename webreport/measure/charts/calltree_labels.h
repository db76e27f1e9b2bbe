/* Makes the labels of the call tree, and recognizes Python frames that only forward calls. */
#ifndef TP_WEBREPORT_MEASURE_CHARTS_CALLTREE_LABELS_H
#define TP_WEBREPORT_MEASURE_CHARTS_CALLTREE_LABELS_H

#include "writer/base/arena.h"
#include "writer/base/str.h"

/* Returns whether a frame ("path(line): function") belongs to the framework or the interpreter and only forwards
 * calls. */
bool tp_label_is_runtime_frame(struct tp_str text);

/* Shortens "path/model.py(12): forward" to "forward model.py:12"; other texts stay as they are. */
struct tp_str tp_label_shorten_frame(struct tp_arena *arena, struct tp_str text);

/* Shortens "nn.Module: Linear_12" to "Linear", so that all instances of a module share a label. */
struct tp_str tp_label_shorten_module(struct tp_str name);

#endif
