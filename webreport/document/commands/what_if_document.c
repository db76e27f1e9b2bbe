/* Makes the document of `tracepress whatif`. See what_if_document.h. */
#include "webreport/document/commands/what_if_document.h"

#include "webreport/document/name_text.h"
#include "webreport/document/words/answer_words.h"
#include "webreport/document/words/reason_words.h"

enum { SHOWN_ROWS = 8, CHANGE_BYTES = 60 };
/* Smallest cost of a rank that is named, percent of the step; as in the replay of a job (section 29). */
#define LEAST_COST_PERCENT 0.5

enum { IF, STEP, GAIN, THEN, SURE, COLUMNS };

/* The cells of the table: COLUMNS texts for each row. */
struct cells {
    const char *(*texts)[COLUMNS];
    size_t count;
};

/* A profile while its document is made. */
struct work {
    struct tp_document *document;
    struct tp_arena *arena;
    const struct tp_what_if_profile *profile;
    const struct tp_what_if_view *view;
    struct tp_unit unit; /* unit of all times of the table */
};

/* ---- texts ---- */

static const char *limit_text(enum tp_path_group group)
{
    static const char *const texts[TP_GROUPS] = {
        [TP_GROUP_HOST] = "the host limits",
        [TP_GROUP_INPUT] = "data loading limits",
        [TP_GROUP_COMPUTE] = "compute limits",
        [TP_GROUP_COMMUNICATION] = "communication limits",
        [TP_GROUP_COPY] = "copies limit",
        [TP_GROUP_LATENCY] = "latencies limit",
        [TP_GROUP_UNEXPLAINED] = "unexplained time limits",
    };
    return texts[group];
}

static const char *number_text(const struct work *w, int64_t ns)
{
    return tp_text_of_fixed(w->arena, (double)ns / w->unit.divisor, w->unit.decimals);
}

static double percent_of_step(const struct work *w, int64_t ns)
{
    return tp_percent(ns, w->view->step_ns);
}

/* Returns whether the gain is a range: the ends differ by more than 1 % of the step. */
static bool is_range(const struct work *w, const struct tp_what_if_row *row)
{
    return percent_of_step(w, row->gain_high_ns - row->gain_low_ns) > 1;
}

static const char *shortened_text(const struct work *w, struct tp_str text)
{
    struct tp_str shown = tp_text_shorten(w->arena, text, CHANGE_BYTES);
    return tp_text_printf(w->arena, "%.*s", (int)shown.len, shown.ptr);
}

/* Returns a usual change in words, with names of kernels as in tables of a report. Returns other changes as the user
 * wrote them. */
static const char *change_text(const struct work *w, const struct tp_what_if_row *row)
{
    static const char lead[] = "kernel:";
    struct tp_str change = row->change, name = {row->change.ptr, 0};
    for (size_t i = 0; i < change.len; i++)
        if (change.ptr[i] == '=')
            name.len = i;
    if (!w->profile->are_changes_usual)
        return shortened_text(w, change);
    if (!tp_str_starts(change, lead) || name.len < sizeof lead)
        return shortened_text(w, row->text);
    struct tp_str factor = {change.ptr + name.len + 1, change.len - name.len - 1};
    name = (struct tp_str){name.ptr + sizeof lead - 1, name.len - (sizeof lead - 1)};
    name = tp_text_shorten(w->arena, tp_kernel_short_name(w->arena, name), CHANGE_BYTES);
    return tp_text_printf(w->arena, "kernel %.*s at %.*s", (int)name.len, name.ptr,
                          (int)(factor.len < 20 ? factor.len : 20), factor.ptr);
}

