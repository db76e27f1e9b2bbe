/* Stores the last values of the program's counters and of device memory for the live event file (live.h).
 *
 * Any thread may set values, without a lock; the thread that ends a step reads them. A value that is set during the
 * read belongs to the ended step or to the next one. */
#ifndef TP_COLLECTOR_LIVE_VALUES_H
#define TP_COLLECTOR_LIVE_VALUES_H

#include <stddef.h>

#include "writer/tfevents.h"

/* maximum numbers of counters and devices, after which new ones are ignored; TP_LIVE_VALUES: maximum number of scalars
 * in a step */

enum { TP_LIVE_COUNTERS = 64, TP_LIVE_DEVICES = 16, TP_LIVE_VALUES = TP_LIVE_COUNTERS + 2 * TP_LIVE_DEVICES };

/* Fills `out`, which has TP_LIVE_VALUES entries, with the scalars of a step and returns their number. The scalars are
 * the counters that were set since the last call, and the highest totals of each device since then. The tags in `out`
 * stay valid. Only one thread at a time may call it. */
size_t tp_live_values_fill(struct tp_tf_scalar *out);
/* Removes all values, because values from before the last stop may be outdated. */
void tp_live_values_clear(void);
/* Marks all tags as not described, because a new file must describe them again. */
void tp_live_values_mark_undescribed(void);

#endif
