/* Parses numbers from their digits: see number.h. One decimal parser handles times and units of 1e-9. Times in the
 * usual form (digits, point, three digits) have a fast path. */
#include "webreport/trace/json/number.h"

#include <math.h>
#include <stdlib.h>

#include "writer/base/limits.h"

typedef unsigned __int128 wide;

/* Returns the content of a quoted token, without white space at its ends. Returns other tokens unchanged. */
static struct tp_str content_of_token(struct tp_str token)
{
    if (token.len >= 2 && token.ptr[0] == '"') {
        token.ptr++;
        token.len -= 2;
        while (token.len && (token.ptr[0] == ' ' || (token.ptr[0] >= '\t' && token.ptr[0] <= '\r')))
            token.ptr++, token.len--;
        while (token.len && (token.ptr[token.len - 1] == ' ' ||
                             (token.ptr[token.len - 1] >= '\t' && token.ptr[token.len - 1] <= '\r')))
            token.len--;
    }
    return token;
}

/* Returns value * 10^power, truncated toward zero, at most 2^100. power: from -60 to 60. */
static wide scale_by_power_of_ten(wide value, long power)
{
    const wide top = (wide)1 << 100;
    for (; power > 0 && value && value < top; power--)
        value *= 10;
    for (; power < 0 && value; power++)
        value /= 10;
    return value < top ? value : top;
}

/* Reads a number -?digits[.digits][e[+-]digits] and multiplies it by 10^scale. Sets *out to the absolute value, at most
 * 2^100, and *negative to the sign. */
static enum tp_number_status parse_decimal(struct tp_str text, int scale, wide *out, bool *negative)
{
    const char *p = text.ptr, *end = text.ptr + text.len;
    wide value = 0;
    long exponent = scale, dropped = 0;
    *negative = p < end && *p == '-';
    p += *negative;
    if (p == end || !tp_is_digit(*p))
        return TP_NUMBER_NONE;
    for (; p < end && tp_is_digit(*p); p++) {
        if (value >> 96)
            dropped++; /* further digits do not fit; only their number is used */
        else
            value = value * 10 + (unsigned)(*p - '0');
    }
    if (p < end && *p == '.') {
        for (p++; p < end && tp_is_digit(*p); p++) {
            if (value >> 96 || exponent < -40)
                continue;
            value = value * 10 + (unsigned)(*p - '0');
            exponent--;
        }
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        long e = 0;
        bool minus = ++p < end && *p == '-';
        p += p < end && (*p == '-' || *p == '+');
        if (p == end || !tp_is_digit(*p))
            return TP_NUMBER_NONE;
        for (; p < end && tp_is_digit(*p); p++)
            e = e < 100000 ? e * 10 + (*p - '0') : e;
        exponent += minus ? -e : e;
    }
    if (p != end)
        return TP_NUMBER_NONE;
    *out = scale_by_power_of_ten(value, exponent + dropped);
    return TP_NUMBER_OK;
}

/* Appends the `len` digits at p to *value, which must end up with at most 18 digits. Returns false if a character is
 * not a digit. Parses eight digits at a time: combines neighbors to pairs, pairs to fours, fours to eight. */
