/* Puts into words which programs of a run started without the preload library, by the notes that the library left. */
#ifndef TP_COLLECTOR_LAUNCH_UNFIT_PROGRAMS_H
#define TP_COLLECTOR_LAUNCH_UNFIT_PROGRAMS_H

#include <stddef.h>

/* Writes "NAME: WHY", with " and N more" where there were several programs, from the file `entered.tmp` of `folder`
 * (writer/worker.h). Returns the number of different programs; 0: there are none, and text is empty. */
size_t tp_unfit_programs_word(char *text, size_t size, const char *folder);

#endif
