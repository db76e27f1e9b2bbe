/* Reads and formats compact JSON texts, such as those in tp_trace.values.
 *
 * Compact JSON has no white space outside strings, strings escaped in one way, and numbers as written. This module
 * handles shapes, types, grids and a few top-level objects. The reader itself reads times and sizes. Memory comes only
 * from the arena that the caller passes. */
#ifndef TP_WEBREPORT_TRACE_JSON_VALUE_H
#define TP_WEBREPORT_TRACE_JSON_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

/* Returns a value as Python's repr prints the parsed lists: [[2, 8], [], []]. Texts have single quotes; numbers with
 * a fraction have no quotes (docs/definitions.md, section 4). */
struct tp_str tp_value_shape_text(struct tp_arena *arena, struct tp_str json);

/* Returns a value as Python's json.dumps(parsed, separators=(", ", ": ")) prints it. Numbers with a fraction become
 * texts. */
struct tp_str tp_value_python_text(struct tp_arena *arena, struct tp_str json);

/* Returns a value as compact JSON for output. Numbers with a fraction become texts. */
struct tp_str tp_value_output_text(struct tp_arena *arena, struct tp_str json);

/* Returns the unescaped content of a JSON string. For other values returns the text that Python's str() prints, with
 * ptr NULL for null. */
struct tp_str tp_value_text(struct tp_arena *arena, struct tp_str json);

/* Returns the number of a JSON integer or a string of digits (docs/definitions.md, section 1). Returns TP_NULL_INT
 * for other values, and for numbers beyond int64. */
int64_t tp_value_int(struct tp_str json);

/* Reads the next item of a JSON array, or member of a JSON object. *at: 0 before the first call. Returns false at
 * the end, or for other values. key: set to the member's key with its quotes; may be NULL. */
bool tp_value_next(struct tp_str json, size_t *at, struct tp_str *key, struct tp_str *item);

/* Returns the value of the member `key` of an object; ptr NULL if absent. If several members have this key, returns the
 * value of the last one. */
struct tp_str tp_value_member(struct tp_str json, const char *key);

static inline bool tp_value_starts_with(struct tp_str json, char first)
{
    return json.len && json.ptr[0] == first;
}

/* Returns the rank in the top-level member "distributedInfo". Returns TP_NULL_INT if it is absent or impossible: no
 * integer, negative, beyond TP_MAX_JOB_RANKS, or not below the world size. */
int64_t tp_value_rank(struct tp_str distributed);
int64_t tp_value_world_size(struct tp_str distributed);

#endif
