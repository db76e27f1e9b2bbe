/* Division of integers that a double does not hold: see ratio.h. */
#include "writer/base/ratio.h"

#include <stdbool.h>

typedef unsigned __int128 u128;

enum { ENOUGH_BITS = 56 }; /* of a quotient: a double's 53, one that rounds, one that says whether more follows */

/* As a division on paper: bits of the quotient follow until it has enough of them. A remainder that is left is one more
 * bit at its end, so that the conversion rounds as the whole quotient would; an integer that is longer has it there. */
static double divide(u128 a, u128 b)
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

static u128 size_of(__int128 n)
{
    return n < 0 ? -(u128)n : (u128)n;
}

double tp_ratio(__int128 a, __int128 b)
{
    const u128 exact = (u128)1 << 53; /* a double holds every integer up to here: their division rounds once */
    u128 x = size_of(a), y = size_of(b);
    if (!b)
        return 0;
    double ratio = x <= exact && y <= exact ? (double)x / (double)y : divide(x, y);
    return (a < 0) != (b < 0) ? -ratio : ratio;
}
