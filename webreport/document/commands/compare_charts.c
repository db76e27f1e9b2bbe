/* Computes the charts of a comparison. See compare_parts.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/document/charts/chart.h"
#include "webreport/document/commands/compare_parts.h"
#include "webreport/document/commands/signed_text.h"
#include "webreport/document/section.h"
#include "writer/text/format.h"

/* ---- waterfall ---- */

enum { BAR_ROW = 26, BAR_HEIGHT = 18 };
/* least width of a bar with a label inside; end from which on a label is not right of its bar, percent */
static const double MIN_INSIDE = 10, MOST_END = 76;

/* A row of the waterfall: a bar from `from` to `to`, ns. */
struct bar {
    const char *label, *amount;
    double from, to;
    enum tp_look look;
};

static struct tp_object *put_bar(struct tp_list *bars, const struct bar *bar, double whole, unsigned row)
{
    struct tp_object *object = tp_list_add_object(bars);
    double left = 100 * fmin(bar->from, bar->to) / whole, right = 100 * fmax(bar->from, bar->to) / whole;
    bool is_inside = right > MOST_END && right - left >= MIN_INSIDE, is_left = right > MOST_END && !is_inside;
    tp_object_add_text(object, "label", bar->label);
    tp_object_add_text(object, "amount", bar->amount);
    tp_object_add_text(object, "look", tp_look_name(bar->look));
    tp_chart_put_percent(object, "x", left);
    tp_chart_put_percent(object, "w", fmax(0.1, right - left));
    tp_object_add_int(object, "y", row * BAR_ROW + 1);
    tp_object_add_int(object, "h", BAR_HEIGHT);
    tp_object_add_int(object, "text_y", row * BAR_ROW + 15);
    tp_chart_put_percent(object, "text_x", is_inside || is_left ? left : right);
    tp_object_add_int(object, "dx", is_inside ? 8 : is_left ? -6 : 6);
    tp_object_add_text(object, "anchor", is_left ? "end" : "start");
    tp_object_add_bool(object, "is_inside", is_inside);
    return object;
}

struct tp_data tp_compare_waterfall_data(const struct tp_compare *c, struct tp_arena *arena)
{
    struct tp_step_change changes[TP_STEP_CHANGES];
    unsigned count = tp_compare_step_changes(c, changes);
    double base = c->sides.side[TP_BASE].total_ns, now = c->sides.side[TP_NEW].total_ns, at = base;
    double whole = fmax(base, now);
    if (!count)
        return TP_NO_DATA;
    for (unsigned i = 0; i < count; i++) {
        at += changes[i].ns;
        whole = fmax(whole, at);
    }
    struct tp_object *object = tp_object_new(arena);
    struct tp_list *bars = tp_object_add_list(object, "bars");
    const char *before_text = tp_text_of_time(arena, llround(base)), *now_text = tp_text_of_time(arena, llround(now));
    put_bar(bars, &(struct bar){"Before", before_text, 0, base, TP_LOOK_NONE}, whole, 0);
    at = base;
    for (unsigned i = 0; i < count; i++) {
        const char *amount = tp_signed_time_text(arena, llround(changes[i].ns));
        struct tp_object *bar = put_bar(
            bars, &(struct bar){changes[i].label, amount, at, at + changes[i].ns, changes[i].look}, whole, i + 1);
        tp_object_add_formatted(bar, "cause_ns", "%lld", llabs(llround(changes[i].ns)));
        tp_object_add_bool(bar, "is_avoidable", changes[i].is_cause && tp_compare_is_about_step(c));
        at += changes[i].ns;
    }
    put_bar(bars, &(struct bar){"Now", now_text, 0, now, TP_LOOK_NONE}, whole, count + 1);
    tp_object_add_int(object, "height", (count + 2) * BAR_ROW);
    tp_object_add_text(object, "fall_caption",
                       tp_text_printf(arena, "Mean step from %s to %s by cause", before_text, now_text));
    return tp_data_of_object(object);
}

/* ---- the steps of both traces ---- */