static const char *step_text(const struct work *w, const struct tp_what_if_row *row)
{
    const char *old = number_text(w, w->view->step_ns);
    if (!is_range(w, row))
        return tp_text_printf(w->arena, "%s \xe2\x86\x92 %s %s", old, number_text(w, row->step_ns), w->unit.text);
    return tp_text_printf(w->arena, "%s \xe2\x86\x92 %s to %s %s", old,
                          number_text(w, w->view->step_ns - row->gain_high_ns),
                          number_text(w, w->view->step_ns - row->gain_low_ns), w->unit.text);
}

static const char *gain_text(const struct work *w, const struct tp_what_if_row *row)
{
    if (!is_range(w, row))
        return tp_text_printf(w->arena, "%s %s (%s)", number_text(w, row->gain_ns), w->unit.text,
                              tp_text_of_percent(w->arena, percent_of_step(w, row->gain_ns)));
    return tp_text_printf(w->arena, "%s to %s %s (%s to %s)", number_text(w, row->gain_low_ns),
                          number_text(w, row->gain_high_ns), w->unit.text,
                          tp_text_of_fixed(w->arena, percent_of_step(w, row->gain_low_ns), 1),
                          tp_text_of_percent(w->arena, percent_of_step(w, row->gain_high_ns)));
}

/* ---- the table ---- */

static void put_cell(const struct tp_worded_table *worded, size_t row, unsigned column, struct tp_buf *out)
{
    const struct cells *cells = worded->context;
    tp_buf_puts(out, cells->texts[row][column]);
}

static void put_table(const struct work *w, const struct tp_what_if_row *const *rows, size_t count)
{
    static const struct tp_worded_column columns[COLUMNS] = {[IF] = {.title = "if", .is_left = true},
                                                             [STEP] = {.title = "step", .is_left = true},
                                                             [GAIN] = {.title = "gain", .is_left = true},
                                                             [THEN] = {.title = "then limits", .is_left = true},
                                                             [SURE] = {.title = "sure", .is_left = true}};
    struct cells *cells = tp_arena_alloc(w->arena, sizeof *cells);
    struct tp_worded_table *worded = tp_arena_alloc(w->arena, sizeof *worded);
    *cells = (struct cells){tp_arena_array(w->arena, count, sizeof *cells->texts), count};
    for (size_t i = 0; i < count; i++) {
        cells->texts[i][IF] = change_text(w, rows[i]);
        cells->texts[i][STEP] = step_text(w, rows[i]);
        cells->texts[i][GAIN] = gain_text(w, rows[i]);
        cells->texts[i][THEN] = tp_text_printf(w->arena, "%s %s", tp_path_group_text(rows[i]->then),
                                               tp_text_of_percent(w->arena, rows[i]->then_percent));
        cells->texts[i][SURE] = tp_replay_confidence_text(rows[i]->confidence);
    }
    *worded = (struct tp_worded_table){.columns = columns,
                                       .column_count = COLUMNS,
                                       .row_count = count,
                                       .gap = 2,
                                       .is_measured = true,
                                       .cell = put_cell,
                                       .context = cells};
    tp_document_add_text_lines(w->document, "\n");
    tp_document_add_worded_table(w->document, worded);
}

/* Inserts a row into rows that are sorted by the smallest gain, then the largest gain. Equal rows keep their order. */
static void insert_sorted(const struct tp_what_if_row **rows, size_t count, const struct tp_what_if_row *row)
{
    size_t at = count;
    for (; at > 0; at--) {
        const struct tp_what_if_row *before = rows[at - 1];
        if (before->gain_low_ns > row->gain_low_ns ||
            (before->gain_low_ns == row->gain_low_ns && before->gain_high_ns >= row->gain_high_ns))
            break;
        rows[at] = before;
    }
    rows[at] = row;
}

