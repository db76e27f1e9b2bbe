/* Parses numbers of a trace from their digits: microseconds to int64 nanoseconds, integers, decimals in units of 1e-9.
 *
 * A token is raw JSON text: a number, or a string with a number. No double is used as an intermediate value, and
 * nothing is allocated. */
#ifndef TP_WEBREPORT_TRACE_JSON_NUMBER_H
#define TP_WEBREPORT_TRACE_JSON_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/str.h"

enum tp_number_status {
    TP_NUMBER_OK,
    TP_NUMBER_NONE,  /* no number: absent, null, text, NaN or Infinity */
    TP_NUMBER_RANGE, /* a number outside the range of the result */
};

/* Parses microseconds into nanoseconds. Digits after the third decimal are cut, and exponents truncate toward zero.
 * Beyond TP_MAX_TIME_NS returns TP_NUMBER_RANGE, and *ns is saturated with the correct sign. */
enum tp_number_status tp_number_time(struct tp_str token, int64_t *ns);

/* Parses an integer, or a string of at most 20 digits. Unsigned values above INT64_MAX keep their low 63 bits (ids). */
enum tp_number_status tp_number_int(struct tp_str token, int64_t *out);

/* Parses a decimal number in units of 1e-9. Digits after the ninth decimal are cut; large values saturate. */
enum tp_number_status tp_number_e9(struct tp_str token, int64_t *out);

/* Returns the text as a double (correctly rounded); NaN if it is not a finite number. */
double tp_number_real(struct tp_str token);

#endif
