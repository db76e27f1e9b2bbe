/* Groups the waits of a program's threads by cause, name of the thread and stack. For program_view_build.c. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_WAITS_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_WAITS_H

#include "webreport/measure/program/program_view.h"

/* Groups the waits of the tree, in `arena` (guard set by the caller). functions: the functions of samples, already
 * added up; functions that only wait are added to them. */
void tp_program_waits_build(struct tp_program_waits *waits, const struct tp_process_tree *tree,
                            struct tp_program_functions *functions, struct tp_arena *arena);

/* Returns "sort" for "thread 7 (sort)", the form of recordings; "(no name)" without a name. Part of the name, or
 * static. */
struct tp_str tp_program_thread_name(const struct tp_thread *thread);

#endif
