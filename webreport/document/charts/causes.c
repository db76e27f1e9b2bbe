/* Computes the geometry of the charts of the first screen. See causes.h. */
#include "webreport/document/charts/causes.h"

#include <math.h>
#include <string.h>

#include "webreport/document/charts/chart.h"
#include "writer/base/buf.h"
#include "writer/base/saturate.h"
#include "writer/base/stats.h"
#include "writer/text/format.h"

/* estimated width of a letter, and of the space around the text of a slice, percent of the width of a chart */
static const double LETTER = 0.56, LABEL_MARGIN = 1.4;
static const double FAR_LABEL = 19; /* width of the longest label of many columns, percent */
static const double NARROW = 4.2;   /* width of a wide chart as a multiple of that of a phone */
/* LARGEST_GAP: a gap between slices with a common label is at most this part of a slice */
enum {
    LARGEST_GAP = 20,
    LANE_GAP = 6,
    AXIS_HEIGHT = 16,
    RIBBON_HEIGHT = 40,
    TALL_LANE = 20,
    FEW_TICKS = 3,
    FEW_COLUMNS = 7
};

/* ---- the bar ---- */

/* least share of a segment that the page names, percent; a smaller one reads 0.0 % */
static const double LEAST_LISTED = 0.05;

/* A segment with its width (percent of the bar) and how the page names it. */
struct named_segment {
    const struct tp_bar_segment *segment;
    double percent;
    bool is_wide;  /* true: wide enough for its own label above the bar */
    bool is_named; /* true: the bar has the name, so that wide pages omit it below the bar */
};

static double label_percent(const char *label)
{
    return LETTER * (double)strlen(label);
}

static void put_segment(struct tp_list *list, struct tp_arena *arena, const struct named_segment *named, double x)
{
    const struct tp_bar_segment *segment = named->segment;
    struct tp_object *object = tp_list_add_object(list);
    const char *amount = segment->amount ? segment->amount : tp_text_of_time(arena, segment->ns),
               *share = tp_text_of_percent(arena, named->percent);
    tp_chart_put_percent(object, "x", x);
    tp_chart_put_percent(object, "w", named->percent);
    tp_object_add_text(object, "look", tp_look_name(segment->look));
    tp_object_add_text(object, "label", segment->label);
    tp_object_add_text(object, "amount", amount);
    tp_object_add_text(object, "share", share);
    tp_object_add_formatted(object, "tip", "%s: %s, %s", segment->label, amount, share);
    tp_object_add_bool(object, "is_wide", named->is_wide);
    tp_object_add_bool(object, "is_named", named->is_named);
    tp_object_add_bool(object, "is_tiny", named->percent < LEAST_LISTED);
    tp_object_add_bool(object, "has_share", named->percent > 12);
    tp_object_add_bool(object, "has_gap", x > 0);
    if (segment->cause_ns)
        tp_object_add_formatted(object, "cause_ns", "%lld", (long long)segment->cause_ns);
    tp_object_add_bool(object, "is_avoidable", segment->is_avoidable);
}

/* Returns whether a label at the right end of the bar has room after the label of the segment before `first`. */
static bool has_room_at_end(const struct named_segment *named, size_t count, size_t first, const char *label)
{
    double x = 100, label_end = 0;
    for (size_t i = first; i < count; i++)
        x -= named[i].percent;
    if (first)
        label_end = x - named[first - 1].percent + label_percent(named[first - 1].segment->label) + 4;
    return 100 - label_end >= label_percent(label);
}

/* Names the segments at the end of the bar that are too narrow for their own labels: a single one by its name, several
 * tiny ones as the rest. All other segments without a label are named below the bar. */
static void put_rest(struct tp_object *object, struct tp_arena *arena, struct named_segment *named, size_t count)
{
    static const double LEAST_PERCENT = 1;
    size_t first = count;
    int64_t ns = 0;
    double percent = 0;
    bool is_any_listed = false, has_times = count && !named[0].segment->amount;
    while (first && !named[first - 1].is_wide) {
        ns += named[--first].segment->ns;
        percent += named[first].percent;
    }
    bool is_single = first + 1 == count && has_room_at_end(named, count, first, named[first].segment->label);
    for (size_t i = 0; i < count; i++) {
        named[i].is_named = named[i].is_wide || named[i].percent < LEAST_PERCENT || (is_single && i == first);
        is_any_listed |= !named[i].is_named;
    }
    const char *name = is_single ? named[first].segment->label : "Rest";
    if (percent < LEAST_LISTED || (!is_single && (is_any_listed || !has_room_at_end(named, count, first, name))))
        return;
    tp_object_add_text(object, "rest", name);
    tp_object_add_text(object, "rest_amount", has_times ? tp_text_of_time(arena, ns) : tp_text_of_bytes(arena, ns));
}

