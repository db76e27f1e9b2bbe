/* Implements metrics.h: makes the table of metrics from metrics_rows.h and finds metrics by name. metric_values.c and
 * metric_trace.c compute the values. */
#include "webreport/measure/metrics/metrics.h"

#include <math.h>
#include <string.h>

#include "webreport/measure/metrics/metric_values.h"
#include "webreport/measure/rules/rules.h"
#include "webreport/measure/rules/unknown_data.h"
#include "writer/text/nearest.h"

/* sets of evidence that metrics need (enum tp_need) */
#define AS_IT_IS 0 /* for metrics that describe the state of the file */
#define ALL TP_NEED_ALL
#define HOST (TP_NEED_FILE | TP_NEED_HOST)
#define TIMED_HOST (HOST | TP_NEED_CLOCK)
#define DEVICE (TP_NEED_FILE | TP_NEED_DEVICE)
#define TIMED_DEVICE (DEVICE | TP_NEED_CLOCK)
#define HOST_DEVICE (HOST | DEVICE)
#define HOST_RUNTIME (HOST | TP_NEED_RUNTIME)
#define LINKS (HOST | TIMED_DEVICE | TP_NEED_RUNTIME)
#define MEMORY (HOST | TP_NEED_MEMORY | TP_NEED_CLOCK)
/* for metrics of steps: all evidence except memory, because without step marks all events form one step */
#define STEPS (TP_NEED_ALL & ~(unsigned)TP_NEED_MEMORY)

/* values of the members unit, is_timed and is_lower_better */
#define COUNT TP_UNIT_COUNT, false, true
#define MORE TP_UNIT_COUNT, false, false
#define TIME TP_UNIT_NS, true, true
#define SHARE TP_UNIT_PERCENT, true, true
#define GAIN TP_UNIT_PERCENT, true, false
#define PART TP_UNIT_PERCENT, false, true
#define BYTES TP_UNIT_BYTES, false, true
#define RATE TP_UNIT_COUNT, true, false
#define ENERGY TP_UNIT_COUNT, true, true

const struct tp_metric tp_metrics[TP_METRIC_COUNT] = {
#define METRIC(name, unit, needs, title, json, function, which) {name, unit, needs, title, json, function, which},
#include "webreport/measure/metrics/metrics_rows.h"
};

/* Returns whether a metric is unknown, and not 0, in a trace without device operations. Lengths of marked steps and
 * findings about host code do not depend on device operations. */
static bool depends_on_device(const struct tp_metric *metric, const struct tp_model *model)
{
    if (!(metric->needs & TP_NEED_DEVICE) || metric->value == tp_metric_of_trace)
        return false;
    if (strncmp(metric->name, "step.time.", 10) == 0)
        return model->step_marker == TP_MARKER_WINDOW;
    return metric->value != tp_metric_of_rule || strchr("ACE", tp_rule_at((unsigned)metric->which)->id[0]);
}

/* Returns whether a metric is a share of the step time. */
static bool is_share_of_steps(const struct tp_metric *metric)
{
    return metric->value == tp_metric_average_share || metric->value == tp_metric_of_idle ||
           (metric->value == tp_metric_of_gpus && metric->which != TP_GPU_OCCUPANCY) ||
           (metric->value == tp_metric_of_waits && metric->which == TP_WAITS_COST) ||
           (metric->value == tp_metric_of_collectives && metric->which == TP_COLLECTIVES_EXPOSED) ||
           (metric->value == tp_metric_of_peak && metric->which == TP_RATE_STEP);
}

/* Returns whether a metric is unknown if most of the step time cannot be analysed. A replay whose answers are withheld
 * keeps its own reason. */
static bool needs_judged_steps(const struct tp_metric *metric, enum tp_metric_reason reason)
{
    bool is_withheld = reason >= TP_REASON_WITHHELD && reason < TP_REASON_RATES;
    return is_share_of_steps(metric) || (tp_metric_is_replay_metric(metric) && !is_withheld);
}

/* Returns the value of a metric that needs data which the input cannot show. unknown: bits of enum tp_unknown. */
static struct tp_metric_value make_value_unknown_in_input(uint32_t unknown)
{
    int number = 0;
    while (!(unknown >> number & 1))
        number++;
    return (struct tp_metric_value){.value = NAN, .reason = TP_REASON_INPUT + number};
}

