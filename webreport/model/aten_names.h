/* Recognizes ATen operators by their names. */
#ifndef TP_WEBREPORT_MODEL_ATEN_NAMES_H
#define TP_WEBREPORT_MODEL_ATEN_NAMES_H

#include <stdbool.h>

#include "writer/base/str.h"

/* Returns true if torch 2.14 or an older release has an operator "aten::" + name. */
bool tp_is_aten_name(struct tp_str name);

#endif
