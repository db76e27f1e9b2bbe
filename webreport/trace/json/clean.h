/* Turns raw JSON bytes into the text that they mean: unescapes strings into valid UTF-8 and makes values compact.
 *
 * Returns the defects of a text as bits, so that the reader can count them for every event that has the text. */
#ifndef TP_WEBREPORT_TRACE_JSON_CLEAN_H
#define TP_WEBREPORT_TRACE_JSON_CLEAN_H

#include <stdbool.h>

#include "writer/base/buf.h"
#include "writer/base/str.h"

enum tp_clean_flag {
    TP_CLEAN_CONTROL = 1,       /* raw control characters, which are kept */
    TP_CLEAN_UTF8 = 2,          /* invalid UTF-8 or a lone surrogate, replaced by U+FFFD */
    TP_CLEAN_ESCAPE = 4,        /* an unknown escape, whose backslash is kept */
    TP_CLEAN_CUT = 8,           /* text longer than the limit, which was cut */
    TP_CLEAN_NOT_A_NUMBER = 16, /* a bare word such as inf, replaced by null */
    TP_CLEAN_DEPTH = 32,        /* a value nested deeper than TP_MAX_DEPTH, replaced by null */
    TP_CLEAN_SYNTAX = 64        /* a trailing comma, which was removed, or a text that is not JSON, replaced by null */
};

/* Returns true if the content of a JSON string needs no change: ASCII without backslash and control characters. */
bool tp_clean_is_plain(struct tp_str raw);

/* Appends the meaning of a string's content (between the quotes) to `out`, at most max_bytes, cut between characters.
 * Each maximal ill-formed subpart becomes U+FFFD. Returns the defects (enum tp_clean_flag). */
unsigned tp_clean_string(struct tp_buf *out, struct tp_str raw, size_t max_bytes);

/* Appends a value as compact JSON: no white space, strings escaped in one way. Returns the defects (enum
 * tp_clean_flag). */
unsigned tp_clean_value(struct tp_buf *out, struct tp_str raw);

#endif
