/* Makes the section "What if" and the line of the first screen about the critical path (docs/definitions.md, section
 * "What if"). */
#include "webreport/document/path_words.h"
#include "webreport/document/report/sections.h"
#include "webreport/document/report/time_marks.h"
#include "webreport/measure/audience/wording.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"
#include "writer/text/marked_text.h"

/* A change with a smaller gain, percent of the step, has no effect; so small a difference of two gains is not shown. */
static const double LEAST_PERCENT = 1;
/* A second group with a smaller share of the critical path, percent, is not named. */
static const double LEAST_SECOND = 5;

static const struct tp_what_if_view *view_of(const struct tp_section *section)
{
    return &section->profile->advice->what_if;
}

/* ---- amounts ---- */

/* Returns the unit for times of a step. Gains of 1 % of the step have at least one digit. */
static struct tp_unit unit_of_step(int64_t step_ns)
{
    enum { MS = 1000000 };
    static const struct tp_unit milliseconds = {"ms", MS, 0};
    struct tp_unit unit = step_ns >= MS ? milliseconds : tp_unit_for_time(step_ns);
    double value = (double)step_ns / unit.divisor;
    unit.decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
    return unit;
}

static const char *amount_text(struct tp_arena *arena, int64_t ns, struct tp_unit unit)
{
    return tp_text_of_fixed(arena, (double)ns / unit.divisor, unit.decimals);
}

/* Returns whether the gains of a change differ by more than LEAST_PERCENT of the step. */
static bool is_range(const struct tp_what_if_view *view, const struct tp_what_if_row *row)
{
    return tp_percent(tp_sat_sub(row->gain_high_ns, row->gain_low_ns), view->step_ns) > LEAST_PERCENT;
}

/* Returns "104", or "102 to 104" for a range whose ends have different texts. */
static const char *range_text(struct tp_arena *arena, const char *low, const char *high)
{
    return tp_str_equal(tp_str_of(low), tp_str_of(high)) ? low : tp_text_printf(arena, "%s to %s", low, high);
}

/* Returns the length of a step after a change, without its unit. */
static const char *new_step_text(struct tp_arena *arena, const struct tp_what_if_view *view,
                                 const struct tp_what_if_row *row, struct tp_unit unit)
{
    if (!is_range(view, row))
        return amount_text(arena, row->step_ns, unit);
    return range_text(arena, amount_text(arena, tp_sat_sub(view->step_ns, row->gain_high_ns), unit),
                      amount_text(arena, tp_sat_sub(view->step_ns, row->gain_low_ns), unit));
}

static const char *gain_text(struct tp_arena *arena, const struct tp_what_if_view *view,
                             const struct tp_what_if_row *row, struct tp_unit unit)
{
    if (!is_range(view, row))
        return amount_text(arena, row->gain_ns, unit);
    return range_text(arena, amount_text(arena, row->gain_low_ns, unit), amount_text(arena, row->gain_high_ns, unit));
}

static const char *gain_percent_text(struct tp_arena *arena, const struct tp_what_if_view *view,
                                     const struct tp_what_if_row *row)
{
    if (!is_range(view, row))
        return tp_text_of_fixed(arena, tp_percent(row->gain_ns, view->step_ns), 0);
    return range_text(arena, tp_text_of_fixed(arena, tp_percent(row->gain_low_ns, view->step_ns), 0),
                      tp_text_of_fixed(arena, tp_percent(row->gain_high_ns, view->step_ns), 0));
}

static const char *then_text(struct tp_arena *arena, const struct tp_what_if_row *row)
{
    return tp_text_printf(arena, "%s %s %%", tp_path_group_title(row->then),
                          tp_text_of_fixed(arena, row->then_percent, 0));
}

/* ---- the line of the first screen ---- */

static double percent_of_group(const struct tp_what_if_view *view, enum tp_path_group group)
{
    int64_t whole_ns = 0;
    for (unsigned i = 0; i < TP_GROUPS; i++)
        whole_ns += view->path.group_ns[i];
    return tp_percent(view->path.group_ns[group], whole_ns);
}

