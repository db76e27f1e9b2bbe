/* Makes the section of the steps' wall time, which needs a second recording of the same run from outside. It shows the
 * states of the main thread in each step, and the functions that ran outside operators. */
#include "webreport/document/report/program_document.h"
#include "webreport/document/report/sections.h"
#include "webreport/document/words/program_words.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct tp_shown_column PART_COLUMNS[] = {
    {TP_SHOW_TIME, TP_STEPS_PART_MEAN, NULL, 0, 0, true, TP_SHOWN_SUM},
    {TP_SHOW_TIME, TP_STEPS_PART_TIME, NULL, 0, 0, false, TP_SHOWN_SUM},
    {TP_SHOW_BAR, TP_STEPS_PART_TIME, NULL, 0, 0, false, 0},
    {TP_SHOW_PERCENT, TP_STEPS_PART_PERCENT, NULL, 0, 0, false, TP_SHOWN_SUM}};

static struct tp_shown_table *make_parts_table(const struct tp_section *section)
{
    const struct tp_program_steps *steps = section->profile->steps;
    struct tp_shown_table *shown =
        tp_section_table_new(section, &steps->parts, PART_COLUMNS, COUNT(PART_COLUMNS), TP_STEPS_PARTS);
    for (size_t i = 0; i < shown->row_count; i++)
        shown->rows[i].name = tp_str_of(tp_steps_part_words(steps->part_by_row[i]));
    shown->name = "wall clock";
    shown->noun = "states";
    shown->name_title = steps->parts.defs[TP_STEPS_PART_NAME].title;
    shown->caption = "States of the main thread in the steps";
    shown->foot = "All";
    return shown;
}

/* Returns the table of steps with a column for each state of the main thread. */
static struct tp_shown_table *make_steps_table(const struct tp_section *section)
{
    const struct tp_program_steps *steps = section->profile->steps;
    struct tp_shown_column *columns = tp_arena_array(section->arena, TP_STEPS_COLUMNS, sizeof *columns);
    unsigned count = 0;
    for (unsigned column = TP_STEPS_WALL; column < TP_STEPS_COLUMNS; column++) {
        unsigned part = TP_STEPS_READY + column - TP_STEPS_READY_TIME;
        if (column <= TP_STEPS_RUNNING || steps->part_ns[part])
            columns[count++] = (struct tp_shown_column){
                .format = TP_SHOW_TIME, .column = column, .unit_group = 1, .flags = TP_SHOWN_SUM};
    }
    struct tp_shown_table *shown =
        tp_section_table_new(section, &steps->steps, columns, count, section->limits->operator_rows);
    for (size_t i = 0; i < shown->row_count; i++)
        shown->rows[i].name = tp_shown_text(&section->naming, tp_table_text(&steps->steps, TP_STEPS_NAME)[i]);
    shown->heading = "Step by step";
    shown->name = "steps by state";
    shown->noun = "steps";
    shown->name_title = "Step";
    shown->caption = "States of the main thread, step by step";
    shown->foot = "All";
    return shown;
}

static struct tp_shown_table *make_functions_table(const struct tp_section *section, size_t max_rows)
{
    struct tp_shown_table *shown = tp_functions_table(section, &section->profile->steps->functions, max_rows);
    shown->heading = "Functions while no operator runs";
    shown->name = "functions outside operators";
    shown->noun = "functions";
    shown->caption = "Functions of the main thread outside of operators";
    return shown;
}

static void put_lead(const struct tp_section *section, struct tp_object *object)
{
    const struct tp_program_steps *steps = section->profile->steps;
    struct tp_arena *arena = section->arena;
    tp_object_add_lead(
        object,
        "The main thread ran outside of operators for **%s** of its running time of %s; the wall time of "
        "%s is %s.",
        tp_text_of_time(arena, steps->outside_ns), tp_text_of_time(arena, steps->running_ns),
        tp_text_of_counted_noun(arena, (int64_t)steps->steps.row_count, "step", "steps"),
        tp_text_of_time(arena, steps->wall_ns));
    tp_object_add_text(
        object, "note",
        tp_text_printf(
            arena,
            "The states are those of the main thread (process %lld), from the kernel's context switches. The "
            "steps contain %s, %s of them outside of operators. If fewer than 10 samples are outside of "
            "operators, the page shows no functions.",
            (long long)steps->pid, tp_text_of_counted_noun(arena, (int64_t)steps->sample_count, "sample", "samples"),
            tp_text_of_count(arena, (int64_t)steps->outside_count)));
}

struct tp_data tp_section_wall(const struct tp_section *section)
{
    const struct tp_program_steps *steps = section->profile->steps;
    if (!steps || !section->limits->operator_rows)
        return TP_NO_DATA;
    struct tp_object *object = tp_object_new(section->arena);
    put_lead(section, object);
    struct tp_list *tables = tp_object_add_list(object, "tables");
    tp_list_add_shown_table(tables, make_parts_table(section));
    if (steps->functions.row_count)
        tp_list_add_shown_table(tables, make_functions_table(section, section->limits->operator_rows));
    if (steps->steps.row_count > 1)
        tp_list_add_shown_table(tp_object_add_list(object, "more_tables"), make_steps_table(section));
    return tp_data_of_object(object);
}

void tp_section_put_wall(const struct tp_section *section, struct tp_document *document)
{
    enum { SHORT_ROWS = 8 };
    const struct tp_program_steps *steps = section->profile->steps;
    if (!steps)
        return;
    struct tp_shown_table *parts = make_parts_table(section);
    parts->name_title = "the main thread in the steps";
    tp_document_add_table(document, parts, NULL);
    if (!steps->functions.row_count)
        return;
    struct tp_shown_table *functions = make_functions_table(section, SHORT_ROWS);
    functions->name_title = "function, while no operator runs";
    functions->heading = functions->foot = NULL;
    tp_document_add_table(document, functions, NULL);
}
