/* Makes the section about the steps of a serving engine: a table of step classes, and a table of single steps. */
#include <math.h>

#include "webreport/document/report/sections.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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
    enum { SHORT_ROWS = 8 };
    const struct tp_serving_view *view = &section->profile->advice->serving;

    if (!view->is_present || !view->classes.row_count)
        return;
    struct tp_shown_table *shown = tp_section_table_new(section, &view->classes, columns, COUNT(columns), SHORT_ROWS);
    shown->name_title = "steps of the engine";
    tp_shown_table_set_row_names(&section->naming, shown, TP_SERVING_CLASS_NAME);
    tp_document_add_note(document, lead_text(section, view));
    tp_document_add_table(document, shown, NULL);
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
    add_table(section, has_classes ? tp_object_add_list(object, "more_tables") : tables, &view->steps, STEP_COLUMNS,
              COUNT(STEP_COLUMNS));
    tp_object_add_bool(object, "has_more", has_classes);
    tp_object_add_text(
        object, "more_title",
        tp_text_of_counted_noun(section->arena, (int64_t)view->steps.row_count, "single step", "single steps"));
    return tp_data_of_object(object);
}