static const char *share_text(struct tp_arena *arena, double percent)
{
    return percent > 0 && percent < 1 ? "less than 1" : tp_text_of_fixed(arena, percent, 0);
}

/* Returns the group that the headline names; TP_GROUPS if it names none. */
static enum tp_path_group group_of_headline(const struct tp_trace_verdict *verdict)
{
    static const uint8_t groups[TP_TIME_COUNT] = {
        [TP_TIME_COMPUTE] = TP_GROUP_COMPUTE, [TP_TIME_COMMUNICATION] = TP_GROUP_COMMUNICATION,
        [TP_TIME_COPY] = TP_GROUP_COPY,       [TP_TIME_INPUT] = TP_GROUP_INPUT,
        [TP_TIME_SYNC] = TP_GROUP_HOST,       [TP_TIME_LAUNCH] = TP_GROUP_HOST,
        [TP_TIME_QUEUE] = TP_GROUPS,          [TP_TIME_OUTSIDE] = TP_GROUPS,
        [TP_TIME_UNKNOWN] = TP_GROUPS,        [TP_TIME_OPERATORS] = TP_GROUP_HOST,
        [TP_TIME_BETWEEN] = TP_GROUP_HOST,
    };
    return verdict->cause < TP_TIME_COUNT ? (enum tp_path_group)groups[verdict->cause] : TP_GROUPS;
}

/* Returns the largest group other than the limit, if it has LEAST_SECOND percent; otherwise TP_GROUPS. */
static enum tp_path_group second_group(const struct tp_what_if_view *view)
{
    enum tp_path_group best = TP_GROUPS;
    for (enum tp_path_group g = 0; g < TP_GROUPS; g++)
        if (g != view->limit && percent_of_group(view, g) >= LEAST_SECOND &&
            (best == TP_GROUPS || view->path.group_ns[g] > view->path.group_ns[best]))
            best = g;
    return best;
}

/* Returns the sentence about the limit. If the headline names another cause, the sentence says what the critical path
 * adds. */
static const char *limit_text(const struct tp_section *section)
{
    const struct tp_what_if_view *view = view_of(section);
    struct tp_arena *arena = section->arena;
    enum tp_path_group named = group_of_headline(&section->profile->advice->verdict);
    bool is_other = named != TP_GROUPS && named != view->limit;
    enum tp_path_group second = is_other ? named : second_group(view);
    const char *also = second == TP_GROUPS ? ""
                                           : tp_text_printf(arena, " (%s %s %%)", tp_path_group_words(second),
                                                            share_text(arena, percent_of_group(view, second)));
    const char *percent = tp_text_of_fixed(arena, percent_of_group(view, view->limit), 0);
    const char *words = tp_path_group_words(view->limit);
    if (is_other)
        return tp_marked_printf(arena, "On the critical path, **%s comes first: %s %%**%s.", words, percent, also);
    const char *whole = section->profile->model->step_marker == TP_MARKER_WINDOW ? "The recording is" : "Steps are";
    return tp_marked_printf(arena, "**%s bound by %s: %s %%** of the critical path%s.", whole, words, percent, also);
}

/* Returns whether a change is about the limit: all of a group, or a kernel if compute limits. */
static bool is_about_limit(const struct tp_what_if_view *view, const struct tp_what_if_row *row)
{
    static const char *const changes[TP_GROUPS] = {[TP_GROUP_HOST] = "host=1/2",
                                                   [TP_GROUP_INPUT] = "input=0",
                                                   [TP_GROUP_COMPUTE] = "kernel:",
                                                   [TP_GROUP_COMMUNICATION] = "overlap",
                                                   [TP_GROUP_COPY] = "copies=0"};
    return changes[view->limit] && tp_str_starts(row->change, changes[view->limit]);
}

/* Returns the sentence about the best change of the group that limits the step, and sets its confidence; "" if no
 * change is about this group. */
