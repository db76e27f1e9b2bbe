/* Selects the operator calls of a table by name, by a pattern of names, or by the type of an input. */
#ifndef TP_WEBREPORT_MEASURE_TORCH_TABLES_OPERATOR_FILTER_H
#define TP_WEBREPORT_MEASURE_TORCH_TABLES_OPERATOR_FILTER_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "writer/base/str.h"

struct tp_operator_filter {
    const char *const *types; /* selects operators with one of these names, with or without "aten::" */
    size_t type_count;        /* number of `types`; 0: operators with any name */
    /* selects operators whose name contains a match of this extended regular expression; NULL: all */
    const char *pattern;
    /* selects calls with an input of this type, "float32" or as spelled in the trace; NULL: all */
    const char *input_dtype;
};

/* Returns the error in a pattern as text; NULL if the pattern is valid. Bounds ({..}) and back-references are refused,
 * because such patterns can use all memory or run forever. */
const char *tp_operator_pattern_error(const char *pattern);

/* Returns whether the filter accepts an operator with this name. compiled: the compiled pattern of the filter; NULL
 * if the filter has no pattern. */
bool tp_operator_filter_accepts_name(const struct tp_operator_filter *filter, const regex_t *compiled,
                                     struct tp_str name);

/* Returns whether the filter accepts an operator with these inputs. types: "Input type" as compact JSON; empty: not
 * recorded. */
bool tp_operator_filter_accepts_inputs(const struct tp_operator_filter *filter, struct tp_str types);

#endif
