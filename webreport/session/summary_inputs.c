/* Finds and reads summary files, and finds traces: see summary_inputs.h. */
#include "webreport/session/summary_inputs.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "webreport/session/inputs.h"
#include "writer/base/input.h"
#include "writer/base/limits.h"
#include "writer/base/path.h"

/* ---- reading of whole files ---- */

struct taking {
    struct tp_summary_set *set;
    const struct tp_buf *bytes;
};

static int read_set_guarded(void *context, struct tp_error *err)
{
    const struct taking *taking = context;
    return tp_summary_set_read(taking->set, taking->bytes->data ? taking->bytes->data : "", taking->bytes->size, err);
}

int tp_summary_inputs_read(struct tp_summary_set *set, const char *path, struct tp_error *err)
{
    struct tp_buf bytes;
    tp_buf_init(&bytes, TP_MAX_SUMMARY_FILE_BYTES);
    int code = tp_input_read_all(&bytes, path, TP_INPUT_NAMED, err);
    if (code == TP_OK)
        code = tp_arena_run(set->arena, read_set_guarded, &(struct taking){set, &bytes}, err);
    tp_buf_release(&bytes);
    tp_arena_fail_with_stored_code(set->arena);
    return code;
}

struct listing {
    struct tp_vec *paths;
    const struct tp_buf *bytes;
};

static int add_lines(void *context, struct tp_error *err)
{
    const struct listing *listing = context;
    const struct tp_buf *bytes = listing->bytes;
    struct tp_vec *paths = listing->paths;
    (void)err;
    for (size_t at = 0, size; at < bytes->size; at += size + 1) {
        const char *line = bytes->data + at, *end = memchr(line, '\n', bytes->size - at);
        size = end ? (size_t)(end - line) : bytes->size - at;
        if (size && !memchr(line, '\0', size))
            *(const char **)tp_vec_push(paths) = tp_arena_copy(paths->arena, line, size);
    }
    return TP_OK;
}

int tp_summary_inputs_read_list(struct tp_vec *paths, const char *file, struct tp_error *err)
{
    enum { MOST_BYTES = 1 << 30 };
    struct tp_buf bytes;
    tp_buf_init(&bytes, MOST_BYTES);
    int code = tp_input_read_all(&bytes, file, TP_INPUT_NAMED, err);
    if (code == TP_OK)
        code = tp_arena_run(paths->arena, add_lines, &(struct listing){paths, &bytes}, err);
    tp_buf_release(&bytes);
    tp_arena_fail_with_stored_code(paths->arena);
    return code;
}

/* ---- search for inputs ---- */

bool tp_summary_inputs_is_summary(const char *path)
{
    struct tp_input input;
    char begin[5];
    size_t n = 0;
    if (tp_input_open(&input, path, TP_INPUT_FILE, NULL) < 0)
        return false;
    tp_input_read(&n, &input, begin, sizeof begin, 0, NULL);
    close(input.fd);
    return tp_summary_is_file(begin, n);
}

/* Returns true if the path is a regular file that begins like a summary or has the ending .tps. */
static bool is_summary_path(const char *path)
{
    return tp_summary_inputs_is_summary(path) || tp_str_ends(tp_str_of(path), ".tps");
}

struct find {
    struct tp_arena *arena;
    struct tp_summary_inputs *out;
    /* items: found inputs, struct tp_summary_input; traces: paths of traces or folders; files: paths of summaries */
    struct tp_vec items, traces, files;
    enum tp_inputs_wanted wanted;
    const char *include, *process;
    bool skips_parts;
    struct tp_error *err;
};

/* Returns the number of traces in a folder. *named: number of traces whose file names have torch's form; all traces if
 * is_asked is true, because the user's pattern chose them. */
static size_t count_traces(size_t *named, const struct tp_runs *runs, bool is_asked)
{
    size_t count = 0;
    *named = 0;
    for (size_t i = 0; i < runs->count; i++)
        for (size_t k = 0; k < runs->items[i].file_count; k++, count++)
            *named += is_asked || !runs->items[i].files[k].is_found_by_content;
    return count;
}

