/* Makes the index of the page. See page_index.h. */
#include "webreport/document/report/page_index.h"

#include <math.h>
#include <stdio.h>

#include "webreport/document/report/program_document.h"

enum { ROW_BYTES = 420, FAILED_SHOWN = 50 };

void tp_page_index_init(struct tp_page_index *index, struct tp_arena *arena)
{
    *index = (struct tp_page_index){.arena = arena, .entries = TP_VEC(arena, struct tp_page_entry)};
}

struct tp_page_entry *tp_page_index_add(struct tp_page_index *index)
{
    struct tp_page_entry *entry = tp_vec_push(&index->entries);

    *entry = (struct tp_page_entry){.tag = "",
                                    .finding = "",
                                    .step_ns = TP_NULL_INT,
                                    .wall_ns = TP_NULL_INT,
                                    .busy_percent = NAN,
                                    .ceiling_percent = NAN};
    snprintf(entry->prefix, sizeof(entry->prefix), "p%zu-", index->entries.count);
    return entry;
}

static struct tp_str copy_text(struct tp_arena *arena, struct tp_str text)
{
    return (struct tp_str){tp_arena_copy(arena, text.ptr, text.len), text.len};
}

void tp_page_index_set_run_name(struct tp_page_index *index, const struct tp_naming *naming, struct tp_str run)
{
    struct tp_str shown = tp_shown_text(naming, run);

    if (!index->has_run)
        index->run = copy_text(index->arena, shown);
    else if (!tp_str_equal(index->run, shown))
        index->run = TP_STR("");
    index->has_run = true;
}

/* Fills the index entry of a program that was recorded from outside. Such an entry has a wall time instead of a step
 * time, and no estimated gain. */
static void fill_entry_of_program(struct tp_page_entry *entry, struct tp_arena *arena, const struct tp_section *section)
{
    const struct tp_program_view *view = tp_section_program(section);
    entry->wall_ns = view->parts.wall_ns;
    if (view->finding_count)
        entry->finding = copy_text(arena, tp_shown_text(&section->naming, tp_str_of(view->findings[0].title))).ptr;
}

const char *tp_page_index_summary(const struct tp_page_entry *entry, struct tp_arena *arena)
{
    if (entry->wall_ns != TP_NULL_INT)
        return tp_text_printf(arena, "%s, %s of wall time", entry->tag, tp_text_of_time(arena, entry->wall_ns));
    if (entry->step_ns == TP_NULL_INT)
        return entry->tag;
    return tp_text_printf(arena, "%s, %s per step", entry->tag, tp_text_of_time(arena, entry->step_ns));
}

static const struct tp_findings_block *copy_findings(struct tp_arena *arena, const struct tp_section *section)
{
    struct tp_findings_block *findings = tp_arena_alloc(arena, sizeof *findings);
    struct tp_page_limits limits;
    struct tp_section complete = *section;
    tp_page_limits_fill(&limits, 0, SIZE_MAX, TP_TIMELINE_LONGEST);
    complete.limits = &limits;
    tp_findings_copy(findings, "What to change, best first", &complete, arena);
    return findings;
}

void tp_page_index_fill(struct tp_page_entry *entry, struct tp_arena *arena, const struct tp_section *section)
{
    const struct tp_overview *overview = &section->profile->views->overview;
    const struct tp_recommendations *found = &section->profile->advice->recommendations;
    struct tp_verdict_block words = tp_section_verdict_block(&section->naming, section->profile);
    double total = overview->average_us[TP_AVERAGE_TOTAL];

    entry->speech = tp_speech_of_model(section->profile->model);
    entry->title = copy_text(arena, tp_str_of(section->title));
    entry->run = copy_text(arena, tp_shown_text(&section->naming, section->profile->run));
    entry->worker = copy_text(arena, section->profile->worker);
    entry->span = section->profile->span;
    entry->tag = tp_arena_copy(arena, words.class, strlen(words.class));
    if (tp_section_is_program(section)) {
        fill_entry_of_program(entry, arena, section);
        return;
    }
    entry->step_ns = section->profile->is_helper ? TP_NULL_INT : (int64_t)llround(total * 1000);
    if (overview->gpu_summary.row_count && total > 0)
        entry->busy_percent =
            100 * tp_table_real(&overview->gpu_summary, TP_GPU_BUSY_RATIO)[tp_overview_main_gpu(overview)];
    if (section->profile->is_silent)
        return;
    if (found->finding_count)
        entry->finding =
            copy_text(arena, tp_shown_text(&section->naming, tp_str_of(found->findings[0].shown_title))).ptr;
    if (found->finding_count && section->is_one_of_many)
        entry->findings = copy_findings(arena, section);
    entry->ceiling_percent = found->total_gain_percent;
}

