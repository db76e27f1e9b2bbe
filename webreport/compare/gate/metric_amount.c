/* Formats values of metrics as text. See metric_amount.h. */
#include "webreport/compare/gate/metric_amount.h"

#include <math.h>

#include "writer/base/stats.h"
#include "writer/text/format.h"

/* Returns a count as text: without decimals if it is a whole number, else with two decimals. */
static const char *format_count(struct tp_arena *arena, double value)
{
    if (value == floor(value) && fabs(value) < 1e15)
        return tp_text_of_count(arena, (int64_t)value);
    return tp_text_of_fixed(arena, value, 2);
}

const char *tp_amount_text(struct tp_arena *arena, enum tp_metric_unit unit, double value)
{
    if (!isfinite(value))
        return tp_text_of_fixed(arena, value, 0);
    if (unit == TP_UNIT_NS)
        return tp_text_of_time(arena, tp_round_to_integer(value));
    if (unit == TP_UNIT_BYTES)
        return tp_text_of_bytes(arena, tp_round_to_integer(value));
    if (unit == TP_UNIT_PERCENT)
        return tp_text_of_percent(arena, value);
    return format_count(arena, value);
}

const char *tp_amount_change_text(struct tp_arena *arena, enum tp_metric_unit unit, enum tp_budget_kind kind,
                                  double change)
{
    const char *sign = change < 0 ? "\xe2\x88\x92" : "+";
    if (isnan(change))
        return "–";
    if (kind == TP_LIMIT_RELATIVE)
        return tp_text_printf(arena, "%s%s %%", sign, tp_text_of_fixed(arena, fabs(change), 1));
    if (unit == TP_UNIT_PERCENT)
        return tp_text_printf(arena, "%s%s points", sign, tp_text_of_fixed(arena, fabs(change), 1));
    return tp_text_printf(arena, "%s%s", sign, tp_amount_text(arena, unit, fabs(change)));
}

/* Returns a limit as text, with the digits that the user wrote, up to the precision of a double. */
static const char *format_limit_number(struct tp_arena *arena, double value)
{
    return tp_text_printf(arena, "%.10g", value);
}

const char *tp_amount_limit_text(struct tp_arena *arena, const struct tp_budget_line *line)
{
    enum tp_metric_unit unit = tp_metrics[line->metric].unit;
    const char *op = tp_budget_op_text(line->op), *sign = line->limit < 0 || signbit(line->limit) ? "-" : "+";
    double size = fabs(line->limit);
    if (line->kind == TP_LIMIT_RELATIVE)
        return tp_text_printf(arena, "%s %s%s %%", op, sign, format_limit_number(arena, size));
    if (line->kind == TP_LIMIT_DELTA)
        return unit == TP_UNIT_PERCENT
                   ? tp_text_printf(arena, "%s %s%s points", op, sign, format_limit_number(arena, size))
               : unit == TP_UNIT_COUNT ? tp_text_printf(arena, "%s %s%s", op, sign, format_limit_number(arena, size))
                                       : tp_text_printf(arena, "%s %s%s", op, sign, tp_amount_text(arena, unit, size));
    if (unit == TP_UNIT_COUNT || unit == TP_UNIT_PERCENT)
        return tp_text_printf(arena, "%s %s%s", op, format_limit_number(arena, size),
                              unit == TP_UNIT_PERCENT ? " %" : "");
    return tp_text_printf(arena, "%s %s", op, tp_amount_text(arena, unit, size));
}
