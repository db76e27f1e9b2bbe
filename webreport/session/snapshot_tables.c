/* Runs `tracepress table` for memory snapshots: see snapshot_tables.h. */
#include "webreport/session/snapshot_tables.h"

#include <inttypes.h>

#include "webreport/session/inputs.h"
#include "webreport/session/snapshot_files.h"
#include "writer/text/format.h"

struct tables {
    const struct tp_table_session *session;
    const struct tp_live_rows_options *options;
    struct tp_arena arena; /* memory for the whole session */
    struct tp_snapshot_files files;
};

static int check_output_path(void *context, struct tp_error *err)
{
    const struct tables *tables = context;
    for (size_t i = 0; i < tables->files.run.file_count; i++)
        if (tp_inputs_are_same_file(tables->session->out, tables->files.run.files[i].path))
            return tp_error_set(err, TP_EUSAGE, 0, "table: the output would overwrite an input");
    return TP_OK;
}

/* Returns a name with the number of the device if the snapshot has several devices. */
static struct tp_str name_with_device(const struct tp_walked_snapshot *walked, struct tp_str name, int64_t device)
{
    if (walked->result->device_count < 2)
        return name;
    return tp_str_of(tp_text_printf(walked->arena, "%.*s, GPU %" PRId64, (int)name.len, name.ptr, device));
}

static int make_tables(void *context, const struct tp_walked_snapshot *walked, struct tp_error *err)
{
    const struct tables *tables = context;
    const struct tp_table_session *session = tables->session;
    const struct tp_snapshot_result *result = walked->result;
    int64_t limit = session->options.row_limit;
    int code = TP_OK;
    bool is_known = false;
    for (uint64_t i = 0; i < result->device_count && code == TP_OK; i++) {
        const struct tp_snapshot_device *device = &result->devices[i];
        struct tp_table *rows = tp_arena_alloc(walked->arena, sizeof *rows);
        if (!tp_live_rows_build(rows, device, tables->options, walked->arena))
            continue;
        is_known = true;
        const struct tp_profile_table table = {
            .kind = TP_TABLE_LIVE,
            .label = name_with_device(walked, walked->file->worker, device->device),
            .file = name_with_device(walked, tp_str_of(walked->file->base), device->device),
            .is_one_of_many = tables->files.run.file_count > 1 || result->device_count > 1,
            .program = rows,
            .shown_count = limit < 0 || rows->row_count < (uint64_t)limit ? rows->row_count : (size_t)limit,
            .row_limit = limit};
        code = session->receiver(session->context, &table, walked->arena, err);
    }
    return code < 0 || is_known
               ? code
               : tp_error_set(err, TP_ENOTFOUND, 0, "%s", tp_snapshot_no_live_text(result, tables->options->when));
}

static int walk(void *context, struct tp_error *err)
{
    struct tables *tables = context;
    return tp_snapshot_files_walk(&tables->files, err);
}

int tp_snapshot_tables_run(const struct tp_table_session *session, const struct tp_live_rows_options *options,
                           struct tp_error *err)
{
    struct tables tables = {.session = session, .options = options};
    tables.files = (struct tp_snapshot_files){.session = {.inputs = session->inputs,
                                                          .input_count = session->input_count,
                                                          .max_input_bytes = session->read.max_input_bytes,
                                                          .is_strict = session->read.is_strict,
                                                          .console = session->console},
                                              .arena = &tables.arena,
                                              .found = check_output_path,
                                              .use = make_tables,
                                              .context = &tables};
    tp_arena_init(&tables.arena, 0);
    int code = tp_arena_run(&tables.arena, walk, &tables, err);
    tp_console_progress_end(session->console);
    tp_arena_release(&tables.arena);
    return code;
}
