/* Guesses which thread holds the lock that others wait for. A wait ends when the holder releases the lock, so the
 * holder runs at the end of the wait, and it is the thread that ran longest meanwhile. It remains a guess: the
 * recording does not see locks. For program_view_build.c. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_HOLDERS_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_HOLDERS_H

#include "webreport/measure/program/program_view.h"

/* Fills holder, held_ns, held_in and held_line of the groups of waits for locks. Requires grouped waits; scratch memory
 * comes from `arena` (guard set by the caller). */
void tp_program_holders_build(struct tp_program_view *view, struct tp_arena *arena);

#endif
