/* Draws the map of a comparison of tensors: a row for each tensor, a cell for each step. */
#ifndef TP_WEBREPORT_DOCUMENT_COMMANDS_PRECISION_MAP_H
#define TP_WEBREPORT_DOCUMENT_COMMANDS_PRECISION_MAP_H

#include "webreport/compare/tensors/precision.h"
#include "webreport/document/data.h"

/* Returns whether the new run has more NaN or infinite elements than the base. */
bool tp_precision_has_new_nan(const struct tp_table *table, size_t row);

/* Returns the data of the template tensor_map, a picture of tensors and steps for pages. Returns kind NONE with
 * fewer than two known steps. */
struct tp_data tp_precision_map_data(const struct tp_precision *precision, struct tp_arena *arena);

#endif
