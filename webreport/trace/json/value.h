/* Reads and formats compact JSON texts (the items of tp_trace.values).
 *
 * Compact means: no white space outside strings, strings escaped in one way, numbers as written. This module handles
 * shapes, types, grids and the few top-level objects; the reader itself reads times and sizes. Allocates only in the
 * arena arguments. */
#ifndef TP_WEBREPORT_TRACE_JSON_VALUE_H
#define TP_WEBREPORT_TRACE_JSON_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

/* Returns the value as Python's repr prints the parsed lists: [[2, 8], [], []]. Texts are in single quotes, numbers
 * with a fraction without quotes (docs/definitions.md, section 4). */
struct tp_str tp_value_shape_text(struct tp_arena *arena, struct tp_str json);

/* Returns the value as Python's json.dumps(parsed, separators=(", ", ": ")) prints it, with numbers with a fraction as
 * texts. */
struct tp_str tp_value_dumps(struct tp_arena *arena, struct tp_str json);

/* Returns the value as compact JSON for output, with numbers with a fraction as texts. */
struct tp_str tp_value_output(struct tp_arena *arena, struct tp_str json);

/* Returns the unescaped content of a JSON string. For any other value returns the text that Python's str() prints. ptr
 * NULL for null. */
struct tp_str tp_value_text(struct tp_arena *arena, struct tp_str json);

/* Returns a JSON integer, or a string of digits, as a number (docs/definitions.md, section 1). Returns TP_NULL_INT for
 * other values or beyond int64. */
int64_t tp_value_int(struct tp_str json);

/* Reads the next item of a JSON array or member of an object. *at is 0 before the first call. Returns false at the end,
 * or if `json` is neither. key: the key of a member, as JSON string text; may be NULL. */
bool tp_value_next(struct tp_str json, size_t *at, struct tp_str *key, struct tp_str *item);

/* Returns the value of an object's member; ptr NULL if absent. Of several members with this key, the last one counts.
 */
struct tp_str tp_value_member(struct tp_str json, const char *key);

static inline bool tp_value_is(struct tp_str json, char first)
{
    return json.len && json.ptr[0] == first;
}

/* Returns the rank in a top-level "distributedInfo". Returns TP_NULL_INT if it is absent or impossible in a job: not an
 * integer, negative, beyond TP_MAX_JOB_RANKS, or not below the world size. */
int64_t tp_value_rank(struct tp_str distributed);
int64_t tp_value_world_size(struct tp_str distributed);

#endif
