/* Writes the functions, processes and waits of a program recorded from outside, and live blocks of a memory snapshot.
 * See table_parts.h. Times are in ms, sizes in MiB. */
#include "webreport/document/tables/table_parts.h"
#include "webreport/measure/snapshot/live_rows.h"
#include "writer/text/format.h"
#include "writer/text/terminal.h"

struct text_column {
    unsigned column;
    const char *title; /* title of the column; NULL: use the title in the column's definition */
};

static const struct text_column function_columns[] = {
    {TP_PROGRAM_FUNCTION_SELF, "self ms"},        {TP_PROGRAM_FUNCTION_TOTAL, "total ms"},
    {TP_PROGRAM_FUNCTION_SELF_PERCENT, "self %"}, {TP_PROGRAM_FUNCTION_ERROR, "+- points"},
    {TP_PROGRAM_FUNCTION_SAMPLES, "samples"},     {TP_PROGRAM_FUNCTION_NAME, "function"},
    {TP_PROGRAM_FUNCTION_FILE, "file"},           {TP_PROGRAM_FUNCTION_LINE, "line"}};
static const struct text_column process_columns[] = {
    {TP_PROGRAM_PROCESS_PID, "pid"},         {TP_PROGRAM_PROCESS_PARENT, "parent"},
    {TP_PROGRAM_PROCESS_WALL, "wall ms"},    {TP_PROGRAM_PROCESS_CPU, "cpu ms"},
    {TP_PROGRAM_PROCESS_READY, "ready ms"},  {TP_PROGRAM_PROCESS_BLOCKED, "blocked ms"},
    {TP_PROGRAM_PROCESS_THREADS, "threads"}, {TP_PROGRAM_PROCESS_PEAK, "peak MiB"},
    {TP_PROGRAM_PROCESS_EXIT, "exit"},       {TP_PROGRAM_PROCESS_COMMAND, "command"}};
static const struct text_column wait_columns[] = {
    {TP_PROGRAM_WAIT_TOTAL, "sum ms"}, {TP_PROGRAM_WAIT_LONGEST, "longest ms"}, {TP_PROGRAM_WAIT_COUNT, "times"},
    {TP_PROGRAM_WAIT_CAUSE, "cause"},  {TP_PROGRAM_WAIT_THREAD, "thread"},      {TP_PROGRAM_WAIT_STACK, "stack"}};

static const struct text_column range_columns[] = {{TP_RANGE_TIME_CALLS, "calls"},
                                                   {TP_RANGE_TIME_HOST, "host ms"},
                                                   {TP_RANGE_TIME_HOST_SELF, "host self ms"},
                                                   {TP_RANGE_TIME_FORWARD, "forward ms"},
                                                   {TP_RANGE_TIME_BACKWARD, "backward ms"},
                                                   {TP_RANGE_TIME_DEVICE, "device ms"},
                                                   {TP_RANGE_TIME_BUSY, "busy ms"},
                                                   {TP_RANGE_TIME_SELF, "self ms"},
                                                   {TP_RANGE_TIME_PERCENT, "%"},
                                                   {TP_RANGE_TIME_KIND, "kind"},
                                                   {TP_RANGE_TIME_NAME, "range"}};

static const struct text_column live_columns[] = {{TP_LIVE_COLUMN_BYTES, "MiB"},
                                                  {TP_LIVE_COLUMN_REQUESTED, "requested MiB"},
                                                  {TP_LIVE_COLUMN_SHARE, "%"},
                                                  {TP_LIVE_COLUMN_BLOCKS, "blocks"},
                                                  {TP_LIVE_COLUMN_NAME, "name"}};

#define TEXT(list, note) (list), sizeof(list) / sizeof *(list), (note)
#define NO_STATES "The trace has no states of threads, because it was not recorded from outside."

/* The columns of each kind of table, and the note for a table without rows. */
static const struct {
    const struct text_column *columns;
    unsigned count;
    const char *note;
} kinds[] = {[TP_TABLE_PROGRAM_FUNCTIONS] = {TEXT(function_columns, NO_STATES)},
             [TP_TABLE_PROGRAM_PROCESSES] = {TEXT(process_columns, NO_STATES)},
             [TP_TABLE_PROGRAM_WAITS] = {TEXT(wait_columns, NO_STATES)},
             [TP_TABLE_RANGES] = {TEXT(range_columns, "The trace has no ranges and no modules.")},
             [TP_TABLE_LIVE] = {TEXT(live_columns, "No memory is allocated at this moment.")}};

/* Data for the function that writes the cells of a table. */
struct program_text {
    const struct tp_table *rows;
    const struct text_column *columns;
};

static void put_number(struct tp_buf *out, double value, unsigned decimals)
{
    tp_buf_printf(out, "%.*f", (int)decimals, value);
}

static void put_cell(const struct tp_worded_table *worded, size_t row, unsigned column, struct tp_buf *out)
{
    const struct program_text *text = worded->context;
    unsigned of = text->columns[column].column;
    enum tp_column_type type = text->rows->defs[of].type;
    size_t start = out->size;
    bool is_number = type == TP_COLUMN_NS || type == TP_COLUMN_BYTES || type == TP_COLUMN_INT;
    if (is_number && tp_table_int(text->rows, of)[row] == TP_NULL_INT)
        tp_buf_putc(out, '-');
    else if (type == TP_COLUMN_NS)
        put_number(out, (double)tp_table_int(text->rows, of)[row] / 1e6, 3);
    else if (type == TP_COLUMN_BYTES)
        put_number(out, (double)tp_table_int(text->rows, of)[row] / 1048576, 1);
    else if (type == TP_COLUMN_REAL)
        put_number(out, tp_table_real(text->rows, of)[row], 1);
    else
        tp_table_cell_text(text->rows, of, row, out);
    if (!out->failed && type == TP_COLUMN_TEXT)
        tp_terminal_clean(out->data + start, out->size - start);
    if (type == TP_COLUMN_TEXT && out->size == start)
        tp_buf_putc(out, '-');
}

void tp_program_table_put(struct tp_document *document, const struct tp_profile_table *table)
{
    unsigned count = kinds[table->kind].count;
    struct program_text *text = tp_arena_alloc(document->arena, sizeof *text);
    struct tp_worded_table *worded = tp_arena_alloc(document->arena, sizeof *worded);
    struct tp_worded_column *columns = tp_arena_array(document->arena, count, sizeof *columns);
    *text = (struct program_text){table->program, kinds[table->kind].columns};
    if (!table->program->row_count)
        tp_document_add_note(document, kinds[table->kind].note);
    if (!table->shown_count)
        return;
    for (unsigned i = 0; i < count; i++) {
        enum tp_column_type type = table->program->defs[text->columns[i].column].type;
        bool is_text = type == TP_COLUMN_TEXT || type == TP_COLUMN_WORD;
        columns[i] =
            (struct tp_worded_column){.title = text->columns[i].title, .is_left = is_text, .is_number = !is_text};
    }
    *worded = (struct tp_worded_table){.columns = columns,
                                       .column_count = count,
                                       .row_count = table->shown_count,
                                       .gap = 2,
                                       .is_measured = true,
                                       .cell = put_cell,
                                       .context = text};
    tp_document_add_worded_table(document, worded);
}