/* Fills the lanes of a trace, whose step starts at 0. */
static void add_lanes(struct tp_strip_row *lanes, const struct tp_trace_picture *picture, const char *when,
                      struct tp_arena *arena)
{
    for (size_t i = 0; i < picture->lane_count; i++) {
        const struct tp_strip_row *from = &picture->lanes[i];
        struct tp_row_slice *slices = tp_arena_array(arena, from->count + 1, sizeof *slices);
        for (size_t k = 0; k < from->count; k++) {
            slices[k] = from->slices[k];
            slices[k].a -= picture->start_ns;
            slices[k].b -= picture->start_ns;
        }
        lanes[i] = *from;
        lanes[i].label = tp_text_printf(arena, "%s %s", from->label, when);
        lanes[i].slices = slices;
    }
}

struct tp_data tp_compare_strips_data(const struct tp_trace_picture *pictures, struct tp_arena *arena)
{
    struct tp_strip_row lanes[4];
    if (!pictures || !pictures[TP_BASE].lane_count || !pictures[TP_NEW].lane_count)
        return TP_NO_DATA;
    const struct tp_trace_picture *base = &pictures[TP_BASE], *own = &pictures[TP_NEW];
    int64_t before_ns = base->end_ns - base->start_ns, now_ns = own->end_ns - own->start_ns;
    struct tp_list *list = tp_list_new(arena);
    struct tp_object *object = tp_list_add_object(list);
    add_lanes(lanes, base, "before", arena);
    add_lanes(lanes + base->lane_count, own, "now", arena);
    tp_chart_put_strip(
        object, arena,
        &(struct tp_strip_chart){
            .caption = tp_text_printf(arena, "Step %s before, and step %s now, in time", base->step, own->step),
            .end_ns = before_ns > now_ns ? before_ns : now_ns,
            .lanes = lanes,
            .lane_count = base->lane_count + own->lane_count,
            .named_ns = before_ns == now_ns  ? INT64_MAX
                        : before_ns > now_ns ? now_ns
                                             : before_ns,
            .named = before_ns > now_ns ? "now" : "before",
            .step = "",
            .note = tp_text_printf(arena,
                                   "The strips show the step of median length: step %s before, step %s "
                                   "now.",
                                   base->step, own->step)});
    tp_object_add_bool(object, "is_wide", true);
    return tp_data_of_list(list);
}

/* ---- call tree ---- */

enum { ROW_HEIGHT = 20, MAX_DEPTH = 40 };
/* least width of a box, and of a box with a label, percent */
static const double MIN_WIDTH = 0.3, MIN_LABEL = 1.6;

enum look { LOOK_SAME, LOOK_UP1, LOOK_UP2, LOOK_UP3, LOOK_DOWN1, LOOK_DOWN2, LOOK_DOWN3 };
static const struct {
    const char *kind, *fill, *label;
} looks[] = {
    [LOOK_SAME] = {"eq", "#E7EAEE", "unchanged"},
    [LOOK_UP1] = {"up1", "#F9DAD4", NULL},
    [LOOK_UP2] = {"up2", "#F0A596", NULL},
    [LOOK_UP3] = {"up3", "#E36F5B", "more time than in the base"},
    [LOOK_DOWN1] = {"dn1", "#D6E5F6", NULL},
    [LOOK_DOWN2] = {"dn2", "#A2C6ED", NULL},
    [LOOK_DOWN3] = {"dn3", "#67A3E2", "less time than in the base"},
};

static double call_change_ns(const struct tp_diffcall *call)
{
    return call->ns[TP_NEW] - call->ns[TP_BASE];
}

/* Returns the color of a node: three grades for each direction, by the node's share of the largest change. Changes
 * below `least` have the neutral color. */
static enum look call_colour(const struct tp_difftree *tree, const struct tp_diffcall *call, double least)
{
    double change = call_change_ns(call), share = fabs(change) / tree->largest;
    unsigned grade = share > 2.0 / 3 ? 2 : share > 1.0 / 3 ? 1 : 0;
    if (!(fabs(change) >= least) || !(tree->largest > 0))
        return LOOK_SAME;
    return (enum look)((change > 0 ? LOOK_UP1 : LOOK_DOWN1) + grade);
}

static const char *tooltip_text(struct tp_arena *arena, const struct tp_naming *naming, const struct tp_diffcall *call)
{
    struct tp_str name = tp_shown_text(naming, call->name);
    double change = call_change_ns(call);
    return tp_text_printf(arena, "%.*s\n%s \xe2\x86\x92 %s per step: %s%s", (int)name.len, name.ptr,
                          tp_text_of_time(arena, tp_round_to_integer(call->ns[TP_BASE])),
                          tp_text_of_time(arena, tp_round_to_integer(call->ns[TP_NEW])), change > 0 ? "+" : "",
                          tp_text_of_time(arena, tp_round_to_integer(change)));
}

