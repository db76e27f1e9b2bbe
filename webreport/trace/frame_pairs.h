/* Pairs lines of two runs that are the same place of the program, although an edit moves the lines below it. */
#ifndef TP_WEBREPORT_TRACE_FRAME_PAIRS_H
#define TP_WEBREPORT_TRACE_FRAME_PAIRS_H

#include "writer/base/str.h"

/* Returns the path and function of "path(line): function", with a NUL between them, in `arena`; *line: its line. Other
 * texts are their own place, on line 0. */
struct tp_str tp_frame_place(struct tp_arena *arena, struct tp_str text, int32_t *line);

/* Returns, by id in `base`, the id in `other` of the same place; TP_NO_ID: none. Equal texts are the same place. Of the
 * texts without an equal in the other run, the lines of one function are paired in their order. In `arena` (guard set
 * by the caller). */
uint32_t *tp_frame_pairs(const struct tp_strings *base, const struct tp_strings *other, struct tp_arena *arena);

/* Returns the text of `other` that is paired with a text of `base` (pairs: result of tp_frame_pairs); the text itself
 * if it has no pair. */
static inline struct tp_str tp_frame_paired(const uint32_t *pairs, const struct tp_strings *base,
                                            const struct tp_strings *other, struct tp_str text)
{
    uint32_t id = tp_strings_find(base, text);
    return id != TP_NO_ID && pairs[id] != TP_NO_ID ? tp_strings_get(other, pairs[id]) : text;
}

#endif
