/* Checks the findings of a small trace, and writes events that rules examine: frames, operators with shapes, device
 * operations. */
#ifndef TP_TESTS_UNIT_SMALL_FINDINGS_H
#define TP_TESTS_UNIT_SMALL_FINDINGS_H

#include <math.h>

#include "small_trace.h"

/* Returns the finding of a rule, or NULL if the rule found nothing. */
static const struct tp_finding *find_finding_of_rule(const char *rule)
{
    for (uint32_t i = 0; i < advice.recommendations.finding_count; i++)
        if (strcmp(advice.recommendations.findings[i].rule->id, rule) == 0)
            return &advice.recommendations.findings[i];
    return NULL;
}

/* Checks that the rule found this cause, with this share of the step in percent. NaN: the finding must have no
 * share. */
__attribute__((unused)) static void assert_finding(const char *rule, const char *cause, double percent)
{
    const struct tp_finding *found = find_finding_of_rule(rule);
    if (!found)
        fail_msg("%s did not fire", rule);
    assert_string_equal(found->cause, cause);
    if (isnan(percent))
        assert_true(isnan(found->share_percent));
    else if (fabs(found->share_percent - percent) > 0.2)
        fail_msg("%s: %f, not %f", rule, found->share_percent, percent);
    assert_true(found->evidence_count > 0);
}

/* Checks the range of the gain that is estimated from the time of a finding, in percent of the step. */
__attribute__((unused)) static void assert_gain_range(const char *rule, double low, double high)
{
    const struct tp_finding *found = find_finding_of_rule(rule);
    assert_non_null(found);
    double least = found->is_priced ? found->low_part * found->share_percent : found->low_percent;
    double most = found->is_priced ? found->high_part * found->share_percent : found->high_percent;
    if (fabs(least - low) > 0.2 || fabs(most - high) > 0.2)
        fail_msg("%s (share %f): %f to %f, not %f to %f", rule, found->share_percent, least, most, low, high);
}

/* Checks the time per step that the finding of a rule affects, us. */
__attribute__((unused)) static void assert_ceiling(const char *rule, double us_per_step)
{
    const struct tp_finding *found = find_finding_of_rule(rule);
    if (!found)
        fail_msg("%s did not fire", rule);
    if (fabs(found->ceiling_us_per_step - us_per_step) > 1e-6)
        fail_msg("%s: %f, not %f", rule, found->ceiling_us_per_step, us_per_step);
}

/* Returns true if the rule was not evaluated for this reason. */
__attribute__((unused)) static bool is_not_evaluated(const char *rule, const char *reason)
{
    for (uint32_t i = 0; i < advice.recommendations.not_evaluated_count; i++) {
        const struct tp_rule_note *note = &advice.recommendations.not_evaluated[i];
        if (strcmp(note->rule->id, rule) == 0 && strcmp(note->reason, reason) == 0)
            return true;
    }
    return false;
}

__attribute__((unused)) static void frame(const char *name, double ts, double dur)
{
    write_host_event_with_args("python_function", name, ts, dur, "\"Python id\":1");
}

/* Adds an operator with the shapes of its arguments. All arguments have the same type. */
__attribute__((unused)) static void write_operator_with_shapes(const char *name, double ts, double dur,
                                                               const char *dims, const char *type, int sequence)
{
    char args[400];
    snprintf(args, sizeof args, "\"Input Dims\":[%s],\"Input type\":[%s%s%s],\"Sequence number\":%d", dims, type,
             strchr(dims, ']')[1] ? "," : "", strchr(dims, ']')[1] ? type : "", sequence);
    write_host_event_with_args("cpu_op", name, ts, dur, args);
}

#endif
