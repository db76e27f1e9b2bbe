/* Processes the memory snapshots of a command one by one: see snapshot_files.h. */
#include "webreport/session/snapshot_files.h"

#include <string.h>

#include "webreport/document/words/snapshot_words.h"
#include "writer/base/path.h"

int tp_snapshot_result_read(struct tp_snapshot_result *result, struct tp_arena *arena, const char *path,
                            uint64_t max_input_bytes, struct tp_error *err)
{
    struct tp_snapshot *snapshot = tp_arena_alloc(arena, sizeof *snapshot);
    int code = tp_snapshot_read(snapshot, arena, path, max_input_bytes, err);
    if (code < 0)
        return code;
    tp_snapshot_analyse(result, snapshot, tp_str_of(tp_path_base(path)), arena);
    tp_fill_snapshot_texts(result, arena);
    return TP_OK;
}

/* State of reading one snapshot. */
struct reading {
    struct tp_snapshot_files *walk;
    struct tp_walked_snapshot walked;
};

static int read_and_use(void *context, struct tp_error *err)
{
    struct reading *r = context;
    struct tp_snapshot_files *walk = r->walk;
    struct tp_snapshot_result result;
    struct tp_error why = {0};
    r->walked.result = &result;
    int code =
        tp_snapshot_result_read(&result, r->walked.arena, r->walked.file->path, walk->session.max_input_bytes, &why);
    if (code == TP_OK) {
        code = walk->use(walk->context, &r->walked, &why);
        walk->usable_count += code == TP_OK;
        if (code < 0 && code != TP_ENOTFOUND)
            return err ? (*err = why).code : code;
    }
    if (code < 0) {
        tp_console_error(walk->session.console, "%s: %s", r->walked.file->path, why.text);
        walk->hit_limit |= why.code == TP_ELIMIT || why.code == TP_ENOMEM;
    }
    return TP_OK;
}

static int walk_file(struct tp_snapshot_files *walk, size_t number, struct tp_error *err)
{
    struct tp_arena arena;
    const struct tp_run_file *file = &walk->run.files[number];
    struct reading reading = {walk, {.file = file, .number = number, .arena = &arena}};
    tp_arena_init(&arena, 0);
    tp_console_progress(walk->session.console, "reading %zu of %zu: %s", number + 1, walk->run.file_count, file->base);
    int code = tp_arena_run_both(&arena, walk->arena, read_and_use, &reading, err);
    if (arena.code)
        tp_error_set(err, code, 0, "%s: %s", file->base,
                     arena.code == TP_ELIMIT ? "a limit was reached" : "out of memory");
    tp_arena_release(&arena);
    tp_arena_fail_with_stored_code(walk->arena);
    return code;
}

/* Returns the name of a file without its endings. */
static struct tp_str worker_name(const char *base)
{
    static const char *const endings[] = {".gz", ".html", ".pickle", ".pkl", ".pt"};
    struct tp_str name = tp_str_of(base);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (tp_str_ends(name, endings[i]) && name.len > strlen(endings[i]))
            name.len -= strlen(endings[i]);
    return name;
}

static int find_files(struct tp_snapshot_files *walk, struct tp_error *err)
{
    struct tp_vec paths = TP_VEC(walk->arena, const char *);
    int code = tp_snapshot_list_inputs(&paths, &walk->session, walk->arena, err);
    walk->run = (struct tp_run){.name = {"", 0}, .file_count = paths.count};
    walk->run.files = tp_arena_array(walk->arena, paths.count, sizeof *walk->run.files);
    for (size_t i = 0; i < paths.count; i++) {
        struct tp_run_file *file = &walk->run.files[i];
        file->path = *TP_AT(&paths, const char *, i);
        file->base = tp_path_base(file->path);
        file->worker = worker_name(file->base);
    }
    return code;
}

int tp_snapshot_files_walk(struct tp_snapshot_files *walk, struct tp_error *err)
{
    int code = find_files(walk, err);
    if (code == TP_OK && walk->found)
        code = walk->found(walk->context, err);
    for (size_t i = 0; i < walk->run.file_count && code == TP_OK; i++)
        code = walk_file(walk, i, err);
    tp_console_progress_end(walk->session.console);
    if (code < 0)
        return code;
    if (walk->usable_count == 0) /* the reason why each input is unusable is already printed */
        return tp_error_set(err, walk->hit_limit ? TP_ELIMIT : TP_ENOTFOUND, 0, "no usable input");
    if (walk->session.is_strict && walk->usable_count < walk->run.file_count)
        return tp_error_set(err, TP_ENOTFOUND, 0, "--strict: %zu of %zu inputs could not be used",
                            walk->run.file_count - walk->usable_count, walk->run.file_count);
    return TP_OK;
}
