/* Runs the command `table`: see table_session.h. */
#include "webreport/session/table_session.h"

#include "webreport/session/inputs.h"
#include "webreport/session/trace_walk.h"

struct tables {
    const struct tp_table_session *session;
    struct tp_arena arena; /* memory for the whole session, such as the runs */
    struct tp_trace_walk walk;
};

static int check_output_path(void *context, struct tp_error *err)
{
    const struct tables *tables = context;
    return tp_trace_walk_has_input(&tables->walk, tables->session->out)
               ? tp_error_set(err, TP_EUSAGE, 0, "table: the output would overwrite an input")
               : TP_OK;
}

/* Returns true if the requested table lists processes or waits, which only another trace of the run has: the trace of a
 * program that was recorded from outside. */
static bool is_for_program(const struct tp_profile_table *table, const struct tp_walked *walked)
{
    bool is_asked = table->kind == TP_TABLE_PROGRAM_PROCESSES || table->kind == TP_TABLE_PROGRAM_WAITS;
    for (size_t i = 0; is_asked && !walked->file->is_program && i < walked->run->file_count; i++)
        if (walked->run->files[i].is_program)
            return true;
    return false;
}

static int make_table_of_trace(void *context, const struct tp_walked *walked, struct tp_error *err)
{
    const struct tables *tables = context;
    const struct tp_table_session *session = tables->session;
    struct tp_arena *arena = &walked->analysis->arena;
    const struct tp_trace *trace = &walked->analysis->trace;
    struct tp_profile_table *table = tp_arena_alloc(arena, sizeof *table);
    if (!tp_profile_table_build(table, trace, &session->options, arena))
        return tp_error_set(err, TP_EUSAGE, 0, "no such sort key: %.60s", session->options.sort_by);
    if (is_for_program(table, walked))
        return TP_OK;
    table->label = tp_walked_label(&tables->walk, walked, arena);
    table->file = tp_str_of(walked->file->base);
    table->is_one_of_many = tables->walk.file_count > 1;
    tp_inputs_print_notices(session->console, walked->file->path, trace);
    return session->receiver(session->context, table, arena, err);
}

static int walk_traces_in_guard(void *context, struct tp_error *err)
{
    struct tables *tables = context;
    return tp_trace_walk(&tables->walk, err);
}

int tp_table_session_run(const struct tp_table_session *session, struct tp_error *err)
{
    static const struct tp_walk_user user = {.found = check_output_path, .use = make_table_of_trace};
    struct tables tables = {.session = session};
    tables.walk = (struct tp_trace_walk){.inputs = session->inputs,
                                         .input_count = session->input_count,
                                         .read = session->read,
                                         .console = session->console,
                                         .arena = &tables.arena,
                                         .user = &user,
                                         .context = &tables};
    tp_arena_init(&tables.arena, 0);
    int code = tp_arena_run(&tables.arena, walk_traces_in_guard, &tables, err);
    tp_console_progress_end(session->console);
    tp_arena_release(&tables.arena);
    return code;
}
