/* Reads capture traces: see capture_maps.h. */
#include "webreport/session/capture_maps.h"

#include <sys/stat.h>

#include <string.h>

#include "webreport/model/build.h"
#include "webreport/model/capture/capture_sections.h"
#include "webreport/session/inputs.h"
#include "webreport/session/map_search.h"
#include "webreport/trace/rundir.h"
#include "writer/base/input.h"
#include "writer/base/path.h"
#include "writer/text/format.h"

/* A file that was read. map.captures is empty if it has no captured graph. */
struct tp_known_map {
    const char *path;
    struct tp_capture_trace map;
};

/* A folder that was searched, and its capture traces in `items`. */
struct tp_map_folder {
    const char *path;
    size_t first, count;
};

void tp_capture_maps_open(struct tp_capture_maps *maps, struct tp_console *console, const struct tp_trace_options *read)
{
    *maps = (struct tp_capture_maps){.console = console, .read = {.max_input_bytes = read->max_input_bytes}};
    maps->read.map_paths = read->map_paths;
    maps->read.wants_captures = true;
    maps->read.skips_hash = true;
    tp_arena_init(&maps->arena, 0);
    maps->known = TP_VEC(&maps->arena, struct tp_known_map);
    maps->items = TP_VEC(&maps->arena, struct tp_capture_trace);
    maps->folders = TP_VEC(&maps->arena, struct tp_map_folder);
}

void tp_capture_maps_close(struct tp_capture_maps *maps)
{
    tp_arena_release(&maps->arena);
}

/* ---- one capture trace ---- */

static struct tp_str read_details(const char *path, struct tp_arena *arena)
{
    enum { MOST_BYTES = 1 << 20 };
    const char *name = tp_text_printf(arena, "%.*sexecution_details.json", (int)(tp_path_base(path) - path), path);
    struct tp_buf text;
    struct tp_str found = {NULL, 0};
    tp_buf_init(&text, MOST_BYTES);
    if (tp_input_read_all(&text, name, TP_INPUT_FILE, NULL) == TP_OK && text.size) {
        found.ptr = tp_arena_copy(arena, text.data, text.size);
        found.len = text.size;
    }
    tp_buf_release(&text);
    return found;
}

/* Builds the model of a capture trace, as far as the sections need it, and finds the sections. */
static void find_sections(struct tp_capture_trace *map, const struct tp_trace *trace, const char *path,
                          struct tp_arena *arena)
{
    struct tp_order *order = tp_arena_alloc(arena, sizeof *order);
    struct tp_model *model = tp_arena_alloc(arena, sizeof *model);
    tp_order_build(order, trace, arena);
    tp_model_build_links(model, trace, order, arena);
    model->marks = tp_marks_build(trace, arena);
    map->model = model;
    tp_capture_sections_find(&map->captures, model, path, read_details(path, arena), arena);
}

/* Returns a file that was read; NULL if it was not. */
static struct tp_known_map *find_known(const struct tp_capture_maps *maps, const char *path)
{
    for (size_t i = 0; i < maps->known.count; i++)
        if (strcmp(TP_AT(&maps->known, struct tp_known_map, i)->path, path) == 0)
            return TP_AT(&maps->known, struct tp_known_map, i);
    return NULL;
}

struct map_call {
    struct tp_capture_maps *maps;
    const char *path;
    bool is_given, is_added;
};

/* Reads one file, if it was not read before. Adds it to the items if is_added is set and it has sections; a file that
 * was found by itself must be only a capture trace. */
static int read_map(void *context, struct tp_error *err)
{
    const struct map_call *call = context;
    struct tp_capture_maps *maps = call->maps;
    struct tp_known_map *known = find_known(maps, call->path);
    if (!known) {
        struct tp_trace *trace = tp_arena_alloc(&maps->arena, sizeof *trace);
        int code = tp_trace_read(trace, &maps->arena, call->path, &maps->read, err);
        if (code < 0)
            return code;
        known = tp_vec_push(&maps->known);
        known->path = tp_arena_copy(&maps->arena, call->path, strlen(call->path));
        find_sections(&known->map, trace, call->path, &maps->arena);
    }
    const struct tp_captures *captures = &known->map.captures;
    if (call->is_added && captures->section_count && (call->is_given || captures->files->is_only_map))
        *(struct tp_capture_trace *)tp_vec_push(&maps->items) = known->map;
    return TP_OK;
}

