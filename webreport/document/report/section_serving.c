/* Makes the section about the steps of a serving engine: a table of step classes, and a table of single steps. */
#include <math.h>

#include "webreport/document/report/sections.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { OWN_SHAPES, OWN_LINE }; /* columns of the table of operators whose texts are made here */

static const struct tp_shown_column CLASS_COLUMNS[] = {
    {TP_SHOW_COUNT, TP_SERVING_CLASS_STEPS, NULL, 0, 0, false, TP_SHOWN_SUM},
    {TP_SHOW_TIME, TP_SERVING_CLASS_P50, NULL, 1, 0, false, 0},
    {TP_SHOW_TIME, TP_SERVING_CLASS_P90, NULL, 1, 0, false, 0},
    {TP_SHOW_PERCENT, TP_SERVING_CLASS_BUSY, NULL, 0, 0, false, 0},
    {TP_SHOW_TIME, TP_SERVING_CLASS_GAP, NULL, 0, 0, false, 0},
    {TP_SHOW_PERCENT, TP_SERVING_CLASS_GRAPHS, NULL, 0, 0, false, 0},
    {TP_SHOW_REAL, TP_SERVING_CLASS_RATE, NULL, 0, 0, false, 0},
    {TP_SHOW_TIME, TP_SERVING_CLASS_BOUND, NULL, 1, 0, false, 0},
    {TP_SHOW_PERCENT, TP_SERVING_CLASS_OF_BOUND, NULL, 0, 0, false, 0},
    {TP_SHOW_TEXT, TP_SERVING_CLASS_KINDS, NULL, 0, 0, false, 0},
};

static const struct tp_shown_column STEP_COLUMNS[] = {
    {TP_SHOW_TEXT, TP_SERVED_CLASS, NULL, 0, 0, false, 0},
    {TP_SHOW_COUNT, TP_SERVED_REQUESTS + TP_SERVING_REQUESTS, NULL, 0, 0, false, 0},
    {TP_SHOW_COUNT, TP_SERVED_REQUESTS + TP_SERVING_TOKENS, NULL, 0, 0, false, 0},
    {TP_SHOW_TIME, TP_SERVED_TIME, NULL, 1, 0, false, 0},
    {TP_SHOW_TIME, TP_SERVED_BUSY, NULL, 1, 0, false, 0},
    {TP_SHOW_TIME, TP_SERVED_HOST, NULL, 2, 0, false, 0},
    {TP_SHOW_TIME, TP_SERVED_GAP, NULL, 2, 0, false, 0},
    {TP_SHOW_TIME, TP_SERVED_QUEUED, NULL, 3, 0, false, 0},
    {TP_SHOW_TIME, TP_SERVED_OUTSIDE, NULL, 3, 0, false, 0},
    {TP_SHOW_COUNT, TP_SERVED_OPERATIONS, NULL, 0, 0, false, 0},
    {TP_SHOW_COUNT, TP_SERVED_GRAPHS, NULL, 0, 0, false, 0},
    {TP_SHOW_COUNT, TP_SERVED_GRAPH_OPERATIONS, NULL, 0, 0, false, 0},
    {TP_SHOW_REAL, TP_SERVED_RATE, NULL, 0, 0, false, 0},
};

static const struct tp_shown_column OPERATOR_COLUMNS[] = {
    {TP_SHOW_TEXT, TP_SERVING_OPERATOR_CLASS, NULL, 0, 0, false, 0},
    {TP_SHOW_OWN_TEXT, OWN_SHAPES, "Shapes", 0, 0, false, 0},
    {TP_SHOW_OWN_TEXT, OWN_LINE, "Line", 0, 0, false, 0},
    {TP_SHOW_TIME, TP_SERVING_OPERATOR_TIME, NULL, 1, 0, false, 0},
    {TP_SHOW_PERCENT, TP_SERVING_OPERATOR_SHARE, NULL, 0, 0, false, 0},
    {TP_SHOW_REAL, TP_SERVING_OPERATOR_OPERATIONS, NULL, 0, 1, false, 0},
    {TP_SHOW_TEXT, TP_SERVING_OPERATOR_SOURCE, NULL, 0, 0, false, TP_SHOWN_WIDE},
};

/* Returns the sentence below the section's title, such as "12 steps of an engine: prefill 31,090 tokens/s, decode
 * 2,979." */
static const char *lead_text(const struct tp_section *section, const struct tp_serving_view *view)
{
    struct tp_arena *arena = section->arena;
    const char *rates = "";

    for (unsigned phase = 0; phase < TP_SERVING_PHASES; phase++) {
        if (isnan(view->tokens_per_s[phase]))
            continue;
        rates = tp_text_printf(arena, "%s%s%s %s tokens/s", rates, *rates ? ", " : ": ", tp_serving_phase_text(phase),
                               tp_text_of_fixed(arena, view->tokens_per_s[phase], 0));
    }
    const char *weights = "";
    if (view->weight_read_ns != TP_NULL_INT)
        weights = tp_text_printf(
            arena,
            " One pass through the model reads %s of weights. Reading the weights takes %s at the peak bandwidth of "
            "the memory. %s.",
            tp_text_of_bytes(arena, view->weight_bytes), tp_text_of_time(arena, view->weight_read_ns),
            view->has_shorter_steps ? "Classes with shorter steps read fewer weights" : "No step can be shorter");
    return tp_text_printf(arena, "The trace has %s of a serving engine%s.%s",
                          tp_text_of_counted_noun(arena, (int64_t)view->steps.row_count, "step", "steps"), rates,
                          weights);
}

