/* Implements rules_order.h: orders findings and computes the gain of each. */
#include "webreport/measure/rules/rules_order.h"

#include <math.h>
#include <string.h>

#include "webreport/measure/rules/rules_eval.h"
#include "writer/base/sort.h"

/* Returns the weight of a finding as if it were the only one: the middle of its estimate, times a factor for the
 * confidence. */
static double weight_of_estimate(const struct tp_finding *finding)
{
    static const double sure[] = {[TP_CONFIDENCE_LOW] = 0.35, [TP_CONFIDENCE_MEDIUM] = 0.8, [TP_CONFIDENCE_HIGH] = 1};
    double middle = (finding->low_percent + finding->high_percent) / 2 * sure[finding->confidence];
    return isnan(finding->weight_percent) ? isnan(middle) ? 0 : middle : finding->weight_percent;
}

/* Returns the severity by which a finding is sorted: that of its sure gain if a replay has priced it. */
static enum tp_severity severity_in_order(const struct tp_finding *finding)
{
    return finding->is_priced ? tp_severity_by_share(finding->sure_percent) : finding->severity;
}

static int compare_by_weight(const void *x, const void *y, const void *context)
{
    (void)context;
    const struct tp_finding *p = x, *q = y;
    double a = p->sort_weight, b = q->sort_weight;
    if (p->is_first != q->is_first)
        return p->is_first ? -1 : 1;
    if (severity_in_order(p) != severity_in_order(q))
        return severity_in_order(p) < severity_in_order(q) ? -1 : 1;
    if (a != b)
        return a > b ? -1 : 1;
    if (p->rule != q->rule)
        return tp_rule_number(p->rule) < tp_rule_number(q->rule) ? -1 : 1;
    return 0;
}

void tp_findings_order_equal(struct tp_finding *findings, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k && !compare_by_weight(&findings[k - 1], &findings[k], NULL) &&
                           tp_str_compare(findings[k - 1].detail, findings[k].detail) > 0;
             k--) {
            struct tp_finding earlier = findings[k - 1];
            findings[k - 1] = findings[k];
            findings[k] = earlier;
        }
}

static bool starts_with(const char *text, const char *start)
{
    return text && strncmp(text, start, strlen(start)) == 0;
}

/* Returns whether a finding covers the kind of time that the verdict names. */
static bool matches_verdict(const struct tp_finding *finding, enum tp_verdict_class class)
{
    const char *cause = finding->cause, *id = finding->rule->id;
    if (!(finding->high_percent > 0))
        return false;
    switch (class) {
    case TP_CLASS_INPUT_BOUND:
        return starts_with(cause, "input.") || strcmp(id, "B1") == 0 || strcmp(id, "B2") == 0 || strcmp(id, "H1") == 0;
    case TP_CLASS_COMMUNICATION_BOUND:
        return starts_with(cause, "comm.");
    case TP_CLASS_COPY_BOUND: /* casts and layout changes are kernels, so they are no copy time */
        return strcmp(id, "B3") == 0 || strcmp(id, "B4") == 0 || strcmp(id, "B5") == 0;
    case TP_CLASS_SYNC_BOUND:
        return strcmp(id, "A4") == 0 || strcmp(id, "A5") == 0 || strcmp(id, "A6") == 0;
    case TP_CLASS_STALL:
    case TP_CLASS_LAUNCH_BOUND:
        return starts_with(cause, "launch.");
    case TP_CLASS_COMPUTE_BOUND:
        return id[0] == 'C';
    default:
        return false;
    }
}

static bool do_findings_overlap(const struct tp_finding *x, const struct tp_finding *y)
{
    return x->low_percent <= y->high_percent && y->low_percent <= x->high_percent;
}

/* Returns whether the severity leaves the order of two findings open. A gain by replay from 0 on may be of any
 * severity, so only its range decides. */
static bool are_equally_severe(const struct tp_finding *x, const struct tp_finding *y)
{
    return x->is_priced || y->is_priced || x->severity == y->severity;
}

