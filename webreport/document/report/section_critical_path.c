/* Adds the critical path to the section "What if": the activities that decide the length of a step, by kind and name.
 */
#include "webreport/document/path_words.h"
#include "webreport/document/report/sections.h"

enum { NAME, KIND, TIME, COLUMNS };

static const struct tp_column_def column_defs[COLUMNS] = {
    {"name", "Name", "", "Operator, call, source line, range, device operation, or reason of a wait.", TP_COLUMN_TEXT},
    {"kind", "Kind", "", "Kind of work, or of time without work.", TP_COLUMN_TEXT},
    {"time_us", "Time", "us", "Time on the critical path, divided by the number of analysed steps.", TP_COLUMN_NS},
};

static const struct tp_shown_column COLUMNS_SHOWN[] = {
    {TP_SHOW_TEXT, KIND, NULL, 0, 0, false, 0},
    {TP_SHOW_TIME, TIME, "A step", 0, 0, true, TP_SHOWN_SUM},
    {TP_SHOW_SHARE, TIME, "Share", 0, 0, false, 0},
    {TP_SHOW_BAR, TIME, NULL, 0, 0, false, 0},
};

static const char *kind_title(enum tp_path_kind kind)
{
    static const char *const titles[TP_PATH_KINDS] = {
        [TP_PATH_OPERATOR] = "{operator}",
        [TP_PATH_PYTHON] = "host code",
        [TP_PATH_CALL] = "call",
        [TP_PATH_LAUNCH] = "launch",
        [TP_PATH_WAIT] = "waiting call",
        [TP_PATH_INPUT] = "data loading",
        [TP_PATH_COMPUTE] = "compute",
        [TP_PATH_COMMUNICATION] = "communication",
        [TP_PATH_COPY] = "copy",
        [TP_PATH_LATENCY] = "latency",
        [TP_PATH_UNEXPLAINED] = "unexplained",
        [TP_PATH_OUTSIDE] = "unexplained",
    };
    return titles[kind];
}

/* Returns the shares of the groups on the critical path, such as "host 67 %, compute 30 %", largest first. */
static const char *shares_text(const struct tp_what_if_view *view, struct tp_arena *arena)
{
    bool is_used[TP_GROUPS] = {false};
    const char *text = "";
    int64_t whole_ns = 0;
    for (unsigned i = 0; i < TP_GROUPS; i++)
        whole_ns += view->path.group_ns[i];
    for (unsigned n = 0; n < TP_GROUPS; n++) {
        enum tp_path_group best = TP_GROUPS;
        for (enum tp_path_group g = 0; g < TP_GROUPS; g++)
            if (!is_used[g] && (best == TP_GROUPS || view->path.group_ns[g] > view->path.group_ns[best]))
                best = g;
        is_used[best] = true;
        double percent = tp_percent(view->path.group_ns[best], whole_ns);
        if (percent >= 1)
            text = tp_text_printf(arena, "%s%s%s %s %%", text, *text ? ", " : "", tp_path_group_words(best),
                                  tp_text_of_fixed(arena, percent, 0));
    }
    return text;
}

/* Returns whether parts of a kind can be kernels, whose names are shortened. */
static bool is_kernel(enum tp_path_kind kind)
{
    return kind == TP_PATH_COMPUTE || kind == TP_PATH_COMMUNICATION;
}

static void set_names(const struct tp_section *section, struct tp_shown_table *shown)
{
    const struct tp_what_if_view *view = &section->profile->advice->what_if;
    const struct tp_naming *naming = &section->naming;
    tp_shown_table_set_row_names(naming, shown, NAME);
    for (size_t i = 0; i < shown->row_count; i++) {
        const struct tp_path_row *row = &view->rows[i];
        enum tp_path_kind kind = (enum tp_path_kind)row->kind;
        shown->rows[i].cause = tp_look_name(tp_look_of_path_group(tp_path_group_of(kind)));
        if (!is_kernel(kind))
            continue;
        shown->rows[i] = (struct tp_shown_row){.name = tp_path_name_text(naming, kind, row->name),
                                               .full = tp_plain_kernel_name(naming, row->name),
                                               .cause = shown->rows[i].cause};
    }
}

void tp_section_add_critical_path(const struct tp_section *section, struct tp_object *object)
{
    enum { MOST_ROWS = 20 };
    const struct tp_what_if_view *view = &section->profile->advice->what_if;
    struct tp_table *table = tp_arena_alloc(section->arena, sizeof *table);
    tp_table_init(table, section->arena, "critical_path", column_defs, COLUMNS, view->row_count);
    for (size_t i = 0; i < view->row_count; i++) {
        const struct tp_path_row *row = &view->rows[i];
        enum tp_path_kind kind = (enum tp_path_kind)row->kind;
        tp_table_text(table, NAME)[i] =
            is_kernel(kind) ? row->name : tp_path_name_text(&section->naming, kind, row->name);
        tp_table_text(table, KIND)[i] = tp_str_of(tp_section_words_for_producer(section, kind_title(kind)));
        tp_table_int(table, TIME)[i] = row->ns / view->step_count;
    }
    struct tp_shown_table *shown =
        tp_section_table_new(section, table, COLUMNS_SHOWN, sizeof COLUMNS_SHOWN / sizeof *COLUMNS_SHOWN, MOST_ROWS);
    set_names(section, shown);
    shown->name = "critical path";
    shown->noun = "parts";
    shown->name_title = "Part";
    shown->caption = "Parts of the critical path by kind and name, longest first";
    shown->foot = "All";
    shown->shows_all_rows = true;
    tp_object_add_formatted(object, "path_title", "Critical path: %s", shares_text(view, section->arena));
    tp_list_add_shown_table(tp_object_add_list(object, "path_tables"), shown);
}
