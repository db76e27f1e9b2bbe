/* The order of findings, and what is left for each. See rules_order.h. */
#include "webreport/measure/rules_order.h"

#include <math.h>
#include <string.h>

#include "webreport/measure/rules_eval.h"
#include "writer/base/sort.h"

/* The middle of what is gained, less where it is less sure. */
static double weight_of(const struct tp_finding *finding)
{
    static const double sure[] = {[TP_CONFIDENCE_LOW] = 0.35, [TP_CONFIDENCE_MEDIUM] = 0.8, [TP_CONFIDENCE_HIGH] = 1};
    double middle = (finding->low_percent + finding->high_percent) / 2 * sure[finding->confidence];
    return isnan(finding->weight_percent) ? isnan(middle) ? 0 : middle : finding->weight_percent;
}

static int by_weight(const void *x, const void *y, const void *context)
{
    (void)context;
    const struct tp_finding *p = x, *q = y;
    double a = weight_of(p), b = weight_of(q);
    if (p->is_first != q->is_first)
        return p->is_first ? -1 : 1;
    if (p->severity != q->severity)
        return p->severity < q->severity ? -1 : 1;
    if (a != b)
        return a > b ? -1 : 1;
    if (p->rule != q->rule)
        return p->rule < q->rule ? -1 : 1;
    return tp_str_compare(p->detail, q->detail);
}

static bool begins(const char *text, const char *start)
{
    return text && strncmp(text, start, strlen(start)) == 0;
}

/* Is the finding about the time that the verdict names? */
static bool is_of_verdict(const struct tp_finding *finding, enum tp_verdict_class class)
{
    const char *cause = finding->cause, *id = finding->rule->id;
    if (!(finding->high_percent > 0))
        return false;
    switch (class) {
    case TP_CLASS_INPUT_BOUND:
        return begins(cause, "input.") || strcmp(id, "B1") == 0 || strcmp(id, "B2") == 0 || strcmp(id, "H1") == 0;
    case TP_CLASS_COMMUNICATION_BOUND:
        return begins(cause, "comm.");
    case TP_CLASS_COPY_BOUND: /* those of the copy engines: casts and layouts are kernels */
        return strcmp(id, "B3") == 0 || strcmp(id, "B4") == 0 || strcmp(id, "B5") == 0;
    case TP_CLASS_SYNC_BOUND:
        return strcmp(id, "A4") == 0 || strcmp(id, "A5") == 0 || strcmp(id, "A6") == 0;
    case TP_CLASS_STALL:
    case TP_CLASS_LAUNCH_BOUND:
        return begins(cause, "launch.");
    case TP_CLASS_COMPUTE_BOUND:
        return id[0] == 'C';
    default:
        return false;
    }
}

static bool overlap(const struct tp_finding *x, const struct tp_finding *y)
{
    return x->low_percent <= y->high_percent && y->low_percent <= x->high_percent;
}

void tp_findings_sort(struct tp_arena *arena, struct tp_finding *findings, size_t count, enum tp_verdict_class class)
{
    size_t at = 0;
    tp_merge_sort(arena, findings, count, sizeof *findings, by_weight, NULL);
    while (at < count && !is_of_verdict(&findings[at], class))
        at++;
    for (; at && at < count && !findings[at - 1].is_first && findings[at - 1].severity == findings[at].severity &&
           overlap(&findings[at - 1], &findings[at]);
         at--) {
        struct tp_finding before = findings[at - 1];
        findings[at - 1] = findings[at];
        findings[at] = before;
    }
}

void tp_findings_bound(struct tp_advisor *a)
{
    struct tp_vec taken = TP_VEC(a->arena, struct tp_interval);
    int64_t left_ns = a->judged_ns;
    for (size_t i = 0; i < a->findings.count; i++) {
        struct tp_finding *f = TP_AT(&a->findings, struct tp_finding, i);
        if (isnan(f->ceiling_us_per_step))
            continue;
        struct tp_intervals time = *TP_AT(&a->times, struct tp_intervals, f->time);
        struct tp_intervals rest = i ? tp_intervals_minus(a->arena, time, tp_intervals_of(&taken)) : time;
        int64_t ns = tp_ns_min(tp_judged_length(a, rest), left_ns);
        double percent = fmin(tp_window_percent(a, ns), f->share_percent);
        left_ns -= ns;
        tp_finding_set_gain(f, percent);
        tp_intervals_append(&taken, time);
    }
}