static const struct tp_metric_value no_device_records = {.value = NAN, .reason = TP_REASON_DEVICE_NOT_RECORDED};
static const struct tp_metric_value mostly_unjudged = {.value = NAN, .reason = TP_REASON_UNJUDGED};

void tp_metrics_build(struct tp_metric_value values[TP_METRIC_COUNT], const struct tp_metric_source *source)
{
    bool lacks_device = source->model->program == TP_RECORDED_DEVICE_MISSING;
    uint32_t unknown = source->model->trace->input.unknown;
    bool is_unjudged = source->advice->verdict.unjudged.reason != TP_UNJUDGED_NOTHING;
    for (int i = 0; i < TP_METRIC_COUNT; i++) {
        values[i] = tp_metrics[i].value(source, tp_metrics[i].which);
        if (lacks_device && depends_on_device(&tp_metrics[i], source->model))
            values[i] = no_device_records;
        else if (is_unjudged && needs_judged_steps(&tp_metrics[i], values[i].reason))
            values[i] = mostly_unjudged;
        uint32_t missing = unknown ? unknown & tp_unknown_needs_of_metric(tp_metrics[i].name) : 0;
        if (missing)
            values[i] = make_value_unknown_in_input(missing);
    }
}

bool tp_metric_is_step_metric(const struct tp_metric *metric)
{
    return strncmp(metric->name, "step.", 5) == 0 || strstr(metric->name, "per_step") ||
           metric->value == tp_metric_of_work || metric->value == tp_metric_of_range ||
           tp_metric_is_replay_metric(metric);
}

bool tp_metric_is_replay_metric(const struct tp_metric *metric)
{
    return metric->value == tp_metric_of_critical_path || metric->value == tp_metric_of_change;
}

bool tp_metric_is_program_metric(const struct tp_metric *metric)
{
    return metric->value == tp_metric_of_program || metric->value == tp_metric_of_function;
}

bool tp_metric_is_snapshot_metric(const struct tp_metric *metric)
{
    return metric->value == tp_metric_of_snapshot;
}

bool tp_metric_is_omitted(const struct tp_metric *metric, double value)
{
    return isnan(value) && (metric->value == tp_metric_of_energy || metric->value == tp_metric_of_serving ||
                            metric->value == tp_metric_of_work || metric->value == tp_metric_of_range ||
                            tp_metric_is_program_metric(metric) || tp_metric_is_snapshot_metric(metric) ||
                            tp_metric_is_replay_metric(metric));
}

bool tp_metric_is_larger_duplicate(const struct tp_metric *metric)
{
    int rest = metric->which % TP_SERVING_PHASE_FACTOR,
        least = metric->which / TP_SERVING_PHASE_FACTOR == TP_SERVING_DECODE ? 0 : 7;
    return metric->value == tp_metric_of_serving && rest && (rest - TP_SERVING_P50) / 2 > least;
}

const char *tp_metric_title(const struct tp_metric *metric)
{
    return metric->value == tp_metric_of_rule ? tp_rule_at((unsigned)metric->which)->title : metric->title;
}

const char *tp_metric_unit_text(enum tp_metric_unit unit)
{
    static const char *const texts[] = {"count", "ns", "bytes", "%"};
    return texts[unit];
}

int tp_metric_find(const char *name, size_t length)
{
    int near = 0;
    return tp_metric_find_nearest(name, length, &near);
}

int tp_metric_find_nearest(const char *name, size_t length, int *near)
{
    for (int i = 0, at = *near; i < TP_METRIC_COUNT; i++, at = at + 1 < TP_METRIC_COUNT ? at + 1 : 0)
        if (strlen(tp_metrics[at].name) == length && memcmp(tp_metrics[at].name, name, length) == 0) {
            *near = at + 1 < TP_METRIC_COUNT ? at + 1 : 0;
            return at;
        }
    return -1;
}

const char *tp_metric_nearest_name(const char *name, size_t length)
{
    struct tp_nearest nearest = tp_nearest_start((struct tp_str){name, length});
    for (int i = 0; i < TP_METRIC_COUNT; i++)
        tp_nearest_compare(&nearest, tp_str_of(tp_metrics[i].name));
    return nearest.found.len ? nearest.found.ptr : NULL;
}
