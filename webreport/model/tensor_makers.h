/* Recognizes operators that make a tensor, or another view of a tensor's data. */
#ifndef TP_WEBREPORT_MODEL_TENSOR_MAKERS_H
#define TP_WEBREPORT_MODEL_TENSOR_MAKERS_H

#include <stdbool.h>

#include "writer/base/str.h"

/* Returns whether an operator of this name makes a tensor, or another view of a tensor's data. */
bool tp_makes_tensor(struct tp_str name);

#endif