static int add_map(struct tp_capture_maps *maps, const char *path, bool is_given, struct tp_error *err)
{
    struct map_call call = {maps, path, is_given, true};
    return tp_arena_run(&maps->arena, read_map, &call, err);
}

/* Returns the captured graphs of a file that is only a capture trace; NULL for other files. */
static const struct tp_captures *captures_of_map(struct tp_capture_maps *maps, const char *path)
{
    struct map_call call = {maps, path, false, false};
    if (tp_arena_run(&maps->arena, read_map, &call, NULL) < 0)
        return NULL;
    const struct tp_captures *captures = &find_known(maps, path)->map.captures;
    return captures->section_count && captures->files->is_only_map ? captures : NULL;
}

void tp_capture_maps_remove_from_runs(struct tp_capture_maps *maps, struct tp_runs *runs, size_t *file_count,
                                      struct tp_arena *arena)
{
    size_t kept_runs = 0, all = *file_count;
    for (size_t r = 0; r < runs->count; r++) {
        struct tp_run *run = &runs->items[r];
        size_t kept = 0;
        for (size_t i = 0; i < run->file_count; i++) {
            const char *path = run->files[i].path;
            bool may_be_map = *file_count > 1 && all > 1 && tp_map_search_is_named(path) && !run->files[i].part;
            const struct tp_captures *captures = may_be_map ? captures_of_map(maps, path) : NULL;
            if (captures) {
                tp_inputs_print_map(maps->console, path, captures, arena);
                --*file_count;
            } else {
                run->files[kept++] = run->files[i];
            }
        }
        run->file_count = kept;
        if (kept)
            runs->items[kept_runs++] = *run;
    }
    runs->count = kept_runs;
}

/* ---- capture traces of --map ---- */

static int add_given_folder(struct tp_capture_maps *maps, const char *path, struct tp_error *err)
{
    static const char *const suffixes[] = {".json", ".json.gz"};
    struct tp_vec names = TP_VEC(&maps->arena, const char *);
    int code = TP_OK;
    for (size_t i = 0; i < 2 && code == TP_OK; i++)
        code = tp_rundir_find_named(&names, path, suffixes[i], err);
    for (size_t i = 0; i < names.count && code == TP_OK; i++) {
        const char *name = *TP_AT(&names, const char *, i);
        struct tp_error why = {0};
        if (strcmp(tp_path_base(name), "execution_details.json") == 0)
            continue;
        if (add_map(maps, name, true, &why) < 0)
            tp_console_input_error(maps->console, name, why.text);
    }
    return code;
}

static int read_given(struct tp_capture_maps *maps, struct tp_error *err)
{
    for (size_t i = 0; i < maps->read.map_paths.count; i++) {
        const char *path = maps->read.map_paths.items[i];
        size_t before = maps->items.count;
        struct tp_error why = {0};
        int code = tp_inputs_is_folder(path) ? add_given_folder(maps, path, &why) : add_map(maps, path, true, &why);
        if (code == TP_OK && maps->items.count == before)
            code = tp_error_set(&why, TP_EFORMAT, 0,
                                "has no captured graph; record the program while it captures "
                                "its graphs, with shapes and stacks");
        if (code < 0)
            return tp_error_set(err, code == TP_ELIMIT || code == TP_ENOMEM ? code : TP_ENOTFOUND, 0, "--map: %s: %s",
                                path, why.text);
    }
    maps->given_count = maps->items.count;
    maps->is_given_read = true;
    return TP_OK;
}

/* ---- capture traces in the folder of a trace ---- */

