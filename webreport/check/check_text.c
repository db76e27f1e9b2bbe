/* The verdict as text for a terminal, and the sentences that all formats share. See check_print.h. */
#include <math.h>

#include "webreport/check/amount.h"
#include "webreport/check/check_print.h"
#include "webreport/render/format.h"
#include "webreport/render/terminal.h"

enum { INDENT = 13, MAX_ROWS = 200 };

static enum tp_metric_unit unit_of(const struct tp_check_item *item)
{
    return tp_metrics[item->line->metric].unit;
}

/* ---- sentences ---- */

static const char *side_text(struct tp_arena *arena, const struct tp_check_side *side)
{
    if (side->count == 1)
        return tp_text_printf(arena, "%.200s", side->name);
    return tp_text_printf(arena, "%.200s (%zu profiles)", side->name, side->count);
}

const char *tp_check_verdict_line(const struct tp_check_print *print)
{
    const struct tp_check *c = print->check;
    struct tp_arena *arena = print->arena;
    size_t failed = c->counts[TP_CHECK_FAIL], kept = c->count - failed - c->counts[TP_CHECK_INCONCLUSIVE];
    const char *text = tp_text_printf(arena, "%s: %zu of %zu limits %s", tp_check_status_text(c->verdict),
                                      failed ? failed : kept, c->count, failed ? "broken" : "kept");
    if (c->counts[TP_CHECK_INCONCLUSIVE])
        text = tp_text_printf(arena, "%s, %zu inconclusive", text, c->counts[TP_CHECK_INCONCLUSIVE]);
    if (c->counts[TP_CHECK_WARN])
        text = tp_text_printf(arena, "%s, %s", text,
                              tp_text_of_some(arena, (int64_t)c->counts[TP_CHECK_WARN], "warning", "warnings"));
    return text;
}

const char *tp_check_sides_line(const struct tp_check_print *print)
{
    const struct tp_check *c = print->check;
    struct tp_arena *arena = print->arena;
    const char *run = side_text(arena, &c->input->run);
    if (!c->input->base.name)
        return run;
    return tp_text_printf(arena, "%s against %s, comparable %u of 100", run, side_text(arena, &c->input->base),
                          c->score);
}

const char *tp_check_item_title(const struct tp_check_print *print, const struct tp_check_item *item)
{
    const char *limit = tp_amount_limit(print->arena, item->line), *name = tp_metrics[item->line->metric].name;
    if (item->subject.len)
        return tp_text_printf(print->arena, "%.*s: %s %s", (int)item->subject.len, item->subject.ptr, name, limit);
    return tp_text_printf(print->arena, "%s %s", name, limit);
}

const char *tp_check_item_message(const struct tp_check_print *print, const struct tp_check_item *item)
{
    struct tp_arena *arena = print->arena;
    const char *name = tp_metrics[item->line->metric].name, *text = name;
    if (!isnan(item->value))
        text = tp_text_printf(arena, "%s is %s", name, tp_amount_text(arena, unit_of(item), item->value));
    if (!isnan(item->base_value))
        text = tp_text_printf(arena, "%s, in the baseline %s", text,
                              tp_amount_text(arena, unit_of(item), item->base_value));
    if (!isnan(item->change))
        text = tp_text_printf(arena, "%s (%s)", text,
                              tp_amount_change(arena, unit_of(item), item->line->kind, item->change));
    text = tp_text_printf(arena, "%s; the limit is %s", text, tp_amount_limit(arena, item->line));
    return *item->reason ? tp_text_printf(arena, "%s: %s", text, item->reason) : text;
}

/* ---- the table ---- */

static void put_status(const struct tp_check_print *print, enum tp_check_status status, size_t columns,
                       struct tp_buf *out)
{
    static const char *const colours[] = {"\033[32m", "\033[33m", "\033[35m", "\033[1;31m"};
    const char *text = tp_check_status_text(status);
    tp_buf_printf(out, "%s%s%s", print->has_color ? colours[status] : "", text, print->has_color ? "\033[0m" : "");
    tp_terminal_pad(out, columns - strlen(text));
}

/* status, limit, value, change; reasons and places below. */
static void put_item(const struct tp_check_print *print, const struct tp_check_item *item, struct tp_buf *out)
{
    enum { TITLE = 43, VALUE = 11, CHANGE = 12 };
    struct tp_arena *arena = print->arena;
    const char *title = tp_check_item_title(print, item);
    bool has_change = !isnan(item->change);
    put_status(print, item->status, INDENT, out);
    if (tp_terminal_width(tp_str_of(title)) > TITLE) {
        tp_terminal_put(out, tp_str_of(title), TP_TERMINAL_WIDTH - INDENT);
        tp_buf_putc(out, '\n');
        tp_terminal_pad(out, INDENT + TITLE);
    } else {
        tp_terminal_left(out, title, TITLE);
    }
    tp_terminal_right(out, isnan(item->value) ? "-" : tp_amount_text(arena, unit_of(item), item->value), VALUE);
    if (has_change)
        tp_terminal_right(out, tp_amount_change(arena, unit_of(item), item->line->kind, item->change), CHANGE);
    tp_buf_putc(out, '\n');
    if (*item->reason)
        tp_terminal_wrap(out, item->reason, INDENT);
    for (uint32_t i = 0; i < item->place_count; i++)
        tp_terminal_wrap(out,
                         tp_text_printf(arena, "%.*s: %.*s", (int)item->places[i].file_line.len,
                                        item->places[i].file_line.ptr, (int)item->places[i].text.len,
                                        item->places[i].text.ptr),
                         INDENT);
}

void tp_check_text(const struct tp_check_print *print, struct tp_buf *out)
{
    const struct tp_check *c = print->check;
    tp_terminal_wrap(out, tp_check_verdict_line(print), 0);
    tp_terminal_wrap(out, tp_check_sides_line(print), 0);
    size_t shown = c->count < MAX_ROWS ? c->count : MAX_ROWS; /* what passes stands last */
    for (size_t i = 0; i < shown; i++)
        put_item(print, &c->items[i], out);
    if (shown < c->count)
        tp_buf_printf(out, "and %zu more; --json has all\n", c->count - shown);
}
