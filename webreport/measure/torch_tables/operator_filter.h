/* Selects the calls of operators for a table: by name, by a pattern of names, by the type of an input. */
#ifndef TP_WEBREPORT_MEASURE_TORCH_TABLES_OPERATOR_FILTER_H
#define TP_WEBREPORT_MEASURE_TORCH_TABLES_OPERATOR_FILTER_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "writer/base/str.h"

struct tp_operator_filter {
    const char *const *types; /* only operators of these names; with or without "aten::" */
    size_t type_count;        /* 0: all */
    const char *pattern;      /* only names that contain a match of this extended regular expression; NULL: all */
    const char *input_dtype;  /* only calls with an input of this type: "float32", or the spelling in the trace; NULL:
                               * all */
};

/* Returns the fault of a pattern as text; NULL: it has none. Bounds ({..}) and back-references are refused: they can
 * use all memory or run forever. */
const char *tp_operator_pattern_fault(const char *pattern);

/* Returns whether an operator of that name is wanted. compiled: the filter's pattern, NULL without one. */
bool tp_operator_filter_name(const struct tp_operator_filter *filter, const regex_t *compiled, struct tp_str name);

/* Returns whether an operator with these inputs is wanted. types: "Input type", compact JSON; empty: not recorded. */
bool tp_operator_filter_inputs(const struct tp_operator_filter *filter, struct tp_str types);

#endif
