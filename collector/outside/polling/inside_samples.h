/* Adds samples that the program's processes recorded themselves with timers, because the kernel refused events. The
 * samples come from the spools of the processes and are stored in the tree like samples of the kernel. The threads
 * inside the processes that recorded the samples belong to the recorder and are removed from the tree. */
#ifndef TP_COLLECTOR_OUTSIDE_POLLING_INSIDE_SAMPLES_H
#define TP_COLLECTOR_OUTSIDE_POLLING_INSIDE_SAMPLES_H

#include "collector/outside/tree/outside_tree.h"

/* Adds the samples of all spools in a folder; other files are ignored. clock_ns: wall clock minus the tree's clock, ns.
 * Call it after the tree has ended. The caller sets the guard of the tree's arena. */
void tp_inside_samples_add(struct tp_outside_tree *tree, const char *folder, int64_t clock_ns);

#endif
