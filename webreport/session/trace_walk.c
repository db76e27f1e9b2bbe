/* Processes the traces of a command one by one: see trace_walk.h. */
#include "webreport/session/trace_walk.h"

#include <stdio.h>
#include <sys/stat.h>

#include "webreport/session/inputs.h"

/* State of reading one trace. */
struct reading {
    struct tp_trace_walk *walk;
    struct tp_walked walked;
    struct tp_trace_options options;
    FILE *copy; /* copy of an input that cannot be read twice, such as a pipe; NULL without a copy */
    char copy_path[64];
};

static int read_trace_and_call_user(void *context, struct tp_error *err)
{
    const struct reading *r = context;
    struct tp_trace_walk *walk = r->walk;
    struct tp_analysis *analysis = r->walked.analysis;
    const char *path = r->walked.file->path;
    struct tp_error why = {0};
    int code = walk->skips_reading ? TP_OK : tp_capture_maps_read(&walk->maps, analysis, path, &r->options, &why);
    if (code == TP_OK && analysis->is_map && walk->file_count > 1) { /* no run; its captures were read with the runs */
        tp_inputs_print_map(walk->console, path, &analysis->own_captures, &analysis->arena);
        walk->usable_count++;
        return TP_OK;
    }
    if (code == TP_OK) {
        code = walk->user->use(walk->context, &r->walked, &why);
        if (walk->skips_reading && (code == TP_ELIMIT || code == TP_ENOMEM))
            code = TP_ENOTFOUND;
        walk->usable_count += code != TP_ENOTFOUND;
        if (code < 0 && code != TP_ENOTFOUND)
            return err ? (*err = why).code : code;
        if (code == TP_OK)
            return TP_OK;
    }
    tp_console_input_error(walk->console, path, why.text);
    walk->hit_limit |= why.code == TP_ELIMIT || why.code == TP_ENOMEM;
    return walk->user->failed ? walk->user->failed(walk->context, &r->walked, why.text, err) : TP_OK;
}

/* Opens a temporary file for a copy of the input, if walk->copies_pipes is set and the input is not a regular file. */
static int open_copy_of_input(struct reading *r, struct tp_error *err)
{
    struct stat info;
    const char *path = r->walked.file->path;
    bool is_file = !tp_str_equal(tp_str_of(path), TP_STR("-")) && stat(path, &info) == 0 && S_ISREG(info.st_mode);
    r->options = r->walk->read;
    r->options.part = r->walked.file->part;
    r->walked.path = path;
    if (is_file || r->walk->skips_reading || !r->walk->copies_pipes)
        return TP_OK;
    r->copy = tmpfile();
    if (!r->copy)
        return tp_error_set(err, TP_EIO, 0, "%s: no temporary file for a copy", path);
    r->options.copy_fd = fileno(r->copy);
    snprintf(r->copy_path, sizeof r->copy_path, "/proc/self/fd/%d", r->options.copy_fd);
    r->walked.path = r->copy_path;
    return TP_OK;
}

void tp_trace_walk_keep(struct tp_trace_walk *walk)
{
    walk->keeps_current = true;
}

void tp_trace_walk_release_kept(struct tp_trace_walk *walk)
{
    for (size_t i = 0; i < walk->kept.count; i++)
        tp_analysis_close(*TP_AT(&walk->kept, struct tp_analysis *, i));
    walk->kept.count = 0;
}

static int walk_file(struct tp_trace_walk *walk, const struct tp_run *run, const struct tp_run_file *file,
                     struct tp_error *err)
{
    struct tp_analysis own, *analysis = &own, **kept = NULL;
    if (walk->may_keep) { /* nothing may be allocated while the analysis is open */
        analysis = tp_arena_alloc(walk->arena, sizeof *analysis);
        kept = tp_vec_push(&walk->kept);
        walk->kept.count--;
    }
    struct reading reading = {.walk = walk, .walked = {.run = run, .file = file, .analysis = analysis}};
    int code = open_copy_of_input(&reading, err);
    if (code < 0)
        return code;
    walk->keeps_current = false;
    tp_analysis_open(analysis, walk->rules);
    tp_console_progress(walk->console, "reading %zu of %zu: %s", walk->done_count + 1, walk->file_count, file->base);
    code = tp_arena_run_both(&analysis->arena, walk->arena, read_trace_and_call_user, &reading, err);
    if (analysis->arena.code)
        tp_error_set(err, code, 0, "%s: %s", file->base,
                     analysis->arena.code == TP_ELIMIT ? "a limit was reached" : "out of memory");
    if (kept && walk->keeps_current && code == TP_OK) {
        *kept = analysis;
        walk->kept.count++;
    } else {
        tp_analysis_close(analysis);
    }
    if (reading.copy)
        fclose(reading.copy);
    tp_arena_fail_with_stored_code(walk->arena);
    walk->done_count++;
    return code;
}

