/* Waits of a program's threads by cause, thread's name and stack. For program_view.c. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_WAITS_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_WAITS_H

#include "webreport/measure/program/program_view.h"

/* Groups the waits of the tree, in `arena` (guard set by the caller). functions: those of samples, once they are added
 * up; functions that only wait are added. */
void tp_program_waits_build(struct tp_program_waits *waits, const struct tp_process_tree *tree,
                            struct tp_program_functions *functions, struct tp_arena *arena);

/* "sort" of "thread 7 (sort)", as recordings call it; "(no name)". Part of the name, or static. */
struct tp_str tp_program_thread_name(const struct tp_thread *thread);

#endif
