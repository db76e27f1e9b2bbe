/* Numbers from digits: see number.h. One decimal reader serves times and 1e-9 units; the common shape of a time
 * (digits, point, three digits) has a short path. */
#include "webreport/trace/number.h"

#include <math.h>
#include <stdlib.h>

#include "writer/base/limits.h"

typedef unsigned __int128 wide;

static inline bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* Content of a quoted token without the white space around it; a bare token stays. */
static struct tp_str content(struct tp_str token)
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

/* value * 10^power for power in -60..60, cut toward zero, saturating at 2^100. */
static wide shift(wide value, long power)
{
    const wide top = (wide)1 << 100;
    for (; power > 0 && value && value < top; power--)
        value *= 10;
    for (; power < 0 && value; power++)
        value /= 10;
    return value < top ? value : top;
}

/* Reads -?digits[.digits][e[+-]digits] times 10^scale into *out with *negative. Digits beyond 2^100 saturate. */
static enum tp_number_status decimal(struct tp_str text, int scale, wide *out, bool *negative)
{
    const char *p = text.ptr, *end = text.ptr + text.len;
    wide value = 0;
    long exponent = scale, dropped = 0;
    *negative = p < end && *p == '-';
    p += *negative;
    if (p == end || !is_digit(*p))
        return TP_NUMBER_NONE;
    for (; p < end && is_digit(*p); p++) {
        if (value >> 96)
            dropped++; /* too long to matter: keep the magnitude */
        else
            value = value * 10 + (unsigned)(*p - '0');
    }
    if (p < end && *p == '.') {
        for (p++; p < end && is_digit(*p); p++) {
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
        if (p == end || !is_digit(*p))
            return TP_NUMBER_NONE;
        for (; p < end && is_digit(*p); p++)
            e = e < 100000 ? e * 10 + (*p - '0') : e;
        exponent += minus ? -e : e;
    }
    if (p != end)
        return TP_NUMBER_NONE;
    *out = shift(value, exponent + dropped);
    return TP_NUMBER_OK;
}

/* Up to 16 digits, a point and up to three digits: every time that Kineto writes. False: not that shape, or near the
 * limit. */
static inline bool plain_time(struct tp_str token, int64_t *ns)
{
    const char *p = token.ptr, *end = token.ptr + token.len;
    int64_t value = 0;
    int decimals = 0;
    if (token.len == 0 || token.len > 20)
        return false;
    for (; p < end && is_digit(*p) && p - token.ptr <= 16; p++)
        value = value * 10 + (*p - '0');
    if (p - token.ptr > 16 || p == token.ptr || value >= TP_MAX_TIME_NS / 1000)
        return false;
    if (p < end && *p == '.')
        for (p++; p < end && decimals < 3 && is_digit(*p); p++, decimals++)
            value = value * 10 + (*p - '0');
    if (p != end)
        return false;
    static const int64_t scale[] = {1000, 100, 10, 1};
    *ns = value * scale[decimals];
    return true;
}

enum tp_number_status tp_number_time(struct tp_str token, int64_t *ns)
{
    wide value;
    bool negative;
    if (plain_time(token, ns))
        return TP_NUMBER_OK;
    enum tp_number_status status = decimal(content(token), 3, &value, &negative);
    if (status != TP_NUMBER_OK)
        return status;
    if (value >= (wide)TP_MAX_TIME_NS) {
        *ns = negative ? -(TP_MAX_TIME_NS - 1) : TP_MAX_TIME_NS - 1;
        return TP_NUMBER_RANGE;
    }
    *ns = negative ? -(int64_t)value : (int64_t)value;
    return TP_NUMBER_OK;
}

enum tp_number_status tp_number_int(struct tp_str token, int64_t *out)
{
    struct tp_str text = content(token);
    const char *p = text.ptr, *end = text.ptr + text.len;
    bool negative = p < end && *p == '-';
    uint64_t value = 0;
    p += negative;
    if (p == end)
        return TP_NUMBER_NONE;
    for (; p < end; p++) {
        if (!is_digit(*p))
            return TP_NUMBER_NONE;
        if (__builtin_mul_overflow(value, 10u, &value) || __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
            break;
    }
    for (; p < end; p++) /* overflown: still a number? */
        if (!is_digit(*p))
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

enum tp_number_status tp_number_e9(struct tp_str token, int64_t *out)
{
    wide value;
    bool negative;
    enum tp_number_status status = decimal(content(token), 9, &value, &negative);
    if (status != TP_NUMBER_OK)
        return status;
    if (value > INT64_MAX)
        value = INT64_MAX;
    *out = negative ? -(int64_t)value : (int64_t)value;
    return TP_NUMBER_OK;
}

double tp_number_real(struct tp_str token)
{
    char text[64], *end;
    token = content(token);
    if (token.len == 0 || token.len >= sizeof text || !(is_digit(token.ptr[0]) || token.ptr[0] == '-'))
        return NAN;
    memcpy(text, token.ptr, token.len);
    text[token.len] = '\0';
    double value = strtod(text, &end);
    return *end || !isfinite(value) ? NAN : value;
}