static bool is_regular_file(const char *path)
{
    struct stat info;
    return strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

struct search_call {
    struct tp_capture_maps *maps;
    const char *path;
};

/* Reads the capture traces in the folder of a trace, and adds the folder to the list. */
static int search_folder(void *context, struct tp_error *err)
{
    const struct search_call *call = context;
    struct tp_capture_maps *maps = call->maps;
    struct tp_vec paths = TP_VEC(&maps->arena, const char *);
    struct tp_map_folder folder = {.first = maps->items.count};
    (void)err;
    folder.path = tp_text_printf(&maps->arena, "%.*s", (int)(tp_path_base(call->path) - call->path), call->path);
    tp_map_search_folder(&paths, call->path);
    for (size_t i = 0; i < paths.count; i++) {
        const char *name = *TP_AT(&paths, const char *, i);
        struct tp_error why = {0};
        if (add_map(maps, name, false, &why) < 0)
            tp_console_input_error(maps->console, name, why.text);
    }
    folder.count = maps->items.count - folder.first;
    *(struct tp_map_folder *)tp_vec_push(&maps->folders) = folder;
    return TP_OK;
}

/* Returns the capture traces in the folder of a trace; each folder is searched once. Returns NULL without memory. */
static const struct tp_map_folder *find_folder(struct tp_capture_maps *maps, const char *path)
{
    size_t length = (size_t)(tp_path_base(path) - path);
    struct search_call call = {maps, path};
    for (size_t i = 0; i < maps->folders.count; i++) {
        const struct tp_map_folder *folder = TP_AT(&maps->folders, struct tp_map_folder, i);
        if (strlen(folder->path) == length && memcmp(folder->path, path, length) == 0)
            return folder;
    }
    return tp_arena_run(&maps->arena, search_folder, &call, NULL) < 0
               ? NULL
               : TP_AT(&maps->folders, struct tp_map_folder, maps->folders.count - 1);
}

/* Sets the capture traces of an analysis: those of --map, otherwise those in its folder. */
static void choose_maps(struct tp_capture_maps *maps, struct tp_analysis *a, const char *path)
{
    a->map_count = maps->given_count;
    a->maps = maps->items.data;
    if (a->map_count || !is_regular_file(path))
        return;
    const struct tp_map_folder *folder = find_folder(maps, path);
    a->map_count = folder ? folder->count : 0;
    a->maps = folder ? TP_AT(&maps->items, struct tp_capture_trace, folder->first) : NULL;
}

/* ---- a trace and its capture traces ---- */

static bool has_name(const struct tp_trace *trace, const char *part, const char *other, bool is_prefix)
{
    bool is_any = false;
    for (uint32_t i = 0; i < trace->names.count && !is_any; i++) {
        struct tp_str name = trace->names.items[i];
        is_any = is_prefix ? tp_str_starts(name, part)
                           : tp_str_find_ignore_case(name, part) >= 0 || tp_str_find_ignore_case(name, other) >= 0;
    }
    return is_any;
}

/* Reads a trace again with the arguments that join captures, which the first reading skipped. */
static int read_again(struct tp_analysis *a, const char *path, const struct tp_trace_options *options,
                      struct tp_error *err)
{
    struct tp_trace_options again = *options;
    if (options->wants_captures || !is_regular_file(path))
        return TP_OK;
    again.wants_captures = true;
    tp_arena_clear(&a->arena);
    return tp_trace_read(&a->trace, &a->arena, path, &again, err);
}

int tp_capture_maps_read(struct tp_capture_maps *maps, struct tp_analysis *a, const char *path,
                         const struct tp_trace_options *options, struct tp_error *err)
{
    int code = maps->is_given_read ? TP_OK : read_given(maps, err);
    struct tp_trace_options read = *options;
    read.wants_captures = maps->given_count > 0;
    if (code == TP_OK)
        code = tp_trace_read(&a->trace, &a->arena, path, &read, err);
    if (code < 0)
        return code;
    bool has_launch = has_name(&a->trace, "graphlaunch", "graphlaunch", false);
    bool has_capture = has_name(&a->trace, "streambegincapture", "streamendcapture", false) ||
                       has_name(&a->trace, "capture_", NULL, true);
    if (has_launch)
        choose_maps(maps, a, path);
    if (has_capture || a->map_count)
        code = read_again(a, path, &read, err);
    if (code < 0)
        return code;
    a->trace.capture.path = path;
    if (has_capture) {
        struct tp_capture_trace own;
        find_sections(&own, &a->trace, path, &a->arena);
        a->own_captures = own.captures;
        a->is_map = own.captures.section_count && own.captures.files->is_only_map;
    }
    return TP_OK;
}
