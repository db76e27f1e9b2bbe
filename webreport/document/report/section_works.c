/* Adds a table of the time by kind of work to the sections of kernels and operators. */
#include "webreport/document/name_text.h"
#include "webreport/document/report/sections.h"
#include "webreport/measure/work/work_rules.h"

enum {
    NAME_BYTES = 40
}; /* largest length of a name, bytes; shorter than in the table of kernels, which shows full names */

#define TIME_COLUMNS                                                                                                   \
    {TP_SHOW_COUNT, TP_WORK_CALLS, NULL, 0, 0, false, true}, {TP_SHOW_TIME, TP_WORK_TOTAL, NULL, 0, 0, true, true},    \
        {TP_SHOW_BAR, TP_WORK_TOTAL, NULL, 0, 0, false, false},                                                        \
    {                                                                                                                  \
        TP_SHOW_SHARE, TP_WORK_TOTAL, "Share", 0, 0, false, false                                                      \
    }
#define NAME_COLUMNS                                                                                                   \
    {TP_SHOW_COUNT, TP_WORK_NAMES, NULL, 0, 0, false, false},                                                          \
    {                                                                                                                  \
        TP_SHOW_OWN_TEXT, 0, "Most time in", 0, 0, false, false                                                        \
    }

static const struct tp_shown_column PLAIN[] = {TIME_COLUMNS, NAME_COLUMNS};
static const struct tp_shown_column COSTED[] = {TIME_COLUMNS,
                                                {TP_SHOW_REAL, TP_WORK_FLOPS_RATE, "TFLOP/s", 0, 1, false, false},
                                                {TP_SHOW_REAL, TP_WORK_BYTES_RATE, "GB/s", 0, 0, false, false},
                                                {TP_SHOW_PERCENT, TP_WORK_KNOWN, "Cost known", 0, 0, false, false},
                                                NAME_COLUMNS};

/* Returns whether the number of operations or bytes is known for at least one row. */
static bool has_costs(const struct tp_table *rows)
{
    for (size_t i = 0; rows->column_count > TP_WORK_COSTED && i < rows->row_count; i++)
        if (tp_table_int(rows, TP_WORK_COSTED)[i])
            return true;
    return false;
}

void tp_section_add_works(const struct tp_section *section, struct tp_list *tables, const struct tp_works *works,
                          const char *caption)
{
    const struct tp_table *rows = &works->rows;
    bool is_costed = has_costs(rows);
    unsigned count = is_costed ? sizeof COSTED / sizeof *COSTED : sizeof PLAIN / sizeof *PLAIN;
    struct tp_shown_table *shown =
        tp_section_table_new(section, rows, is_costed ? COSTED : PLAIN, count, rows->row_count);
    struct tp_str *longest = tp_arena_array(section->arena, shown->row_count, sizeof *longest);
    for (size_t i = 0; i < shown->row_count; i++) {
        struct tp_str name = tp_shown_kernel_name(&section->naming, tp_table_text(rows, TP_WORK_LONGEST)[i]);
        shown->rows[i].name = tp_str_of(tp_work_title(works->kinds[i]));
        longest[i] = tp_text_shorten(section->arena, name, NAME_BYTES);
    }
    shown->own_texts[0] = longest;
    shown->heading = rows->title;
    shown->name = "works";
    shown->noun = "kinds of work";
    shown->name_title = "Kind of work";
    shown->caption = caption;
    shown->foot = "All";
    tp_list_add_shown_table(tables, shown);
}
