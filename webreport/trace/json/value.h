/* Reads and formats compact JSON texts (the items of tp_trace.values).
 *
 * Compact: no white space outside strings, strings escaped in one way, numbers as written. Times and sizes are read by
 * the reader itself; this is for shapes, types, grids and the few header objects. Allocates only in the arena
 * arguments. */
#ifndef TP_WEBREPORT_TRACE_JSON_VALUE_H
#define TP_WEBREPORT_TRACE_JSON_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

/* Returns the value as Python's repr of the parsed lists prints it: [[2, 8], [], []]; texts in single quotes, numbers
 * with a fraction without quotes (docs/definitions.md, section 4). */
struct tp_str tp_value_shape_text(struct tp_arena *arena, struct tp_str json);

/* Returns the value as Python's json.dumps(parsed, separators=(", ", ": ")) prints it; numbers with a fraction become
 * texts. */
struct tp_str tp_value_dumps(struct tp_arena *arena, struct tp_str json);

/* Returns the value for output: compact; numbers with a fraction become texts (as in the twin's reader). */
struct tp_str tp_value_output(struct tp_arena *arena, struct tp_str json);

/* Returns the unescaped content of a JSON string; for any other value the text as Python's str() prints it. ptr NULL
 * for null. */
struct tp_str tp_value_text(struct tp_arena *arena, struct tp_str json);

/* Returns a JSON integer, or a string of digits, as a number (docs/definitions.md, section 1); TP_NULL_INT for other
 * values or beyond int64. */
int64_t tp_value_int(struct tp_str json);

/* Walks over the items of a JSON array or the members of an object: *at starts at 0. Returns false at the end (or when
 * json is neither). key: the key of a member, as JSON string text; may be NULL. */
bool tp_value_next(struct tp_str json, size_t *at, struct tp_str *key, struct tp_str *item);

/* Returns the member of an object by key; ptr NULL when absent. The last one wins. */
struct tp_str tp_value_member(struct tp_str json, const char *key);

static inline bool tp_value_is(struct tp_str json, char first)
{
    return json.len && json.ptr[0] == first;
}

/* Return the rank and the world size in a head's "distributedInfo". TP_NULL_INT: absent or impossible in a job: not an
 * integer, negative, beyond TP_MAX_JOB_RANKS, or a rank that is not below the world size. */
int64_t tp_value_rank(struct tp_str distributed);
int64_t tp_value_world_size(struct tp_str distributed);

#endif