/* Adds the inputs of a folder: traces by file name; if none exist, summaries; if none exist, files that begin
 * like a trace. */
static int add_inputs_of_folder(struct find *find, const char *path)
{
    struct tp_runs runs;
    size_t named = 0, before = find->files.count;
    if (find->wanted == TP_INPUTS_SUMMARIES)
        return tp_rundir_find_named(&find->files, path, ".tps", find->err);
    int code = tp_rundir_find(&runs, find->arena, &(struct tp_run_search){&path, 1, find->include, find->process, true},
                              find->err);
    if (code < 0)
        return code;
    size_t count = count_traces(&named, &runs, find->include != NULL);
    if (!find->out->runs.first_foreign_path)
        find->out->runs.first_foreign_path = runs.first_foreign_path;
    if (named == 0)
        code = tp_rundir_find_named(&find->files, path, ".tps", find->err);
    if (count && find->files.count == before)
        *(const char **)tp_vec_push(&find->traces) = path;
    return code;
}

static int add_inputs_of_path(struct find *find, const char *path)
{
    struct stat info;
    bool is_stdin = strcmp(path, "-") == 0;
    if (!is_stdin && stat(path, &info) < 0) {
        if (find->wanted == TP_INPUTS_MUST_EXIST)
            return tp_error_set(find->err, TP_ENOTFOUND, 0, "%s: %s", path, strerror(errno));
        *(const char **)tp_vec_push(&find->out->missing) = path;
        return TP_OK;
    }
    if (!is_stdin && S_ISDIR(info.st_mode))
        return add_inputs_of_folder(find, path);
    bool is_file = find->wanted == TP_INPUTS_SUMMARIES || (!is_stdin && is_summary_path(path));
    *(const char **)tp_vec_push(is_file ? &find->files : &find->traces) = path;
    return TP_OK;
}

static void add_traces(struct find *find, const struct tp_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        for (size_t k = 0; k < runs->items[i].file_count; k++) {
            const struct tp_run_file *file = &runs->items[i].files[k];
            if (file->is_helper) {
                find->out->helper_count++;
                continue;
            }
            *(struct tp_summary_input *)tp_vec_push(&find->items) =
                (struct tp_summary_input){file->path, file->base, file};
        }
}

int tp_summary_inputs_find(struct tp_summary_inputs *inputs, struct tp_arena *arena, const struct tp_run_search *search,
                           enum tp_inputs_wanted wanted, struct tp_error *err)
{
    struct find find = {.arena = arena,
                        .out = inputs,
                        .items = TP_VEC(arena, struct tp_summary_input),
                        .traces = TP_VEC(arena, const char *),
                        .files = TP_VEC(arena, const char *),
                        .wanted = wanted,
                        .include = search->include,
                        .process = search->process,
                        .skips_parts = search->skips_parts,
                        .err = err};
    int code = TP_OK;
    *inputs = (struct tp_summary_inputs){.missing = TP_VEC(arena, const char *)};
    for (size_t i = 0; code == TP_OK && i < search->path_count; i++)
        code = add_inputs_of_path(&find, search->paths[i]);
    if (code == TP_OK && find.traces.count)
        code = tp_rundir_find(&inputs->runs, arena,
                              &(struct tp_run_search){find.traces.data, find.traces.count, search->include,
                                                      search->process, search->skips_parts},
                              err);
    if (code < 0)
        return code;
    add_traces(&find, &inputs->runs);
    for (size_t i = 0; i < find.files.count; i++) {
        const char *path = *TP_AT(&find.files, const char *, i);
        *(struct tp_summary_input *)tp_vec_push(&find.items) =
            (struct tp_summary_input){path, tp_path_base(path), NULL};
    }
    inputs->items = find.items.data;
    inputs->count = find.items.count;
    return TP_OK;
}
