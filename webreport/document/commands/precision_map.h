/* Draws the map of a comparison of tensors: a row for each tensor, a cell for each step. */
#ifndef TP_WEBREPORT_DOCUMENT_COMMANDS_PRECISION_MAP_H
#define TP_WEBREPORT_DOCUMENT_COMMANDS_PRECISION_MAP_H

#include "webreport/compare/tensors/precision.h"
#include "webreport/document/data.h"

/* Returns whether the tensor in `row` has more NaN or more infinite elements in the new run than in the base. */
bool tp_precision_has_new_nan(const struct tp_table *table, size_t row);

/* Returns the data of the template tensor_map, a picture with a row per tensor and a cell per step. Returns kind NONE
 * if fewer than two steps are known. */
struct tp_data tp_precision_map_data(const struct tp_precision *precision, struct tp_arena *arena);

#endif
