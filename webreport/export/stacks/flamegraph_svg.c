/* Draws flame graphs as SVG. The script only zooms and searches; titles of boxes are visible without the script. Text
 * from the trace is written only as XML text, never into the script. See flamegraph.h. */
#include "webreport/export/stacks/flamegraph.h"

#include "webreport/export/svg.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"
#include "writer/text/escape.h"
#include "writer/text/format.h"

enum { WIDTH = 1200, MARGIN = 10, HEAD = 62, FOOT = 12, ROW = 18, TEXT_TOP = 13, CHARACTER_TENTHS = 72 };

struct drawing {
    struct tp_buf *out;
    const struct tp_flame *flame;
    struct tp_arena *arena;
    double scale; /* pixels per unit of the metric's value */
};

/* ---- words ---- */

static const char *amount_text(const struct drawing *d, int64_t value)
{
    switch (tp_folded_unit(d->flame->metric)) {
    case TP_FOLDED_NS:
        return tp_text_of_time(d->arena, value);
    case TP_FOLDED_BYTES:
        return tp_text_of_bytes(d->arena, value);
    default:
        return tp_text_of_count(d->arena, value);
    }
}

static struct tp_str frame_name(const struct drawing *d, const struct tp_flame_frame *frame)
{
    if (frame->merged)
        return tp_str_of(tp_text_of_counted_noun(d->arena, frame->merged, "smaller one", "smaller ones"));
    return frame->depth == 0 ? TP_STR("all") : tp_strings_get(&d->flame->names, frame->name);
}

/* Returns the difference from the baseline as text: "+1.2 ms (+12.0 %)". */
static const char *difference_text(const struct drawing *d, const struct tp_flame_frame *frame)
{
    int64_t step = tp_sat_sub(frame->value, frame->base_value);
    const char *sign = step < 0 ? "\u2212" : "+", *size = amount_text(d, step < 0 ? -step : step);
    if (step == 0)
        return "as before";
    if (frame->base_value == 0)
        return tp_text_printf(d->arena, "%s%s, new", sign, size);
    return tp_text_printf(d->arena, "%s%s (%s%s %%)", sign, size, sign,
                          tp_text_of_fixed(d->arena, tp_percent(step < 0 ? -step : step, frame->base_value), 1));
}

/* ---- colours ---- */

/* Color for each kind of code, which is recognized by a part of the name. The last row matches all names. */
static const struct {
    const char *part;
    bool is_prefix;
    uint8_t red, green, blue;
} COLOUR_RULES[] = {
    {"nn.Module: ", true, 0xC9, 0xE4, 0xB4},  {".py(", false, 0xF4, 0xDF, 0xB3}, {"cuda", true, 0xF5, 0xCF, 0xA6},
    {"hip", true, 0xF5, 0xCF, 0xA6},          {"::", false, 0xBF, 0xD6, 0xF2},   {"<built-in", true, 0xF7, 0xE8, 0xC9},
    {"ProfilerStep", true, 0xD8, 0xDE, 0xE6}, {"", true, 0xEB, 0xC7, 0xB8},
};

static void put_kind_colour(struct tp_buf *out, struct tp_str name)
{
    size_t i = 0;
    while (!(COLOUR_RULES[i].is_prefix ? tp_str_starts(name, COLOUR_RULES[i].part)
                                       : tp_str_find(name, COLOUR_RULES[i].part) >= 0))
        i++;
    /* the shade depends on the name, so that neighbouring boxes differ */
    int shade = (int)(tp_hash_bytes(name.ptr, name.len) % 17) - 8;
    tp_buf_printf(out, "#%02X%02X%02X", COLOUR_RULES[i].red + shade / 2, COLOUR_RULES[i].green + shade,
                  COLOUR_RULES[i].blue + shade);
}

/* Writes the color of a difference: red if the value is above the baseline's, blue if it is below. The color is
 * stronger for a larger difference. */
static void put_difference_colour(const struct drawing *d, const struct tp_flame_frame *frame)
{
    double step = (double)frame->value - (double)frame->base_value, largest = (double)d->flame->largest_difference;
    double strength = largest > 0 ? (step < 0 ? -step : step) / largest : 0;
    int pale = 240 - (int)(150 * (strength > 1 ? 1 : strength));
    if (step > 0)
        tp_buf_printf(d->out, "#F0%02X%02X", pale, pale);
    else
        tp_buf_printf(d->out, "#%02X%02XF0", pale, pale);
}

