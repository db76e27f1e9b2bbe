/* Names the programs of a run that started without the preload library. The names come from the library's notes. */
#ifndef TP_COLLECTOR_LAUNCH_UNFIT_PROGRAMS_H
#define TP_COLLECTOR_LAUNCH_UNFIT_PROGRAMS_H

#include <stddef.h>

/* Writes "NAME: WHY" to `text`, followed by the number of further programs. The programs come from the file
 * `entered.tmp` in `folder` (writer/worker.h). Returns the number of different programs; if it is 0, `text` is
 * empty. */
size_t tp_unfit_programs_write(char *text, size_t size, const char *folder);

#endif
