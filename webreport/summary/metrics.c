/* The first metrics: see metrics.h. */
#include "webreport/summary/metrics.h"

#include <math.h>
#include <string.h>

#include "webreport/model/sort.h"

static struct tp_metric_value step_count(const struct tp_metric_source *source)
{
    return (struct tp_metric_value){(double)source->model->step_count, NULL};
}

/* Mean of the two in the middle for an even number of steps. */
static struct tp_metric_value step_median(const struct tp_metric_source *source)
{
    const struct tp_table *steps = &source->views->overview.steps;
    const int64_t *total = tp_table_int(steps, TP_STEP_TOTAL);
    size_t count = steps->row_count;
    struct tp_arena *arena = source->model->arena;
    struct tp_keyed *sorted = tp_arena_array(arena, count, sizeof *sorted);
    if (count == 0)
        return (struct tp_metric_value){NAN, "no steps"};
    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct tp_keyed){total[i], (uint32_t)i, (uint32_t)i};
    tp_sort_keyed(sorted, count, arena);
    double upper = (double)sorted[count / 2].key, lower = (double)sorted[(count - 1) / 2].key;
    return (struct tp_metric_value){lower + (upper - lower) / 2, NULL};
}

static struct tp_metric_value kernels_per_step(const struct tp_metric_source *source)
{
    if (!source->model->devices.count)
        return (struct tp_metric_value){NAN, "no device events"};
    return (struct tp_metric_value){(double)source->views->facts.kernel_count / (double)source->model->step_count,
                                    NULL};
}

const struct tp_metric tp_metrics[TP_METRIC_COUNT] = {
    {"step.count", TP_UNIT_COUNT, false, false, "steps (overview.steps)", step_count},
    {"step.time.median", TP_UNIT_NS, true, true, "median of overview.steps[].total_us", step_median},
    {"kernels.per_step", TP_UNIT_COUNT, false, true, "trace_facts.kernel_count / steps", kernels_per_step},
};

void tp_metrics_build(struct tp_metric_value values[TP_METRIC_COUNT], const struct tp_metric_source *source)
{
    for (unsigned i = 0; i < TP_METRIC_COUNT; i++)
        values[i] = tp_metrics[i].value(source);
}

int tp_metric_find(const char *name, size_t length)
{
    for (int i = 0; i < TP_METRIC_COUNT; i++)
        if (strlen(tp_metrics[i].name) == length && memcmp(tp_metrics[i].name, name, length) == 0)
            return i;
    return -1;
}

const char *tp_metric_nearest(const char *name, size_t length)
{
    (void)name;
    (void)length;
    return NULL;
}