static inline bool append_digits_to_value(const char *p, size_t len, uint64_t *value)
{
    uint64_t v = *value;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (; len >= 8; p += 8, len -= 8) {
        uint64_t x;
        memcpy(&x, p, 8);
        x -= 0x3030303030303030u;
        if ((x | (x + 0x7676767676767676u)) & 0x8080808080808080u)
            return false;
        x = x * 10 + (x >> 8);
        x = ((x & 0x000000FF000000FFu) * 0x000F424000000064u +
             ((x >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u) >>
            32;
        v = v * 100000000u + x;
    }
#endif
    for (; len; p++, len--) {
        if (!tp_is_digit(*p))
            return false;
        v = v * 10 + (unsigned)(*p - '0');
    }
    *value = v;
    return true;
}

/* Parses the two forms of times that Kineto writes: digits, or digits, a point and three digits. Returns false for
 * other forms, and for times near the limit. */
static inline bool parse_plain_time(struct tp_str token, int64_t *ns)
{
    bool has_point = token.len > 4 && token.ptr[token.len - 4] == '.';
    size_t whole = has_point ? token.len - 4 : token.len;
    uint64_t value = 0;
    if (whole == 0 || whole > 16 || !append_digits_to_value(token.ptr, whole, &value) || value >= TP_MAX_TIME_NS / 1000)
        return false;
    if (has_point ? !append_digits_to_value(token.ptr + whole + 1, 3, &value) : (value *= 1000, false))
        return false;
    *ns = (int64_t)value;
    return true;
}

enum tp_number_status tp_number_parse_time(struct tp_str token, int64_t *ns)
{
    wide value;
    bool negative;
    if (parse_plain_time(token, ns))
        return TP_NUMBER_OK;
    enum tp_number_status status = parse_decimal(content_of_token(token), 3, &value, &negative);
    if (status != TP_NUMBER_OK)
        return status;
    if (value >= (wide)TP_MAX_TIME_NS) {
        *ns = negative ? -(TP_MAX_TIME_NS - 1) : TP_MAX_TIME_NS - 1;
        return TP_NUMBER_RANGE;
    }
    *ns = negative ? -(int64_t)value : (int64_t)value;
    return TP_NUMBER_OK;
}

enum tp_number_status tp_number_parse_int(struct tp_str token, int64_t *out)
{
    uint64_t plain = 0;
    if (token.len - 1 < 18 && append_digits_to_value(token.ptr, token.len, &plain)) {
        *out = (int64_t)plain;
        return TP_NUMBER_OK;
    }
    struct tp_str text = content_of_token(token);
    const char *p = text.ptr, *end = text.ptr + text.len;
    bool negative = p < end && *p == '-';
    uint64_t value = 0;
    p += negative;
    if (p == end)
        return TP_NUMBER_NONE;
    for (; p < end; p++) {
        if (!tp_is_digit(*p))
            return TP_NUMBER_NONE;
        if (__builtin_mul_overflow(value, 10u, &value) || __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
            break;
    }
    for (; p < end; p++) /* the number is too large; the remaining characters must still be digits */
        if (!tp_is_digit(*p))
            return TP_NUMBER_NONE;
        else if (p + 1 == end)
            return TP_NUMBER_RANGE;
    if (value > INT64_MAX) {
        if (negative)
            return TP_NUMBER_RANGE;
        value &= INT64_MAX;
    }
    *out = negative ? -(int64_t)value : (int64_t)value;
    return TP_NUMBER_OK;
}

/* Returns the position of the point in the token; the token's length if it has no point. */
static inline size_t integer_part_length(struct tp_str token)
{
    size_t whole = 0;
    while (whole < token.len && token.ptr[whole] != '.')
        whole++;
    return whole;
}

enum tp_number_status tp_number_parse_billionths(struct tp_str token, int64_t *out)
{
    static const uint32_t power[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
    size_t whole = integer_part_length(token), decimals = whole < token.len ? token.len - whole - 1 : 0;
    uint64_t plain = 0;
    if (whole - 1 < 9 && decimals <= 9 && append_digits_to_value(token.ptr, whole, &plain) &&
        append_digits_to_value(token.ptr + token.len - decimals, decimals, &plain)) {
        *out = (int64_t)(plain * power[9 - decimals]);
        return TP_NUMBER_OK;
    }
    wide value;
    bool negative;
    enum tp_number_status status = parse_decimal(content_of_token(token), 9, &value, &negative);
    if (status != TP_NUMBER_OK)
        return status;
    if (value > INT64_MAX)
        value = INT64_MAX;
    *out = negative ? -(int64_t)value : (int64_t)value;
    return TP_NUMBER_OK;
}

/* Parses up to 15 digits, with or without a point. All digits together are below 2^53, so one division by an exact
 * power of ten rounds as strtod does. Returns false for other forms. */
static bool parse_plain_real(struct tp_str token, double *out)
{
    static const double power[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    uint64_t value = 0;
    size_t whole = integer_part_length(token), decimals = whole < token.len ? token.len - whole - 1 : 0;
    if (whole == 0 || whole + decimals > 15 || (whole < token.len && decimals == 0) ||
        !append_digits_to_value(token.ptr, whole, &value) ||
        !append_digits_to_value(token.ptr + token.len - decimals, decimals, &value))
        return false;
    *out = (double)value / power[decimals];
    return true;
}

double tp_number_parse_real(struct tp_str token)
{
    char text[64], *end;
    double plain;
    if (parse_plain_real(token, &plain))
        return plain;
    token = content_of_token(token);
    if (token.len == 0 || token.len >= sizeof text || !(tp_is_digit(token.ptr[0]) || token.ptr[0] == '-'))
        return NAN;
    memcpy(text, token.ptr, token.len);
    text[token.len] = '\0';
    double value = strtod(text, &end);
    return *end || !isfinite(value) ? NAN : value;
}