/* Returns the width of each node in ns: the larger time of both sides, but at least the sum of its children's
 * widths. */
static double *compute_node_widths(const struct tp_difftree *tree, struct tp_arena *arena)
{
    double *sizes = tp_arena_array(arena, tree->count, sizeof *sizes);
    double *below = tp_arena_array(arena, tree->count, sizeof *below);
    for (uint32_t i = tree->count; i-- > 0;) {
        const struct tp_diffcall *call = &tree->calls[i];
        sizes[i] = fmax(fmax(call->ns[TP_BASE], call->ns[TP_NEW]), below[i]);
        if (call->parent != TP_NO_ID)
            below[call->parent] += sizes[i];
    }
    return sizes;
}

static void put_legend_of_kinds(struct tp_object *object)
{
    struct tp_list *kinds = tp_object_add_list(object, "kinds");
    for (unsigned i = 0; i < sizeof looks / sizeof *looks; i++)
        if (looks[i].label) {
            struct tp_object *kind = tp_list_add_object(kinds);
            tp_object_add_text(kind, "kind", looks[i].kind);
            tp_object_add_text(kind, "fill", looks[i].fill);
            tp_object_add_text(kind, "label", looks[i].label);
        }
}

static double smallest_drawn_change(const struct tp_compare *c)
{
    double step = c->sides.side[TP_BASE].total_ns;
    return step > 0 ? TP_CHANGE_LEAST_SHARE * step : 0;
}

struct tp_data tp_compare_icicle_data(const struct tp_compare *c, const struct tp_naming *naming)
{
    const struct tp_difftree *tree = &c->tree;
    struct tp_arena *arena = naming->arena;
    unsigned rows = 0;
    if (tree->count < 2)
        return TP_NO_DATA;
    struct tp_object *object = tp_object_new(arena);
    struct tp_list *boxes = tp_object_add_list(object, "boxes");
    double *sizes = compute_node_widths(tree, arena), *next = tp_arena_array(arena, tree->count, sizeof *next);
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct tp_diffcall *call = &tree->calls[i];
        double width = sizes[0] > 0 ? 100 * sizes[i] / sizes[0] : 0, x = 0;
        if (call->parent != TP_NO_ID) {
            x = next[call->parent];
            next[call->parent] += width;
        }
        next[i] = x;
        if (width < MIN_WIDTH || call->depth >= MAX_DEPTH)
            continue;
        enum look look = call_colour(tree, call, smallest_drawn_change(c));
        struct tp_object *box = tp_list_add_object(boxes);
        rows = call->depth >= rows ? call->depth + 1u : rows;
        tp_object_add_formatted(box, "x", "%.2f%%", x);
        tp_object_add_formatted(box, "w", "%.2f%%", width);
        tp_object_add_int(box, "y", call->depth * ROW_HEIGHT);
        tp_object_add_text(box, "kind", looks[look].kind);
        tp_object_add_text(box, "fill", looks[look].fill);
        tp_object_add_text(box, "tip", tooltip_text(arena, naming, call));
        if (width > MIN_LABEL)
            tp_object_add_str(box, "label", tp_shown_text(naming, call->name));
    }
    put_legend_of_kinds(object);
    tp_object_add_int(object, "height", rows * ROW_HEIGHT);
    tp_object_add_text(object, "icicle_label", "Call tree of both sides, coloured by change");
    tp_object_add_text(object, "icicle_note",
                       "The boxes show mean times per step, without a test for noise. Changes below 0.2 % of the step "
                       "time are drawn as unchanged.");
    return tp_data_of_object(object);
}

/* ---- the tree as a table ---- */

enum { TREE_NAME, TREE_BASE, TREE_NEW, TREE_CHANGE, TREE_SHARE, TREE_BASE_CALLS, TREE_NEW_CALLS, TREE_COLUMNS };

static const struct tp_column_def tree_defs[TREE_COLUMNS] = {
    {"name", "Call", "", "Each row is a call; calls with the same callers are merged.", TP_COLUMN_TEXT},
    {"base_us", "Base", "us", "Mean time of the call per step in the base, including everything that it calls.",
     TP_COLUMN_NS},
    {"new_us", "New", "us", "Mean time of the call per step on the new side, including everything that it calls.",
     TP_COLUMN_NS},
    {"change_us", "Change", "us", "Time on the new side minus time in the base.", TP_COLUMN_NS},
    {"share_percent", "Of step time", "%", "Change in % of the base's mean step time.", TP_COLUMN_REAL},
    {"base_calls", "Base calls", "", "Number of calls per step in the base.", TP_COLUMN_REAL},
    {"new_calls", "New calls", "", "Number of calls per step on the new side.", TP_COLUMN_REAL},
};