struct tp_data tp_chart_causes(struct tp_arena *arena, const char *caption, const char *row,
                               const struct tp_bar_segment *segments, size_t count)
{
    struct named_segment *named = tp_arena_array(arena, count + 1, sizeof *named);
    size_t named_count = 0;
    double total = 0, x = 0;
    for (size_t i = 0; i < count; i++) {
        if (segments[i].ns <= 0)
            continue;
        named[named_count++].segment = &segments[i];
        total += (double)segments[i].ns;
    }
    if (!named_count)
        return (struct tp_data){TP_DATA_NONE, NULL, NULL, 0, 0};
    for (size_t i = 0; i < named_count; i++) {
        named[i].percent = 100 * (double)named[i].segment->ns / total;
        named[i].is_wide = named[i].percent > label_percent(named[i].segment->label) + 1;
    }
    struct tp_object *object = tp_object_new(arena);
    struct tp_list *list = tp_object_add_list(object, "segments");
    tp_object_add_text(object, "caption", caption);
    tp_object_add_text(object, "row", row);
    put_rest(object, arena, named, named_count);
    for (size_t i = 0; i < named_count; i++) {
        put_segment(list, arena, &named[i], x);
        x += named[i].percent;
    }
    return tp_data_of_object(object);
}

/* ---- the strip ---- */

static double position(const struct tp_strip_chart *chart, int64_t ns)
{
    double whole = (double)tp_sat_sub(chart->end_ns, chart->start_ns);
    return whole > 0 ? fmax(0, fmin(100, 100 * (double)tp_sat_sub(ns, chart->start_ns) / whole)) : 0;
}

/* PATH_UNITS: width of a lane in the units of its lines; PIXELS: width of a wide screen */
enum { PATH_UNITS = 10000, PIXELS = 1200 };

/* A part of a lane with a text: one slice, or several equal slices in a row. */
struct label {
    size_t first, end; /* range of slices */
    int64_t a, b;      /* start and end that the text can use */
    struct tp_str text;
};

/* factor: width of a wide page as a multiple of the page's width */
static bool is_wide_enough(const struct tp_strip_chart *chart, const struct label *label, double factor)
{
    return position(chart, label->b) - position(chart, label->a) >
           factor * (LETTER * (double)label->text.len + LABEL_MARGIN);
}

static bool has_room(const struct tp_strip_chart *chart, const struct label *label)
{
    return label->text.len && is_wide_enough(chart, label, 1);
}

/* Returns the label of a slice. The next slice may cover the end of this one. */
static struct label label_of_slice(const struct tp_strip_row *lane, size_t i)
{
    const struct tp_row_slice *slice = &lane->slices[i];
    struct label label = {.first = i, .end = i + 1, .a = slice->a, .b = slice->b, .text = slice->text};
    if (i + 1 < lane->count && slice[1].a > slice->a && slice[1].a < label.b)
        label.b = slice[1].a;
    return label;
}

/* Returns the label of all equal slices in a row, such as "24 x forward". Gaps between the slices are short, because
 * the label covers them. */
static struct label label_of_row(const struct tp_strip_row *lane, size_t i, struct tp_arena *arena)
{
    const struct tp_row_slice *first = &lane->slices[i];
    struct label label = label_of_slice(lane, i);
    while (label.end < lane->count) {
        const struct tp_row_slice *next = &lane->slices[label.end];
        if (next->look != first->look || !tp_str_equal(next->text, first->text) || next->a <= next[-1].a ||
            next->a > next[-1].b + (next->b - next->a) / LARGEST_GAP)
            break;
        label.b = label_of_slice(lane, label.end++).b;
    }
    if (label.end > i + 1 && first->text.len)
        label.text =
            tp_str_of(tp_text_printf(arena, "%zu \xc3\x97 %.*s", label.end - i, (int)first->text.len, first->text.ptr));
    return label;
}

