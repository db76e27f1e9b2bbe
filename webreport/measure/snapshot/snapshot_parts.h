/* Declares the stages of the analysis of one device of a memory snapshot. snapshot_analyse.c calls them in this order.
 */
#ifndef TP_WEBREPORT_MEASURE_SNAPSHOT_SNAPSHOT_PARTS_H
#define TP_WEBREPORT_MEASURE_SNAPSHOT_SNAPSHOT_PARTS_H

#include "webreport/measure/snapshot/snapshot_result.h"

/* Replays the events, and measures the state at each out-of-memory event. */
void tp_snapshot_measure_events(struct tp_snapshot_device *device);
/* Measures the recorded end. */
void tp_snapshot_measure_end(struct tp_snapshot_device *device);
void tp_snapshot_measure_peak(struct tp_snapshot_device *device);
void tp_snapshot_measure_curve(struct tp_snapshot_device *device);
/* Groups the blocks that were live at the out-of-memory events; needs the end. */
void tp_snapshot_group_ooms(struct tp_snapshot_device *device);
void tp_snapshot_measure_window(struct tp_snapshot_device *device);
void tp_snapshot_measure_growth(struct tp_snapshot_device *device);
void tp_snapshot_measure_churn(struct tp_snapshot_device *device);
void tp_snapshot_find_problems(struct tp_snapshot_device *device);

/* Returns the allocated bytes at a position of the curve: position 0 is before the first event, position i + 1 after
 * event i. */
static inline uint64_t tp_snapshot_allocated_at(const struct tp_snapshot_device *device, size_t position)
{
    return position ? device->replay.curve[position - 1].allocated : device->replay.start.allocated;
}

/* Returns the name of a line, or of a call site, for growth and churn. */
static inline uint32_t tp_snapshot_line_or_site(const struct tp_snapshot_device *device, uint32_t stack)
{
    return tp_code_line_or_site(device->context.stacks, stack);
}
static inline struct tp_str tp_snapshot_line_text(const struct tp_snapshot_device *device, uint32_t stack)
{
    return tp_code_name(device->context.stacks, tp_snapshot_line_or_site(device, stack));
}

static inline int64_t tp_snapshot_time(const struct tp_snapshot_device *device, int64_t index)
{
    return device->has_time && index >= 0 ? device->replay.events[index].time_us : TP_NULL_INT;
}

#endif
