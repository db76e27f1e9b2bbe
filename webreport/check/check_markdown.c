/* The verdict in a few lines of Markdown, for the summary of a job: see check_print.h. */
#include <math.h>

#include "webreport/check/amount.h"
#include "webreport/check/check_print.h"
#include "webreport/render/format.h"
#include "webreport/render/markdown_escape.h"

enum { MAX_ROWS = 20, MAX_PLACES = 10 };

static void cell(struct tp_buf *out, const char *text)
{
    tp_buf_puts(out, " ");
    tp_markdown_escape(out, tp_str_of(text));
    tp_buf_puts(out, " |");
}

static void put_row(const struct tp_check_print *print, const struct tp_check_item *item, struct tp_buf *out)
{
    enum tp_metric_unit unit = tp_metrics[item->line->metric].unit;
    tp_buf_puts(out, "|");
    cell(out, tp_check_status_text(item->status));
    cell(out, tp_check_item_title(print, item));
    cell(out, tp_amount_text(print->arena, unit, item->value));
    cell(out, tp_amount_text(print->arena, unit, item->base_value));
    cell(out, tp_amount_change(print->arena, unit, item->line->kind, item->change));
    cell(out, item->reason);
    tp_buf_puts(out, "\n");
}

static void put_places(const struct tp_check *c, struct tp_buf *out)
{
    size_t left = MAX_PLACES;
    for (size_t i = 0; i < c->count; i++)
        for (uint32_t p = 0; p < c->items[i].place_count && left; p++, left--) {
            tp_buf_puts(out, left == MAX_PLACES ? "\n- " : "- ");
            tp_markdown_escape(out, c->items[i].places[p].file_line);
            tp_buf_puts(out, ": ");
            tp_markdown_escape(out, c->items[i].places[p].text);
            tp_buf_puts(out, "\n");
        }
}

void tp_check_markdown(const struct tp_check_print *print, struct tp_buf *out)
{
    const struct tp_check *c = print->check;
    size_t open = c->count - c->counts[TP_CHECK_PASS], shown = open < MAX_ROWS ? open : MAX_ROWS;
    tp_buf_puts(out, "**");
    tp_markdown_escape(out, tp_str_of(tp_check_verdict_line(print)));
    tp_buf_puts(out, "**  \n");
    tp_markdown_escape(out, tp_str_of(tp_check_sides_line(print)));
    tp_buf_puts(out, "\n");
    if (shown)
        tp_buf_puts(out, "\n| | limit | value | baseline | change | |\n|---|---|--:|--:|--:|---|\n");
    for (size_t i = 0; i < shown; i++) /* those that pass stand last */
        put_row(print, &c->items[i], out);
    put_places(c, out);
    if (open > shown)
        tp_buf_printf(out, "\nand %zu more\n", open - shown);
}
