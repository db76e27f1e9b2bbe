/* Formats numbers for people: see format.h. */
#include "writer/text/format.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "writer/base/table.h"

static const char MINUS[] = "\xe2\x88\x92", DASH[] = "\xe2\x80\x93";

struct tp_unit tp_unit_for_time(int64_t max_ns)
{
    if (max_ns >= 1000000000000)
        return (struct tp_unit){"s", 1e9, 2};
    if (max_ns >= 10000000)
        return (struct tp_unit){"ms", 1e6, 2};
    return (struct tp_unit){"\xc2\xb5s", 1e3, 1};
}

struct tp_unit tp_unit_for_bytes(int64_t max_bytes)
{
    if (max_bytes >= INT64_C(64) << 30)
        return (struct tp_unit){"GiB", 1073741824.0, 2};
    if (max_bytes >= 1 << 20)
        return (struct tp_unit){"MiB", 1048576.0, 1};
    if (max_bytes >= 10240)
        return (struct tp_unit){"KiB", 1024.0, 1};
    return (struct tp_unit){"B", 1.0, 0};
}

enum { NUMBER_BYTES = 64 }; /* room for any number that the functions below print, with its NUL, bytes */

/* Writes the digits of `whole` in groups of three. Returns the end. */
static char *write_grouped_digits(char *at, uint64_t whole)
{
    char text[32];
    size_t first = sizeof(text), digits = 0;

    do {
        if (digits && digits % 3 == 0)
            text[--first] = ',';
        text[--first] = (char)('0' + whole % 10);
        digits++;
        whole /= 10;
    } while (whole);
    memcpy(at, text + first, sizeof(text) - first);
    return at + (sizeof(text) - first);
}

static char *write_text(char *at, const char *text)
{
    size_t size = strlen(text);

    memcpy(at, text, size);
    return at + size;
}

/* Writes the number to `at`, which has room for NUMBER_BYTES. Writes no NUL. Returns the end. */
static char *write_fixed_number(char *at, double value, unsigned decimals)
{
    static const double POWER[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    double scale = POWER[decimals < 9 ? decimals : 9], scaled = round(fabs(value) * scale);
    uint64_t digits, divisor;

    if (isnan(value))
        return write_text(at, DASH);
    if (value < 0 && scaled != 0)
        at = write_text(at, MINUS);
    if (isinf(value))
        return write_text(at, "\xe2\x88\x9e");
    if (scaled >= 1e18) /* numbers of this size get an exponent instead of groups of digits */
        return at + snprintf(at, NUMBER_BYTES / 2, "%.3g", fabs(value));
    digits = (uint64_t)scaled;
    divisor = (uint64_t)scale;
    at = write_grouped_digits(at, digits / divisor);
    if (divisor > 1) {
        *at++ = '.';
        for (digits %= divisor; divisor > 1; digits %= divisor) {
            divisor /= 10;
            *at++ = (char)('0' + digits / divisor);
        }
    }
    return at;
}

void tp_format_fixed(struct tp_buf *out, double value, unsigned decimals)
{
    char text[NUMBER_BYTES];

    tp_buf_add(out, text, (size_t)(write_fixed_number(text, value, decimals) - text));
}

/* Returns the number of decimals that shows about three significant digits. */
static unsigned choose_decimals(double value)
{
    value = fabs(value);
    if (value == 0 || value >= 999.95)
        return 0;
    return value >= 9.995 ? 1 : value >= 0.0995 ? 2 : 3;
}

static const char *format_with_unit(struct tp_arena *arena, double value, unsigned decimals, const char *unit)
{
    char text[NUMBER_BYTES + 16], *at = write_fixed_number(text, value, decimals);

    *at++ = ' ';
    at = write_text(at, unit);
    return tp_arena_copy(arena, text, (size_t)(at - text));
}

const char *tp_text_of_time(struct tp_arena *arena, int64_t ns)
{
    double size = fabs((double)ns);

    if (ns == TP_NULL_INT)
        return DASH;
    if (size >= 1e9)
        return format_with_unit(arena, (double)ns / 1e9, 2, "s");
    if (size >= 1e6)
        return format_with_unit(arena, (double)ns / 1e6, choose_decimals((double)ns / 1e6), "ms");
    return format_with_unit(arena, (double)ns / 1e3, ns % 1000 ? 1 : 0, "\xc2\xb5s");
}

const char *tp_text_of_bytes(struct tp_arena *arena, int64_t bytes)
{
    double size = fabs((double)bytes);

    if (bytes == TP_NULL_INT)
        return DASH;
    if (size >= 1073741824.0)
        return format_with_unit(arena, (double)bytes / 1073741824.0, 2, "GiB");
    if (size >= 1048576.0)
        return format_with_unit(arena, (double)bytes / 1048576.0, 1, "MiB");
    if (size >= 1024.0)
        return format_with_unit(arena, (double)bytes / 1024.0, 1, "KiB");
    return format_with_unit(arena, (double)bytes, 0, "B");
}

const char *tp_text_of_percent(struct tp_arena *arena, double percent)
{
    return isnan(percent) ? DASH : format_with_unit(arena, percent, 1, "%");
}

const char *tp_text_of_count(struct tp_arena *arena, int64_t count)
{
    char text[NUMBER_BYTES], *at = text;

    if (count == TP_NULL_INT)
        return DASH;
    if (count < 0)
        at = write_text(at, MINUS);
    at = write_grouped_digits(at, count < 0 ? -(uint64_t)count : (uint64_t)count);
    return tp_arena_copy(arena, text, (size_t)(at - text));
}

const char *tp_text_of_fixed(struct tp_arena *arena, double value, unsigned decimals)
{
    char text[NUMBER_BYTES];

    return tp_arena_copy(arena, text, (size_t)(write_fixed_number(text, value, decimals) - text));
}

const char *tp_text_of_counted_noun(struct tp_arena *arena, int64_t count, const char *one, const char *many)
{
    return tp_text_printf(arena, "%s %s", tp_text_of_count(arena, count), count == 1 ? one : many);
}

const char *tp_text_printf(struct tp_arena *arena, const char *format, ...)
{
    va_list args;
    char *text;
    int size;

    va_start(args, format);
    size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (size < 0)
        return "";
    text = tp_arena_alloc(arena, (size_t)size + 1);
    va_start(args, format);
    vsnprintf(text, (size_t)size + 1, format, args);
    va_end(args);
    return text;
}

const char *tp_text_of_date(struct tp_arena *arena, int64_t unix_ns)
{
    /* only 2000-01-01 to 2100-01-01 are times of day; smaller values come from a monotonic clock */
    int64_t seconds = unix_ns / 1000000000, days, era, day_of_era, year_of_era, day_of_year, month_index;
    int64_t year, month, day;

    if (seconds < 946684800 || seconds >= 4102444800)
        return NULL;
    /* date of a number of days, as in Howard Hinnant's chrono-compatible date algorithms */
    days = seconds / 86400 + 719468;
    era = days / 146097;
    day_of_era = days - era * 146097;
    year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    month_index = (5 * day_of_year + 2) / 153;
    day = day_of_year - (153 * month_index + 2) / 5 + 1;
    month = month_index < 10 ? month_index + 3 : month_index - 9;
    year = year_of_era + era * 400 + (month <= 2);
    seconds %= 86400;
    return tp_text_printf(arena, "%04d-%02d-%02d %02d:%02d:%02d UTC", (int)year, (int)month, (int)day,
                          (int)(seconds / 3600), (int)(seconds / 60 % 60), (int)(seconds % 60));
}

double tp_percent(int64_t part, int64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0.0;
}
