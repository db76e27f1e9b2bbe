/* Computes the metrics of a memory snapshot: see gate_snapshot_values.h. */
#include "webreport/compare/gate/gate_snapshot_values.h"

#include <math.h>

#include "webreport/measure/metrics/metric_values.h"

static const char NO_HISTORY[] = "the snapshot has no history of events (torch.cuda.memory._record_memory_history)";
static const char CUT[] = "the snapshot has only the last events (raise max_entries, or record a shorter part)";
static const char CONTRADICTION[] = "the events contradict the recorded end, so that the replay is not exact";
static const char NO_ALLOCATIONS[] = "the snapshot has no events of allocations (skip_actions)";
static const char FEW_STEPS[] = "the snapshot has fewer than four ends of steps";

/* ---- bounds ---- */

static struct tp_bounded_value exactly(double value)
{
    return (struct tp_bounded_value){value, value, ""};
}

static struct tp_bounded_value at_least(double value, const char *why)
{
    return (struct tp_bounded_value){value, INFINITY, why};
}

static struct tp_bounded_value unknown(const char *why)
{
    return (struct tp_bounded_value){-INFINITY, INFINITY, why};
}

static bool lacks_allocations(const struct tp_snapshot_device *device)
{
    for (uint32_t i = 0; i < device->window.unrecorded_count; i++)
        if (tp_str_equal(tp_str_of(device->window.unrecorded[i]), tp_str_of(tp_snapshot_action_text(TP_ACTION_ALLOC))))
            return true;
    return false;
}

/* Returns why the curve of a device does not show the memory of the recording; "" if it does. A curve of the last
 * events is right as far as it goes. */
static const char *reason_without_curve(const struct tp_snapshot_device *device)
{
    enum tp_window_cut cut = device->window.cut;
    if (cut == TP_WINDOW_NO_HISTORY || cut == TP_WINDOW_STATE_ONLY)
        return NO_HISTORY;
    return lacks_allocations(device) ? NO_ALLOCATIONS : !device->replay.is_exact ? CONTRADICTION : "";
}

/* ---- metrics ---- */

/* Returns a largest amount. Without a curve, the amount at the recorded end is a lower bound. */
static struct tp_bounded_value largest(const struct tp_snapshot_device *device, uint64_t peak, uint64_t end)
{
    const char *why = reason_without_curve(device);
    if (*why)
        return at_least((double)end, why);
    return device->window.cut == TP_WINDOW_CUT ? at_least((double)peak, CUT) : exactly((double)peak);
}

/* Returns a number of events. */
static struct tp_bounded_value number_of_events(const struct tp_snapshot_device *device, uint64_t count)
{
    enum tp_window_cut cut = device->window.cut;
    if (cut == TP_WINDOW_NO_HISTORY || cut == TP_WINDOW_STATE_ONLY)
        return at_least((double)count, NO_HISTORY);
    return cut == TP_WINDOW_CUT ? at_least((double)count, CUT) : exactly((double)count);
}

static struct tp_bounded_value growth(const struct tp_snapshot_device *device)
{
    const char *why = reason_without_curve(device);
    if (*why)
        return unknown(why);
    if (device->growth.bytes_per_step == TP_NULL_INT)
        return unknown(FEW_STEPS);
    return exactly((double)device->growth.bytes_per_step);
}

static struct tp_bounded_value late_segments(const struct tp_snapshot_device *device)
{
    enum { LEAST_STEPS = 4 };
    struct tp_bounded_value count = number_of_events(device, device->churn.late_segment_allocs);
    if (count.high > count.low || device->growth.boundary_count >= LEAST_STEPS)
        return count;
    return unknown(FEW_STEPS);
}

/* Returns the bytes of a category at the peak, which are unknown if the peak is. */
static struct tp_bounded_value live_category(const struct tp_snapshot_device *device, struct tp_str category)
{
    const struct tp_live_table *table = &device->peak.live_by.by[TP_LIVE_CATEGORY];
    const char *why = reason_without_curve(device);
    if (*why || device->window.cut == TP_WINDOW_CUT)
        return unknown(*why ? why : CUT);
    for (uint64_t i = 0; i < table->row_count; i++)
        if (tp_str_equal(table->rows[i].name, category))
            return exactly((double)table->rows[i].bytes);
    return table->row_count < table->rows_total ? unknown("the snapshot has too many categories") : exactly(0);
}

static struct tp_bounded_value value_of_snapshot_metric(const struct tp_snapshot_device *device, int which,
                                                        struct tp_str category)
{
    switch ((enum tp_metric_snapshot)which) {
    case TP_SNAPSHOT_INACTIVE_SPLIT:
        return exactly((double)device->end.fragmentation.inactive_split_bytes);
    case TP_SNAPSHOT_OOM_EVENTS:
        return number_of_events(device, device->oom_total);
    case TP_SNAPSHOT_RETRY_EVENTS:
        return number_of_events(device, device->churn.retries);
    case TP_SNAPSHOT_GROWTH_PER_STEP:
        return growth(device);
    case TP_SNAPSHOT_LATE_SEGMENTS:
        return late_segments(device);
    case TP_SNAPSHOT_LIVE_CATEGORY:
        return live_category(device, category);
    }
    return unknown("");
}

struct tp_bounded_value tp_check_snapshot_value(const struct tp_snapshot_device *device, int metric,
                                                struct tp_str category)
{
    const struct tp_metric *of = &tp_metrics[metric];
    if (tp_metric_is_snapshot_metric(of))
        return value_of_snapshot_metric(device, of->which, category);
    if (of->value == tp_metric_of_memory && of->which == TP_MEMORY_PEAK_BYTES)
        return largest(device, device->peak.at.allocated_bytes, device->end.allocated_bytes);
    if (of->value == tp_metric_of_memory && of->which == TP_MEMORY_RESERVED_BYTES)
        return largest(device, device->peak_reserved.reserved_bytes, device->end.reserved_bytes);
    return unknown("a memory snapshot does not have this metric");
}

/* ---- places ---- */

/* Returns the largest row with a name. */
static struct tp_str largest_line(const struct tp_live_table *table)
{
    for (uint64_t i = 0; i < table->row_count; i++)
        if (table->rows[i].name.len)
            return table->rows[i].name;
    return TP_STR("");
}

struct tp_str tp_check_snapshot_place(const struct tp_snapshot_device *device, int metric, const char **text)
{
    const struct tp_metric *of = &tp_metrics[metric];
    bool is_special = tp_metric_is_snapshot_metric(of);
    *text = "";
    if (of->value == tp_metric_of_memory) {
        *text = "allocates most of the memory that is live at the peak";
        return largest_line(&device->peak.live_by.by[TP_LIVE_LINE]);
    }
    if (is_special && of->which == TP_SNAPSHOT_OOM_EVENTS && device->oom_count) {
        *text = "asks for memory when the device has too little";
        return device->ooms[device->oom_count - 1].line;
    }
    if (is_special && of->which == TP_SNAPSHOT_GROWTH_PER_STEP && device->growth.growing_count) {
        *text = "keeps more memory in each step";
        return device->growth.growing[0].name;
    }
    return TP_STR("");
}
