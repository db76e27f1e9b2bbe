/* Samples of where the kernel refuses events: processes took them inside, by timers of their own, and left them in their spools. They
 * become samples of the tree as the kernel's are. The threads that took them are the recorder's, and no part of the program. */
#ifndef TP_COLLECTOR_OUTSIDE_LOOKS_INSIDE_SAMPLES_H
#define TP_COLLECTOR_OUTSIDE_LOOKS_INSIDE_SAMPLES_H

#include "collector/outside/tree/outside_tree.h"

/* Adds those of all spools in a folder; what is no spool is left alone. clock_ns: from the tree's clock to the wall clock. The tree has
 * ended; its arena's guard is set by the caller. */
void tp_inside_samples_add(struct tp_outside_tree *tree, const char *folder, int64_t clock_ns);

#endif
