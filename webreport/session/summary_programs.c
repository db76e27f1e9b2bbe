/* Copies the data of a program recorded from outside to the summaries of other traces: see summary_programs.h. */
#include "webreport/session/summary_programs.h"

#include <string.h>

#include "webreport/measure/metrics/metrics.h"

const struct tp_run_file *tp_summary_find_program_file(const struct tp_run *run)
{
    const struct tp_run_file *found = NULL;
    for (size_t i = 0; i < run->file_count; i++) {
        if (!run->files[i].is_program)
            continue;
        if (found)
            return NULL;
        found = &run->files[i];
    }
    return found;
}

/* Appends the program's function rows to a summary. Removes the times and counts per step, because the steps of the
 * program differ from those of the summary. */
static void copy_functions(struct tp_summary *to, const struct tp_summary *program, struct tp_arena *arena)
{
    struct tp_summary_row *rows = tp_arena_array(arena, (size_t)to->row_count + program->row_count, sizeof *rows);
    uint32_t count = to->row_count;
    if (count)
        memcpy(rows, to->rows, count * sizeof *rows);
    for (uint32_t i = 0; i < program->row_count; i++)
        if (program->rows[i].kind == TP_SUMMARY_FUNCTION) {
            rows[count] = program->rows[i];
            rows[count].by_step_ns = rows[count].by_step_count = NULL;
            count++;
        }
    to->rows = rows;
    to->row_count = count;
}

void tp_summary_program_copy(struct tp_summary *summaries, size_t count, const struct tp_summary *program,
                             struct tp_arena *arena)
{
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < TP_METRIC_COUNT; k++)
            if (tp_metric_is_program_metric(&tp_metrics[k]))
                summaries[i].metrics[k] = program->metrics[k];
        copy_functions(&summaries[i], program, arena);
    }
}
