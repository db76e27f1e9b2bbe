/* Puts the memory curves of two snapshots on one axis: see snapshot_diff_curves.h. */
#include "webreport/document/snapshot/snapshot_diff_curves.h"

#include <string.h>

#include "webreport/document/charts/chart.h"
#include "webreport/document/section.h"
#include "writer/text/format.h"

/* Returns the position of an event on an axis of steps. Events of one step are spread evenly. Events after the last
 * boundary are placed as in the last step. */
static double position_by_step(const struct tp_snapshot_growth *growth, int64_t index)
{
    int64_t before = -1;
    uint64_t i = 0;
    for (; i < growth->boundary_count && index > growth->boundaries[i].index; i++)
        before = growth->boundaries[i].index;
    int64_t length = i < growth->boundary_count ? growth->boundaries[i].index - before
                     : i > 1                    ? before - growth->boundaries[i - 2].index
                                                : before + 1;
    double part = length > 0 ? (double)(index - before) / (double)length : 0;
    return (double)i + (part < 1 ? part : 1);
}

static double position_by_share(const struct tp_snapshot_device *device, int64_t index)
{
    return 100 * (double)(index + 1) / (double)device->replay.event_count;
}

/* Returns whether both sides have steps of the same kind. */
static bool has_steps(const struct tp_snapshot_diff_device *device)
{
    enum { LEAST_STEPS = 2 };
    const char *by[TP_SNAPSHOT_SIDES] = {NULL, NULL};
    for (unsigned side = 0; side < TP_SNAPSHOT_SIDES; side++) {
        const struct tp_snapshot_device *at = device->sides[side].device;
        by[side] = at && at->growth.boundary_count >= LEAST_STEPS ? at->growth.by : NULL;
    }
    return by[0] && by[1] && strcmp(by[0], by[1]) == 0;
}

static struct tp_byte_curve make_curve(const struct tp_snapshot_device *device, bool is_by_step, const char *label,
                                       struct tp_arena *arena)
{
    if (!device || !device->replay.event_count)
        return (struct tp_byte_curve){.label = label};
    double *at = tp_arena_array(arena, device->point_count, sizeof *at);
    uint64_t *bytes = tp_arena_array(arena, device->point_count, sizeof *bytes);
    for (uint64_t i = 0; i < device->point_count; i++) {
        int64_t index = device->points[i].index;
        at[i] = is_by_step ? position_by_step(&device->growth, index) : position_by_share(device, index);
        bytes[i] = device->points[i].allocated_bytes;
    }
    return (struct tp_byte_curve){label, at, bytes, device->point_count};
}

/* Returns the label of the end of a step; "" between two ends. */
static const char *step_text(struct tp_arena *arena, double at)
{
    int64_t step = (int64_t)at;
    if (at <= 0)
        return "start";
    return (double)step == at ? tp_text_printf(arena, "end of step %lld", (long long)step) : "";
}

static const char *share_text(struct tp_arena *arena, double at)
{
    return tp_text_printf(arena, "%.4g %% of the events", at);
}

struct tp_data tp_snapshot_diff_curves(const struct tp_snapshot_diff_device *device, bool *is_by_step,
                                       struct tp_arena *arena)
{
    static const char *const labels[TP_SNAPSHOT_SIDES] = {"BASE", "NEW"};
    struct tp_byte_curve curves[TP_SNAPSHOT_SIDES];
    double length = 0;
    *is_by_step = has_steps(device);
    for (unsigned side = 0; side < TP_SNAPSHOT_SIDES; side++) {
        curves[side] = make_curve(device->sides[side].device, *is_by_step, labels[side], arena);
        if (curves[side].count && curves[side].at[curves[side].count - 1] > length)
            length = curves[side].at[curves[side].count - 1];
    }
    if (length <= 0)
        return TP_NO_DATA;
    return tp_chart_byte_curves(arena, &(struct tp_byte_curves){.curves = curves,
                                                                .count = TP_SNAPSHOT_SIDES,
                                                                .length = length,
                                                                .caption = "Allocated memory of both snapshots",
                                                                .tick_text = *is_by_step ? step_text : share_text});
}
