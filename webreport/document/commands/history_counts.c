/* Writes the counts that differ between two stored runs. See history_counts.h. */
#include "webreport/document/commands/history_counts.h"

#include <math.h>
#include <string.h>

#include "webreport/compare/gate/metric_amount.h"
#include "writer/text/format.h"

static double greatest_value(const struct tp_history_run *run, unsigned metric)
{
    double value = NAN;
    for (size_t i = 0; i < run->count; i++)
        if (isnan(value) || run->items[i].metrics[metric].value > value)
            value = run->items[i].metrics[metric].value;
    return value;
}

const char *tp_history_changed_counts_text(struct tp_arena *arena, const struct tp_history_run *before,
                                           const struct tp_history_run *after)
{
    static const char *const names[] = {"operators.per_step", "kernels.per_step", "sync.per_step",
                                        "h2d.pageable.bytes"};
    const char *text = "";
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        int metric = tp_metric_find(names[i], strlen(names[i]));
        double was = metric < 0 ? NAN : greatest_value(before, (unsigned)metric);
        double is = metric < 0 ? NAN : greatest_value(after, (unsigned)metric);
        if (isnan(was) || isnan(is) || fabs(was - is) < 0.5)
            continue;
        text = tp_text_printf(arena, "%s, %s %s -> %s", text, names[i],
                              tp_amount_text(arena, tp_metrics[metric].unit, was),
                              tp_amount_text(arena, tp_metrics[metric].unit, is));
    }
    return text;
}
