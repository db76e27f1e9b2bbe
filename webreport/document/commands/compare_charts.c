/* Computes the charts of a comparison. See compare_parts.h. */
#include <math.h>

#include "webreport/document/commands/compare_parts.h"
#include "webreport/document/section.h"
#include "writer/text/format.h"

/* ---- waterfall ---- */

static const char *number_text(struct tp_arena *arena, int64_t ns, const struct tp_unit *unit, bool is_signed)
{
    if (ns == TP_NULL_INT)
        return tp_text_of_fixed(arena, NAN, 0);
    return tp_text_printf(arena, "%s%s", is_signed && ns > 0 ? "+" : "",
                          tp_text_of_fixed(arena, (double)ns / unit->divisor, unit->decimals));
}

/* Sets the bar of a change from `from` to `to` (ns), on an axis of `span` ns that starts at `least`. */
static void put_bar(struct tp_object *bar, double from, double to, double least, double span)
{
    double left = fmin(from, to), width = fabs(to - from);
    bool is_slower = to > from;
    tp_object_add_formatted(bar, "zero", "%.2f%%", 100 * (0 - least) / span);
    tp_object_add_text(bar, "fill", is_slower ? "#B92B27" : "#0C8F63");
    tp_object_add_text(bar, "kind", is_slower ? "data" : "memcpy");
    if (width / span < 0.0005)
        return;
    tp_object_add_formatted(bar, "x", "%.2f%%", 100 * (left - least) / span);
    tp_object_add_formatted(bar, "w", "%.2f%%", 100 * width / span);
}

static void put_waterfall_row(struct tp_object *bar, struct tp_arena *arena, const struct tp_table *t, size_t row,
                              const struct tp_unit *unit)
{
    tp_object_add_str(bar, "label", tp_table_text(t, TP_PART_NAME)[row]);
    tp_object_add_text(bar, "base", number_text(arena, tp_table_int(t, TP_PART_BASE)[row], unit, false));
    tp_object_add_text(bar, "new", number_text(arena, tp_table_int(t, TP_PART_NEW)[row], unit, false));
    tp_object_add_text(bar, "change", number_text(arena, tp_table_int(t, TP_PART_CHANGE)[row], unit, true));
}

/* Returns the number of rows in the waterfall: the step, and its parts up to "other", which add up to the step. Later
 * rows of the table contain only device time. */
static size_t count_rows(const struct tp_compare *c)
{
    size_t rows = 1;
    for (unsigned part = 0; part <= TP_PART_OTHER; part++)
        rows += c->sides.side[TP_BASE].part_ns[part] > 0 || c->sides.side[TP_NEW].part_ns[part] > 0;
    return rows;
}

static double change_of_row_ns(const struct tp_table *t, size_t row)
{
    int64_t change = tp_table_int(t, TP_PART_CHANGE)[row];
    return change == TP_NULL_INT ? 0 : (double)change;
}

/* largest share of the step by which the smallest detectable change widens the axis */
static const double MOST_SEEN = 0.02;

/* Returns the start of an axis, and sets *span to its length, both in ns. The axis contains every partial sum and the
 * smallest detectable change, so that noise appears small. */
static double find_axis_range(const struct tp_compare *c, size_t rows, double *span)
{
    const struct tp_table *t = &c->tables[TP_COMPARE_STEP];
    double sees = c->totals[TP_QUANTITY_STEP].change.detectable, at = 0;
    double noise = (sees < MOST_SEEN ? sees : MOST_SEEN) * (double)tp_table_int(t, TP_PART_BASE)[0];
    double least = fmin(change_of_row_ns(t, 0), -noise), most = fmax(change_of_row_ns(t, 0), noise);
    for (size_t row = 1; row < rows; row++) {
        at += change_of_row_ns(t, row);
        least = fmin(least, at);
        most = fmax(most, at);
    }
    *span = most - least > 0 ? most - least : 1;
    return least;
}

static struct tp_unit table_unit(const struct tp_table *t)
{
    int64_t base = tp_table_int(t, TP_PART_BASE)[0], new_ns = tp_table_int(t, TP_PART_NEW)[0];
    return tp_unit_for_time(base > new_ns ? base : new_ns);
}

struct tp_data tp_compare_waterfall_data(const struct tp_compare *c, struct tp_arena *arena)
{
    const struct tp_table *t = &c->tables[TP_COMPARE_STEP];
    struct tp_object *object = tp_object_new(arena);
    struct tp_list *bars = tp_object_add_list(object, "bars");
    struct tp_unit unit = table_unit(t);
    size_t rows = count_rows(c);
    double at = 0, span, least;
    if (tp_table_int(t, TP_PART_CHANGE)[0] == TP_NULL_INT)
        return TP_NO_DATA;
    least = find_axis_range(c, rows, &span);
    for (size_t row = 1; row < rows; row++) {
        struct tp_object *bar = tp_list_add_object(bars);
        put_waterfall_row(bar, arena, t, row, &unit);
        put_bar(bar, at, at + change_of_row_ns(t, row), least, span);
        at += change_of_row_ns(t, row);
    }
    struct tp_object *sum = tp_list_add_object(bars);
    put_waterfall_row(sum, arena, t, 0, &unit);
    put_bar(sum, 0, change_of_row_ns(t, 0), least, span);
    tp_object_add_bool(sum, "is_sum", true);
    tp_object_add_text(object, "fall_unit", unit.text);
    tp_object_add_text(object, "fall_caption",
                       "The bars show how much each part changes the mean step time. The axis covers at least the "
                       "smallest detectable change or 2 % of the step time, whichever is smaller.");
    return tp_data_of_object(object);
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