/* Shows the usual changes: a table of the largest gains, and the names of the others. */
static void put_usual_changes(const struct work *w)
{
    const struct tp_what_if_view *view = w->view;
    const struct tp_what_if_row **rows = tp_arena_array(w->arena, view->answer_count, sizeof *rows);
    size_t count = 0;
    const char *without = NULL;
    for (uint32_t i = 0; i < view->answer_count; i++) {
        const struct tp_what_if_row *row = &view->answers[i];
        if (percent_of_step(w, row->gain_high_ns) >= 1)
            insert_sorted(rows, count++, row);
        else
            without = without ? tp_text_printf(w->arena, "%s; %s", without, change_text(w, row)) : change_text(w, row);
    }
    size_t shown = count < SHOWN_ROWS ? count : SHOWN_ROWS;
    if (shown)
        put_table(w, rows, shown);
    if (count > shown)
        tp_document_add_note(w->document, tp_text_printf(w->arena, "%s with smaller gains: --json lists all.",
                                                         tp_text_of_counted_noun(w->arena, (int64_t)(count - shown),
                                                                                 "more change", "more changes")));
    if (without)
        tp_document_add_note(w->document, tp_text_printf(w->arena, "without effect: %s", without));
}

static void put_asked_changes(const struct work *w)
{
    const struct tp_what_if_view *view = w->view;
    const struct tp_what_if_row **rows = tp_arena_array(w->arena, view->answer_count, sizeof *rows);
    for (uint32_t i = 0; i < view->answer_count; i++)
        rows[i] = &view->answers[i];
    put_table(w, rows, view->answer_count);
}

/* ---- the first lines ---- */

/* Adds why there are no answers, and what to do. */
static void put_withheld(const struct work *w)
{
    const struct tp_what_if_view *view = w->view;
    const char *said[TP_WITHHELD_REASONS];
    unsigned said_count = 0;
    bool is_joined = w->profile->rank_count > 0;
    tp_document_add_verdict(
        w->document,
        &(struct tp_verdict_block){.tone = TP_TONE_UNSURE,
                                   .class = "",
                                   .headline = tp_text_printf(w->arena, "%s a step; no answers for %s",
                                                              tp_text_of_time(w->arena, view->step_ns),
                                                              is_joined ? "the joined ranks" : "this trace"),
                                   .text = is_joined ? "A replay of the joined ranks would give wrong answers, because"
                                                     : "A replay of this trace would give wrong answers, because"});
    for (uint32_t i = 0; i < view->withheld_count; i++)
        tp_document_add_point(w->document, tp_text_printf(w->arena, "%.*s", (int)view->withheld_texts[i].len,
                                                          view->withheld_texts[i].ptr));
    for (unsigned i = 0; i < TP_WITHHELD_REASONS; i++) {
        const char *advice = tp_withheld_advice((enum tp_withheld)i);
        bool is_new = view->withheld >> i & 1;
        for (unsigned k = 0; k < said_count; k++)
            is_new &= said[k] != advice;
        if (is_new) {
            said[said_count++] = advice;
            tp_document_add_note(w->document, tp_text_printf(w->arena, "%s.", advice));
        }
    }
}

/* Returns how far the replay can be trusted. */
static const char *validation_text(const struct work *w)
{
    const struct tp_what_if_view *view = w->view;
    double error = view->bare_error_percent;
    const char *size = tp_text_of_percent(w->arena, error < 0 ? -error : error);
    const char *unexplained = tp_text_of_percent(w->arena, view->unexplained_percent);
    if (strcmp(size, tp_text_of_percent(w->arena, 0)) == 0)
        return tp_text_printf(w->arena,
                              "Confidence: %s. %s of the critical path is unexplained. Without the unexplained delays, "
                              "the replayed step has the same length.",
                              tp_replay_confidence_text(view->confidence), unexplained);
    return tp_text_printf(w->arena,
                          "Confidence: %s. %s of the critical path is unexplained. Without the unexplained delays, the "
                          "replayed step is %s %s.",
                          tp_replay_confidence_text(view->confidence), unexplained, size,
                          error < 0 ? "shorter" : "longer");
}

/* Returns a sentence about the rank that costs the joined ranks most, with the words of the page of a job; "" for one
 * profile, and for changes that the user named. */