static const char *best_change_text(const struct tp_section *section, enum tp_replay_confidence *confidence)
{
    const struct tp_what_if_view *view = view_of(section);
    const struct tp_what_if_row *best = NULL;
    struct tp_arena *arena = section->arena;
    struct tp_unit unit = unit_of_step(view->step_ns);
    for (uint32_t i = 0; i < view->answer_count; i++)
        if (is_about_limit(view, &view->answers[i]) && (!best || view->answers[i].gain_low_ns > best->gain_low_ns))
            best = &view->answers[i];
    if (!best)
        return "";
    struct tp_change_words words = tp_change_words_of(section, best);
    struct tp_str name = tp_marked_argument(arena, tp_text_shorten(arena, words.name, 40));
    *confidence = best->confidence;
    if (tp_percent(best->gain_high_ns, view->step_ns) < LEAST_PERCENT)
        return tp_marked_printf(arena, " %.*s %s: the step becomes less than 1 %% shorter.", (int)name.len, name.ptr,
                                words.rest);
    const char *then = best->then == view->limit
                           ? tp_text_printf(arena, "%s still limits", tp_path_group_words(best->then))
                           : tp_text_printf(arena, "then %s limits", tp_path_group_words(best->then));
    const char *kernel = view->limit == TP_GROUP_COMPUTE ? "Kernel " : "";
    return tp_marked_printf(arena, " %s%.*s %s: %s \xe2\x86\x92 %s %s; %s.", kernel, (int)name.len, name.ptr,
                            words.rest, amount_text(arena, view->step_ns, unit), new_step_text(arena, view, best, unit),
                            unit.text, then);
}

/* Returns the most important reason why there are no answers. */
static const char *withheld_text(const struct tp_section *section)
{
    const struct tp_what_if_view *view = view_of(section);
    struct tp_arena *arena = section->arena;
    if (view->withheld & 1u << TP_WITHHELD_LAUNCHES)
        return tp_section_words_for_producer(section, "most {GPU} operations have no recorded launch");
    if (view->withheld & 1u << TP_WITHHELD_UNEXPLAINED)
        return tp_text_printf(arena, "%s %% of the critical path is unexplained",
                              tp_text_of_fixed(arena, view->unexplained_percent, 0));
    if (view->withheld & 1u << TP_WITHHELD_INFERRED)
        return tp_text_printf(arena, "%s %% of the critical path depends on inferred order",
                              tp_text_of_fixed(arena, view->inferred_percent, 0));
    if (view->withheld & 1u << TP_WITHHELD_BARE)
        return tp_text_printf(arena, "unexplained delays change the length of the step by %s %%",
                              tp_text_of_fixed(arena, view->bare_error_percent, 0));
    if (view->withheld & 1u << TP_WITHHELD_SIZE)
        return tp_text_printf(arena, "it has more than %s activities",
                              tp_text_of_count(arena, TP_MAX_REPORT_REPLAY_NODES));
    return view->withheld & 1u << TP_WITHHELD_STREAMS ? "it has too many streams"
                                                      : "the replay does not reproduce the recorded times";
}

/* Returns whether the profiler of the trace can record waits between streams. */
static bool can_record_stream_waits(const struct tp_section *section)
{
    return !tp_has_only_devices_of_program(section->profile->model);
}

/* Returns the sentence about the steps that were replayed; "" if these are all steps. */
static const char *part_text(const struct tp_section *section)
{
    const struct tp_what_if_view *view = view_of(section);
    struct tp_arena *arena = section->arena;
    if (!view->has_part)
        return "";
    const char *range = tp_step_range_text(arena, view->part.first_step, view->part.last_step);
    return tp_marked_printf(arena, " The replay covers %s of %s steps%s; `tracepress whatif TRACE` replays all.",
                            tp_text_of_count(arena, view->step_count),
                            tp_text_of_count(arena, view->part.trace_step_count),
                            range ? tp_text_printf(arena, " (%s)", range) : "");
}

