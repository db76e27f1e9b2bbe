/* Names the programs of a run that started without the preload library. The library's notes contain these programs. */
#ifndef TP_COLLECTOR_LAUNCH_UNFIT_PROGRAMS_H
#define TP_COLLECTOR_LAUNCH_UNFIT_PROGRAMS_H

#include <stddef.h>

/* Writes "NAME: WHY", followed by the number of further programs, to `text`. The programs come from the file
 * `entered.tmp` in `folder` (writer/worker.h). Returns the number of different programs; 0: none, and `text` is
 * empty. */
size_t tp_unfit_programs_text(char *text, size_t size, const char *folder);

#endif
