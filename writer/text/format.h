/* Formats numbers for people: fixed decimals for each column, thousands separators, a space before the unit.
 *
 * Numbers are rounded half away from zero at the last decimal shown. The minus sign is U+2212. The locale has no
 * effect. */
#ifndef TP_WRITER_TEXT_FORMAT_H
#define TP_WRITER_TEXT_FORMAT_H

#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/buf.h"

/* Unit of a column or axis. A value is shown as value / divisor with `decimals` decimals. */
struct tp_unit {
    const char *text;
    double divisor;
    unsigned decimals;
};

/* Returns the best unit for times up to `max_ns`: µs, ms or s. */
struct tp_unit tp_unit_for_time(int64_t max_ns);
/* Returns the best unit for sizes up to `max_bytes`: B, KiB, MiB or GiB. */
struct tp_unit tp_unit_for_bytes(int64_t max_bytes);

/* Appends the value with `decimals` (0 to 9) decimals. NaN becomes "–", infinities become "∞". */
void tp_format_fixed(struct tp_buf *out, double value, unsigned decimals);

/* tp_text_of_* return texts for sentences, in the arena: "59.3 ms", "2.60 GiB", "55.5 %", "75,718". Absent values
 * (TP_NULL_INT, NaN) become "–". */
const char *tp_text_of_time(struct tp_arena *arena, int64_t ns);
const char *tp_text_of_bytes(struct tp_arena *arena, int64_t bytes);
const char *tp_text_of_percent(struct tp_arena *arena, double percent);
const char *tp_text_of_count(struct tp_arena *arena, int64_t count);
/* Returns the number with fixed decimals, such as "59.26". */
const char *tp_text_of_fixed(struct tp_arena *arena, double value, unsigned decimals);
/* Returns the count with its noun, `one` for 1 and `many` otherwise: "1 step", "6 steps". */
const char *tp_text_of_counted_noun(struct tp_arena *arena, int64_t count, const char *one, const char *many);
/* Returns a text formatted as by printf, in the arena. */
const char *tp_text_printf(struct tp_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns a date such as "2021-06-08 08:57:03 UTC". unix_ns: ns since the epoch. Returns NULL if unix_ns is not
 * between 2000 and 2100, and so is probably not a date. */
const char *tp_text_of_date(struct tp_arena *arena, int64_t unix_ns);

/* Returns `part` in percent of `whole`; 0 if `whole` is 0. */
double tp_percent(int64_t part, int64_t whole);

#endif