static int walk_run(struct tp_trace_walk *walk, const struct tp_run *run, struct tp_error *err)
{
    const struct tp_walk_user *user = walk->user;
    int code = user->begin_run ? user->begin_run(walk->context, run, err) : TP_OK;
    for (size_t i = 0; code == TP_OK && i < run->file_count; i++)
        code = walk_file(walk, run, &run->files[i], err);
    if (code == TP_OK && user->end_run)
        code = user->end_run(walk->context, run, err);
    tp_trace_walk_release_kept(walk);
    return code;
}

static int walk_runs(struct tp_trace_walk *walk, struct tp_error *err)
{
    const struct tp_run_search search = {walk->inputs, walk->input_count, walk->read.include, walk->read.process,
                                         false};
    int code = tp_inputs_find(&walk->runs, &walk->file_count, walk->arena, &search, walk->console, err);
    if (code == TP_OK && !walk->skips_reading)
        tp_capture_maps_remove_from_runs(&walk->maps, &walk->runs, &walk->file_count, walk->arena);
    if (code == TP_OK && walk->user->found)
        code = walk->user->found(walk->context, err);
    for (size_t i = 0; code == TP_OK && i < walk->runs.count; i++)
        code = walk_run(walk, &walk->runs.items[i], err);
    if (code < 0)
        return code;
    if (walk->usable_count == 0) /* the reason why each input is unusable is already printed */
        return tp_error_set(err, walk->hit_limit ? TP_ELIMIT : TP_ENOTFOUND, 0, "no usable input");
    if (walk->read.is_strict && walk->usable_count < walk->file_count)
        return tp_error_set(err, TP_ENOTFOUND, 0, "--strict: %zu of %zu inputs could not be used",
                            walk->file_count - walk->usable_count, walk->file_count);
    return TP_OK;
}

static int run_walk(void *context, struct tp_error *err)
{
    return walk_runs(context, err);
}

int tp_trace_walk(struct tp_trace_walk *walk, struct tp_error *err)
{
    tp_capture_maps_open(&walk->maps, walk->console, &walk->read);
    walk->kept = TP_VEC(walk->arena, struct tp_analysis *);
    int code = tp_arena_run(walk->arena, run_walk, walk, err);
    tp_trace_walk_release_kept(walk);
    tp_capture_maps_close(&walk->maps);
    tp_arena_fail_with_stored_code(walk->arena);
    return code;
}

bool tp_trace_walk_has_input(const struct tp_trace_walk *walk, const char *path)
{
    for (size_t i = 0; i < walk->runs.count; i++)
        for (size_t k = 0; k < walk->runs.items[i].file_count; k++)
            if (tp_inputs_are_same_file(path, walk->runs.items[i].files[k].path))
                return true;
    return false;
}

struct tp_str tp_walked_label(const struct tp_trace_walk *walk, const struct tp_walked *walked, struct tp_arena *arena)
{
    const struct tp_run *run = walked->run;
    const struct tp_run_file *file = walked->file;
    bool has_run = walk->runs.count > 1;
    size_t size = run->name.len + file->worker.len + 32;
    char *text = tp_arena_alloc(arena, size);
    int n = snprintf(text, size, "%.*s%s%.*s", has_run ? (int)run->name.len : 0, run->name.ptr, has_run ? "/" : "",
                     (int)file->worker.len, file->worker.ptr);
    if (file->span && n > 0)
        n += snprintf(text + n, size - (size_t)n, " (%llu)", (unsigned long long)file->span);
    return (struct tp_str){text, n > 0 ? (size_t)n : 0};
}

struct tp_profile tp_walked_profile(const struct tp_walked *walked)
{
    const struct tp_run_file *file = walked->file;
    const struct tp_analysis *a = walked->analysis;
    return (struct tp_profile){.run = walked->run->name,
                               .worker = file->worker,
                               .main_worker = file->main_worker,
                               .is_helper = file->is_helper,
                               .is_silent = file->is_silent,
                               .is_program = file->is_program,
                               .span = file->span ? (int64_t)file->span : TP_NULL_INT,
                               .file = tp_str_of(file->base),
                               .sha256 = tp_str_of(a->trace.reading.file_sha256),
                               .trace = &a->trace,
                               .order = &a->order,
                               .model = &a->model,
                               .views = &a->views,
                               .advice = &a->advice};
}