void tp_page_index_put_link(const struct tp_page_index *index, struct tp_object *object,
                            const struct tp_section *section, bool has_room)
{
    int linked = section->profile->linked, own = (int)index->entries.count;
    const struct tp_page_entry *before = (const struct tp_page_entry *)index->entries.data + own - 1 + linked;
    bool is_there = linked > 0 ? has_room : linked < 0 && before->is_shown;
    if (!is_there)
        return;
    tp_object_add_formatted(object, "link_href", "#p%d-overview", own + linked);
    if (linked > 0 && tp_section_is_program(section))
        tp_object_add_text(object, "link_title", "Recorded inside the process: memory, waits");
    else if (linked > 0 || section->profile->is_silent)
        tp_object_add_text(object, "link_title", "The whole program");
    else
        tp_object_add_formatted(object, "link_title", "Steps and operators: %.*s", (int)before->title.len,
                                before->title.ptr);
}

void tp_page_index_add_failed(struct tp_page_index *index, const struct tp_naming *naming, struct tp_str worker,
                              struct tp_str file, const char *why)
{
    struct tp_page_entry *entry = tp_page_index_add(index);

    entry->title = copy_text(index->arena, tp_shown_text(naming, file.len ? file : worker));
    entry->failure = tp_arena_copy(index->arena, why, strlen(why));
    index->failed_count++;
}

const struct tp_page_entry *tp_page_index_find(const struct tp_page_index *index, struct tp_str worker, int64_t span)
{
    for (size_t i = 0; i < index->entries.count; i++) {
        const struct tp_page_entry *entry = TP_AT(&index->entries, struct tp_page_entry, i);
        if (!entry->failure && entry->span == span && tp_str_equal(entry->worker, worker))
            return entry;
    }
    return NULL;
}

size_t tp_page_index_estimated_bytes(const struct tp_page_index *index, size_t profile_count)
{
    return profile_count > 1 ? profile_count * ROW_BYTES + 4096 : index->failed_count * ROW_BYTES;
}

/* Returns the name of the run followed by " / " if the page has several runs, else "". */
static struct tp_str run_prefix_of_entry(const struct tp_page_index *index, const struct tp_page_entry *entry)
{
    if (index->run.len || !entry->run.len)
        return TP_STR("");
    return tp_str_of(tp_text_printf(index->arena, "%.*s / ", (int)entry->run.len, entry->run.ptr));
}

struct tp_str tp_page_index_label(const struct tp_page_index *index, size_t at)
{
    const struct tp_page_entry *entry = (const struct tp_page_entry *)index->entries.data + at;
    struct tp_str run = run_prefix_of_entry(index, entry);

    return tp_str_of(
        tp_text_printf(index->arena, "%.*s%.*s", (int)run.len, run.ptr, (int)entry->title.len, entry->title.ptr));
}

struct tp_str tp_page_index_title(const struct tp_page_index *index)
{
    const struct tp_page_entry *entries = index->entries.data;

    if (index->entries.count == 1)
        return entries[0].title;
    if (index->run.len)
        return index->run;
    return tp_str_of(tp_text_printf(index->arena, "%zu profiles", index->entries.count));
}

/* ---- the table ---- */

enum column { INDEX_NAME, INDEX_STEP, INDEX_BUSY, INDEX_CEILING, INDEX_COLUMNS };

