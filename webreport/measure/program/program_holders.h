/* Who most likely holds what threads wait for: a wait for a lock ends when the thread that holds it lets it go, so that
 * one runs at its end, and is the one that ran longest meanwhile. A guess: nobody saw the lock. For program_view.c. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_HOLDERS_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_HOLDERS_H

#include "webreport/measure/program/program_view.h"

/* Fills holder, held_ns, held_in and held_line of the groups of waits for locks. After the waits were grouped; scratch
 * memory is of `arena` (guard set by the caller). */
void tp_program_holders_build(struct tp_program_view *view, struct tp_arena *arena);

/* "most likely held by worker 12, in compute (a.c:7)", in the arena; NULL: nobody is likely. */
const char *tp_program_holder_words(const struct tp_program_view *view, const struct tp_wait_group *group,
                                    struct tp_arena *arena);

#endif
