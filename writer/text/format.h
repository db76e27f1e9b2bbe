/* Formats numbers for people: fixed decimals per column, thousands separators, a space before the unit.
 *
 * Rounds half away from zero on the decimal digits shown. A minus is U+2212. Ignores the locale. */
#ifndef TP_WRITER_TEXT_FORMAT_H
#define TP_WRITER_TEXT_FORMAT_H

#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/buf.h"

/* Unit of a column or axis: shows value / divisor with `decimals` decimals. */
struct tp_unit {
    const char *text;
    double divisor;
    unsigned decimals;
};

/* Returns the best unit for nanoseconds up to `max_ns`: µs, ms or s. */
struct tp_unit tp_unit_of_time(int64_t max_ns);
/* Returns the best unit for bytes: B, KiB, MiB, GiB. */
struct tp_unit tp_unit_of_bytes(int64_t max_bytes);

/* Appends value with `decimals` (0 to 9) decimals; "–" for NaN, "∞" for infinities. */
void tp_format_fixed(struct tp_buf *out, double value, unsigned decimals);

/* Return texts for sentences, in the arena: "59.3 ms", "2.60 GiB", "55.5 %", "75,718". Absent values (TP_NULL_INT, NaN)
 * are "–". */
const char *tp_text_of_time(struct tp_arena *arena, int64_t ns);
const char *tp_text_of_bytes(struct tp_arena *arena, int64_t bytes);
const char *tp_text_of_percent(struct tp_arena *arena, double percent);
const char *tp_text_of_count(struct tp_arena *arena, int64_t count);
/* Returns the number with fixed decimals: "59.26". */
const char *tp_text_of_fixed(struct tp_arena *arena, double value, unsigned decimals);
/* Returns "1 step", "6 steps". */
const char *tp_text_of_some(struct tp_arena *arena, int64_t count, const char *one, const char *many);
/* Returns any printf text in the arena. */
const char *tp_text_printf(struct tp_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns "2021-06-08 08:57:03 UTC" for ns since the epoch; NULL if that is not a plausible wall time. */
const char *tp_text_of_date(struct tp_arena *arena, int64_t unix_ns);

/* Returns 100 part / whole; 0 if whole is 0. */
double tp_percent(int64_t part, int64_t whole);

#endif