static void write_frame_colour(const struct drawing *d, const struct tp_flame_frame *frame)
{
    if (d->flame->has_baseline && frame->depth > 0)
        put_difference_colour(d, frame);
    else if (frame->name == TP_NO_ID)
        tp_buf_puts(d->out, "#E7EAEE");
    else
        put_kind_colour(d->out, frame_name(d, frame));
}

/* ---- boxes ---- */

static void draw_frame(const struct drawing *d, const struct tp_flame_frame *frame)
{
    const struct tp_flame_frame *all = &d->flame->frames[0];
    struct tp_buf *out = d->out;
    struct tp_str name = frame_name(d, frame);
    double x = (double)frame->start * d->scale, width = (double)frame->value * d->scale;
    unsigned y = HEAD + frame->depth * ROW;
    /* ends the box at the margin, because a sum that was limited to the maximum of int64 may exceed the width */
    if (x + width > WIDTH - 2 * MARGIN)
        width = WIDTH - 2 * MARGIN - x;
    if (width < 0)
        return;
    tp_buf_puts(out, "<g class=\"f\"><title>");
    tp_svg_put_text(out, name, TP_MAX_SHOWN_NAME_BYTES);
    tp_buf_printf(out, "\n%s, %s %%", amount_text(d, frame->value),
                  tp_text_of_fixed(d->arena, tp_percent(frame->value, all->value), 2));
    if (frame->self > 0 && frame->self < frame->value)
        tp_buf_printf(out, "; itself %s", amount_text(d, frame->self));
    if (d->flame->has_baseline)
        tp_buf_printf(out, "; before %s: %s", amount_text(d, frame->base_value), difference_text(d, frame));
    tp_buf_printf(out, "</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"", MARGIN + x, y, width,
                  ROW - 1);
    write_frame_colour(d, frame);
    tp_buf_printf(out, "\"/><text x=\"%.2f\" y=\"%u\">", MARGIN + x + 3, y + TEXT_TOP);
    tp_svg_put_text_within(out, name, (size_t)((width > 6 ? width - 6 : 0) * 10 / CHARACTER_TENTHS));
    tp_buf_puts(out, "</text></g>\n");
}

static void draw_heading(const struct drawing *d, struct tp_str title)
{
    const struct tp_flame *flame = d->flame;
    struct tp_buf *out = d->out;
    tp_buf_printf(out, "<text class=\"t\" x=\"%d\" y=\"22\">%s: ", MARGIN, tp_folded_metric_title(flame->metric));
    tp_svg_put_text_within(out, title, 90);
    tp_buf_printf(out, "</text>\n<text class=\"n\" x=\"%d\" y=\"40\">%s in %s different stacks, %s boxes", MARGIN,
                  amount_text(d, flame->frames[0].value), tp_text_of_count(d->arena, (int64_t)flame->path_count),
                  tp_text_of_count(d->arena, flame->count));
    if (flame->has_baseline)
        tp_buf_printf(out, "; before %s: %s. Red: more, blue: less, full colour: %s. In calls that are gone: %s",
                      amount_text(d, flame->base_value), difference_text(d, &flame->frames[0]),
                      amount_text(d, flame->largest_difference), amount_text(d, flame->removed_value));
    tp_buf_printf(out, "</text>\n<text class=\"n\" id=\"said\" x=\"%d\" y=\"55\"> </text>\n", MARGIN);
}

void tp_flame_write_svg(struct tp_buf *out, const struct tp_flame *flame, struct tp_str title, struct tp_arena *arena)
{
    struct drawing d = {out, flame, arena, 0};
    unsigned height = HEAD + flame->depth * ROW + FOOT;
    if (flame->frames[0].value > 0)
        d.scale = (double)(WIDTH - 2 * MARGIN) / (double)flame->frames[0].value;
    tp_svg_begin(out, WIDTH, height);
    tp_buf_puts(out, "<title>");
    tp_svg_put_text(out, title, TP_MAX_SHOWN_NAME_BYTES);
    tp_buf_puts(out, "</title>\n");
    tp_svg_put_style(out, "svg/flamegraph.css", arena);
    tp_buf_puts(out, "<rect class=\"b\" width=\"100%\" height=\"100%\" fill=\"#FFFFFF\"/>\n");
    draw_heading(&d, title);
    tp_buf_puts(out, "<g id=\"frames\">\n");
    for (uint32_t i = 0; i < flame->count && !out->failed; i++)
        if (flame->frames[0].value > 0)
            draw_frame(&d, &flame->frames[i]);
    tp_buf_puts(out, "</g>\n");
    tp_svg_put_script(out, "svg/flamegraph.js", arena);
    tp_buf_puts(out, "</svg>\n");
}
