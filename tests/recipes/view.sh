# Adds a view of the threads of a trace, with a section of the page. Changes at most 8 files outside of tests.
cat >webreport/measure/views/recipe_view.h <<'C'
/* The view of the test of the recipe: number of threads in the trace. */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_RECIPE_VIEW_H
#define TP_WEBREPORT_MEASURE_VIEWS_RECIPE_VIEW_H

#include "webreport/model/facts.h"
#include "writer/base/fields.h"

enum tp_recipe_column { TP_RECIPE_NAME, TP_RECIPE_EVENTS, TP_RECIPE_COLUMNS };

struct tp_recipe_view {
    bool is_present;         /* true if the trace has threads */
    struct tp_table threads; /* table of the threads, in the order of the trace */
};

void tp_recipe_view_build(struct tp_recipe_view *view, const struct tp_model *model, struct tp_arena *arena);

extern const struct tp_fields tp_recipe_view_fields;

#endif
C
cat >webreport/measure/views/recipe_view.c <<'C'
/* Implements recipe_view.h: counts the events of each thread. */
#include "webreport/measure/views/recipe_view.h"

#include "writer/text/format.h"

static const struct tp_column_def recipe_defs[TP_RECIPE_COLUMNS] = {
    {"thread", "Thread", "", "Number of the thread.", TP_COLUMN_TEXT},
    {"events", "Events", "", "Number of events of the thread.", TP_COLUMN_INT}};

void tp_recipe_view_build(struct tp_recipe_view *view, const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_trace *trace = model->trace;
    *view = (struct tp_recipe_view){.is_present = trace->thread_count > 0};
    tp_table_init(&view->threads, arena, "threads", recipe_defs, TP_RECIPE_COLUMNS, trace->thread_count);
    view->threads.title = "Threads";
    for (uint32_t t = 0; t < trace->thread_count; t++)
        tp_table_text(&view->threads, TP_RECIPE_NAME)[t] = tp_str_of(tp_text_printf(arena, "thread %u", t));
    for (uint32_t i = 0; i < trace->event_count; i++)
        tp_table_int(&view->threads, TP_RECIPE_EVENTS)[trace->events[i].thread]++;
}

#define F struct tp_recipe_view
static const struct tp_json_field fields[] = {
    {"threads", TP_PLAIN(F, threads), TP_DEFINITION("threads with their number of events")},
};
#undef F

const struct tp_fields tp_recipe_view_fields = TP_FIELDS("Threads", fields);
C
sed -i 's/^#include "webreport\/measure\/views\/sample_view.h"/#include "webreport\/measure\/views\/recipe_view.h"\n&/
    s/^    struct tp_range_view ranges;/&\n    struct tp_recipe_view recipe;/' webreport/measure/result/views.h
sed -i 's/^    tp_range_view_build.*/&\n    tp_recipe_view_build(\&views->recipe, model, arena);/
    s/^    {"range_view".*/    {"recipe_view", TP_RECORD(F, recipe, \&tp_recipe_view_fields), TP_ONLY_IF(F, recipe.is_present),\n     TP_DEFINITION("threads")},\n&/' webreport/measure/result/views.c
cat >webreport/document/report/section_recipe.c <<'C'
/* Makes the section of the test of the recipe: the threads of the trace. */
#include "webreport/document/report/sections.h"

static const struct tp_shown_column RECIPE_COLUMNS[] = {{TP_SHOW_COUNT, TP_RECIPE_EVENTS, NULL, 0, 0, false, true}};

struct tp_data tp_section_recipe(const struct tp_section *section)
{
    const struct tp_recipe_view *view = &section->profile->views->recipe;
    struct tp_object *object = tp_object_new(section->arena);
    if (!view->is_present || !section->limits->operator_rows)
        return TP_NO_DATA;
    struct tp_shown_table *shown =
        tp_section_table_new(section, &view->threads, RECIPE_COLUMNS, 1, section->limits->operator_rows);
    shown->heading = "The recipe of a view works";
    shown->name = "recipe";
    shown->name_title = "Thread";
    shown->caption = "Threads";
    shown->foot = "All";
    tp_shown_table_set_row_names(&section->naming, shown, TP_RECIPE_NAME);
    tp_list_add_shown_table(tp_object_add_list(object, "tables"), shown);
    return tp_data_of_object(object);
}
C
sed -i 's/^struct tp_data tp_section_tasks(.*/&\nstruct tp_data tp_section_recipe(const struct tp_section *section);/' webreport/document/report/sections.h
sed -i 's/^    {"tasks", "Tasks".*/&\n    {"recipe", "Recipe", tp_section_recipe, false, FOR_OTHER_PROFILES},/' webreport/print/page_sections.c
sed 's/tasks/recipe/g; s/Tasks/Recipe/; /{{> lead}}/d' templates/tasks.html >templates/recipe.html
