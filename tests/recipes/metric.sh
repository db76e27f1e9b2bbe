# Adds the metric step.time.range with a function that computes it. Changes at most 3 files outside of tests.
cat >row <<'C'
METRIC("step.time.range", TIME, STEPS, "longest minus shortest step", "max - min of overview.steps[used].total_us",
       tp_metric_of_step_range, 0)

C
sed -i '/^#undef RULE$/e cat row' webreport/measure/metrics/metrics_rows.h
rm row
cat >>webreport/measure/metrics/metric_values.c <<'C'

/* Returns the difference of the longest and the shortest step. */
struct tp_metric_value tp_metric_of_step_range(const struct tp_metric_source *s, int which)
{
    struct tp_metric_value longest = tp_metric_of_steps(s, TP_STEPS_MAX), shortest = tp_metric_of_steps(s, TP_STEPS_MIN);
    (void)which;
    longest.value -= shortest.value;
    return longest;
}
C
