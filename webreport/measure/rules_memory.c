/* Rules about device memory: near capacity (D1), fragmented (D3). */
#include <stdio.h>

#include "webreport/measure/rules_eval.h"
#include "writer/text/format.h"

/* Bytes of the device with that number, 0 when unknown. */
static int64_t capacity_of(const struct tp_trace *trace, int64_t device)
{
    const struct tp_gpu_property *property = tp_model_gpu_property(trace, device);
    return property && property->total_memory_bytes != TP_NULL_INT ? property->total_memory_bytes : 0;
}

/* CPU and kinds without memory of their own. */
static bool is_device_memory(int64_t type)
{
    return type != 0 && type != 2 && type != 5 && type != -1;
}

static void look_at(struct tp_advisor *a, const struct tp_memory_device *m, int64_t capacity)
{
    struct tp_evidence record = {m->peak_event, m->peak_at_ns, TP_STR("[memory]"), TP_STR("")};
    struct tp_candidate c = {.is_forced = true, .share = NAN, .memory = &record};
    double full = tp_percent(m->peak_reserved_bytes, capacity);
    if (full > tp_rule_value(a, TP_RULE_D1, "min_pct")) {
        c.rule = TP_RULE_D1;
        c.severity = TP_SEVERITY_HIGH;
        c.detail = tp_advisor_text(a, "%s of device memory reserved", tp_text_of_percent(a->arena, full));
        tp_advisor_add(a, &c);
    }
    if (m->fragmentation_percent > tp_rule_value(a, TP_RULE_D3, "min_pct") && /* false for NaN */
        tp_percent(m->reserved_at_peak_bytes, capacity) > tp_rule_value(a, TP_RULE_D3, "min_reserved_pct")) {
        c.rule = TP_RULE_D3;
        c.severity = TP_SEVERITY_MEDIUM;
        c.detail = tp_advisor_text(a, "%s of the reserved bytes are unused at the peak",
                                   tp_text_of_percent(a->arena, m->fragmentation_percent));
        tp_advisor_add(a, &c);
    }
}

static void skip_both(struct tp_advisor *a, const char *reason)
{
    tp_advisor_skip(a, TP_RULE_D1, reason);
    tp_advisor_skip(a, TP_RULE_D3, reason);
}

void tp_rule_memory(struct tp_advisor *a)
{
    enum { MAX_DEVICES = 4096 }; /* of broken traces: each looks through the list of devices */
    uint32_t seen = 0;
    for (uint32_t i = 0; i < a->memory->device_count && seen < MAX_DEVICES; i++) {
        const struct tp_memory_device *m = &a->memory->devices[i];
        if (!is_device_memory(m->device_type))
            continue;
        seen++;
        int64_t capacity = capacity_of(a->model->trace, m->device_id);
        if (!capacity || !m->totals_known)
            skip_both(a, "device memory size or totals unknown");
        else
            look_at(a, m, capacity);
    }
    if (!seen)
        skip_both(a, "no device memory records");
}
