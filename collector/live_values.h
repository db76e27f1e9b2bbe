/* Last values of the program's counters and of devices' memory, for the live event file: see live.h.
 *
 * Any thread sets them, without a lock; the thread that ends a step reads them. A value that arrives meanwhile counts
 * for one of the two steps. */
#ifndef TP_COLLECTOR_LIVE_VALUES_H
#define TP_COLLECTOR_LIVE_VALUES_H

#include <stddef.h>

#include "writer/tfevents.h"

/* Counters and devices that have a place, and the scalars they may give; more are left out. */
enum { TP_LIVE_COUNTERS = 64, TP_LIVE_DEVICES = 16, TP_LIVE_VALUES = TP_LIVE_COUNTERS + 2 * TP_LIVE_DEVICES };

/* Scalars for a step's end, at most TP_LIVE_VALUES: counters that were set since the last call, and the highest totals
 * of each device since then. Tags stay valid. One thread at a time. Returns their count. */
size_t tp_live_values(struct tp_tf_scalar *out);
/* Forgets all values: what was known when the last recording stopped may be old. */
void tp_live_values_clear(void);
/* A new file: tags are to be described again. */
void tp_live_values_forget(void);

#endif