/* The labels of a lane in time order. Together they have all slices of the lane; a label without room has no text. */
struct labels {
    struct label *items;
    size_t count;
};

/* Returns whether each slice of a row has room for its own text. */
static bool fits_each(const struct tp_strip_chart *chart, const struct tp_strip_row *lane, const struct label *row)
{
    for (size_t i = row->first; i < row->end; i++) {
        struct label single = label_of_slice(lane, i);
        if (!has_room(chart, &single))
            return false;
    }
    return true;
}

static void add_label(struct labels *labels, const struct tp_strip_chart *chart, struct label label)
{
    if (!has_room(chart, &label))
        label.text = (struct tp_str){NULL, 0};
    labels->items[labels->count++] = label;
}

/* Finds the labels of a lane. Equal slices in a row have one label if one of them is too narrow for its text. */
static struct labels find_labels(const struct tp_strip_chart *chart, const struct tp_strip_row *lane,
                                 struct tp_arena *arena)
{
    struct labels labels = {.items = tp_arena_array(arena, lane->count + 1, sizeof *labels.items)};
    for (size_t i = 0; i < lane->count;) {
        struct label row = label_of_row(lane, i, arena);
        if (has_room(chart, &row) && !fits_each(chart, lane, &row))
            add_label(&labels, chart, row);
        else
            for (size_t k = i; k < row.end; k++)
                add_label(&labels, chart, label_of_slice(lane, k));
        i = row.end;
    }
    return labels;
}

/* Appends a dash to a line and returns its end. Positions are in units of the line; at: end of the dash before. */
static long put_dash(struct tp_buf *text, long at, long from, long to)
{
    if (from != at) {
        tp_buf_putc(text, 'm');
        tp_buf_int(text, from - at);
        tp_buf_puts(text, " 0");
    }
    tp_buf_putc(text, 'h');
    tp_buf_int(text, to - from);
    return to;
}

static long line_position(double percent)
{
    return lround(percent * PATH_UNITS / 100);
}

/* Adds the slices of one color without text as one line with gaps, because a line is much shorter than one element for
 * each slice. */
static void put_line(struct tp_list *lines, struct tp_arena *arena, const struct tp_strip_chart *chart,
                     const struct tp_strip_row *lane, const struct labels *labels, enum tp_look look)
{
    struct tp_buf text;
    long at = 0; /* stays 0 without a slice */
    tp_buf_init(&text, 0);
    for (size_t i = 0; i < labels->count; i++) {
        const struct label *label = &labels->items[i];
        const struct tp_row_slice *slice = &lane->slices[label->first];
        long a = line_position(position(chart, slice->a)), b = line_position(position(chart, slice->b));
        if (slice->look != look || label->text.len)
            continue;
        b = b > a ? b : a + PATH_UNITS / PIXELS;
        at = put_dash(&text, at, a, b);
    }
    if (at) {
        struct tp_object *line = tp_list_add_object(lines);
        tp_object_add_text(line, "look", tp_look_name(look));
        tp_object_add_formatted(line, "d", "M0 %u%s", lane->height / 2, tp_buf_move(&text, arena));
    } else {
        tp_buf_release(&text);
    }
}

static void put_labelled_slices(struct tp_list *list, const struct tp_strip_chart *chart,
                                const struct tp_strip_row *lane, const struct labels *labels)
{
    for (size_t i = 0; i < labels->count; i++) {
        const struct label *label = &labels->items[i];
        double a = position(chart, label->a);
        if (!label->text.len)
            continue;
        struct tp_object *object = tp_list_add_object(list);
        tp_chart_put_percent(object, "x", a);
        tp_chart_put_percent(object, "w", position(chart, label->b) - a);
        tp_object_add_text(object, "look", tp_look_name(lane->slices[label->first].look));
        tp_object_add_str(object, "text", label->text);
        tp_object_add_bool(object, "is_short", !is_wide_enough(chart, label, NARROW));
        tp_object_add_int(object, "ty", lane->height / 2 + 4);
    }
}

