/* Checks strict JSON with a state machine over bytes: see strict.h. Each kind of state has its own small function.
 * Strings must be valid UTF-8, without overlong forms and surrogates. A byte order mark is an error, because RFC
 * 8259 forbids writing it. */
#include "webreport/trace/json/strict.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum state {
    BEFORE_VALUE, /* next: a value */
    BEFORE_ITEM,  /* expects a value or ']' after '[' */
    BEFORE_KEY,   /* expects a key or '}' after '{' */
    NEXT_KEY,     /* expects a key after ',' in an object */
    AFTER_KEY,    /* expects ':' after a key */
    AFTER_VALUE,  /* expects ',', a closing bracket, or the end of the text */
    IN_STRING,
    IN_ESCAPE,
    IN_LITERAL,
    MINUS,   /* expects a digit after '-' */
    ZERO,    /* expects no further digit after a leading 0 */
    INTEGER, /* expects more digits, or the end of the number */
    POINT,   /* expects a digit after '.' */
    FRACTION,
    EXPONENT,      /* expects a sign or a digit after 'e' */
    EXPONENT_SIGN, /* expects a digit after the sign of an exponent */
    EXPONENT_DIGITS
};

void tp_strict_init(struct tp_strict *strict)
{
    memset(strict, 0, sizeof *strict);
}

static bool enter_container(struct tp_strict *s, bool is_object)
{
    if (s->depth >= TP_MAX_DEPTH)
        return false;
    uint8_t bit = (uint8_t)(1u << (s->depth % 8));
    s->in_object[s->depth / 8] =
        (uint8_t)(is_object ? s->in_object[s->depth / 8] | bit : s->in_object[s->depth / 8] & ~bit);
    s->depth++;
    s->state = is_object ? BEFORE_KEY : BEFORE_ITEM;
    return true;
}

static bool is_in_object(const struct tp_strict *s)
{
    return s->depth && (s->in_object[(s->depth - 1) / 8] >> ((s->depth - 1) % 8) & 1);
}

static bool leave_container(struct tp_strict *s, bool is_object)
{
    if (s->depth == 0 || is_in_object(s) != is_object)
        return false;
    s->depth--;
    s->state = AFTER_VALUE;
    return true;
}

static bool begin_string(struct tp_strict *s, bool is_key)
{
    s->is_key = is_key;
    s->state = IN_STRING;
    return true;
}

static bool begin_value_with_byte(struct tp_strict *s, unsigned char c)
{
    if (c == '"')
        return begin_string(s, false);
    if (c == '{' || c == '[')
        return enter_container(s, c == '{');
    if (tp_is_digit((char)c) || c == '-') {
        s->state = c == '-' ? MINUS : c == '0' ? ZERO : INTEGER;
        return true;
    }
    s->literal = c == 't' ? "rue" : c == 'f' ? "alse" : c == 'n' ? "ull" : NULL;
    s->state = IN_LITERAL;
    return s->literal != NULL;
}

static bool read_byte_after_value(struct tp_strict *s, unsigned char c)
{
    if (c == ',' && s->depth) {
        s->state = is_in_object(s) ? NEXT_KEY : BEFORE_VALUE;
        return true;
    }
    return (c == '}' || c == ']') && leave_container(s, c == '}');
}

/* Starts a character of several bytes: sets how many bytes follow, and the range of the next byte. Returns false if
 * no character begins with c. */
static bool begin_utf8(struct tp_strict *s, unsigned char c)
{
    if (c < 0xC2 || c > 0xF4)
        return false;
    s->utf8_bytes_left = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
    s->utf8_min_byte = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80;
    s->utf8_max_byte = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
    return true;
}

static bool read_string_byte(struct tp_strict *s, unsigned char c)
{
    if (s->hex_digits_left) {
        s->hex_digits_left--;
        return tp_is_digit((char)c) || ((c | 32) >= 'a' && (c | 32) <= 'f');
    }
    if (s->utf8_bytes_left) {
        bool good = c >= s->utf8_min_byte && c <= s->utf8_max_byte;
        s->utf8_bytes_left--;
        s->utf8_min_byte = 0x80;
        s->utf8_max_byte = 0xBF;
        return good;
    }
    if (c == '"') {
        s->state = s->is_key ? AFTER_KEY : AFTER_VALUE;
        return true;
    }
    if (c == '\\') {
        s->state = IN_ESCAPE;
        return true;
    }
    return c >= 0x80 ? begin_utf8(s, c) : c >= 0x20;
}

static bool read_escape_byte(struct tp_strict *s, unsigned char c)
{
    s->state = IN_STRING;
    s->hex_digits_left = c == 'u' ? 4 : 0;
    return c && strchr("\"\\/bfnrtu", c) != NULL;
}

static bool read_literal_byte(struct tp_strict *s, unsigned char c)
{
    if (*s->literal != (char)c)
        return false;
    if (*++s->literal == '\0')
        s->state = AFTER_VALUE;
    return true;
}

