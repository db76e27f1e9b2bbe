/* Which calls of operators a table is about: by name, by a pattern of names, by the type of an input. */
#ifndef TP_WEBREPORT_MEASURE_TORCH_TABLES_OPERATOR_FILTER_H
#define TP_WEBREPORT_MEASURE_TORCH_TABLES_OPERATOR_FILTER_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "writer/base/str.h"

struct tp_operator_filter {
    const char *const *types; /* only operators of these names; with or without "aten::" */
    size_t type_count;        /* 0: all */
    const char *pattern;      /* only names in which this extended regular expression is found; NULL: all */
    const char *input_dtype;  /* only calls with an input of this type: "float32", or as the trace has it; NULL: all */
};

/* What is wrong with a pattern, in words; NULL when nothing is. Bounds ({..}) and back-references are refused: they can
 * take all memory or forever. */
const char *tp_operator_pattern_fault(const char *pattern);

/* Whether an operator of that name is wanted. compiled: of the filter's pattern, NULL without one. */
bool tp_operator_filter_name(const struct tp_operator_filter *filter, const regex_t *compiled, struct tp_str name);

/* Whether an operator with these inputs is wanted. types: "Input type", compact JSON; empty: not recorded. */
bool tp_operator_filter_inputs(const struct tp_operator_filter *filter, struct tp_str types);

#endif
