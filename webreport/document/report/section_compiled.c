/* Makes the table of compiled code: each kernel that torch.compile generated, with the source lines that its code comes
 * from. The table is part of the section of operators. */
#include "webreport/document/report/sections.h"
#include "webreport/trace/json/value.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { TEXT_LINE, TEXT_PASS };

#define TEXTS                                                                                                          \
    {TP_SHOW_OWN_TEXT, TEXT_LINE, "Source line", 0, 0, false, 0},                                                      \
        {TP_SHOW_OWN_TEXT, TEXT_PASS, "Pass", 0, 0, false, TP_SHOWN_LESS},                                             \
    {                                                                                                                  \
        TP_SHOW_COUNT, TP_COMPILED_CALLS, NULL, 0, 0, false, TP_SHOWN_LESS                                             \
    }

static const struct tp_shown_column GPU_COLUMNS[] = {
    TEXTS,
    {TP_SHOW_TIME, TP_COMPILED_DEVICE, "{GPU} time", 1, 0, true, TP_SHOWN_SUM},
    {TP_SHOW_TIME, TP_COMPILED_HOST, "CPU time", 1, 0, false, TP_SHOWN_SUM | TP_SHOWN_LESS},
};
static const struct tp_shown_column CPU_COLUMNS[] = {
    TEXTS,
    {TP_SHOW_TIME, TP_COMPILED_HOST, "CPU time", 1, 0, true, TP_SHOWN_SUM},
    {TP_SHOW_BAR, TP_COMPILED_HOST, NULL, 0, 0, false, 0},
};

/* Returns a line without folders: "model.py:11-13" for "lib/model.py(11-13): forward". *function: "forward". Returns
 * other texts unchanged. */
static struct tp_str short_line(struct tp_arena *arena, struct tp_str line, struct tp_str *function)
{
    struct tp_str text = tp_path_last_part(line);
    struct tp_frame frame;
    *function = TP_STR("");
    if (!tp_frame_parse(&frame, text))
        return text;
    *function = frame.function;
    size_t open = frame.path.len, close = (size_t)(frame.function.ptr - text.ptr) - 3;
    return tp_str_of(
        tp_text_printf(arena, "%.*s:%.*s", (int)open, text.ptr, (int)(close - open - 1), text.ptr + open + 1));
}

static struct tp_str line_cell(const struct tp_section *section, const struct tp_table *table, size_t row)
{
    struct tp_str line = tp_table_text(table, TP_COMPILED_LINE)[row], function;
    bool is_caller = tp_str_equal(tp_table_text(table, TP_COMPILED_VIA)[row], TP_STR("caller"));
    if (!line.ptr)
        return TP_STR("");
    struct tp_str place = short_line(section->arena, tp_shown_text(&section->naming, line), &function);
    return tp_str_of(tp_text_printf(section->arena, "%s%.*s%s%.*s", is_caller ? "called at " : "", (int)place.len,
                                    place.ptr, function.len ? " " : "", (int)function.len, function.ptr));
}

/* Adds a block with the texts of a JSON list, unless the list has fewer than `least` texts. */
static void add_list(const struct tp_section *section, struct tp_list *blocks, const char *title, struct tp_str json,
                     unsigned least)
{
    struct tp_str item;
    size_t at = 0, count = 0;
    while (tp_value_next(json, &at, NULL, &item))
        count++;
    if (count < least)
        return;
    struct tp_object *block = tp_list_add_object(blocks);
    tp_object_add_text(block, "block_title", title);
    tp_object_add_bool(block, "has_items", true);
    struct tp_list *items = tp_object_add_list(block, "items");
    at = 0;
    for (size_t i = 0; i < section->limits->open_items && tp_value_next(json, &at, NULL, &item); i++) {
        struct tp_object *object = tp_list_add_object(items);
        tp_object_add_str(object, "code", tp_shown_text(&section->naming, tp_value_text(section->arena, item)));
        tp_object_add_text(object, "note", "");
    }
}

