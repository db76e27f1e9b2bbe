/* Computes the metrics of a memory snapshot, with what is unknown about them (docs/definitions.md, section 32). */
#ifndef TP_WEBREPORT_COMPARE_GATE_GATE_SNAPSHOT_VALUES_H
#define TP_WEBREPORT_COMPARE_GATE_GATE_SNAPSHOT_VALUES_H

#include "webreport/measure/metrics/metrics.h"
#include "webreport/measure/snapshot/snapshot_result.h"

/* The value of a metric: between `low` and `high`, which are equal if the value is known. The bounds are -INFINITY and
 * INFINITY if nothing is known. */
struct tp_bounded_value {
    double low, high;
    const char *why; /* why the value is not known exactly; "" if it is. Static */
};

/* Returns the value of a metric on a device. metric: index in tp_metrics. category: NAME of
 * memory.live.category(NAME); ptr is NULL for other metrics. */
struct tp_bounded_value tp_check_snapshot_value(const struct tp_snapshot_device *device, int metric,
                                                struct tp_str category);

/* Returns the place in the user's code that explains the value of a metric, such as "train.py(37): log"; len is 0 if
 * none is known. *text: words for the place, such as "allocates most of the memory at the peak". Static. */
struct tp_str tp_check_snapshot_place(const struct tp_snapshot_device *device, int metric, const char **text);

#endif
