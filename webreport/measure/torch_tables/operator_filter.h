/* Selects the calls of operators for a table: by name, by a pattern of names, by the type of an input. */
#ifndef TP_WEBREPORT_MEASURE_TORCH_TABLES_OPERATOR_FILTER_H
#define TP_WEBREPORT_MEASURE_TORCH_TABLES_OPERATOR_FILTER_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "writer/base/str.h"

struct tp_operator_filter {
    const char *const *types; /* only operators with these names, with or without "aten::" */
    size_t type_count;        /* 0: operators of all names */
    const char *pattern; /* only operators whose name contains a match of this extended regular expression; NULL: all */
    const char *input_dtype; /* only calls with an input of this type, such as "float32" or the spelling in the trace;
                              * NULL: all */
};

/* Returns the error in a pattern as text; NULL if it is valid. Bounds ({..}) and back-references are refused, because
 * they can use all memory or run forever. */
const char *tp_operator_pattern_fault(const char *pattern);

/* Returns whether the filter accepts an operator of this name. compiled: the filter's pattern; NULL if it has none. */
bool tp_operator_filter_name(const struct tp_operator_filter *filter, const regex_t *compiled, struct tp_str name);

/* Returns whether the filter accepts an operator with these inputs. types: "Input type" as compact JSON; empty: not
 * recorded. */
bool tp_operator_filter_inputs(const struct tp_operator_filter *filter, struct tp_str types);

#endif