static const char *slow_rank_text(const struct work *w)
{
    const struct tp_what_if_view *view = w->view;
    uint32_t slow = 0, others = w->profile->rank_count - 1;
    if (!w->profile->rank_count || !w->profile->are_changes_usual || view->answer_count != w->profile->rank_count)
        return "";
    for (uint32_t i = 1; i < view->answer_count; i++)
        if (view->answers[i].gain_low_ns > view->answers[slow].gain_low_ns)
            slow = i;
    if (percent_of_step(w, view->answers[slow].gain_low_ns) < LEAST_COST_PERCENT)
        return "No rank delays the others by 0.5 % of the step or more. ";
    return tp_text_printf(
        w->arena, "Rank %lld holds up the other %s: if it were as fast as the median, a step would take %s. ",
        (long long)w->profile->ranks[slow].number, others == 1 ? "rank" : tp_text_of_count(w->arena, others),
        tp_time_instead_text(w->arena, view->step_ns - view->answers[slow].gain_low_ns, view->step_ns));
}

static void put_limit(const struct work *w)
{
    const struct tp_what_if_view *view = w->view;
    int64_t whole = 0;
    for (unsigned i = 0; i < TP_GROUPS; i++)
        whole += view->path.group_ns[i];
    double share = tp_percent(view->path.group_ns[view->limit], whole);
    tp_document_add_verdict(
        w->document, &(struct tp_verdict_block){
                         .tone = TP_TONE_PLAIN,
                         .class = "",
                         .headline = tp_text_printf(w->arena, "%s a step; %s: %s of the critical path",
                                                    tp_text_of_time(w->arena, view->step_ns), limit_text(view->limit),
                                                    tp_text_of_percent(w->arena, share)),
                         .text = tp_text_printf(w->arena, "%s%s", slow_rank_text(w), validation_text(w))});
}

/* ---- the whole document ---- */

static const char *joined_heading(const struct work *w)
{
    return w->view->collective_count ? tp_text_printf(w->arena, "%u ranks, joined at %s", w->profile->rank_count,
                                                      tp_text_of_counted_noun(w->arena, w->view->collective_count,
                                                                              "collective", "collectives"))
                                     : tp_text_printf(w->arena, "%u ranks", w->profile->rank_count);
}

void tp_what_if_document(struct tp_document *document, const struct tp_what_if_profile *profile, struct tp_arena *arena)
{
    const struct work w = {.document = document,
                           .arena = arena,
                           .profile = profile,
                           .view = profile->view,
                           .unit = tp_unit_for_time(profile->view->step_ns)};
    tp_document_init(document, "What if", arena);
    if (profile->rank_count)
        tp_document_add_heading(document, joined_heading(&w));
    else if (profile->is_one_of_many)
        tp_document_add_heading(document, tp_text_printf(arena, "%.*s", (int)profile->label.len, profile->label.ptr));
    if (profile->view->withheld) {
        put_withheld(&w);
        return;
    }
    put_limit(&w);
    if (profile->are_changes_usual)
        put_usual_changes(&w);
    else
        put_asked_changes(&w);
}

void tp_what_if_profile_json(const struct tp_what_if_profile *profile, struct tp_arena *arena, struct tp_json *json)
{
    tp_json_object(json);
    if (profile->rank_count) {
        tp_json_key(json, "ranks");
        tp_json_array(json);
        for (uint32_t r = 0; r < profile->rank_count; r++)
            tp_json_int(json, profile->ranks[r].number);
        tp_json_array_end(json);
        tp_json_member_int(json, "collectives", profile->view->collective_count);
    } else if (profile->is_one_of_many) {
        tp_json_member_str(json, "profile", profile->label);
        tp_json_member_str(json, "file", profile->file);
    }
    tp_fields_members_json(&tp_what_if_view_fields, profile->view, arena, json);
    tp_json_object_end(json);
}
