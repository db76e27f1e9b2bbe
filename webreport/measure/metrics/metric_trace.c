/* Computes metrics of memory, collectives, findings, the critical path and trace quality, as declared in
 * metric_values.h. */
#include <math.h>

#include "webreport/measure/metrics/metric_values.h"
#include "webreport/model/numbers.h"
#include "writer/base/saturate.h"

static struct tp_metric_value make_known_value(double value)
{
    return (struct tp_metric_value){.value = value};
}

static struct tp_metric_value make_unknown_value(enum tp_metric_reason reason)
{
    return (struct tp_metric_value){.value = NAN, .reason = reason};
}

/* ---- memory ---- */

static double memory_amount_of_device(const struct tp_memory_device *d, enum tp_metric_memory which)
{
    switch (which) {
    case TP_MEMORY_PEAK_BYTES:
        return (double)d->peak_allocated_bytes;
    case TP_MEMORY_RESERVED_BYTES:
        return d->totals_known ? (double)d->peak_reserved_bytes : NAN;
    case TP_MEMORY_CREEP:
        return d->creep_bytes_per_step;
    case TP_MEMORY_FRAGMENTATION:
        return d->totals_known ? d->fragmentation_percent : NAN;
    default:
        return NAN; /* tp_metric_of_memory computes TP_MEMORY_ALLOCATIONS_PER_STEP */
    }
}

/* Returns a metric of memory. With TP_MEMORY_OF_HOST, the value is for the CPU; otherwise it is the greatest value of
 * all other devices. The number of allocations is a sum over the devices. */
struct tp_metric_value tp_metric_of_memory(const struct tp_metric_source *s, int which)
{
    const struct tp_memory_peak *memory = &s->advice->memory;
    enum tp_metric_memory what = (enum tp_metric_memory)(which & ~TP_MEMORY_OF_HOST);
    bool is_of_host = which & TP_MEMORY_OF_HOST, has_records = false;
    const struct tp_step_counts *counts = &s->views->overview.in_steps;
    double best = NAN;
    for (uint32_t i = 0; i < memory->device_count; i++) {
        const struct tp_memory_device *d = &memory->devices[i];
        if ((d->device_type == TP_DEVICE_CPU) != is_of_host)
            continue;
        double value = memory_amount_of_device(d, what);
        has_records = true;
        best = isnan(best) || value > best ? value : best;
    }
    if (!has_records)
        return make_unknown_value(is_of_host ? TP_REASON_NO_HOST_MEMORY : TP_REASON_NO_DEVICE_MEMORY);
    if (what == TP_MEMORY_ALLOCATIONS_PER_STEP)
        return make_known_value((double)(is_of_host ? counts->host_allocations : counts->device_allocations) /
                                s->views->overview.used_count);
    if (isnan(best))
        return make_unknown_value(what == TP_MEMORY_CREEP ? TP_REASON_FEW_MEMORY_STEPS : TP_REASON_NO_MEMORY_TOTALS);
    return make_known_value(best);
}

struct tp_metric_value tp_metric_of_failed_allocations(const struct tp_metric_source *s, int which)
{
    (void)which;
    return make_known_value((double)s->advice->quality.out_of_memory_events);
}

/* ---- collectives ---- */

struct tp_metric_value tp_metric_of_collectives(const struct tp_metric_source *s, int which)
{
    const struct tp_collectives *collectives = &s->model->collectives;
    const struct tp_overview *overview = &s->views->overview;
    double communication = (double)overview->communication_ns, hidden = (double)overview->hidden_communication_ns;
    int64_t bytes = 0;
    for (uint32_t i = 0; i < collectives->count; i++)
        if (collectives->items[i].bytes != TP_NULL_INT)
            bytes = tp_sat_add(bytes, collectives->items[i].bytes);
    switch ((enum tp_metric_collective)which) {
    case TP_COLLECTIVES_PER_STEP:
        return make_known_value((double)overview->in_steps.collectives / overview->used_count);
    case TP_COLLECTIVES_BYTES:
        return make_known_value((double)bytes);
    case TP_COLLECTIVES_EXPOSED:
        return overview->window_ns > 0 ? make_known_value(100 * (communication - hidden) / (double)overview->window_ns)
                                       : make_unknown_value(TP_REASON_NO_LENGTH);
    default:
        return communication > 0 ? make_known_value(100 * hidden / communication)
                                 : make_unknown_value(TP_REASON_NO_COMMUNICATION);
    }
}

/* ---- findings ---- */

static bool has_judged_findings(const struct tp_recommendations *r)
{
    return strcmp(r->program, "empty") != 0;
}