static void sort_findings(struct tp_arena *arena, struct tp_finding *findings, size_t count,
                          enum tp_verdict_class class)
{
    size_t at = 0;
    tp_merge_sort(arena, findings, count, sizeof *findings, compare_by_weight, NULL);
    while (at < count && !matches_verdict(&findings[at], class))
        at++;
    for (; at && at < count && !findings[at - 1].is_first && are_equally_severe(&findings[at - 1], &findings[at]) &&
           do_findings_overlap(&findings[at - 1], &findings[at]);
         at--) {
        struct tp_finding before = findings[at - 1];
        findings[at - 1] = findings[at];
        findings[at] = before;
    }
}

void tp_findings_sort(struct tp_arena *arena, struct tp_finding *findings, size_t count, enum tp_verdict_class class)
{
    for (size_t i = 0; i < count; i++)
        findings[i].sort_weight = weight_of_estimate(&findings[i]);
    sort_findings(arena, findings, count, class);
}

void tp_findings_sort_priced(struct tp_arena *arena, struct tp_finding *findings, size_t count,
                             enum tp_verdict_class class)
{
    for (size_t i = 0; i < count; i++)
        if (findings[i].is_priced)
            findings[i].sort_weight = findings[i].sure_percent;
    sort_findings(arena, findings, count, class);
}

/* a walk over the times of several findings, in order of time */
struct walk {
    const struct tp_intervals *times; /* for each finding: times of the finding */
    size_t *piece; /* for each finding: index of the finding's first interval that ends after at_ns */
    size_t count;
    int64_t at_ns;
};

/* Returns the index of the first finding whose time contains at_ns; `count` if no finding does. Sets *change_ns to
 * the next time at which the result may change. */
static size_t find_finding_at(struct walk *w, int64_t *change_ns)
{
    *change_ns = INT64_MAX;
    for (size_t i = 0; i < w->count; i++) {
        struct tp_intervals time = w->times[i];
        while (w->piece[i] < time.count && time.items[w->piece[i]].b <= w->at_ns)
            w->piece[i]++;
        if (w->piece[i] == time.count)
            continue;
        struct tp_interval piece = time.items[w->piece[i]];
        if (piece.a <= w->at_ns) {
            *change_ns = tp_ns_min(*change_ns, piece.b);
            return i;
        }
        *change_ns = tp_ns_min(*change_ns, piece.a);
    }
    return w->count;
}

/* Assigns each moment to the first finding whose time contains it. Adds the assigned time of each finding, without the
 * cost of recording, to own_ns. */
static void assign_time_to_findings(const struct tp_advisor *a, struct tp_intervals *times, size_t count,
                                    int64_t *own_ns)
{
    struct walk w = {.times = times,
                     .piece = tp_arena_array(a->arena, count + 1, sizeof *w.piece),
                     .count = count,
                     .at_ns = INT64_MIN};
    int64_t change_ns;
    for (size_t i = find_finding_at(&w, &change_ns); change_ns < INT64_MAX; i = find_finding_at(&w, &change_ns)) {
        if (i < count)
            own_ns[i] =
                tp_sat_add(own_ns[i], tp_interval_without_recording_ns(a, (struct tp_interval){w.at_ns, change_ns}));
        w.at_ns = change_ns;
    }
}

int64_t tp_findings_limit_gains(struct tp_advisor *a)
{
    size_t count = a->findings.count;
    struct tp_intervals *times = tp_arena_array(a->arena, count + 1, sizeof *times);
    int64_t *own_ns = tp_arena_array(a->arena, count + 1, sizeof *own_ns), left_ns = a->judged_ns, sum_ns = 0;
    for (size_t i = 0; i < count; i++)
        times[i] = *TP_AT(&a->times, struct tp_intervals, TP_AT(&a->findings, struct tp_finding, i)->time);
    assign_time_to_findings(a, times, count, own_ns);
    for (size_t i = 0; i < count; i++) {
        struct tp_finding *f = TP_AT(&a->findings, struct tp_finding, i);
        if (isnan(f->ceiling_us_per_step)) /* a finding without a ceiling has no time */
            continue;
        int64_t ns = tp_ns_min(tp_ns_max(0, own_ns[i]), left_ns);
        left_ns -= ns;
        sum_ns = tp_sat_add(sum_ns, own_ns[i]);
        tp_finding_set_gain(f, fmin(tp_analysed_percent(a, ns), f->share_percent));
        f->high_percent = fmax(f->high_percent, f->most_percent);
    }
    return tp_ns_min(tp_ns_max(0, sum_ns), a->judged_ns);
}
