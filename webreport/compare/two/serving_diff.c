/* Compares the steps of serving engines by class. The time of a class is a metric of each run (metrics/metrics_rows.h),
 * so that stored runs also have this metric and `check` can limit it. */
#include <math.h>
#include <string.h>

#include "webreport/compare/two/compare.h"
#include "webreport/measure/metrics/metric_values.h"
#include "writer/base/stats.h"

static const struct tp_column_def defs[TP_SERVING_DIFF_COLUMNS] = {
    {"class", "Class", "", "Phase of the steps, and number of requests (decode) or tokens (other phases) of a step.",
     TP_COLUMN_TEXT},
    {"base_p50_us", "Base p50", "us", "Median step time of a run, median over the runs of the base.", TP_COLUMN_NS},
    {"new_p50_us", "New p50", "us", "Median step time of a run, median over the runs of the new side.", TP_COLUMN_NS},
    {"change_us", "Change", "us", "Median step time on the new side minus median step time in the base.", TP_COLUMN_NS},
    {"change_percent", "Of base", "%", "Change in % of the median step time in the base.", TP_COLUMN_REAL},
    {"base_p90_us", "Base p90", "us", "90th percentile of the step time of a run, median over the runs of the base.",
     TP_COLUMN_NS},
    {"new_p90_us", "New p90", "us", "90th percentile of the step time of a run, median over the runs of the new side.",
     TP_COLUMN_NS},
};

/* Returns the median of the metric over the side's runs that have the metric, or NaN. */
static double median_metric(const struct tp_compare *c, int side, int metric)
{
    const struct tp_side_input *input = c->sides.side[side].input;
    double *values = tp_arena_array(c->arena, input->run_count, sizeof *values);
    size_t count = 0;
    for (uint32_t i = 0; i < input->run_count; i++)
        if (input->runs[i].metrics[metric].value > 0)
            values[count++] = input->runs[i].metrics[metric].value;
    return count ? tp_median(values, count) : NAN;
}

double tp_compare_serving_rate(const struct tp_compare *compare, int side, bool is_decode)
{
    static const char *const names[] = {"prefill.tokens_per_s", "decode.tokens_per_s"};
    return median_metric(compare, side, tp_metric_find(names[is_decode], strlen(names[is_decode])));
}

static int64_t to_whole_ns(double value)
{
    return isnan(value) ? TP_NULL_INT : (int64_t)llround(value);
}

/* Returns whether the metric is the p50 of a class of steps that at least one side has. */
static bool is_request_class_metric(const struct tp_compare *c, int metric)
{
    const char suffix[] = ".step.p50";
    size_t size = strlen(tp_metrics[metric].name);
    return tp_metrics[metric].value == tp_metric_of_serving && size > sizeof suffix &&
           strcmp(tp_metrics[metric].name + size - strlen(suffix), suffix) == 0 &&
           (!isnan(median_metric(c, TP_BASE, metric)) || !isnan(median_metric(c, TP_NEW, metric)));
}

static void fill_metric_row(struct tp_table *table, size_t row, const struct tp_compare *c, int metric)
{
    const char *name = tp_metrics[metric].name;
    double base = median_metric(c, TP_BASE, metric), other = median_metric(c, TP_NEW, metric);
    tp_table_text(table, TP_SERVING_DIFF_CLASS)[row] = (struct tp_str){name, strlen(name) - strlen(".step.p50")};
    tp_table_int(table, TP_SERVING_DIFF_BASE_P50)[row] = to_whole_ns(base);
    tp_table_int(table, TP_SERVING_DIFF_NEW_P50)[row] = to_whole_ns(other);
    tp_table_int(table, TP_SERVING_DIFF_CHANGE)[row] = to_whole_ns(other - base);
    tp_table_real(table, TP_SERVING_DIFF_PERCENT)[row] = base > 0 ? 100 * (other - base) / base : NAN;
    tp_table_int(table, TP_SERVING_DIFF_BASE_P90)[row] = to_whole_ns(median_metric(c, TP_BASE, metric + 1));
    tp_table_int(table, TP_SERVING_DIFF_NEW_P90)[row] = to_whole_ns(median_metric(c, TP_NEW, metric + 1));
}

void tp_compare_build_serving(struct tp_compare *compare)
{
    struct tp_table *table = &compare->tables[TP_COMPARE_SERVING];
    size_t count = 0;
    for (int i = 0; i < TP_METRIC_COUNT; i++)
        count += is_request_class_metric(compare, i);
    tp_table_init(table, compare->arena, "serving", defs, TP_SERVING_DIFF_COLUMNS, count);
    count = 0;
    for (int i = 0; i < TP_METRIC_COUNT; i++)
        if (is_request_class_metric(compare, i))
            fill_metric_row(table, count++, compare, i);
}
