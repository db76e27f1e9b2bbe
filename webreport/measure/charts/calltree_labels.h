/* Labels of the call tree: what a name is called there, and which Python frames say nothing. */
#ifndef TP_WEBREPORT_MEASURE_CHARTS_CALLTREE_LABELS_H
#define TP_WEBREPORT_MEASURE_CHARTS_CALLTREE_LABELS_H

#include "writer/base/arena.h"
#include "writer/base/str.h"

/* Whether a frame ("path(line): function") is plumbing between the user's code and the operators. */
bool tp_label_is_plumbing(struct tp_str text);

/* "path/model.py(12): forward" -> "forward model.py:12"; other texts as they are. */
struct tp_str tp_label_of_frame(struct tp_arena *arena, struct tp_str text);

/* "nn.Module: Linear_12" -> "Linear": the instances of a module are one. */
struct tp_str tp_label_of_module(struct tp_str name);

#endif
