/* Implements the fast append functions: see put.h. */
#include "writer/base/put.h"

#include <endian.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "writer/base/utf8.h"

/* Returns the eight decimal digits of value < 10^8, one per byte as 0 to 9, with the first digit in the lowest byte.
 * Divides both halves, and then all four pairs, in parallel. Below 10^4, x * 10486 >> 20 is x / 100. Below 100, x *
 * 103 >> 10 is x / 10. */
static inline uint64_t eight_digits(uint32_t value)
{
    uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
    uint64_t hundreds = (fours * 10486 >> 20) & 0x0000007F0000007Full;
    uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
    uint64_t tens = (twos * 103 >> 10) & 0x000F000F000F000Full;
    return tens | (twos - 10 * tens) << 8;
}

/* Writes eight digits with leading zeros. */
static inline char *put_eight_digits(char *at, uint32_t value)
{
    uint64_t digits = htole64(eight_digits(value) | 0x3030303030303030ull);
    memcpy(at, &digits, 8);
    return at + 8;
}

/* Writes a value < 10^8 without leading zeros. Always stores eight bytes; the bytes after the digits are not part of
 * the number. */
static inline char *put_up_to_eight_digits(char *at, uint32_t value)
{
    uint64_t digits = eight_digits(value);
    unsigned skip = digits ? (unsigned)__builtin_ctzll(digits) / 8 : 7;
    digits = htole64((digits | 0x3030303030303030ull) >> (8 * skip));
    memcpy(at, &digits, 8);
    return at + 8 - skip;
}

char *tp_put_uint(char *at, uint64_t value)
{
    enum { UNIT = 100000000 };
    if (value < UNIT)
        return put_up_to_eight_digits(at, (uint32_t)value);
    uint64_t high = value / UNIT;
    at = high < UNIT ? put_up_to_eight_digits(at, (uint32_t)high)
                     : put_eight_digits(put_up_to_eight_digits(at, (uint32_t)(high / UNIT)), (uint32_t)(high % UNIT));
    return put_eight_digits(at, (uint32_t)(value % UNIT));
}

char *tp_put_int(char *at, int64_t value)
{
    if (value >= 0)
        return tp_put_uint(at, (uint64_t)value);
    *at = '-';
    return tp_put_uint(at + 1, -(uint64_t)value);
}

char *tp_put_us(char *at, int64_t ns)
{
    uint64_t rest = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    unsigned fraction = (unsigned)(rest % 1000);
    if (ns < 0)
        *at++ = '-';
    at = tp_put_uint(at, rest / 1000);
    at[0] = '.';
    at[1] = (char)('0' + fraction / 100);
    at[2] = (char)('0' + fraction / 10 % 10);
    at[3] = (char)('0' + fraction % 10);
    return at + 4;
}

char *tp_put_real(char *at, double value)
{
    char text[TP_PUT_REAL];
    if (!isfinite(value))
        return TP_PUT_TEXT(at, "null");
    bool is_small = value > -2147483648.0 && value < 2147483648.0;
    if (is_small && value == (double)(int32_t)value && !(value == 0 && signbit(value)))
        return TP_PUT_TEXT(tp_put_int(at, (int32_t)value), ".0");
    /* tries 15 to 17 digits; every double is read back unchanged from 17 digits */
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (digits == 17 || strtod(text, NULL) == value)
            break;
    }
    for (char *comma = text; *comma; comma++) /* in the locale of the host program, the decimal point may be a comma */
        if (*comma == ',')
            *comma = '.';
    at = tp_put_bytes(at, text, strlen(text));
    return strpbrk(text, ".e") ? at : TP_PUT_TEXT(at, ".0");
}

/* Returns how many bytes of a JSON string, beginning at `p`, need no escape. */
static size_t length_without_escapes(const char *p, size_t size)
{
    const uint64_t ones = 0x0101010101010101ull, high = 0x8080808080808080ull;
    size_t i = 0;
    /* the high bit of a lane is set if its byte is < 0x20, a quote, a backslash, or >= 0x80 */
    for (; i + 8 <= size; i += 8) {
        uint64_t word, quote, slash;
        memcpy(&word, p + i, 8);
        quote = word ^ (ones * '"');
        slash = word ^ (ones * '\\');
        if ((word | (word - ones * 0x20) | (quote - ones) | (slash - ones)) & high)
            break;
    }
    for (; i < size; i++) {
        unsigned char c = (unsigned char)p[i];
        if (c < 0x20 || c >= 0x80 || c == '"' || c == '\\')
            break;
    }
    return i;
}

static void put_escape(struct tp_buf *buf, unsigned char c)
{
    static const char digits[] = "0123456789abcdef", short_form[] = "btn\0fr";
    if (c == '"' || c == '\\' || (c >= 8 && c <= 13 && c != 11)) {
        tp_buf_add(buf, (char[]){'\\', c < 14 ? short_form[c - 8] : (char)c}, 2);
        return;
    }
    tp_buf_add(buf, (char[]){'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]}, 6);
}

/* Appends the character at `p`, which needs an escape or is not ASCII. Returns the length of the character at `p`,
 * bytes. */
static size_t put_character(struct tp_buf *buf, const char *p, size_t left)
{
    int n = tp_utf8_length(p, left);
    if (n == 1)
        put_escape(buf, (unsigned char)*p);
    else if (n > 1)
        tp_buf_add(buf, p, (size_t)n);
    else
        tp_buf_add(buf, "\xEF\xBF\xBD", 3);
    return (size_t)(n < 0 ? -n : n);
}

bool tp_put_string(struct tp_buf *buf, struct tp_str text, size_t max_bytes)
{
    size_t size = text.ptr ? tp_utf8_fitting_bytes(text.ptr, text.len, max_bytes) : 0,
           from = length_without_escapes(text.ptr, size);
    char *at = tp_put_at(buf, from + 2);
    if (!at)
        return false;
    *at++ = '"';
    if (from)
        memcpy(at, text.ptr, from);
    at += from;
    if (from == size) {
        *at++ = '"';
        tp_put_finish(buf, at);
        return text.ptr && size < text.len;
    }
    tp_put_finish(buf, at);
    while (from < size) {
        size_t n = length_without_escapes(text.ptr + from, size - from);
        tp_buf_add(buf, text.ptr + from, n);
        from += n;
        if (from < size)
            from += put_character(buf, text.ptr + from, size - from);
    }
    tp_buf_putc(buf, '"');
    return size < text.len;
}
