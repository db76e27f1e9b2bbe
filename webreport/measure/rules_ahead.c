/* Estimates how much idle time of the devices a host fills that makes no synchronizing call.
 *
 * A wait that lets the device run dry costs more than the bubble after it. Without the wait the host is earlier by the
 * length of the call. The host keeps this lead until the device has been idle for as long. */
#include "webreport/measure/rules_eval.h"

struct host {
    int64_t lead;   /* how much earlier the host is than in the trace, ns */
    int64_t filled; /* idle time that the lead has filled so far, ns */
};

static void pass_idle(struct host *host, int64_t ns)
{
    int64_t part = tp_ns_min(host->lead, tp_ns_max(0, ns));
    host->lead -= part;
    host->filled += part;
}

int64_t tp_time_ahead(struct tp_advisor *a)
{
    const struct tp_model *model = a->model;
    struct tp_intervals idle = tp_model_idle(model, false, a->arena);
    struct host host = {0};
    uint32_t next = 0;
    for (size_t i = 0; i < idle.count; i++) {
        int64_t from = idle.items[i].a, end = idle.items[i].b;
        for (; next < model->wait_count && model->waits[next].at_ns < end; next++) {
            const struct tp_wait *wait = &model->waits[next];
            if (!tp_in_window(a, wait->event))
                continue;
            pass_idle(&host, wait->at_ns - from);
            from = tp_ns_max(from, wait->at_ns);
            host.lead = tp_sat_add(host.lead, model->trace->events[wait->event].dur_ns);
        }
        pass_idle(&host, end - from);
    }
    tp_arena_drop(a->arena, idle.items, idle.count * sizeof *idle.items);
    return host.filled;
}