/* Returns the next state inside a number; -1 if the number cannot continue with c. */
static int next_number_state(uint8_t state, unsigned char c)
{
    bool digit = tp_is_digit((char)c), e = c == 'e' || c == 'E';
    switch (state) {
    case MINUS:
        return digit ? (c == '0' ? ZERO : INTEGER) : -1;
    case ZERO:
        return c == '.' ? POINT : e ? EXPONENT : -1;
    case INTEGER:
        return digit ? INTEGER : c == '.' ? POINT : e ? EXPONENT : -1;
    case POINT:
        return digit ? FRACTION : -1;
    case FRACTION:
        return digit ? FRACTION : e ? EXPONENT : -1;
    case EXPONENT:
        return digit ? EXPONENT_DIGITS : c == '+' || c == '-' ? EXPONENT_SIGN : -1;
    default:
        return digit ? EXPONENT_DIGITS : -1;
    }
}

static bool is_complete_number(uint8_t state)
{
    return state == ZERO || state == INTEGER || state == FRACTION || state == EXPONENT_DIGITS;
}

static bool read_between_values(struct tp_strict *s, unsigned char c)
{
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t')
        return true;
    switch (s->state) {
    case BEFORE_ITEM:
        return c == ']' ? leave_container(s, false) : begin_value_with_byte(s, c);
    case BEFORE_KEY:
        return c == '}' ? leave_container(s, true) : c == '"' && begin_string(s, true);
    case NEXT_KEY:
        return c == '"' && begin_string(s, true);
    case AFTER_KEY:
        s->state = BEFORE_VALUE;
        return c == ':';
    case AFTER_VALUE:
        return read_byte_after_value(s, c);
    default:
        return begin_value_with_byte(s, c);
    }
}

static bool read_byte(struct tp_strict *s, unsigned char c)
{
    if (s->state == IN_STRING)
        return read_string_byte(s, c);
    if (s->state == IN_ESCAPE)
        return read_escape_byte(s, c);
    if (s->state == IN_LITERAL)
        return read_literal_byte(s, c);
    if (s->state >= MINUS) {
        int next = next_number_state(s->state, c);
        if (next >= 0) {
            s->state = (uint8_t)next;
            return true;
        }
        if (!is_complete_number(s->state))
            return false;
        s->state = AFTER_VALUE; /* the number has ended before c, so c is read again */
    }
    return read_between_values(s, c);
}

/* Returns the number of bytes at p that are ASCII and need no escape in a string. Most bytes of a trace are of this
 * kind. */
static size_t plain_text_length(const char *p, size_t size)
{
    size_t i = 0;
#ifdef __SSE2__
    const __m128i control = _mm_set1_epi8(0x1F), quote = _mm_set1_epi8('"'), escape = _mm_set1_epi8('\\');
    for (; i + 16 <= size; i += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(p + i));
        __m128i odd = _mm_or_si128(_mm_cmpeq_epi8(x, quote), _mm_cmpeq_epi8(x, escape));
        unsigned plain = (unsigned)_mm_movemask_epi8(_mm_andnot_si128(odd, _mm_cmpgt_epi8(x, control)));
        if (plain != 0xFFFF)
            return i + (size_t)__builtin_ctz(~plain);
    }
#endif
    while (i < size && p[i] >= 0x20 && (unsigned char)p[i] < 0x80 && p[i] != '"' && p[i] != '\\')
        i++;
    return i;
}

/* Returns the number of bytes at p that do not change the state. Text, digits and white space come in long runs. */
static inline size_t unchanged_state_length(const struct tp_strict *s, const char *p, size_t size)
{
    size_t i = 0;
    if (s->state == IN_STRING)
        return s->hex_digits_left || s->utf8_bytes_left ? 0 : plain_text_length(p, size);
    if (s->state == INTEGER || s->state == FRACTION)
        while (i < size && tp_is_digit(p[i]))
            i++;
    else if (s->state < IN_STRING)
        while (i < size && (p[i] == ' ' || p[i] == '\n'))
            i++;
    return i;
}

int tp_strict_feed(struct tp_strict *s, const char *bytes, size_t size, struct tp_error *err)
{
    for (size_t i = 0; i < size; i++) {
        i += unchanged_state_length(s, bytes + i, size - i);
        if (i == size)
            break;
        if (!read_byte(s, (unsigned char)bytes[i]))
            return tp_error_set(err, TP_EFORMAT, s->offset + i, "byte %" PRIu64 " is not JSON here", s->offset + i);
    }
    s->offset += size;
    return TP_OK;
}

int tp_strict_end(struct tp_strict *s, struct tp_error *err)
{
    if (s->depth == 0 && (s->state == AFTER_VALUE || is_complete_number(s->state)))
        return TP_OK;
    return tp_error_set(err, TP_EFORMAT, s->offset, "the JSON text ends too early");
}

bool tp_strict_is_json(struct tp_str text)
{
    struct tp_strict strict;
    tp_strict_init(&strict);
    return tp_strict_feed(&strict, text.ptr, text.len, NULL) == 0 && tp_strict_end(&strict, NULL) == 0;
}
