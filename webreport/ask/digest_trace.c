/* The digest of one trace: what bounds the run, its numbers and findings. */
#include <math.h>
#include <stdio.h>

#include "webreport/ask/ask_input.h"
#include "webreport/ask/completeness.h"
#include "webreport/ask/digest_numbers.h"
#include "webreport/ask/tool.h"

/* What the levels of a digest leave out: the largest number of findings, and whether the metrics are written. */
static const struct {
    unsigned findings;
    bool has_metrics;
} levels[] = {{12, true}, {8, true}, {5, true}, {3, true}, {5, false}, {3, false}, {1, false}, {0, false}};

static void write_verdict(struct tp_ask_call *call)
{
    const struct tp_trace_verdict *verdict = &call->input->trace.analysis.advice.verdict;
    bool has_cause = verdict->cause != TP_TIME_NONE;
    tp_json_key(&call->json, "verdict");
    tp_json_object(&call->json);
    tp_json_member_text(&call->json, "class",
                        has_cause ? tp_time_cause_text(verdict->cause) : tp_verdict_class_text(verdict->class));
    tp_call_member_str(call, "sentence", verdict->headline);
    tp_json_object_end(&call->json);
}

/* Returns the device that the verdict is about; NULL without a device. */
static const struct tp_idle_device *find_device(const struct tp_advice *advice)
{
    const struct tp_idle_view *idle = &advice->idle;
    for (uint32_t i = 0; i < idle->device_count; i++)
        if (idle->devices[i].device == advice->verdict.device)
            return &idle->devices[i];
    return idle->device_count ? idle->devices : NULL;
}

static void write_device_numbers(struct tp_ask_call *call)
{
    const struct tp_advice *advice = &call->input->trace.analysis.advice;
    const struct tp_idle_device *device = find_device(advice);
    const char *window = call->input->step_window;
    static const char none[] = "the recording has no work of a device";
    enum { STEPS = TP_NEED_FILE | TP_NEED_DEVICE | TP_NEED_HOST | TP_NEED_CLOCK };
    const struct tp_ask_number numbers[] = {
        {"device_busy_percent", device ? device->busy_percent : NAN, "%", window,
         "union of kernels, copies and sets of the busiest device, as a share of window_us", none, STEPS, true},
        {"device_busy_us", device ? (double)device->busy_ns / 1e3 : NAN, "us", window,
         "union of kernels, copies and sets of the busiest device", none, STEPS, true},
        {"window_us", device ? (double)device->idle.window_ns / 1e3 : NAN, "us", window,
         "length of the window on the busiest device", none, STEPS, true},
        {"compute_us", device ? (double)device->compute_ns / 1e3 : NAN, "us", window,
         "union of kernels that are no communication", none, STEPS, true},
        {"step_us", advice->verdict.step_us > 0 ? advice->verdict.step_us : NAN, "us", window, "mean length of a step",
         "the recording has no steps", STEPS, false}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        tp_number_write(call, &numbers[i]);
}

static void write_finding(struct tp_ask_call *call, const struct tp_finding *finding)
{
    struct tp_json *json = &call->json;
    char id[16];
    snprintf(id, sizeof id, "f:%.12s", finding->rule->id);
    tp_json_object(json);
    tp_json_member_text(json, "id", id);
    tp_call_member_text(call, "title", finding->title);
    tp_json_member_real(json, "at_most_us_per_step", finding->ceiling_us_per_step);
    tp_json_member_real(json, "share_percent", finding->share_percent);
    tp_json_member_text(json, "confidence", tp_confidence_text(finding->confidence));
    tp_json_object_end(json);
}

static bool write_digest(struct tp_ask_call *call, unsigned level)
{
    const struct tp_recommendations *found = &call->input->trace.analysis.advice.recommendations;
    struct tp_json *json = &call->json;
    uint32_t shown = found->finding_count < levels[level].findings ? found->finding_count : levels[level].findings;
    write_verdict(call);
    tp_json_key(json, "numbers");
    tp_json_array(json);
    write_device_numbers(call);
    for (unsigned i = 0; levels[level].has_metrics && tp_digest_metrics[i]; i++)
        tp_number_write_metric(call, call->input->summaries,
                               (unsigned)tp_metric_find(tp_digest_metrics[i], strlen(tp_digest_metrics[i])));
    tp_json_array_end(json);
    tp_json_key(json, "findings");
    tp_json_array(json);
    for (uint32_t i = 0; i < shown; i++)
        write_finding(call, &found->findings[i]);
    tp_json_array_end(json);
    if (shown < found->finding_count)
        tp_json_member_int(json, "findings_left_out", found->finding_count - shown);
    tp_json_member_real(json, "total_at_most_us_per_step", found->total_ceiling_us_per_step);
    tp_completeness_write(call, true);
    tp_json_key(json, "next");
    tp_json_array(json);
    tp_json_text(json, "tracepress_explain");
    tp_json_text(json, "tracepress_rows");
    tp_json_array_end(json);
    return level + 1 < sizeof levels / sizeof *levels;
}

enum tp_ask_code tp_digest_of_trace(struct tp_ask_call *call)
{
    return tp_call_fit(call, write_digest);
}

enum tp_ask_code tp_tool_digest(struct tp_ask_call *call)
{
    return call->input->kind->digest(call);
}
