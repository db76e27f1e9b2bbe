/* Writes the numbers of digests: see digest_numbers.h. */
#include "webreport/ask/digest_numbers.h"

#include <math.h>

#include "webreport/ask/completeness.h"

const char *const tp_digest_metrics[] = {"step.count",
                                         "step.time.median",
                                         "kernels.per_step",
                                         "idle.total",
                                         "communication.exposed.share",
                                         "sync.cost.share",
                                         "memory.peak",
                                         NULL};

void tp_number_write(struct tp_ask_call *call, const struct tp_ask_number *number)
{
    struct tp_json *json = &call->json;
    const char *why = "";
    bool is_known = isfinite(number->value);
    unsigned unmet = is_known ? tp_completeness_unmet(&why, call, number->needs) : 0;
    tp_json_object(json);
    tp_json_member_text(json, "id", number->id);
    if (!is_known || (unmet && (!number->is_least || tp_completeness_is_clock_wrong(call)))) {
        tp_call_absent(call, is_known ? why : number->reason);
    } else {
        tp_json_member_real(json, unmet ? "at_least" : "value", number->value);
        tp_json_member_text(json, "unit", number->unit);
        tp_json_member_text(json, "window", number->window);
        tp_json_member_text(json, "definition", number->definition);
    }
    tp_json_object_end(json);
}

void tp_number_write_metric(struct tp_ask_call *call, const struct tp_summary *summary, unsigned metric)
{
    const struct tp_metric *row = &tp_metrics[metric];
    const struct tp_metric_value *value = &summary->metrics[metric];
    bool is_of_steps = tp_metric_is_step_metric(row) || strstr(tp_metric_title(row), "step time");
    const char *why;
    if (!isfinite(value->value) || tp_completeness_unmet(&why, call, row->needs))
        return; /* the table metrics has the reason */
    tp_number_write(call, &(struct tp_ask_number){.id = row->name,
                                                  .value = value->value,
                                                  .unit = tp_metric_unit_text(row->unit),
                                                  .window = is_of_steps ? call->input->step_window : "recording",
                                                  .definition = tp_metric_title(row),
                                                  .needs = row->needs});
}
