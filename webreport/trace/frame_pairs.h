/* Pairs source lines of two runs that are the same place in the program, even if an edit has changed the line
 * numbers. */
#ifndef TP_WEBREPORT_TRACE_FRAME_PAIRS_H
#define TP_WEBREPORT_TRACE_FRAME_PAIRS_H

#include "writer/base/str.h"

/* Returns the place of a frame "path(line): function": path and function with a NUL between them, in `arena`. Sets
 * *line to the line number. For other texts returns the text itself, with line 0. */
struct tp_str tp_frame_location_key(struct tp_arena *arena, struct tp_str text, int32_t *line);

/* Returns an array with one element for each text of `base`: the id in `other` of the same place, or TP_NO_ID. Equal
 * texts are the same place. Among the other texts, the lines of one function are paired in their order. Allocates from
 * `arena`, whose guard must be set. */
uint32_t *tp_frame_pairs(const struct tp_strings *base, const struct tp_strings *other, struct tp_arena *arena);

/* Returns the text of `other` that is paired with the text `id` of `base`, or the text of `base` if it has no pair.
 * pairs: result of tp_frame_pairs. */
static inline struct tp_str tp_frame_paired_text(const uint32_t *pairs, const struct tp_strings *base,
                                                 const struct tp_strings *other, struct tp_str text)
{
    uint32_t id = tp_strings_find(base, text);
    return id != TP_NO_ID && pairs[id] != TP_NO_ID ? tp_strings_get(other, pairs[id]) : text;
}

#endif
