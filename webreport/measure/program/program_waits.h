/* Groups the waits of a program's threads by cause, name of the thread and stack. Used by program_view_build.c. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_WAITS_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_WAITS_H

#include "webreport/measure/program/program_view.h"

/* Groups the waits of the tree, in `arena` (guard set by the caller). functions: functions of samples, already added
 * up; functions that appear only in waits are added. */
void tp_program_waits_build(struct tp_program_waits *waits, const struct tp_process_tree *tree,
                            struct tp_program_functions *functions, struct tp_arena *arena);

/* Returns the name in the text "thread 7 (sort)" that recordings contain: "sort". "(no name)" if there is none. Part of
 * the thread's name, or static. */
struct tp_str tp_program_thread_name(const struct tp_thread *thread);

#endif
