/* Recognizes operators that make a tensor or a new view of a tensor. */
#ifndef TP_WEBREPORT_MODEL_TENSOR_MAKERS_H
#define TP_WEBREPORT_MODEL_TENSOR_MAKERS_H

#include <stdbool.h>

#include "writer/base/str.h"

/* Returns true if an operator with this name makes a tensor or a new view of a tensor. */
bool tp_makes_tensor(struct tp_str name);

#endif