struct tp_metric_value tp_metric_of_findings(const struct tp_metric_source *s, int which)
{
    const struct tp_recommendations *r = &s->advice->recommendations;
    double count = 0;
    if (!has_judged_findings(r))
        return make_unknown_value(TP_REASON_NOTHING_TO_JUDGE);
    if (which == TP_FINDINGS_CEILING)
        return isnan(r->total_ceiling_percent) ? make_unknown_value(TP_REASON_NOTHING_TO_JUDGE)
                                               : make_known_value(r->total_ceiling_percent);
    for (uint32_t i = 0; i < r->finding_count; i++)
        count += which == TP_FINDINGS_ALL || r->findings[i].severity == (enum tp_severity)which;
    return make_known_value(count);
}

struct tp_metric_value tp_metric_of_rule(const struct tp_metric_source *s, int which)
{
    const struct tp_recommendations *r = &s->advice->recommendations;
    const struct tp_rule *rule = tp_rule_at((unsigned)which);
    double count = 0;
    if (!has_judged_findings(r))
        return make_unknown_value(TP_REASON_NOTHING_TO_JUDGE);
    for (uint32_t i = 0; i < r->finding_count; i++)
        count += r->findings[i].rule == rule;
    for (uint32_t i = 0; count == 0 && i < r->not_evaluated_count; i++)
        if (r->not_evaluated[i].rule == rule)
            return make_unknown_value(TP_REASON_NOT_EVALUATED);
    return make_known_value(count);
}

/* ---- the critical path ---- */

/* Returns why a trace has no answers of a replay; TP_REASON_NONE if it has some. */
static enum tp_metric_reason missing_replay_reason(const struct tp_what_if_view *view)
{
    for (unsigned i = 0; i < TP_WITHHELD_REASONS; i++)
        if (view->withheld >> i & 1)
            return TP_REASON_WITHHELD + i;
    if (view->has_part) /* a metric has the value of the whole trace or none */
        return TP_REASON_WITHHELD + TP_WITHHELD_SIZE;
    return view->step_count ? TP_REASON_NONE : TP_REASON_NOT_REPLAYED;
}

struct tp_metric_value tp_metric_of_critical_path(const struct tp_metric_source *s, int which)
{
    const struct tp_what_if_view *view = &s->advice->what_if;
    enum tp_metric_reason why = missing_replay_reason(view);
    if (why != TP_REASON_NONE)
        return make_unknown_value(why);
    if (which < TP_GROUPS)
        return make_known_value(tp_percent(view->path.group_ns[which], s->model->window_ns));
    if (!s->model->devices.count) /* without a device, the host does all the work */
        return make_unknown_value(TP_REASON_NO_DEVICE);
    for (uint32_t i = 0; i < view->answer_count; i++)
        if (tp_str_equal(view->answers[i].change, TP_STR(TP_CHANGE_HOST_FREE)))
            return make_known_value((double)view->answers[i].step_ns);
    return make_unknown_value(TP_REASON_NOT_REPLAYED);
}

struct tp_metric_value tp_metric_of_change(const struct tp_metric_source *s, int which)
{
    enum tp_metric_reason why = missing_replay_reason(&s->advice->what_if);
    (void)which;
    return make_unknown_value(why == TP_REASON_NONE ? TP_REASON_NEEDS_CHANGE : why);
}

/* ---- the trace ---- */

struct tp_metric_value tp_metric_of_trace(const struct tp_metric_source *s, int which)
{
    const struct tp_quality *quality = &s->advice->quality;
    const uint64_t *skipped = s->model->trace->reading.skipped;
    int flags = 0;
    for (int i = 0; i < TP_QUALITY_FLAGS; i++)
        flags += quality->flags[i].is_raised;
    switch ((enum tp_metric_trace)which) {
    case TP_TRACE_EVENTS:
        return make_known_value((double)s->views->facts.event_count);
    case TP_TRACE_REPAIRED:
        return make_known_value((double)quality->repaired);
    case TP_TRACE_SKIPPED:
        return make_known_value((double)(skipped[TP_SKIP_NOT_AN_OBJECT] + skipped[TP_SKIP_NO_TIME]));
    case TP_TRACE_PARTIAL_STEPS:
        return make_known_value((double)tp_unused_step_count(s->model, TP_STEP_UNFINISHED));
    case TP_TRACE_UNLINKED:
        return make_known_value((double)s->views->facts.device_events_unlinked);
    case TP_TRACE_TRUNCATED:
        return make_known_value(quality->is_truncated || quality->has_gzip_error);
    default:
        return make_known_value(flags);
    }
}
