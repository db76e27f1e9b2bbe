/* Checks UTF-8: see utf8.h. */
#include "writer/base/utf8.h"

#include <string.h>

int tp_utf8_length(const char *text, size_t left)
{
    const unsigned char *p = (const unsigned char *)text;
    unsigned char c = p[0], low = 0x80, high = 0xBF;
    int need = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
    if (c < 0x80)
        return 1;
    if (c < 0xC2 || c > 0xF4)
        return -1;
    if (c == 0xE0)
        low = 0xA0;
    else if (c == 0xED)
        high = 0x9F;
    else if (c == 0xF0)
        low = 0x90;
    else if (c == 0xF4)
        high = 0x8F;
    for (int i = 1; i <= need; i++) {
        if ((size_t)i >= left || p[i] < low || p[i] > high)
            return -i;
        low = 0x80;
        high = 0xBF;
    }
    return need + 1;
}

bool tp_utf8_is_ascii(const char *p, size_t size)
{
    /* 16 bytes fit into a register; without AVX the compiler would keep vectors of 32 bytes in memory */

    typedef uint64_t lanes __attribute__((vector_size(16), aligned(1), may_alias));
    lanes a = {0}, b = {0}, c = {0}, d = {0};
    uint64_t high = 0, word;
    size_t i = 0;
    for (; i + 4 * sizeof a <= size; i += 4 * sizeof a) {
        const lanes *block = (const lanes *)(const void *)(p + i);
        a |= block[0];
        b |= block[1];
        c |= block[2];
        d |= block[3];
    }
    a |= b | c | d;
    high = a[0] | a[1];
    for (; i + 8 <= size; i += 8) {
        memcpy(&word, p + i, 8);
        high |= word;
    }
    for (; i < size; i++)
        high |= (uint64_t)(unsigned char)p[i];
    return (high & 0x8080808080808080ull) == 0;
}

bool tp_utf8_has_control(const char *p, size_t size)
{
    typedef uint8_t lanes __attribute__((vector_size(16), aligned(1), may_alias));
    typedef uint64_t halves __attribute__((vector_size(16)));
    lanes found = {0};
    uint8_t bad = 0;
    size_t i = 0;
    for (; i + sizeof found <= size; i += sizeof found) {
        lanes c = *(const lanes *)(const void *)(p + i);
        found |= (lanes)((c < 0x20) & (c != '\t') & (c != '\n') & (c != '\r'));
    }
    for (; i < size; i++) {
        uint8_t c = (uint8_t)p[i];
        bad |= (c < 0x20) & (c != '\t') & (c != '\n') & (c != '\r');
    }
    halves any = (halves)found;
    return bad || (any[0] | any[1]);
}

bool tp_utf8_is_valid(const char *p, size_t size, size_t *rest)
{
    *rest = 0;
    for (size_t i = 0; i < size;) {
        if (i + 8 <= size && tp_utf8_is_ascii(p + i, 8)) {
            i += 8;
            continue;
        }
        int n = tp_utf8_length(p + i, size - i);
        if (n < 0 && i + (size_t)-n == size && (unsigned char)p[i] >= 0xC2 && (unsigned char)p[i] <= 0xF4) {
            *rest = size - i;
            return true;
        }
        if (n < 0)
            return false;
        i += (size_t)n;
    }
    return true;
}

size_t tp_utf8_count(const char *text, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += !tp_utf8_is_continuation(text[i]);
    return count;
}

size_t tp_utf8_fitting_bytes(const char *text, size_t size, size_t max_bytes)
{
    size_t kept = max_bytes;
    if (size <= max_bytes)
        return size;
    /* at most 3, because a character has at most three continuation bytes */
    for (int back = 0; back < 3 && kept > 0 && tp_utf8_is_continuation(text[kept]); back++)
        kept--;
    return kept;
}

uint32_t tp_utf8_get(const char *text, int length)
{
    unsigned char first = (unsigned char)text[0];
    uint32_t character = length > 1 ? first & (0xFFu >> (length + 1)) : first;
    for (int i = 1; i < length; i++)
        character = character << 6 | ((unsigned char)text[i] & 0x3F);
    return character;
}

size_t tp_utf8_put(char bytes[4], uint32_t character)
{
    if (character > 0x10FFFF || (character >= 0xD800 && character < 0xE000))
        character = 0xFFFD;
    if (character < 0x80) {
        bytes[0] = (char)character;
        return 1;
    }
    size_t count = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    for (size_t i = count; i-- > 1; character >>= 6)
        bytes[i] = (char)(0x80 | (character & 0x3F));
    bytes[0] = (char)((0xF00 >> count & 0xF0) | character);
    return count;
}

unsigned tp_utf8_bidi_length(const char *text, size_t left)
{
    const unsigned char *p = (const unsigned char *)text;
    if (left >= 2 && p[0] == 0xD8 && p[1] == 0x9C)
        return 0x061C;
    if (left < 3 || p[0] != 0xE2 || (p[1] != 0x80 && p[1] != 0x81) || p[2] < 0x80 || p[2] > 0xBF)
        return 0;
    unsigned code = 0x2000u | (unsigned)(p[1] & 0x3F) << 6 | (p[2] & 0x3Fu);
    bool is_one =
        code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    return is_one ? code : 0;
}
