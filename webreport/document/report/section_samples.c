/* Makes the section of samples of running threads: tables of functions, lines and callers. */
#include "webreport/document/charts/calltree_data.h"
#include "webreport/document/report/sections.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct tp_shown_column FUNCTION_COLUMNS[] = {
    {TP_SHOW_TIME, TP_SAMPLE_SELF, "CPU self", 1, 0, true, true},
    {TP_SHOW_SHARE, TP_SAMPLE_SELF, "Share", 0, 0, false, false},
    {TP_SHOW_BAR, TP_SAMPLE_SELF, NULL, 0, 0, false, false},
    {TP_SHOW_TIME, TP_SAMPLE_TOTAL, "CPU total", 1, 0, false, false},
    {TP_SHOW_COUNT, TP_SAMPLE_COUNT, NULL, 0, 0, false, true},
};
/* Columns for samples without times. */
static const struct tp_shown_column UNTIMED_COLUMNS[] = {
    {TP_SHOW_COUNT, TP_SAMPLE_SELF, NULL, 0, 0, true, true},
    {TP_SHOW_SHARE, TP_SAMPLE_SELF, "Share", 0, 0, false, false},
    {TP_SHOW_BAR, TP_SAMPLE_SELF, NULL, 0, 0, false, false},
    {TP_SHOW_COUNT, TP_SAMPLE_TOTAL, NULL, 0, 0, false, false},
};
static const struct tp_shown_column THREAD_COLUMNS[] = {
    {TP_SHOW_TEXT, TP_SAMPLE_THREAD, NULL, 0, 0, false, false},
    {TP_SHOW_COUNT, TP_SAMPLE_THREAD_SELF, NULL, 0, 0, true, true},
    {TP_SHOW_BAR, TP_SAMPLE_THREAD_SELF, NULL, 0, 0, false, false},
    {TP_SHOW_COUNT, TP_SAMPLE_THREAD_TOTAL, NULL, 0, 0, false, false},
};
static const struct tp_shown_column LINE_COLUMNS[] = {
    {TP_SHOW_TIME, TP_SAMPLE_LINE_SELF, "CPU self", 1, 0, true, true},
    {TP_SHOW_BAR, TP_SAMPLE_LINE_SELF, NULL, 0, 0, false, false},
    {TP_SHOW_SHARE, TP_SAMPLE_LINE_SELF, "Share", 0, 0, false, false},
    {TP_SHOW_COUNT, TP_SAMPLE_LINE_COUNT, NULL, 0, 0, false, true},
};

static void add_functions(const struct tp_section *section, struct tp_list *tables)
{
    const struct tp_sample_view *view = &section->profile->views->samples;
    struct tp_shown_table *shown = tp_section_table_new(
        section, &view->functions, view->is_untimed ? UNTIMED_COLUMNS : FUNCTION_COLUMNS,
        view->is_untimed ? COUNT(UNTIMED_COLUMNS) : COUNT(FUNCTION_COLUMNS), section->limits->operator_rows);

    shown->heading = "Functions";
    shown->name = shown->noun = "functions";
    shown->name_title = "Function";
    shown->caption = view->is_untimed ? "Functions, sorted by number of samples" : "Functions, sorted by CPU self time";
    shown->foot = "All";
    tp_shown_table_set_row_names(&section->naming, shown, TP_SAMPLE_FUNCTION);
    tp_list_add_shown_table(tables, shown);
}

static void add_lines(const struct tp_section *section, struct tp_list *tables)
{
    const struct tp_table *lines = &section->profile->views->samples.lines;
    struct tp_shown_table *shown =
        tp_section_table_new(section, lines, LINE_COLUMNS, COUNT(LINE_COLUMNS), section->limits->line_rows);

    shown->heading = "Lines";
    shown->name = shown->noun = "lines";
    shown->name_title = "Line";
    shown->caption = "Lines, sorted by CPU self time";
    shown->foot = "All";
    tp_shown_table_set_row_names(&section->naming, shown, TP_SAMPLE_LINE);
    tp_list_add_shown_table(tables, shown);
}

