/* Builds the rows of a profile. See profile_table.h. */
#include "webreport/measure/torch_tables/profile_table.h"

#include <string.h>

#include "webreport/model/build.h"

static bool has_device_time(const struct tp_key_averages *averages)
{
    for (uint32_t i = 0; i < averages->count; i++)
        if (averages->rows[i].self_device.ns > 0)
            return true;
    return false;
}

/* Selects the rows of `order` that are shown. */
static void select_shown_rows(struct tp_profile_table *table, size_t count, struct tp_arena *arena)
{
    uint32_t *shown = tp_arena_array(arena, count, sizeof *shown);
    for (size_t i = 0; i < count; i++) {
        bool is_inside =
            table->averages && table->top_level_events_only && table->averages->rows[table->order[i]].has_parent;
        if (!is_inside && (table->row_limit < 0 || table->shown_count < (uint64_t)table->row_limit))
            shown[table->shown_count++] = table->order[i];
    }
    table->shown = shown;
}

static size_t build_keys(struct tp_profile_table *table, const struct tp_trace *trace,
                         const struct tp_table_options *options, struct tp_arena *arena)
{
    struct tp_key_averages *averages = tp_arena_alloc(arena, sizeof *averages);
    const char *sort_by = options->sort_by;
    tp_key_averages_build(averages, trace, &options->keys, arena);
    if (!sort_by)
        sort_by = has_device_time(averages) ? "self_device_time_total" : "self_cpu_time_total";
    table->averages = averages;
    table->order = tp_key_averages_sort(averages, sort_by, arena);
    return averages->count;
}

static size_t build_functions(struct tp_profile_table *table, const struct tp_trace *trace,
                              const struct tp_table_options *options, struct tp_arena *arena)
{
    struct tp_calls *calls = tp_arena_alloc(arena, sizeof *calls);
    tp_calls_build(calls, trace, arena);
    table->calls = calls;
    table->order = tp_calls_sort(calls, options->sort_by, arena);
    return calls->count;
}

/* Builds the rows of operators. The builder of operators sorts and limits the rows. Returns the number of rows. */
static size_t build_operators(struct tp_profile_table *table, const struct tp_trace *trace,
                              const struct tp_table_options *options, struct tp_arena *arena)
{
    struct tp_operator_calls *calls = tp_arena_alloc(arena, sizeof *calls);
    tp_operator_calls_build(calls, trace, &options->operators, arena);
    uint32_t *order = tp_arena_array(arena, calls->table.row_count, sizeof *order);
    for (size_t i = 0; i < calls->table.row_count; i++)
        order[i] = (uint32_t)i;
    table->operators = calls;
    table->order = order;
    table->row_limit = -1;
    return calls->table.row_count;
}

/* Sets the rows of a table whose view has already sorted them. Returns their number. */
static size_t use_rows_of_view(struct tp_profile_table *table, const struct tp_table *rows, struct tp_arena *arena)
{
    uint32_t *order = tp_arena_array(arena, rows->row_count + 1, sizeof *order);
    for (size_t i = 0; i < rows->row_count; i++)
        order[i] = (uint32_t)i;
    table->program = rows;
    table->order = order;
    return rows->row_count;
}

/* Builds the rows of ranges, which `report --json` also has. */
static size_t build_ranges(struct tp_profile_table *table, const struct tp_trace *trace,
                           const struct tp_table_options *options, struct tp_arena *arena)
{
    struct tp_range_times *view = tp_arena_alloc(arena, sizeof *view);
    struct tp_order *order = tp_arena_alloc(arena, sizeof *order);
    struct tp_model *model = tp_arena_alloc(arena, sizeof *model);
    (void)options;
    tp_order_build(order, trace, arena);
    tp_model_build(model, trace, order, arena);
    tp_range_times_build(view, model, arena);
    return use_rows_of_view(table, &view->table, arena);
}

