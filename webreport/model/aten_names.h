/* Recognizes the operators of ATen by their names. */
#ifndef TP_WEBREPORT_MODEL_ATEN_NAMES_H
#define TP_WEBREPORT_MODEL_ATEN_NAMES_H

#include <stdbool.h>

#include "writer/base/str.h"

/* Returns whether a release of torch up to 2.14 has an operator "aten::" + name. */
bool tp_is_aten_name(struct tp_str name);

#endif
