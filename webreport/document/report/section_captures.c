/* Makes the tables of captured graphs: the operators of graph kernels, and the captured graphs. They are parts of the
 * section of operators. */
#include "webreport/document/report/sections.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct tp_shown_column OPERATOR_COLUMNS[] = {
    {TP_SHOW_COUNT, TP_CAPTURED_OPERATOR_CALLS, NULL, 0, 0, false, 0},
    {TP_SHOW_TIME, TP_CAPTURED_OPERATOR_DEVICE, "{GPU}", 1, 0, true, TP_SHOWN_SUM},
    {TP_SHOW_PERCENT, TP_CAPTURED_OPERATOR_SHARE, "Of graphs", 0, 0, false, 0},
    {TP_SHOW_OWN_TEXT, 0, "Module", 0, 0, false, 0},
    {TP_SHOW_OWN_TEXT, 1, "Line", 0, 0, false, 0},
};
static const struct tp_shown_column CAPTURE_COLUMNS[] = {
    {TP_SHOW_COUNT, TP_CAPTURE_BATCH, NULL, 0, 0, false, 0},
    {TP_SHOW_COUNT, TP_CAPTURE_CALLS, NULL, 0, 0, false, 0},
    {TP_SHOW_COUNT, TP_CAPTURE_USED, NULL, 0, 0, true, 0},
};

/* Returns the texts of a column with names that pages may hide. */
static struct tp_str *shown_texts(const struct tp_section *section, const struct tp_shown_table *shown, unsigned column)
{
    struct tp_str *texts = tp_arena_array(section->arena, shown->row_count, sizeof *texts);
    for (size_t row = 0; row < shown->row_count; row++)
        texts[row] = tp_shown_text(&section->naming, tp_table_text(shown->table, column)[row]);
    return texts;
}

void tp_section_add_captured_operators(const struct tp_section *section, struct tp_list *tables)
{
    const struct tp_capture_view *view = &section->profile->views->captures;
    if (!view->is_present || !view->operators.row_count)
        return;
    struct tp_shown_table *shown = tp_section_table_new(section, &view->operators, OPERATOR_COLUMNS,
                                                        COUNT(OPERATOR_COLUMNS), section->limits->operator_rows);
    shown->heading = tp_section_words_for_producer(section, "{Operators} of graph kernels, from the capture trace");
    shown->name = "captured operators";
    shown->noun = "{operators}";
    shown->name_title = "{Operator}";
    shown->caption = tp_section_words_for_producer(section, "{Operators} of graph kernels, sorted by {GPU} time");
    shown->foot = tp_operator_count_text(section->profile->model->producer, view->operators.row_count, section->arena);
    shown->note = tp_text_printf(section->arena,
                                 "Joined: %s. These calls have no CPU time here, because the graph was "
                                 "captured in another recording or earlier.",
                                 view->summary);
    shown->own_texts[0] = shown_texts(section, shown, TP_CAPTURED_OPERATOR_MODULE);
    shown->own_texts[1] = shown_texts(section, shown, TP_CAPTURED_OPERATOR_LINE);
    tp_shown_table_set_row_names(&section->naming, shown, TP_CAPTURED_OPERATOR_NAME);
    for (size_t row = 0; row < shown->row_count; row++)
        if (!shown->rows[row].name.len)
            shown->rows[row].name = tp_str_of(tp_section_words_for_producer(section, "[no {operator}]"));
    tp_list_add_shown_table(tables, shown);
}

/* Returns the row's name: file and number of the graph. */
static struct tp_str capture_name(const struct tp_section *section, const struct tp_table *captures, size_t row)
{
    struct tp_str file = tp_shown_text(&section->naming, tp_table_text(captures, TP_CAPTURE_FILE)[row]);
    struct tp_str mode = tp_table_text(captures, TP_CAPTURE_MODE)[row];
    return tp_str_of(tp_text_printf(section->arena, "%.*s, graph %d%s%.*s", (int)file.len, file.ptr,
                                    (int)tp_table_int(captures, TP_CAPTURE_INDEX)[row], mode.len ? ", " : "",
                                    (int)mode.len, mode.ptr));
}

bool tp_section_add_captures(const struct tp_section *section, struct tp_list *tables)
{
    const struct tp_capture_view *view = &section->profile->views->captures;
    if (!view->is_present || !view->captures.row_count)
        return false;
    struct tp_shown_table *shown = tp_section_table_new(section, &view->captures, CAPTURE_COLUMNS,
                                                        COUNT(CAPTURE_COLUMNS), section->limits->shape_rows);
    shown->heading = "Captured graphs";
    shown->name = shown->noun = "captures";
    shown->name_title = "Capture";
    shown->caption = "Captured graphs, in the order of the files";
    shown->note = view->summary;
    shown->shows_all_rows = true;
    for (size_t row = 0; row < shown->row_count; row++)
        shown->rows[row].name = capture_name(section, &view->captures, row);
    tp_list_add_shown_table(tables, shown);
    return true;
}
