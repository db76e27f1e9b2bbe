/* Text views and a table of distinct texts.
 *
 * A struct tp_str is a pointer to borrowed bytes and their length. The bytes are NUL-terminated only if their owner
 * says so. */
#ifndef TP_WRITER_BASE_STR_H
#define TP_WRITER_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "writer/base/arena.h"

struct tp_str {
    const char *ptr;
    size_t len;
};

#define TP_STR(literal) ((struct tp_str){(literal), sizeof(literal) - 1})
#define TP_NO_ID UINT32_MAX /* id that means "none" in all tables */

static inline struct tp_str tp_str_of(const char *text)
{
    return (struct tp_str){text, strlen(text)};
}

static inline bool tp_str_equal(struct tp_str a, struct tp_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* Compares bytes, which is also the order of UTF-8 code points. Returns a negative number, 0 or a positive number. */
int tp_str_compare(struct tp_str a, struct tp_str b);

/* Returns whether the text starts with `prefix`. Inline, because the compiler then knows the length of a literal and
 * compares its few bytes without a call. */
static inline bool tp_str_starts(struct tp_str text, const char *prefix)
{
    size_t n = strlen(prefix);
    return text.len >= n && memcmp(text.ptr, prefix, n) == 0;
}

/* Returns whether the text starts with one of the prefixes. prefixes: list that ends with NULL. */
static inline bool tp_str_starts_with_one_of(struct tp_str text, const char *const *prefixes)
{
    while (*prefixes && !tp_str_starts(text, *prefixes))
        prefixes++;
    return *prefixes != NULL;
}

/* Returns whether the text equals one of the words. words: list that ends with NULL. */
static inline bool tp_str_is_one_of(struct tp_str text, const char *const *words)
{
    while (*words && !tp_str_equal(text, tp_str_of(*words)))
        words++;
    return *words != NULL;
}

static inline bool tp_str_ends(struct tp_str text, const char *suffix)
{
    size_t n = strlen(suffix);
    return text.len >= n && memcmp(text.ptr + text.len - n, suffix, n) == 0;
}

/* Returns the position of the first `needle` in `text`, or -1. */
ptrdiff_t tp_str_find(struct tp_str text, const char *needle);
/* Returns the position of the first `needle` in `text`, ignoring the case of ASCII letters in `text`, or -1. `needle`
 * must be lower case. */
ptrdiff_t tp_str_find_ignore_case(struct tp_str text, const char *needle);

/* Returns whether the character is '0' to '9', in any locale. */
static inline bool tp_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns whether the character is an ASCII letter, a digit or an underscore, as in identifiers. */
static inline bool tp_is_word_character(char c)
{
    return tp_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Returns the text without spaces at its beginning and end. */
struct tp_str tp_str_trim(struct tp_str text);

/* Appends the bytes of a text to a vector of char. */
void tp_vec_add_text(struct tp_vec *vec, struct tp_str text);

/* Mixes two numbers into a 64-bit hash. Inline, because it runs several times per event. */
static inline uint64_t tp_hash_mix(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Returns a 64-bit hash of bytes, which is the same in every run. */
static inline uint64_t tp_hash_bytes(const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    uint64_t hash = size * 0x9E3779B97F4A7C15ull, a = 0, b = 0;
    for (; size > 16; p += 16, size -= 16) {
        memcpy(&a, p, 8);
        memcpy(&b, p + 8, 8);
        hash = tp_hash_mix(a ^ hash, b ^ 0xE7037ED1A0B428DBull);
    }
    a = b = 0;
    if (size >= 8) {
        memcpy(&a, p, 8);
        memcpy(&b, p + size - 8, 8);
    } else if (size >= 4) {
        uint32_t x, y;
        memcpy(&x, p, 4);
        memcpy(&y, p + size - 4, 4);
        a = x;
        b = y;
    } else if (size) {
        a = p[0] | (uint64_t)p[size / 2] << 8 | (uint64_t)p[size - 1] << 16;
    }
    return tp_hash_mix(a ^ hash, b ^ 0x8EBC6AF09C88C6E3ull);
}

/* Distinct texts, numbered 0, 1, 2 .. in order of first appearance. The texts are in the arena, and their bytes never
 * move. */
struct tp_strings {
    struct tp_arena *arena;
    struct tp_str *items; /* text of each id, indexed by id */
    uint32_t count, capacity;
    struct tp_string_slot *slots;
    uint32_t slot_count;
    uint64_t bytes, max_bytes;
};

struct tp_string_slot {
    uint64_t hash;
    uint32_t id, used;
};

/* Initializes *strings. max_bytes: largest size of all texts together, bytes (0: TP_MAX_STRING_TABLE_BYTES). If the
 * texts exceed this limit, tp_strings_add jumps to the arena's guard with TP_ELIMIT. */
void tp_strings_init(struct tp_strings *strings, struct tp_arena *arena, uint64_t max_bytes);
/* Returns the id of the text, which is added if it is missing. */
uint32_t tp_strings_add(struct tp_strings *strings, struct tp_str text);
/* Returns the id of the text; TP_NO_ID if it is missing. */
uint32_t tp_strings_find(const struct tp_strings *strings, struct tp_str text);
/* Returns true if at least one of the texts contains the byte. */
bool tp_strings_contain_byte(const struct tp_strings *strings, char byte);

static inline struct tp_str tp_strings_get(const struct tp_strings *strings, uint32_t id)
{
    return id < strings->count ? strings->items[id] : (struct tp_str){"", 0};
}

#endif
