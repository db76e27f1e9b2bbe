/* Decodes raw JSON text. Unescapes strings to valid UTF-8, and removes white space from values. Returns the defects of
 * a text as bits, so that the reader counts them for every event with this text. */
#ifndef TP_WEBREPORT_TRACE_JSON_CLEAN_H
#define TP_WEBREPORT_TRACE_JSON_CLEAN_H

#include <stdbool.h>

#include "writer/base/buf.h"
#include "writer/base/str.h"

enum tp_clean_flag {
    TP_CLEAN_CONTROL = 1,       /* control characters without escape, which are kept */
    TP_CLEAN_UTF8 = 2,          /* invalid UTF-8 or half a surrogate pair, replaced by U+FFFD */
    TP_CLEAN_ESCAPE = 4,        /* an unknown escape, whose backslash is kept */
    TP_CLEAN_CUT = 8,           /* text longer than the limit, which was cut */
    TP_CLEAN_NOT_A_NUMBER = 16, /* a bare word such as inf, replaced by null */
    TP_CLEAN_DEPTH = 32,        /* a value nested deeper than TP_MAX_DEPTH; the whole text is replaced by null */
    TP_CLEAN_SYNTAX = 64        /* a trailing comma, which is removed, or a text that is not JSON, which is replaced
                                 * by null */
};

/* Returns true if the content of a JSON string needs no change: only ASCII, no backslash, no control character. */
bool tp_clean_is_plain(struct tp_str raw);

/* Decodes the content of a JSON string and appends at most max_bytes of the result, cut between characters. Each
 * maximal ill-formed part becomes U+FFFD. Returns the defects (enum tp_clean_flag). raw: without quotes. */
unsigned tp_clean_string(struct tp_buf *out, struct tp_str raw, size_t max_bytes);

/* Appends a value as compact JSON: without white space, with strings escaped in one way. Returns the defects (enum
 * tp_clean_flag). */
unsigned tp_clean_value(struct tp_buf *out, struct tp_str raw);

#endif