static void add_row_details(const struct tp_section *section, struct tp_shown_table *shown)
{
    const struct tp_table *table = shown->table;
    for (size_t row = 0; row < shown->row_count && row < section->limits->open_rows; row++) {
        struct tp_object *more = tp_object_new(section->arena);
        struct tp_list *blocks = tp_object_add_list(more, "blocks");
        add_list(section, blocks, "Source lines", tp_table_text(table, TP_COMPILED_LINES)[row], 2);
        add_list(section, blocks, "Nodes of the FX graph", tp_table_text(table, TP_COMPILED_NODES)[row], 1);
        if (blocks->items.count)
            shown->rows[row].more = tp_data_of_object(more);
    }
}

/* Returns the sentence below the table on the calls whose lines are unknown; NULL if all are known. */
static const char *unknown_lines_text(const struct tp_section *section, const struct tp_compiled_view *view)
{
    if (view->line_count == view->call_count)
        return NULL;
    return tp_text_printf(section->arena,
                          "The source line of %s of %s is unknown. To record the lines, set INDUCTOR_PROVENANCE=1 and "
                          "TORCH_TRACE=FOLDER, and use tracepress with --compile-log FOLDER.",
                          tp_text_of_count(section->arena, (int64_t)(view->call_count - view->line_count)),
                          tp_text_of_counted_noun(section->arena, (int64_t)view->call_count, "call", "calls"));
}

void tp_section_add_compiled(const struct tp_section *section, struct tp_list *tables)
{
    const struct tp_compiled_view *view = &section->profile->views->compiled;
    bool is_gpu = section->profile->model->devices.count > 0;
    if (!view->is_present)
        return;
    struct tp_shown_table *shown =
        tp_section_table_new(section, &view->calls, is_gpu ? GPU_COLUMNS : CPU_COLUMNS,
                             is_gpu ? COUNT(GPU_COLUMNS) : COUNT(CPU_COLUMNS), section->limits->operator_rows);
    struct tp_str *lines = tp_arena_array(section->arena, shown->row_count, sizeof *lines);
    struct tp_str *passes = tp_arena_array(section->arena, shown->row_count, sizeof *passes);
    for (size_t row = 0; row < shown->row_count; row++) {
        lines[row] = line_cell(section, &view->calls, row);
        passes[row] = tp_table_bool(&view->calls, TP_COMPILED_BACKWARD)[row] ? TP_STR("backward") : TP_STR("forward");
    }
    shown->own_texts[TEXT_LINE] = lines;
    shown->own_texts[TEXT_PASS] = passes;
    shown->heading = "Compiled code and its source lines";
    shown->name = "compiled code";
    shown->noun = "calls in compiled code";
    shown->name_title = "Kernel";
    shown->caption =
        tp_section_words_for_producer(section, is_gpu ? "Calls in code of torch.compile, sorted by {GPU} time"
                                                      : "Calls in code of torch.compile, sorted by CPU time");
    shown->foot = "All";
    shown->note = unknown_lines_text(section, view);
    tp_shown_table_set_row_names(&section->naming, shown, TP_COMPILED_KERNEL);
    add_row_details(section, shown);
    tp_list_add_shown_table(tables, shown);
}

struct tp_str tp_section_compiled_line(const struct tp_section *section, struct tp_str name)
{
    const struct tp_table *table = &section->profile->views->compiled.calls;
    struct tp_str line = TP_STR(""), function;
    for (size_t row = 0; row < table->row_count; row++) {
        if (!tp_str_equal(tp_table_text(table, TP_COMPILED_KERNEL)[row], name))
            continue;
        struct tp_str found = tp_table_text(table, TP_COMPILED_LINE)[row];
        bool is_caller = tp_str_equal(tp_table_text(table, TP_COMPILED_VIA)[row], TP_STR("caller"));
        if (!found.len || is_caller || (line.len && !tp_str_equal(line, found)))
            return TP_STR("");
        line = found;
    }
    return line.len ? short_line(section->arena, line, &function) : line;
}
