/* Parses numbers of a trace from their digits: times in microseconds to int64 nanoseconds, integers, and decimals in
 * units of 1e-9. A token is raw JSON: a number, or a string with a number. Except in tp_number_parse_real, no double is
 * used. Allocates nothing. */
#ifndef TP_WEBREPORT_TRACE_JSON_NUMBER_H
#define TP_WEBREPORT_TRACE_JSON_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/str.h"

enum tp_number_status {
    TP_NUMBER_OK,
    TP_NUMBER_NONE,  /* not a number: absent, null, text, NaN or Infinity */
    TP_NUMBER_RANGE, /* a number that is outside of the result's range */
};

/* Parses microseconds and sets *ns to nanoseconds. Cuts digits after the third decimal; truncates exponents toward
 * zero. Beyond TP_MAX_TIME_NS returns TP_NUMBER_RANGE, and *ns is the largest time with the same sign. */
enum tp_number_status tp_number_parse_time(struct tp_str token, int64_t *ns);

/* Parses an integer, or a string with an integer. Ids between INT64_MAX and UINT64_MAX keep their low 63 bits. */
enum tp_number_status tp_number_parse_int(struct tp_str token, int64_t *out);

/* Parses a decimal number into units of 1e-9. Cuts digits after the ninth decimal. Large values become INT64_MAX or
 * -INT64_MAX. */
enum tp_number_status tp_number_parse_billionths(struct tp_str token, int64_t *out);

/* Returns the number in a token, correctly rounded; NaN if it is not a finite number. */
double tp_number_parse_real(struct tp_str token);

#endif
