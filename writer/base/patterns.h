/* Searches a name for many patterns in one pass, and finds the first rule with a match anywhere in the name. Ignores
 * the case of ASCII letters.
 *
 * Patterns are a subset of POSIX extended regular expressions: letters; a|b; (a|b); x? and (..)?; one of [xyz]; digits
 * [0-9]+; anything .*; ^ only at the beginning, $ at the end; \x for x. They are expanded to a list of texts that is
 * indexed by the first two bytes. So the time of a search depends on the length of the name and not on the number of
 * patterns. Common first bytes of patterns are compared only once. Allocates nothing. */
#ifndef TP_WRITER_BASE_PATTERNS_H
#define TP_WRITER_BASE_PATTERNS_H

#include <stdint.h>

#include "writer/base/str.h"

enum { TP_MAX_PATTERNS = 512, TP_PATTERN_BYTES = 16384, TP_PATTERN_BUCKETS = 256 };

/* A zeroed struct has no patterns. After the last tp_patterns_add, any thread may search. */
struct tp_patterns {
    char text[TP_PATTERN_BYTES]; /* expanded texts of all patterns, one after another, each ending in NUL */
    /* for each pattern: start: index of its text in `text`; rule: number of its rule; next: 1 + index of the next
     * pattern in the same bucket, or 0 */
    uint16_t start[TP_MAX_PATTERNS], rule[TP_MAX_PATTERNS], next[TP_MAX_PATTERNS];
    uint8_t is_anchored[TP_MAX_PATTERNS];
    uint8_t common[TP_MAX_PATTERNS]; /* for each pattern: number of leading letters that it shares with the previous
                                        pattern in its bucket */
    /* for each bucket (hash of a pattern's first two letters): 1 + index of its first and last pattern; 0: none */
    uint16_t first[TP_PATTERN_BUCKETS], last[TP_PATTERN_BUCKETS];
    uint32_t count, size;
};

/* Adds the patterns of a rule; rules must be added in ascending order. Returns 0. Returns a negative value if the table
 * is full or the pattern is not supported; some texts of the pattern may then have been added. */
int tp_patterns_add(struct tp_patterns *patterns, unsigned rule, const char *pattern);

/* Returns the smallest rule that matches anywhere in the name; -1: no match. Only the first 4,096 bytes of a name are
 * searched. */
int tp_patterns_find(const struct tp_patterns *patterns, struct tp_str name);

#endif
