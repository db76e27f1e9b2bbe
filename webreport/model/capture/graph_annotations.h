/* Reads the annotations that a program gave to kernels of graphs (docs/definitions.md, section 33). */
#ifndef TP_WEBREPORT_MODEL_CAPTURE_GRAPH_ANNOTATIONS_H
#define TP_WEBREPORT_MODEL_CAPTURE_GRAPH_ANNOTATIONS_H

#include "webreport/model/facts.h"

/* Returns a number that operations with equal annotations share; 0 without an annotation. device: index in devices. */
uint64_t tp_graph_annotation_number(const struct tp_model *model, uint32_t device);

/* Returns the label of a device operation's annotation, outermost scope first: "layer.0/mlp"; ptr NULL without one. In
 * `arena` or part of the trace. */
struct tp_str tp_graph_annotation(const struct tp_model *model, uint32_t device, struct tp_arena *arena);

#endif