static void put_areas(struct tp_object *lane_object, const struct tp_strip_row *lane)
{
    struct tp_list *list = tp_object_add_list(lane_object, "areas");
    tp_object_add_bool(lane_object, "has_areas", lane->area_count > 0);
    tp_object_add_int(lane_object, "columns", lane->columns);
    tp_object_add_text(lane_object, "tip", lane->tip ? lane->tip : "");
    for (size_t i = 0; i < lane->area_count; i++) {
        struct tp_object *object = tp_list_add_object(list);
        tp_object_add_text(object, "look", tp_look_name(lane->areas[i].look));
        tp_object_add_str(object, "path", lane->areas[i].path);
    }
}

static void put_keys(struct tp_object *object, const struct tp_strip_chart *chart)
{
    struct tp_list *list = tp_object_add_list(object, "keys");
    tp_object_add_bool(object, "has_keys", chart->key_count > 0);
    for (size_t i = 0; i < chart->key_count; i++) {
        struct tp_object *key = tp_list_add_object(list);
        tp_object_add_text(key, "look", tp_look_name(chart->keys[i].look));
        tp_object_add_text(key, "key", chart->keys[i].label);
    }
}

/* Adds the times outside of a finding's intervals, which are dimmed, as one line. Joins intervals that a screen cannot
 * separate. */
static void put_marks(struct tp_list *marks, struct tp_arena *arena, const struct tp_strip_chart *chart,
                      const struct tp_row_marks *mark, unsigned height)
{
    static const double LEAST = 0.2;
    enum { MOST_GAPS = 60 };
    struct tp_object *object = tp_list_add_object(marks);
    struct tp_buf text;
    double end = 0;
    long at = 0;
    unsigned gaps = 0;
    tp_buf_init(&text, 0);
    tp_buf_printf(&text, "M0 %u", height / 2);
    for (size_t i = 0; i < mark->count && gaps < MOST_GAPS; i++) {
        double a = position(chart, mark->items[i].a), b = fmax(position(chart, mark->items[i].b), a + LEAST);
        if (mark->items[i].b <= chart->start_ns || mark->items[i].a >= chart->end_ns)
            continue;
        if (a - end > LEAST) {
            at = put_dash(&text, at, line_position(end), line_position(a));
            gaps++;
        }
        end = fmax(end, b);
    }
    if (end < 100)
        put_dash(&text, at, line_position(end), PATH_UNITS);
    tp_object_add_int(object, "number", mark->number);
    tp_object_add_text(object, "d", tp_buf_move(&text, arena));
}

/* is_round: true for a tick that narrow pages omit, because it is a round time or has no room */
static void put_tick(struct tp_list *ticks, double x, const char *text, bool is_round)
{
    struct tp_object *object = tp_list_add_object(ticks);
    tp_chart_put_percent(object, "x", x);
    tp_object_add_text(object, "anchor", x < 2 ? "start" : x > 97 ? "end" : "middle");
    tp_object_add_text(object, "text", text);
    tp_object_add_bool(object, "is_round", is_round);
}

/* Returns the unit in which tp_text_of_time prints the length of the axis. */
static struct tp_unit unit_of_axis(int64_t whole_ns)
{
    enum { MS = 1000000, SECOND_NS = 1000000000 };
    static const struct tp_unit seconds = {"s", 1e9, 2}, milliseconds = {"ms", 1e6, 2};
    return whole_ns >= SECOND_NS ? seconds : whole_ns >= MS ? milliseconds : tp_unit_for_time(whole_ns);
}

/* Adds ticks at round times, and the moment with a name. A tick that the name would cover is left out. */
static void put_ticks(struct tp_object *object, struct tp_arena *arena, const struct tp_strip_chart *chart, unsigned y)
{
    struct tp_list *ticks = tp_object_add_list(object, "ticks");
    int64_t whole_ns = tp_sat_sub(chart->end_ns, chart->start_ns);
    struct tp_unit unit = unit_of_axis(whole_ns);
    double whole = (double)whole_ns / unit.divisor, top, step = tp_chart_tick_distance(whole, &top);
    if (whole < step * FEW_TICKS)
        step /= 2;
    double named = chart->named_ns == INT64_MAX ? -100 : position(chart, chart->named_ns);
    const char *text = chart->named_ns == INT64_MAX
                           ? ""
                           : tp_text_printf(arena, "%s, %s", chart->named,
                                            tp_text_of_time(arena, tp_sat_sub(chart->named_ns, chart->start_ns)));
    double half = LETTER * (double)strlen(text) / 2 + 3;
    tp_object_add_int(object, "ticks_y", y);
    put_tick(ticks, 0, tp_text_printf(arena, "0 %s", unit.text), false);
    for (double at = step; at < whole; at += step) {
        double x = 100 * at / whole;
        if (x < 86 && x > 4 && fabs(x - named) > half)
            put_tick(ticks, x, tp_text_printf(arena, "%.6g", at), true);
    }
    put_tick(ticks, 100, tp_text_of_time(arena, whole_ns), false);
    if (named > half && named < 90)
        put_tick(ticks, named, text, named < NARROW * half || named > 100 - NARROW * half);
}

