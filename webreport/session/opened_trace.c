/* Opens one trace and keeps its analysis: see opened_trace.h. */
#include "webreport/session/opened_trace.h"

#include "webreport/session/trace_walk.h"

struct opening {
    struct tp_opened_trace *opened;
    const char *path;
};

static int count_files(const struct tp_runs *runs)
{
    size_t count = 0;
    for (size_t i = 0; i < runs->count; i++)
        count += runs->items[i].file_count;
    return count > 2 ? 2 : (int)count;
}

/* Finds the only profile of the input. */
static int find_profile(const struct opening *opening, struct tp_error *err)
{
    struct tp_opened_trace *o = opening->opened;
    const struct tp_run_search search = {&opening->path, 1, o->read.include, o->read.process, false};
    int code = tp_rundir_find(&o->runs, &o->arena, &search, err);
    if (code < 0)
        return code;
    switch (count_files(&o->runs)) {
    case 0:
        return tp_error_set(err, TP_ENOTFOUND, 0, "has no trace");
    case 1:
        o->file = o->runs.items[0].files;
        return TP_OK;
    default:
        if (!o->runs.items[0].files[0].part)
            return tp_error_set(err, TP_EUSAGE, 0, "has several processes or ranks");
        return tp_error_set(err, TP_EUSAGE, 0, "has several processes or ranks, such as number %lld",
                            (long long)o->runs.items[0].files[0].part->number);
    }
}

static int open_in_guard(void *context, struct tp_error *err)
{
    const struct opening *opening = context;
    struct tp_opened_trace *o = opening->opened;
    int code = find_profile(opening, err);
    if (code < 0)
        return code;
    o->read.part = o->file->part;
    code = tp_capture_maps_read(&o->maps, &o->analysis, o->file->path, &o->read, err);
    if (code < 0)
        return code;
    tp_analysis_build(&o->analysis, NULL, NULL);
    o->profile = tp_walked_profile(&(struct tp_walked){o->runs.items, o->file, o->file->path, &o->analysis});
    return TP_OK;
}

int tp_opened_trace_open(struct tp_opened_trace *opened, const char *path, const struct tp_trace_options *read,
                         struct tp_console *console, struct tp_error *err)
{
    struct opening opening = {opened, path};
    *opened = (struct tp_opened_trace){.read = *read};
    tp_arena_init(&opened->arena, 0);
    tp_analysis_open(&opened->analysis, NULL);
    tp_capture_maps_open(&opened->maps, console, read);
    return tp_arena_run_both(&opened->analysis.arena, &opened->arena, open_in_guard, &opening, err);
}

void tp_opened_trace_close(struct tp_opened_trace *opened)
{
    tp_capture_maps_close(&opened->maps);
    tp_analysis_close(&opened->analysis);
    tp_arena_release(&opened->arena);
}

size_t tp_opened_trace_bytes(const struct tp_opened_trace *opened)
{
    return opened->arena.used_bytes + opened->analysis.arena.used_bytes +
           opened->analysis.second_thread_arena.used_bytes + opened->maps.arena.used_bytes;
}