static const struct tp_column_def DEFS[INDEX_COLUMNS] = {
    {"profile", "Profile", "",
     "Worker that wrote the trace, and the position in time if the worker has several traces.", TP_COLUMN_TEXT},
    {"step_us", "Step time", "us", "Mean length of a step of this profile.", TP_COLUMN_NS},
    {"busy_percent", "{GPU} busy", "%",
     "Share of step time during which a kernel, a copy or a memset runs on the device.", TP_COLUMN_REAL},
    {"ceiling_percent", "Estimate of time that could be saved", "%",
     "Upper estimate of the time that all findings together could save, as a share of the step time.", TP_COLUMN_REAL},
};
#define STEP_COLUMNS                                                                                                   \
    {TP_SHOW_TIME, INDEX_STEP, NULL, 0, 0, false, false},                                                              \
    {                                                                                                                  \
        TP_SHOW_BAR, INDEX_STEP, NULL, 0, 0, false, false                                                              \
    }
#define FINDING_COLUMNS                                                                                                \
    {TP_SHOW_OWN_TEXT, 0, "Verdict", 0, 0, false, false}, {TP_SHOW_OWN_TEXT, 1, "First finding", 0, 0, false, false},  \
    {                                                                                                                  \
        TP_SHOW_PERCENT, INDEX_CEILING, NULL, 0, 0, false, false                                                       \
    }
static const struct tp_shown_column SHOWN[] = {
    STEP_COLUMNS, {TP_SHOW_PERCENT, INDEX_BUSY, NULL, 0, 0, false, false}, FINDING_COLUMNS};
static const struct tp_shown_column SHOWN_OF_HOSTS[] = {STEP_COLUMNS, FINDING_COLUMNS};

struct tp_speech tp_page_index_joined_speech(const struct tp_page_index *index)
{
    const struct tp_page_entry *entries = index->entries.data;
    struct tp_speech speech = {TP_PRODUCER_TORCH, false, false, NULL};
    bool has_any = false;
    for (size_t i = 0; i < index->entries.count; i++) {
        if (entries[i].failure)
            continue;
        speech = has_any ? tp_speech_for_two_traces(speech, entries[i].speech) : entries[i].speech;
        has_any = true;
    }
    return speech;
}

static struct tp_shown_table *make_index_table(struct tp_page_index *index, size_t max_rows)
{
    struct tp_arena *arena = index->arena;
    const struct tp_page_entry *entries = index->entries.data;
    size_t good = index->entries.count - index->failed_count, row = 0;
    struct tp_table *table = tp_arena_alloc(arena, sizeof(*table));
    struct tp_str *tags = tp_arena_array(arena, good, sizeof(*tags)),
                  *findings = tp_arena_array(arena, good, sizeof(*findings));
    struct tp_shown_table *shown;
    struct tp_speech speech = tp_page_index_joined_speech(index);

    tp_table_init(table, arena, "profiles", DEFS, INDEX_COLUMNS, good);
    shown = !speech.mentions_no_device
                ? tp_shown_table_new(arena, table, SHOWN, sizeof(SHOWN) / sizeof(SHOWN[0]), max_rows)
                : tp_shown_table_new(arena, table, SHOWN_OF_HOSTS, sizeof SHOWN_OF_HOSTS / sizeof *SHOWN_OF_HOSTS,
                                     max_rows);
    shown->speech = speech;
    for (size_t i = 0; i < index->entries.count; i++) {
        if (entries[i].failure)
            continue;
        tp_table_text(table, INDEX_NAME)[row] = entries[i].title;
        tp_table_int(table, INDEX_STEP)[row] = entries[i].step_ns;
        tp_table_real(table, INDEX_BUSY)[row] = entries[i].busy_percent;
        tp_table_real(table, INDEX_CEILING)[row] = entries[i].ceiling_percent;
        tags[row] = tp_str_of(entries[i].tag);
        findings[row] = tp_str_of(*entries[i].finding ? entries[i].finding : "\xe2\x80\x93");
        if (row < shown->row_count) {
            shown->rows[row].name = entries[i].title;
            shown->rows[row].prefix = run_prefix_of_entry(index, &entries[i]);
            shown->rows[row].href =
                entries[i].is_shown ? tp_text_printf(arena, "#%soverview", entries[i].prefix) : NULL;
        }
        row++;
    }
    shown->own_texts[0] = tags;
    shown->own_texts[1] = findings;
    shown->name = shown->noun = "profiles";
    shown->name_title = "Profile";
    shown->caption = "Profiles of this report";
    return shown;
}