void tp_chart_put_strip(struct tp_object *object, struct tp_arena *arena, const struct tp_strip_chart *chart)
{
    struct tp_list *lanes = tp_object_add_list(object, "lanes"), *marks = tp_object_add_list(object, "marks");
    unsigned y = 0;
    for (size_t i = 0; i < chart->lane_count; i++) {
        struct tp_object *lane = tp_list_add_object(lanes);
        tp_object_add_text(lane, "label", chart->lanes[i].label);
        tp_object_add_int(lane, "y", y);
        tp_object_add_int(lane, "h", chart->lanes[i].height);
        struct tp_list *lines = tp_object_add_list(lane, "lines");
        struct labels labels = find_labels(chart, &chart->lanes[i], arena);
        for (int look = TP_LOOKS - 1; look >= 0; look--) /* what is not judged is drawn below the rest */
            put_line(lines, arena, chart, &chart->lanes[i], &labels, look);
        put_labelled_slices(tp_object_add_list(lane, "slices"), chart, &chart->lanes[i], &labels);
        put_areas(lane, &chart->lanes[i]);
        y += chart->lanes[i].height + LANE_GAP;
    }
    for (size_t i = 0; i < chart->mark_count; i++)
        put_marks(marks, arena, chart, &chart->marks[i], y - LANE_GAP);
    put_ticks(object, arena, chart, y + 12);
    tp_object_add_int(object, "lanes_height", y - LANE_GAP);
    tp_object_add_int(object, "height", y + AXIS_HEIGHT);
    tp_object_add_text(object, "strip_caption", chart->caption);
    tp_object_add_text(object, "step", chart->step);
    tp_object_add_text(object, "strip_note", chart->note);
    tp_object_add_bool(object, "has_tall_lanes", chart->lane_count && chart->lanes[0].height > TALL_LANE);
    put_keys(object, chart);
    tp_object_add_bool(object, "is_hidden", chart->is_hidden);
}

/* ---- the ribbon ---- */

static int64_t median_ns(struct tp_arena *arena, const struct tp_ribbon_step *steps, size_t count)
{
    int64_t *ns = tp_arena_array(arena, count, sizeof *ns);
    for (size_t i = 0; i < count; i++)
        ns[i] = steps[i].total_ns;
    return tp_lower_median(ns, count);
}

static void put_column(struct tp_object *object, struct tp_arena *arena, const struct tp_ribbon_step *step,
                       int64_t longest_ns)
{
    struct tp_list *list = tp_object_add_list(object, "parts");
    double y = RIBBON_HEIGHT;
    const char *tip = tp_text_printf(arena, "step %.*s: %s", (int)(step->name.len < 60 ? step->name.len : 60),
                                     step->name.ptr, tp_text_of_time(arena, step->total_ns));
    for (int look = TP_LOOKS - 1; look >= 0; look--) {
        double height = RIBBON_HEIGHT * (double)step->look_ns[look] / (double)longest_ns;
        if (height < 0.1)
            continue;
        struct tp_object *part = tp_list_add_object(list);
        y -= height;
        tp_object_add_text(part, "look", tp_look_name((enum tp_look)look));
        tp_object_add_formatted(part, "y", "%.2f", y);
        tp_object_add_formatted(part, "h", "%.2f", height);
    }
    tp_object_add_text(object, "tip", tip);
}

/* Returns the label of a column, such as "step 7 · 208 ms". Adds "1.3× median" for an outlier if the label then is
 * narrower than `room` (percent of the width). */
