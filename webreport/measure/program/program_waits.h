/* Groups the waits of a program's threads by cause, name of the thread and stack. Used by program_view_build.c. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_WAITS_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_WAITS_H

#include "webreport/measure/program/program_view.h"

/* Groups the waits of the tree. Memory comes from `arena` (guard set by the caller). functions: filled by
 * tp_program_functions_sum_times; functions that appear only in waits are added. */
void tp_program_waits_build(struct tp_program_waits *waits, const struct tp_process_tree *tree,
                            struct tp_program_functions *functions, struct tp_arena *arena);

/* Returns the name of a thread: "sort" for the recorded text "thread 7 (sort)", and "(no name)" for a thread without
 * one. The text is part of the thread's name, or static. */
struct tp_str tp_program_thread_name(const struct tp_thread *thread);

#endif
