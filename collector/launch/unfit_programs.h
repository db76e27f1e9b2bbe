/* Programs of a run from which the preload library was left out: what the library noted about them becomes one line. */
#ifndef TP_COLLECTOR_LAUNCH_UNFIT_PROGRAMS_H
#define TP_COLLECTOR_LAUNCH_UNFIT_PROGRAMS_H

#include <stddef.h>

/* Writes "NAME: WHY", with " and N more" where there were several programs, from the file `entered.tmp` of `folder`
 * (writer/worker.h). Returns the number of programs; 0: none, and text is empty. A program that was started again counts
 * once. */
size_t tp_unfit_programs_word(char *text, size_t size, const char *folder);

#endif
