/* Parses numbers of a trace from their digits: microseconds to int64 nanoseconds, integers, decimals in 1e-9 units.
 *
 * A token is raw JSON text: a number, or a string with a number. Doubles are not used in between; no allocation. */
#ifndef TP_WEBREPORT_TRACE_JSON_NUMBER_H
#define TP_WEBREPORT_TRACE_JSON_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/str.h"

enum tp_number_status {
    TP_NUMBER_OK,
    TP_NUMBER_NONE,  /* absent, null, text, NaN, Infinity */
    TP_NUMBER_RANGE, /* a number outside of the range of the result */
};

/* Parses microseconds into nanoseconds; digits after the third decimal are cut, exponents truncate toward zero. Beyond
 * TP_MAX_TIME_NS: TP_NUMBER_RANGE, and *ns is saturated with the right sign. */
enum tp_number_status tp_number_time(struct tp_str token, int64_t *ns);

/* Parses an integer, or a string of at most 20 digits. Unsigned values above INT64_MAX keep their low 63 bits (ids). */
enum tp_number_status tp_number_int(struct tp_str token, int64_t *out);

/* Parses a decimal number, cut after nine places, in 1e-9 units; saturates. */
enum tp_number_status tp_number_e9(struct tp_str token, int64_t *out);

/* Returns the text as a double (correctly rounded); NaN when it is not a finite number. */
double tp_number_real(struct tp_str token);

#endif