/* Builds the rows of a program in the order of its view, which the page also uses. */
static size_t build_program(struct tp_profile_table *table, const struct tp_trace *trace,
                            const struct tp_table_options *options, struct tp_arena *arena)
{
    struct tp_program_view *view = tp_arena_alloc(arena, sizeof *view);
    struct tp_table *rows = table->kind == TP_TABLE_PROGRAM_PROCESSES ? &view->processes
                            : table->kind == TP_TABLE_PROGRAM_WAITS   ? &view->wait_rows
                                                                      : &view->function_rows;
    tp_program_view_build(view, trace, arena);
    if (!view->is_present) {
        unsigned count;
        const struct tp_column_def *defs = tp_profile_table_columns(table->kind, &count);
        tp_table_init(rows, arena, "rows", defs, count, 0);
    }
    table->program = rows;
    if (options->kind == TP_TABLE_FUNCTIONS && strcmp(options->sort_by, "tottime") != 0)
        return 1; /* reports an unknown order, because table->order is NULL; the table has the view's order only */
    return use_rows_of_view(table, rows, arena);
}

bool tp_profile_table_build(struct tp_profile_table *table, const struct tp_trace *trace,
                            const struct tp_table_options *options, struct tp_arena *arena)
{
    static size_t (*const kinds[])(struct tp_profile_table *, const struct tp_trace *, const struct tp_table_options *,
                                   struct tp_arena *) = {[TP_TABLE_KEYS] = build_keys,
                                                         [TP_TABLE_FUNCTIONS] = build_functions,
                                                         [TP_TABLE_OPERATORS] = build_operators,
                                                         [TP_TABLE_PROGRAM_FUNCTIONS] = build_program,
                                                         [TP_TABLE_PROGRAM_PROCESSES] = build_program,
                                                         [TP_TABLE_PROGRAM_WAITS] = build_program,
                                                         [TP_TABLE_RANGES] = build_ranges};
    enum tp_table_kind kind =
        options->kind == TP_TABLE_FUNCTIONS && trace->state_count ? TP_TABLE_PROGRAM_FUNCTIONS : options->kind;
    *table = (struct tp_profile_table){.kind = kind,
                                       .label = {"", 0},
                                       .file = {"", 0},
                                       .sort_by = options->sort_by,
                                       .row_limit = options->row_limit,
                                       .top_level_events_only = options->top_level_events_only};
    size_t count = kinds[kind](table, trace, options, arena);
    if (!table->order && count)
        return false;
    select_shown_rows(table, count, arena);
    return true;
}

struct tp_table *tp_profile_table_rows(const struct tp_profile_table *table, struct tp_arena *arena)
{
    if (table->averages)
        return tp_key_averages_table(table->averages, table->shown, table->shown_count, arena);
    if (table->calls)
        return tp_calls_table(table->calls, table->shown, table->shown_count, arena);
    struct tp_table *rows = tp_arena_alloc(arena, sizeof *rows);
    *rows = table->program ? *table->program : table->operators->table;
    if (table->program) /* the shown rows are the first rows of the table */
        rows->row_count = table->shown_count;
    return rows;
}

const struct tp_column_def *tp_profile_table_columns(enum tp_table_kind kind, unsigned *count)
{
    static const struct {
        const struct tp_column_def *defs;
        unsigned count;
    } kinds[] = {[TP_TABLE_KEYS] = {tp_key_columns, TP_KEY_COLUMNS},
                 [TP_TABLE_FUNCTIONS] = {tp_calls_columns, TP_CALLS_COLUMNS},
                 [TP_TABLE_OPERATORS] = {tp_operator_columns, TP_OPERATOR_COLUMNS},
                 [TP_TABLE_PROGRAM_FUNCTIONS] = {tp_program_function_columns, TP_PROGRAM_FUNCTION_COLUMNS},
                 [TP_TABLE_PROGRAM_PROCESSES] = {tp_program_process_columns, TP_PROGRAM_PROCESS_COLUMNS},
                 [TP_TABLE_PROGRAM_WAITS] = {tp_program_wait_columns, TP_PROGRAM_WAIT_COLUMNS},
                 [TP_TABLE_RANGES] = {tp_range_time_columns, TP_RANGE_TIME_COLUMNS}};
    *count = kinds[kind].count;
    return kinds[kind].defs;
}