static const char *column_label(struct tp_arena *arena, const struct tp_ribbon_step *step, bool is_shown,
                                int64_t median, double room)
{
    const char *label = tp_text_printf(arena, "%sstep %.*s \xc2\xb7 %s", is_shown ? "shown: " : "",
                                       (int)(step->name.len < 24 ? step->name.len : 24), step->name.ptr,
                                       tp_text_of_time(arena, step->total_ns));
    if (step->total_ns <= median + median / 5 || median <= 0)
        return label;
    const char *more = tp_text_printf(arena, "%s, %.1f\xc3\x97 median", label, (double)step->total_ns / (double)median);
    return label_percent(more) < room ? more : label;
}

/* The place of a column's label, percent of the width. It begins at its column, or ends with the column or the chart.
 */
struct label_place {
    double from, to;
    bool ends_there; /* true if the label is written from its end */
};

/* Narrow pages have only the label of the shown column: it ends with its column if it has more room there. */
static struct label_place place_of_label(double x, double pitch, double width, bool is_shown)
{
    if (x > 90 || x + width > 100)
        return (struct label_place){100 - width, 100, true};
    if (is_shown && x + NARROW * width > 100 && x + pitch > 100 - x)
        return (struct label_place){x + pitch - width, x + pitch, true};
    return (struct label_place){x, x + width, false};
}

static void put_label(struct tp_object *column, const char *label, const struct label_place *place)
{
    tp_object_add_text(column, "label", label);
    tp_chart_put_percent(column, "label_x", place->ends_there ? place->to : place->from);
    tp_object_add_text(column, "anchor", place->ends_there ? "end" : "start");
}

/* Chooses the columns with a label, if there are many: the shown one, the longest one, the first and the last, in this
 * order. A label that would touch an earlier one is left out. labels, places: one for each column. */
static void choose_labels(bool *is_labelled, const struct label_place *places, size_t count, size_t shown, size_t worst)
{
    const size_t wanted[] = {shown, worst, 0, count - 1};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const struct label_place *place = &places[wanted[i]];
        bool is_free = wanted[i] < count;
        for (size_t k = 0; k < i && is_free; k++)
            if (wanted[k] < count && is_labelled[wanted[k]])
                is_free = place->from > places[wanted[k]].to + LABEL_MARGIN ||
                          place->to < places[wanted[k]].from - LABEL_MARGIN;
        if (wanted[i] < count)
            is_labelled[wanted[i]] |= is_free;
    }
}

struct tp_data tp_chart_ribbon(struct tp_arena *arena, const struct tp_ribbon_step *steps, size_t count, size_t shown,
                               bool can_choose)
{
    size_t worst = 0;
    if (count < 3)
        return (struct tp_data){TP_DATA_NONE, NULL, NULL, 0, 0};
    for (size_t i = 1; i < count; i++)
        if (steps[i].total_ns > steps[worst].total_ns)
            worst = i;
    int64_t median = median_ns(arena, steps, count);
    struct tp_object *object = tp_object_new(arena);
    struct tp_list *columns = tp_object_add_list(object, "columns");
    double pitch = 100 / (double)count;
    const char **labels = tp_arena_array(arena, count, sizeof *labels);
    struct label_place *places = tp_arena_array(arena, count, sizeof *places);
    bool *is_labelled = tp_arena_array(arena, count, sizeof *is_labelled), has_few = count <= FEW_COLUMNS;
    for (size_t i = 0; i < count; i++) {
        labels[i] = column_label(arena, &steps[i], i == shown, median, has_few ? pitch : FAR_LABEL);
        places[i] = place_of_label(pitch * (double)i, pitch, label_percent(labels[i]), i == shown);
        is_labelled[i] = has_few && (i == shown || pitch > label_percent(labels[i]));
    }
    if (!has_few)
        choose_labels(is_labelled, places, count, shown, worst);
    for (size_t i = 0; i < count && steps[worst].total_ns > 0; i++) {
        struct tp_object *column = tp_list_add_object(columns);
        tp_chart_put_percent(column, "x", pitch * (double)i);
        tp_chart_put_percent(column, "w", pitch * (count > 60 ? 0.9 : 0.98));
        put_column(column, arena, &steps[i], steps[worst].total_ns);
        tp_object_add_bool(column, "is_shown", i == shown);
        tp_object_add_formatted(column, "step", "%zu", i);
        tp_object_add_bool(column, "can_choose", can_choose);
        if (is_labelled[i])
            put_label(column, labels[i], &places[i]);
    }
    return tp_data_of_object(object);
}
