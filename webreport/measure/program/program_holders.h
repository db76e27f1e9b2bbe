/* Guesses which thread owns the lock for which other threads wait; used by program_view_build.c. A wait ends when the
 * holder releases the lock, so the holder runs at the end of the wait. A thread that runs at the end of the wait and
 * ran longest during the wait is taken as the holder. This is a guess, because the recording does not contain locks. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_HOLDERS_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_HOLDERS_H

#include "webreport/measure/program/program_view.h"

/* Fills holder, held_ns, holder_function and holder_line of the groups with waits for locks. The waits must be grouped
 * before. Scratch memory comes from `arena` (guard set by the caller). */
void tp_program_holders_build(struct tp_program_view *view, struct tp_arena *arena);

#endif