const char *tp_section_critical_path_line(const struct tp_section *section)
{
    const unsigned recorded_less = 1u << TP_WITHHELD_LAUNCHES | 1u << TP_WITHHELD_UNEXPLAINED |
                                   1u << TP_WITHHELD_INFERRED | 1u << TP_WITHHELD_BARE;
    const struct tp_what_if_view *view = view_of(section);
    struct tp_arena *arena = section->arena;
    if (!tp_section_has_replay(section))
        return NULL;
    if (!view->withheld) {
        enum tp_replay_confidence confidence = view->confidence;
        const char *change = best_change_text(section, &confidence);
        return tp_text_printf(arena, "%s%s The replay explains %s. Confidence: %s.%s", limit_text(section), change,
                              tp_text_of_percent(arena, 100 - view->unexplained_percent),
                              tp_replay_confidence_text(confidence), part_text(section));
    }
    const char *advice = view->withheld & 1u << TP_WITHHELD_SIZE ? " `tracepress whatif TRACE` replays it."
                         : !(view->withheld & recorded_less)     ? ""
                         : can_record_stream_waits(section)      ? " Record with launches and, on NVIDIA, with "
                                                                   "`enable_cuda_sync_events` to get one."
                                                                 : " Record with launches to get one.";
    return tp_text_printf(arena, "%s%s",
                          tp_marked_printf(arena, "**No what-if for this trace:** %s.", withheld_text(section)),
                          tp_marked_text(arena, advice));
}

/* ---- the table ---- */

enum { NAME, REST, STEP, GAIN, SHARE, THEN, SURE, COLUMNS };

static const struct tp_column_def column_defs[COLUMNS] = {
    {"if", "If", "", "What changes; all other recorded durations stay as they are.", TP_COLUMN_TEXT},
    {"how", "How", "", "How it changes.", TP_COLUMN_TEXT},
    {"step", "Step", "", "Length of a step now, and after the change.", TP_COLUMN_TEXT},
    {"gain", "Gain", "",
     "Time by which a step becomes shorter. A range shows the smallest and the largest gain of all replays.",
     TP_COLUMN_TEXT},
    {"gain_percent", "Gain, %", "", "Gain as a share of the step.", TP_COLUMN_TEXT},
    {"then", "Then limits", "",
     "What has the largest share of the critical path after the change. Bold: another limit than today.",
     TP_COLUMN_TEXT},
    {"sure", "Sure", "", "Confidence of the answer: high, medium or low.", TP_COLUMN_TEXT},
};

static const struct tp_shown_column COLUMNS_SHOWN[] = {
    {TP_SHOW_TEXT, STEP, NULL, 0, 0, false, TP_SHOWN_NUMBER | TP_SHOWN_LESS},
    {TP_SHOW_TEXT, GAIN, NULL, 0, 0, false, TP_SHOWN_NUMBER},
    {TP_SHOW_TEXT, SHARE, NULL, 0, 0, false, TP_SHOWN_NUMBER},
    {TP_SHOW_TEXT, THEN, NULL, 0, 0, false, 0},
    {TP_SHOW_TEXT, SURE, NULL, 0, 0, false, 0},
};
enum { THEN_SHOWN = 3 }; /* index of THEN in COLUMNS_SHOWN */

