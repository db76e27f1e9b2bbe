/* Divides integers that a double cannot represent exactly: see ratio.h. */
#include "writer/base/ratio.h"

#include <stdbool.h>

typedef unsigned __int128 u128;

/* bits of the quotient: 53 bits of a double, one bit for rounding, and one bit that is set if there is a remainder */
enum { ENOUGH_BITS = 56 };

/* Divides bit by bit until the quotient has enough bits. A remainder sets the lowest bit, so that the conversion to
 * double rounds as the exact quotient would. */
static double divide_with_rounding(u128 a, u128 b)
{
    u128 quotient = a / b, rest = a % b;
    int exponent = 0;
    while (rest && quotient >> (ENOUGH_BITS - 1) == 0) {
        bool is_one = rest >= b - rest;
        rest = is_one ? rest - (b - rest) : rest + rest;
        quotient = quotient << 1 | is_one;
        exponent--;
    }
    return ldexp((double)(quotient | (rest != 0)), exponent);
}

static u128 absolute_value(__int128 n)
{
    return n < 0 ? -(u128)n : (u128)n;
}

double tp_ratio(__int128 a, __int128 b)
{
    /* a double represents all integers up to this value exactly, so that a division of doubles rounds only once */
    const u128 exact = (u128)1 << 53;
    u128 x = absolute_value(a), y = absolute_value(b);
    if (!b)
        return 0;
    double ratio = x <= exact && y <= exact ? (double)x / (double)y : divide_with_rounding(x, y);
    return (a < 0) != (b < 0) ? -ratio : ratio;
}