static void add_thread_functions(const struct tp_section *section, struct tp_list *tables)
{
    struct tp_shown_table *shown =
        tp_section_table_new(section, &section->profile->views->samples.thread_functions, THREAD_COLUMNS,
                             COUNT(THREAD_COLUMNS), section->limits->line_rows);

    shown->heading = "Functions by thread";
    shown->name = "functions by thread";
    shown->noun = "functions";
    shown->name_title = "Function";
    shown->caption = "Functions of each thread, sorted by number of samples";
    tp_shown_table_set_row_names(&section->naming, shown, TP_SAMPLE_THREAD_FUNCTION);
    tp_list_add_shown_table(tables, shown);
}

static void put_sample_tree(const struct tp_section *section, struct tp_object *object)
{
    struct tp_calltree_options options = {.max_nodes = (uint32_t)section->limits->tree_nodes,
                                          .show = tp_shown_text_for_viewer,
                                          .context = &section->naming};
    struct tp_calltree *tree;

    if (!options.max_nodes)
        return;
    tree = tp_arena_alloc(section->arena, sizeof(*tree));
    tp_calltree_build_from_samples(tree, section->profile->model, &options, section->arena);
    tp_object_add_value(object, "tree", tp_calltree_data(section->arena, tree));
}

static void put_lead(const struct tp_section *section, struct tp_object *object)
{
    const struct tp_sample_view *view = &section->profile->views->samples;
    const struct tp_table *functions = &view->functions;
    const char *samples = tp_text_of_counted_noun(section->arena, (int64_t)view->count, "sample", "samples");
    const char *time = tp_text_of_time(section->arena, view->cpu_ns);
    struct tp_str name;

    if (!functions->row_count && view->is_untimed) {
        tp_object_add_lead(
            object, "The trace has **%s** of %s. No sample has a stack.", samples,
            tp_text_of_counted_noun(section->arena, (int64_t)view->threads.row_count, "thread", "threads"));
        return;
    }
    if (!functions->row_count) {
        tp_object_add_lead(object, "%s %s **%s** of CPU time. No sample has a stack.", samples,
                           view->count == 1 ? "represents" : "represent", time);
        return;
    }
    name = tp_shown_text(&section->naming, tp_table_text(functions, TP_SAMPLE_FUNCTION)[0]);
    if (view->is_untimed) {
        tp_object_add_lead(
            object, "%s itself runs in **%s** of %s of %s. The trace does not show how much time a sample represents.",
            tp_arena_copy(section->arena, name.ptr, name.len),
            tp_text_of_percent(section->arena,
                               tp_percent(tp_table_int(functions, TP_SAMPLE_SELF)[0], (int64_t)view->count)),
            samples, tp_text_of_counted_noun(section->arena, (int64_t)view->threads.row_count, "thread", "threads"));
        return;
    }
    tp_object_add_lead(
        object, "%s itself takes **%s** of the CPU time of %s (%s).", tp_arena_copy(section->arena, name.ptr, name.len),
        tp_text_of_percent(section->arena, tp_percent(tp_table_int(functions, TP_SAMPLE_SELF)[0], view->cpu_ns)), time,
        samples);
}

struct tp_data tp_section_samples(const struct tp_section *section)
{
    const struct tp_sample_view *view = &section->profile->views->samples;
    struct tp_object *object;
    struct tp_list *tables;

    if (!view->is_present || !section->limits->operator_rows)
        return TP_NO_DATA;
    object = tp_object_new(section->arena);
    tp_object_add_text(object, "more", view->is_untimed ? "Threads and callers" : "Lines and callers");
    put_lead(section, object);
    put_sample_tree(section, object);
    tables = tp_object_add_list(object, "tables");
    if (view->functions.row_count)
        add_functions(section, tables);
    if (view->thread_functions.row_count)
        add_thread_functions(section, tp_object_add_list(object, "more_tables"));
    if (view->lines.row_count)
        add_lines(section, tp_object_add_list(object, "more_tables"));
    return tp_data_of_object(object);
}