static const struct tp_shown_column tree_columns[] = {
    {TP_SHOW_TIME, TREE_BASE, NULL, 1, 0, false, false},       {TP_SHOW_TIME, TREE_NEW, NULL, 1, 0, false, false},
    {TP_SHOW_TIME, TREE_CHANGE, NULL, 1, 0, false, false},     {TP_SHOW_PERCENT, TREE_SHARE, NULL, 0, 0, false, false},
    {TP_SHOW_REAL, TREE_BASE_CALLS, NULL, 0, 1, false, false}, {TP_SHOW_REAL, TREE_NEW_CALLS, NULL, 0, 1, false, false},
};

/* Marks the nodes that changed by at least `least`, and their ancestors. Returns the number of marked nodes. */
static size_t mark_changed_nodes(const struct tp_difftree *tree, double least, uint8_t *is_shown)
{
    size_t count = 0;
    for (uint32_t i = tree->count; i-- > 0;) {
        const struct tp_diffcall *call = &tree->calls[i];
        if (i == 0 || !(fabs(call_change_ns(call)) >= least))
            is_shown[i] &= i > 0; /* the root stays hidden, although a descendant may have marked it */
        else
            is_shown[i] = 1;
        if (is_shown[i] && call->parent != TP_NO_ID)
            is_shown[call->parent] = 1;
        count += is_shown[i];
    }
    return count;
}

static void fill_tree_table(struct tp_table *table, struct tp_shown_table *shown, const struct tp_compare *c,
                            const uint8_t *is_shown, const struct tp_naming *naming)
{
    size_t row = 0;
    for (uint32_t i = 1; i < c->tree.count; i++) {
        const struct tp_diffcall *call = &c->tree.calls[i];
        if (!is_shown[i])
            continue;
        tp_table_text(table, TREE_NAME)[row] = call->name;
        tp_table_int(table, TREE_BASE)[row] = tp_round_to_integer(call->ns[TP_BASE]);
        tp_table_int(table, TREE_NEW)[row] = tp_round_to_integer(call->ns[TP_NEW]);
        tp_table_int(table, TREE_CHANGE)[row] = tp_round_to_integer(call_change_ns(call));
        tp_table_real(table, TREE_SHARE)[row] = 100 * call_change_ns(call) / c->sides.side[TP_BASE].total_ns;
        tp_table_real(table, TREE_BASE_CALLS)[row] = call->calls[TP_BASE];
        tp_table_real(table, TREE_NEW_CALLS)[row] = call->calls[TP_NEW];
        shown->rows[row].name = tp_shown_text(naming, call->name);
        shown->rows[row].depth = call->depth - 1u;
        row++;
    }
}

struct tp_shown_table *tp_compare_tree_table(const struct tp_compare *c, const struct tp_naming *naming,
                                             size_t max_rows)
{
    struct tp_arena *arena = naming->arena;
    double least = fmax(smallest_drawn_change(c), 1);
    uint8_t *is_shown = tp_arena_alloc(arena, c->tree.count + 1);
    size_t count;
    if (c->tree.count < 2 || max_rows == 0)
        return NULL;
    while ((count = mark_changed_nodes(&c->tree, least, is_shown)) > max_rows) {
        memset(is_shown, 0, c->tree.count);
        least *= 1.5;
    }
    count -= count && is_shown[0];
    if (count == 0)
        return NULL;
    struct tp_table *table = tp_arena_alloc(arena, sizeof *table);
    tp_table_init(table, arena, "call_tree", tree_defs, TREE_COLUMNS, count);
    struct tp_shown_table *shown =
        tp_shown_table_new(arena, table, tree_columns, sizeof tree_columns / sizeof *tree_columns, count);
    fill_tree_table(table, shown, c, is_shown, naming);
    shown->name = "diff-calltree";
    shown->name_title = "Call";
    shown->caption = "Calls that changed";
    shown->is_tree = true;
    shown->open_depth = 12;
    return shown;
}