static void put_failed_inputs(struct tp_page_index *index, struct tp_object *object)
{
    struct tp_list *notices = tp_object_add_list(object, "notices"), *points;
    const struct tp_page_entry *entries = index->entries.data;
    struct tp_object *notice;
    size_t shown = 0;

    if (!index->failed_count)
        return;
    notice = tp_list_add_object(notices);
    tp_object_add_text(notice, "tone", "err");
    tp_object_add_text(
        notice, "head",
        tp_text_printf(index->arena, "%s could not be used",
                       tp_text_of_counted_noun(index->arena, (int64_t)index->failed_count, "input", "inputs")));
    tp_object_add_text(notice, "text", "");
    tp_object_add_bool(notice, "has_points", true);
    points = tp_object_add_list(notice, "points");
    for (size_t i = 0; i < index->entries.count && shown < FAILED_SHOWN; i++) {
        if (!entries[i].failure)
            continue;
        tp_object_add_text(tp_list_add_object(points), "point",
                           tp_text_printf(index->arena, "%.*s: %s", (int)entries[i].title.len, entries[i].title.ptr,
                                          entries[i].failure));
        shown++;
    }
}

static const char *lead_text(const struct tp_page_index *index)
{
    const struct tp_page_entry *entries = index->entries.data, *slowest = NULL, *fastest = NULL;
    struct tp_str slow, fast;

    for (size_t i = 0; i < index->entries.count; i++) {
        if (entries[i].failure || entries[i].step_ns == TP_NULL_INT)
            continue;
        if (!slowest || entries[i].step_ns > slowest->step_ns)
            slowest = &entries[i];
        if (!fastest || entries[i].step_ns < fastest->step_ns)
            fastest = &entries[i];
    }
    if (!slowest || slowest == fastest)
        return "";
    fast = tp_page_index_label(index, (size_t)(fastest - entries));
    slow = tp_page_index_label(index, (size_t)(slowest - entries));
    const char *least = tp_text_of_time(index->arena, fastest->step_ns);
    const char *most = tp_text_of_time(index->arena, slowest->step_ns);
    if (strcmp(least, most) == 0)
        return tp_text_printf(index->arena, "The mean step takes %s in every trace.", most);
    return tp_text_printf(index->arena, "The mean step takes from %s (%.*s) to %s (%.*s).", least, (int)fast.len,
                          fast.ptr, most, (int)slow.len, slow.ptr);
}

struct tp_data tp_page_index_data(struct tp_page_index *index, size_t profile_count, size_t max_bytes)
{
    struct tp_object *object;
    struct tp_list *meta;
    size_t good = index->entries.count - index->failed_count;

    if (profile_count <= 1 && !index->failed_count)
        return TP_NO_DATA;
    object = tp_object_new(index->arena);
    tp_object_add_text(object, "title",
                       tp_text_of_counted_noun(index->arena, (int64_t)index->entries.count, "profile", "profiles"));
    meta = tp_object_add_list(object, "meta");
    if (good > index->shown_count)
        tp_object_add_text(tp_list_add_object(meta), "text",
                           tp_text_printf(index->arena,
                                          "The page has sections for %zu of %zu profiles. Use a larger --max-size to "
                                          "show more.",
                                          index->shown_count, good));
    put_failed_inputs(index, object);
    tp_object_add_sentence(object, "lead", tp_str_of(lead_text(index)));
    if (good)
        tp_list_add_shown_table(tp_object_add_list(object, "tables"),
                                make_index_table(index, max_bytes / 2 / ROW_BYTES + 1));
    return tp_data_of_object(object);
}