static int compare_answers(const void *x, const void *y, const void *context)
{
    const struct tp_what_if_row *a = *(const struct tp_what_if_row *const *)x;
    const struct tp_what_if_row *b = *(const struct tp_what_if_row *const *)y;
    (void)context;
    if (a->gain_low_ns != b->gain_low_ns)
        return a->gain_low_ns > b->gain_low_ns ? -1 : 1;
    if (a->gain_high_ns != b->gain_high_ns)
        return a->gain_high_ns > b->gain_high_ns ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* Returns whether another change with the same effect has a row: hidden communication instead of free communication. */
static bool is_repeated(const struct tp_what_if_view *view, const struct tp_what_if_row *row)
{
    if (!tp_str_equal(row->change, TP_STR("communication=0")))
        return false;
    for (uint32_t i = 0; i < view->answer_count; i++) {
        const struct tp_what_if_row *other = &view->answers[i];
        if (tp_str_equal(other->change, TP_STR("overlap")))
            return other->step_ns == row->step_ns && other->gain_low_ns == row->gain_low_ns &&
                   other->gain_high_ns == row->gain_high_ns;
    }
    return false;
}

/* Fills `chosen` with the changes that have an effect, largest sure gain first, followed by the others. Returns the
 * number of changes with an effect; *count: number of all. */
static size_t choose_answers(const struct tp_what_if_view *view, const struct tp_what_if_row **chosen, size_t *count,
                             struct tp_arena *arena)
{
    size_t with_effect = 0;
    *count = 0;
    for (unsigned has_effect = 2; has_effect-- > 0;) {
        for (uint32_t i = 0; i < view->answer_count; i++)
            if ((tp_percent(view->answers[i].gain_high_ns, view->step_ns) >= LEAST_PERCENT) == has_effect &&
                !is_repeated(view, &view->answers[i]))
                chosen[(*count)++] = &view->answers[i];
        with_effect = has_effect ? *count : with_effect;
    }
    tp_merge_sort(arena, chosen, with_effect, sizeof *chosen, compare_answers, NULL);
    return with_effect;
}

static void fill_row(const struct tp_section *section, struct tp_table *table, size_t i,
                     const struct tp_what_if_row *row)
{
    const struct tp_what_if_view *view = view_of(section);
    struct tp_arena *arena = section->arena;
    struct tp_unit unit = unit_of_step(view->step_ns);
    struct tp_change_words words = tp_change_words_of(section, row);
    tp_table_text(table, NAME)[i] = words.full.ptr ? words.full : words.name;
    tp_table_text(table, REST)[i] = tp_str_of(words.rest);
    tp_table_text(table, STEP)[i] = tp_str_of(tp_text_printf(
        arena, "%s \xe2\x86\x92 %s", amount_text(arena, view->step_ns, unit), new_step_text(arena, view, row, unit)));
    tp_table_text(table, GAIN)[i] = tp_str_of(gain_text(arena, view, row, unit));
    tp_table_text(table, SHARE)[i] = tp_str_of(gain_percent_text(arena, view, row));
    tp_table_text(table, THEN)[i] = tp_str_of(then_text(arena, row));
    tp_table_text(table, SURE)[i] = tp_str_of(tp_replay_confidence_text(row->confidence));
}

/* Returns the columns with the unit of the step in their titles. */
static const struct tp_shown_column *columns_with_unit(const struct tp_section *section)
{
    const char *unit = unit_of_step(view_of(section)->step_ns).text;
    struct tp_shown_column *columns = tp_arena_array(section->arena, COLUMNS, sizeof *columns);
    for (size_t i = 0; i < sizeof COLUMNS_SHOWN / sizeof *COLUMNS_SHOWN; i++) {
        columns[i] = COLUMNS_SHOWN[i];
        if (columns[i].column == STEP || columns[i].column == GAIN)
            columns[i].title = tp_text_printf(section->arena, "%s, %s", column_defs[columns[i].column].title, unit);
    }
    return columns;
}

/* Returns the sentence about changes without an effect; NULL if each change has an effect. Equal names appear once. */
static const char *without_effect_text(const struct tp_section *section, const struct tp_what_if_row **rows,
                                       size_t count)
{
    enum { NAME_BYTES = 40, MOST_NAMES = 8 };
    struct tp_str last = {NULL, 0};
    struct tp_arena *arena = section->arena;
    const char *list = "";
    size_t named = 0, left = 0;
    for (size_t i = 0; i < count; i++) {
        struct tp_change_words words = tp_change_words_of(section, rows[i]);
        struct tp_str name = tp_text_shorten(arena, words.name, NAME_BYTES);
        if (tp_str_equal(name, last))
            continue;
        last = name;
        if (++named > MOST_NAMES)
            left++;
        else
            list = tp_text_printf(arena, "%s%s%.*s", list, *list ? ", " : "", (int)name.len, name.ptr);
    }
    const char *more = left ? tp_text_printf(arena, ", and %zu more", left) : "";
    return count ? tp_text_printf(arena, "Without effect (each below 1 %% of the step): %s%s.", list, more) : NULL;
}

static void add_table(const struct tp_section *section, struct tp_object *object, const struct tp_what_if_row **rows,
                      size_t count)
{
    const struct tp_what_if_view *view = view_of(section);
    struct tp_table *table = tp_arena_alloc(section->arena, sizeof *table);
    tp_table_init(table, section->arena, "what_if", column_defs, COLUMNS, count);
    for (size_t i = 0; i < count; i++)
        fill_row(section, table, i, rows[i]);
    struct tp_shown_table *shown = tp_section_table_new(section, table, columns_with_unit(section),
                                                        sizeof COLUMNS_SHOWN / sizeof *COLUMNS_SHOWN, count);
    for (size_t i = 0; i < count; i++) {
        struct tp_change_words words = tp_change_words_of(section, rows[i]);
        shown->rows[i].name = words.name;
        shown->rows[i].full = words.full;
        shown->rows[i].page_name = words.name;
        shown->rows[i].page_place = tp_str_of(words.rest);
        shown->rows[i].marks = tp_time_marks_text(section, rows[i]->times);
        shown->rows[i].bold_columns = rows[i]->then != view->limit ? 1u << THEN_SHOWN : 0;
    }
    shown->name = "what if";
    shown->noun = "changes";
    shown->name_title = "If";
    shown->caption = "Changes and the length of a step after them, largest sure gain first";
    tp_list_add_shown_table(tp_object_add_list(object, "tables"), shown);
}

static const char *validation_text(const struct tp_section *section)
{
    const struct tp_what_if_view *view = view_of(section);
    struct tp_arena *arena = section->arena;
    return tp_text_printf(
        arena,
        "How far to trust this: known reasons explain %s of the critical path, the step without the "
        "unexplained delays would differ by %s, and %s of the path depends on order that was "
        "inferred from times.%s",
        tp_text_of_percent(arena, 100 - view->unexplained_percent), tp_text_of_percent(arena, view->bare_error_percent),
        tp_text_of_percent(arena, view->inferred_percent), tp_marked_plain(arena, part_text(section)));
}

/* Adds the sentence below the title, about the change with the largest sure gain, and the title of the table. */
static void add_texts(const struct tp_section *section, struct tp_object *object, const struct tp_what_if_row **rows,
                      size_t with_effect)
{
    const struct tp_what_if_view *view = view_of(section);
    struct tp_arena *arena = section->arena;
    struct tp_unit unit = unit_of_step(view->step_ns);
    if (with_effect) {
        struct tp_change_words words = tp_change_words_of(section, rows[0]);
        struct tp_str name = tp_text_shorten(arena, words.name, 40);
        tp_object_add_lead(object, "Largest sure gain in a replay: **%s %s, %s of %s %s**.",
                           tp_text_printf(arena, "%.*s", (int)name.len, name.ptr), words.rest,
                           gain_text(arena, view, rows[0], unit), amount_text(arena, view->step_ns, unit), unit.text);
    } else {
        tp_object_add_lead(object, "In a replay, **no change shortens the step by 1 %%**.");
    }
    tp_object_add_text(object, "changes_title",
                       with_effect ? tp_text_printf(arena, "%s, largest sure gain first",
                                                    tp_text_of_counted_noun(arena, (int64_t)with_effect,
                                                                            "change that shortens the step",
                                                                            "changes that shorten the step"))
                                   : "Changes without effect");
}

struct tp_data tp_section_what_if(const struct tp_section *section)
{
    const struct tp_what_if_view *view = view_of(section);
    if (!section->limits->operator_rows || !tp_section_has_replay(section) || view->withheld || !view->answer_count)
        return TP_NO_DATA;
    const struct tp_what_if_row **rows = tp_arena_array(section->arena, view->answer_count, sizeof *rows);
    size_t count, with_effect = choose_answers(view, rows, &count, section->arena);
    struct tp_object *object = tp_object_new(section->arena);
    if (with_effect)
        add_table(section, object, rows, with_effect);
    add_texts(section, object, rows, with_effect);
    tp_object_add_text(object, "without_effect", without_effect_text(section, rows + with_effect, count - with_effect));
    tp_object_add_bool(object, "has_sync_events", can_record_stream_waits(section));
    tp_section_add_critical_path(section, object);
    tp_object_add_sentence(object, "validation", tp_str_of(validation_text(section)));
    return tp_data_of_object(object);
}
