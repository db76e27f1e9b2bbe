/* Implements what_if_rows.h. */
#include "webreport/export/rows/what_if_rows.h"

#include "writer/text/format.h"

#define INT TP_ROWS_INT
#define REAL TP_ROWS_REAL
#define TEXT TP_ROWS_TEXT

static const struct tp_rows_column path_columns[] = {
    {"kind", TEXT, "kind of time, such as operator, launch, compute or latency", false},
    {"name", TEXT, "name of the operator, call, line, range, device operation or latency", true},
    {"ns", INT, "time on the critical path of all analysed steps, nanoseconds", false},
    {"share", REAL, "share of the critical path, percent", false},
};

static uint32_t count_path_rows(const struct tp_rows *rows)
{
    return (uint32_t)rows->what_if.row_count;
}

static void fill_path_row(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cells)
{
    const struct tp_path_row *part = &rows->what_if.rows[row];
    int64_t whole_ns = 0;
    for (unsigned i = 0; i < TP_GROUPS; i++)
        whole_ns += rows->what_if.path.group_ns[i];
    cells[0].text = tp_str_of(tp_path_kind_text((enum tp_path_kind)part->kind));
    cells[1].text = part->name;
    cells[2].integer = part->ns;
    cells[3].real = tp_percent(part->ns, whole_ns);
}

static const struct tp_rows_column answer_columns[] = {
    {"change", TEXT, "the change, as `tracepress whatif` takes it", true},
    {"text", TEXT, "the change in words", false},
    {"step_ns", INT, "length of a step after the change, nanoseconds", false},
    {"gain_ns", INT, "time by which a step becomes shorter, nanoseconds", false},
    {"gain_low_ns", INT, "smallest gain of all replays, nanoseconds", false},
    {"gain_high_ns", INT, "largest gain of all replays, nanoseconds", false},
    {"gain_percent", REAL, "gain, percent of the analysed steps", false},
    {"limit_after", TEXT, "group that limits the step after the change", false},
    {"limit_after_percent", REAL, "share of this group on the new critical path, percent", false},
    {"confidence", TEXT, "how sure the answer is: high, medium or low", false},
};

static uint32_t count_answers(const struct tp_rows *rows)
{
    return rows->what_if.answer_count;
}

static void fill_answer(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cells)
{
    const struct tp_what_if_row *answer = &rows->what_if.answers[row];
    cells[0].text = answer->change;
    cells[1].text = answer->text;
    cells[2].integer = answer->step_ns;
    cells[3].integer = answer->gain_ns;
    cells[4].integer = answer->gain_low_ns;
    cells[5].integer = answer->gain_high_ns;
    cells[6].real = answer->gain_percent;
    cells[7].text = tp_str_of(tp_path_group_text(answer->then));
    cells[8].real = answer->then_percent;
    cells[9].text = tp_str_of(tp_replay_confidence_text(answer->confidence));
}

#define COLUMNS(list) (list), sizeof(list) / sizeof *(list)

const struct tp_rows_table tp_what_if_rows_tables[] = {
    {"critical_path", "parts of the critical path by kind and name", COLUMNS(path_columns), count_path_rows,
     fill_path_row},
    {"what_if", "changes, and the length of a step after each of them", COLUMNS(answer_columns), count_answers,
     fill_answer},
    {.name = NULL},
};
