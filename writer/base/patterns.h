/* Many patterns, looked for in a name at once: which rule is the first that is found anywhere in it, ignoring the case
 * of ASCII letters.
 *
 * Patterns are a part of POSIX extended regular expressions: letters; a|b; (a|b); x? and (..)?; one of [xyz]; digits
 * [0-9]+; anything .*; ^ before all else, $ at the end; \x for x. Written out they are a list of texts, found by their
 * first two bytes, so that a look at a name costs its length and not the number of patterns; of those that begin alike
 * the shared bytes are compared once. No memory is asked for. */
#ifndef TP_WRITER_BASE_PATTERNS_H
#define TP_WRITER_BASE_PATTERNS_H

#include <stdint.h>

#include "writer/base/str.h"

enum { TP_MAX_PATTERNS = 512, TP_PATTERN_BYTES = 16384, TP_PATTERN_BUCKETS = 256 };

/* Zero-initialised: no patterns. Read-only after the last add: any thread may look up. */
struct tp_patterns {
    char text[TP_PATTERN_BYTES]; /* written out, one after another, each with a NUL */
    uint16_t start[TP_MAX_PATTERNS], rule[TP_MAX_PATTERNS], next[TP_MAX_PATTERNS]; /* next: + 1; 0: the last one */
    uint8_t is_anchored[TP_MAX_PATTERNS];
    uint8_t common[TP_MAX_PATTERNS]; /* letters that a pattern begins with as the one before it in its bucket does */
    uint16_t first[TP_PATTERN_BUCKETS], last[TP_PATTERN_BUCKETS]; /* by the first two bytes, + 1 */
    uint32_t count, size;
};

/* Adds the patterns of a rule; rules come in ascending order. 0, or negative: there is no room for them, or they are
 * none of those above (then some of them may have been added). */
int tp_patterns_add(struct tp_patterns *patterns, unsigned rule, const char *pattern);

/* The smallest rule that is found in the name; -1: none is. Of a longer name only the first 4,096 bytes are looked at.
 */
int tp_patterns_find(const struct tp_patterns *patterns, struct tp_str name);

#endif
