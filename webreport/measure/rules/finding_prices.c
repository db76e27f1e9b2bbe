/* Prices findings by replay: see finding_prices.h. */
#include "webreport/measure/rules/finding_prices.h"

#include <math.h>

#include "webreport/measure/rules/rules_order.h"
#include "webreport/model/numbers.h"
#include "writer/base/limits.h"

/* Returns a time of one step, ns, in percent of the judged time of a step. */
static double percent_of_step(const struct tp_recommendations *found, int64_t ns)
{
    return fmin(100, tp_percent(tp_sat_mul(ns, found->step_count), found->judged_ns));
}

/* Sets the part of a fix that it removes. */
static void set_shares(const struct tp_finding *finding, struct tp_fix *fix)
{
    double low = fmin(fmax(finding->low_part, 0), 1), high = fmin(fmax(finding->high_part, 0), 1);
    fix->low = finding->is_fix_whole ? TP_FIX_WHOLE : (uint32_t)(fmin(low, high) * TP_FIX_WHOLE);
    fix->high = finding->is_fix_whole ? TP_FIX_WHOLE : (uint32_t)(high * TP_FIX_WHOLE);
}

/* Sorts the findings by their gains alone. Implements tp_fix_order. */
static void choose_order(void *context, const struct tp_fix_price *prices, uint32_t *order)
{
    struct tp_finding_prices *p = context;
    struct tp_recommendations *found = p->found;
    uint32_t count = 0;
    for (uint32_t i = 0; i < found->finding_count; i++) {
        struct tp_finding *f = &found->findings[i];
        if (!f->fix_number)
            continue;
        const struct tp_fix_price *price = &prices[f->fix_number - 1];
        f->is_priced = true;
        f->sure_percent = f->low_percent = percent_of_step(found, price->alone_low_ns);
        f->high_percent = percent_of_step(found, price->alone_high_ns);
    }
    tp_findings_sort_priced(p->arena, found->findings, found->finding_count, p->class);
    for (uint32_t i = 0; i < found->finding_count; i++)
        if (found->findings[i].is_priced)
            order[count++] = found->findings[i].fix_number - 1;
}

void tp_finding_prices_begin(struct tp_finding_prices *prices, struct tp_fix_question *question,
                             struct tp_recommendations *found, enum tp_verdict_class class, struct tp_arena *arena)
{
    *prices = (struct tp_finding_prices){.found = found, .class = class, .arena = arena};
    prices->items = tp_arena_array(arena, found->finding_count, sizeof *prices->items);
    prices->prices = tp_arena_array(arena, found->finding_count, sizeof *prices->prices);
    *question = (struct tp_fix_question){.items = prices->items,
                                         .choose_order = choose_order,
                                         .context = prices,
                                         .prices = prices->prices,
                                         .total = &prices->total};
    for (uint32_t i = 0; i < found->finding_count && question->count < TP_MAX_PRICED_FIXES; i++) {
        struct tp_finding *f = &found->findings[i];
        if (!tp_fix_is_any(&f->fix))
            continue;
        prices->items[question->count] = f->fix;
        set_shares(f, &prices->items[question->count]);
        f->fix_number = ++question->count;
    }
}

/* Returns the index of the finding with a fix in the list; TP_NO_ID for TP_NO_ID. */
static uint32_t find_finding(const struct tp_recommendations *found, uint32_t fix)
{
    uint32_t i = 0;
    while (fix != TP_NO_ID && found->findings[i].fix_number != fix + 1)
        i++;
    return fix == TP_NO_ID ? TP_NO_ID : i;
}

/* Sets the estimate of a finding from its price. */
static void set_estimate(const struct tp_recommendations *found, struct tp_finding *f)
{
    f->low_percent = percent_of_step(found, f->price.low_ns);
    f->high_percent = percent_of_step(found, f->price.high_ns);
    f->counted_percent = fmin(percent_of_step(found, f->price.counted_ns), f->high_percent);
    f->gone_with = find_finding(found, f->price.gone_with);
}

/* Limits what the findings without a price count, so that all findings together gain no more than the step. */
static void limit_other_estimates(struct tp_recommendations *found)
{
    double left = 100;
    for (uint32_t i = 0; i < found->finding_count; i++)
        if (found->findings[i].is_priced)
            left -= found->findings[i].counted_percent;
    for (uint32_t i = 0; i < found->finding_count; i++) {
        struct tp_finding *f = &found->findings[i];
        if (f->is_priced || isnan(f->ceiling_us_per_step))
            continue;
        f->counted_percent = fmin(f->counted_percent, fmax(0, left));
        f->high_percent = fmin(f->high_percent, fmax(0, left));
        f->low_percent = fmin(f->low_percent, f->high_percent);
        left -= f->counted_percent;
    }
}

void tp_finding_prices_finish(struct tp_finding_prices *prices)
{
    struct tp_recommendations *found = prices->found;
    for (uint32_t i = 0; i < found->finding_count; i++) {
        struct tp_finding *f = &found->findings[i];
        tp_arena_free_item(prices->arena, f->fix.operations, f->fix.operation_count * sizeof *f->fix.operations);
        tp_arena_free_item(prices->arena, f->fix.calls, f->fix.call_count * sizeof *f->fix.calls);
        tp_arena_free_item(prices->arena, f->fix.host.items, f->fix.host.count * sizeof *f->fix.host.items);
        tp_arena_free_item(prices->arena, f->fix.kept.items, f->fix.kept.count * sizeof *f->fix.kept.items);
        f->fix = (struct tp_fix){0};
        if (!f->is_priced)
            continue;
        f->price = prices->prices[f->fix_number - 1];
        set_estimate(found, f);
        found->priced_count++;
    }
    if (!found->priced_count)
        return;
    found->all_priced = prices->total;
    limit_other_estimates(found);
    tp_recommendations_add_totals(found);
}
