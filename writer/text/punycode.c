/* Decodes Punycode: see punycode.h. */
#include "writer/text/punycode.h"

#include <stdbool.h>
#include <string.h>

static uint64_t adapt_bias(uint64_t delta, uint64_t count, bool is_first)
{
    uint64_t k = 0;
    delta /= is_first ? 700 : 2;
    for (delta += delta / count; delta > 35 * 26 / 2; k += 36)
        delta /= 35;
    return k + 36 * delta / (delta + 38);
}

/* Reads a number of variable length, which gives the position of the next character. Returns false if the code is
 * damaged. */
static bool read_delta(struct tp_str code, size_t *at, uint64_t bias, uint64_t *place)
{
    uint64_t weight = 1;
    for (uint64_t k = 36;; k += 36) {
        uint64_t low = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
        char c = *at < code.len ? code.ptr[(*at)++] : '\0';
        uint64_t digit = c >= 'a' && c <= 'z'   ? (uint64_t)(c - 'a')
                         : c >= '0' && c <= '9' ? (uint64_t)(c - '0' + 26)
                                                : 36;
        if (digit == 36 || weight > UINT32_MAX || *place > UINT32_MAX)
            return false;
        *place += digit * weight;
        if (digit < low)
            return true;
        weight *= 36 - low;
    }
}

size_t tp_punycode(uint32_t *text, size_t room, struct tp_str ascii, struct tp_str code)
{
    uint64_t count = 0, character = 128, bias = 72, place = 0;
    if (ascii.len + code.len > room)
        return 0;
    for (; count < ascii.len; count++)
        text[count] = (unsigned char)ascii.ptr[count];
    for (size_t at = 0; at < code.len; place++) {
        uint64_t before = place;
        if (!read_delta(code, &at, bias, &place) || (character += place / (count + 1)) > 0x10FFFF ||
            (character >= 0xD800 && character < 0xE000))
            return 0;
        bias = adapt_bias(place - before, ++count, before == 0);
        place %= count;
        memmove(&text[place + 1], &text[place], (size_t)(count - 1 - place) * sizeof *text);
        text[place] = (uint32_t)character;
    }
    return count;
}
