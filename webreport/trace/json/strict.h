/* Checks that a text is strict JSON (RFC 8259), for --strict and for the conformance suite. A state machine reads
 * byte by byte, without recursion and without allocation. */
#ifndef TP_WEBREPORT_TRACE_JSON_STRICT_H
#define TP_WEBREPORT_TRACE_JSON_STRICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/error.h"
#include "writer/base/limits.h"
#include "writer/base/str.h"

struct tp_strict {
    uint64_t offset;
    uint8_t state, utf8_bytes_left, utf8_min_byte, utf8_max_byte, hex_digits_left;
    uint8_t is_key;      /* true if the current string is the key of a member */
    const char *literal; /* unread rest of the current literal (true, false or null) */
    uint32_t depth;
    uint8_t in_object[TP_MAX_DEPTH / 8];
};

void tp_strict_init(struct tp_strict *strict);
/* Checks the next bytes of the document. Returns 0, or TP_EFORMAT with the offset of the first wrong byte. Must not
 * be called again after an error. */
int tp_strict_feed(struct tp_strict *strict, const char *bytes, size_t size, struct tp_error *err);
/* Checks that the document ended completely. Returns 0 or TP_EFORMAT. */
int tp_strict_end(struct tp_strict *strict, struct tp_error *err);

/* Returns true if the text is exactly one JSON value. */
bool tp_strict_is_json(struct tp_str text);

#endif