static void add_table(const struct tp_section *section, struct tp_list *tables, const struct tp_table *rows,
                      const struct tp_shown_column *columns, unsigned count)
{
    bool is_classes = rows->defs[0].name == section->profile->advice->serving.classes.defs[0].name;
    struct tp_shown_table *shown = tp_section_table_new(section, rows, columns, count, section->limits->operator_rows);

    shown->name = is_classes ? "serving classes" : "serving steps";
    shown->noun = is_classes ? "classes" : "steps";
    shown->name_title = rows->defs[0].title;
    shown->caption = is_classes ? "Classes of steps by phase and size" : "Steps of the engine in order of time";
    shown->foot = is_classes ? "All" : NULL;
    tp_shown_table_set_row_names(&section->naming, shown, 0);
    tp_list_add_shown_table(tables, shown);
}

/* Returns the table of the operators of each class; NULL if it is unknown. columns: first columns of OPERATOR_COLUMNS.
 */
static struct tp_shown_table *operators_table(const struct tp_section *section, unsigned columns, size_t max_rows)
{
    const struct tp_serving_view *view = &section->profile->advice->serving;
    if (!view->has_operators)
        return NULL;
    struct tp_shown_table *shown = tp_section_table_new(section, &view->operators, OPERATOR_COLUMNS, columns, max_rows);
    struct tp_str *shapes = tp_arena_array(section->arena, shown->row_count, sizeof *shapes);
    struct tp_str *lines = tp_arena_array(section->arena, shown->row_count, sizeof *lines);
    for (size_t row = 0; row < shown->row_count; row++) {
        shapes[row] = tp_shown_shapes_for_viewer(&section->naming,
                                                 tp_table_text(&view->operators, TP_SERVING_OPERATOR_SHAPES)[row]);
        lines[row] = tp_shown_text(&section->naming, tp_table_text(&view->operators, TP_SERVING_OPERATOR_LINE)[row]);
    }
    shown->own_texts[OWN_SHAPES] = shapes;
    shown->own_texts[OWN_LINE] = lines;
    shown->name = "serving operators";
    shown->noun = "{operators}";
    shown->name_title = tp_section_words_for_producer(section, "{Operator}");
    shown->heading =
        tp_section_words_for_producer(section, "{Operators} of each class of steps, also of replayed graphs");
    shown->caption = tp_section_words_for_producer(section, "{Operators} with the most time, by class of steps");
    shown->note = "Shapes and lines of replayed graphs are those of the calls that the graph captured.";
    tp_shown_table_set_row_names(&section->naming, shown, TP_SERVING_OPERATOR_NAME);
    for (size_t row = 0; row < shown->row_count; row++)
        if (!shown->rows[row].name.len)
            shown->rows[row].name = tp_str_of(tp_section_words_for_producer(section, "[no {operator}]"));
    return shown;
}

/* Adds the rates of the engine, and the times of its steps by class, for outputs with little space. */
void tp_section_put_serving(const struct tp_section *section, struct tp_document *document)
{
    static const struct tp_shown_column columns[] = {
        {TP_SHOW_COUNT, TP_SERVING_CLASS_STEPS, NULL, 0, 0, false, 0},
        {TP_SHOW_TIME, TP_SERVING_CLASS_P50, NULL, 0, 0, false, 0},
        {TP_SHOW_TIME, TP_SERVING_CLASS_P90, NULL, 0, 0, false, 0},
        {TP_SHOW_PERCENT, TP_SERVING_CLASS_BUSY, NULL, 0, 0, false, 0},
        {TP_SHOW_TIME, TP_SERVING_CLASS_GAP, NULL, 0, 0, false, 0},
        {TP_SHOW_REAL, TP_SERVING_CLASS_RATE, NULL, 0, 0, false, 0},
        {TP_SHOW_PERCENT, TP_SERVING_CLASS_OF_BOUND, "Weights, % of p50", 0, 0, false, 0},
    };
    enum { SHORT_ROWS = 8, SHORT_OPERATOR_COLUMNS = 5 };
    const struct tp_serving_view *view = &section->profile->advice->serving;

    if (!view->is_present || !view->classes.row_count)
        return;
    struct tp_shown_table *shown = tp_section_table_new(section, &view->classes, columns, COUNT(columns), SHORT_ROWS);
    shown->name_title = "steps of the engine";
    tp_shown_table_set_row_names(&section->naming, shown, TP_SERVING_CLASS_NAME);
    tp_document_add_note(document, lead_text(section, view));
    tp_document_add_table(document, shown, NULL);
    struct tp_shown_table *operators = operators_table(section, SHORT_OPERATOR_COLUMNS, SHORT_ROWS);
    if (operators)
        tp_document_add_table(document, operators, NULL);
}

struct tp_data tp_section_serving(const struct tp_section *section)
{
    const struct tp_serving_view *view = &section->profile->advice->serving;

    if (!view->is_present || !section->limits->operator_rows)
        return TP_NO_DATA;
    struct tp_object *object = tp_object_new(section->arena);
    struct tp_list *tables = tp_object_add_list(object, "tables");
    tp_object_add_lead(object, "%s", lead_text(section, view));
    bool has_classes = view->classes.row_count > 0;
    if (has_classes)
        add_table(section, tables, &view->classes, CLASS_COLUMNS, COUNT(CLASS_COLUMNS));
    struct tp_shown_table *operators =
        operators_table(section, COUNT(OPERATOR_COLUMNS), section->limits->operator_rows);
    if (operators)
        tp_list_add_shown_table(tables, operators);
    add_table(section, has_classes ? tp_object_add_list(object, "more_tables") : tables, &view->steps, STEP_COLUMNS,
              COUNT(STEP_COLUMNS));
    tp_object_add_bool(object, "has_more", has_classes);
    tp_object_add_text(
        object, "more_title",
        tp_text_of_counted_noun(section->arena, (int64_t)view->steps.row_count, "single step", "single steps"));
    return tp_data_of_object(object);
}
