/* Makes the names of outputs: see output_names.h. */
#include "webreport/session/output_names.h"

#include <stdio.h>

#include "writer/text/escape.h"

/* Texts and the name chosen for each text. The id of a text in `texts` is the index of its name in `named`. */
struct naming {
    struct tp_arena *arena;
    struct tp_strings texts, taken;
    struct tp_vec named; /* element for each text: const char *, its name */
};

static void init_naming(struct naming *naming, struct tp_arena *arena)
{
    naming->arena = arena;
    tp_strings_init(&naming->texts, arena, 0);
    tp_strings_init(&naming->taken, arena, 0);
    naming->named = TP_VEC(arena, const char *);
}

/* Returns `name` if it is not used yet, else `name` with the first unused suffix "-2", "-3" and so on. Marks the result
 * as used. */
static const char *reserve_unused_name(struct naming *naming, const char *name)
{
    const char *free_name = name;
    for (size_t number = 2; tp_strings_find(&naming->taken, tp_str_of(free_name)) != TP_NO_ID; number++) {
        size_t size = strlen(name) + 24;
        char *numbered = tp_arena_alloc(naming->arena, size);
        snprintf(numbered, size, "%s-%zu", name, number);
        free_name = numbered;
    }
    tp_strings_add(&naming->taken, tp_str_of(free_name));
    return free_name;
}

static const char *make_safe_name(struct naming *naming, struct tp_str text)
{
    uint32_t id = tp_strings_find(&naming->texts, text);
    if (id != TP_NO_ID)
        return *TP_AT(&naming->named, const char *, id);
    const char *name = reserve_unused_name(naming, tp_file_name_escape(naming->arena, text));
    tp_strings_add(&naming->texts, text);
    *(const char **)tp_vec_push(&naming->named) = name;
    return name;
}

static bool does_worker_have_other_span(const struct tp_run *run, const struct tp_run_file *file)
{
    for (size_t i = 0; i < run->file_count; i++)
        if (&run->files[i] != file && tp_str_equal(run->files[i].worker, file->worker))
            return true;
    return false;
}

static const char *folder_path(struct tp_arena *arena, const struct tp_run *run, const struct tp_run_file *file,
                               const struct tp_output_name *name, bool has_run, bool uses_one_folder_per_worker)
{
    bool has_worker = run->file_count > 1;
    char span[32] = "";
    if (has_worker && !uses_one_folder_per_worker && does_worker_have_other_span(run, file))
        snprintf(span, sizeof span, ".%zu", file->span ? (size_t)file->span : (size_t)(file - run->files) + 1);
    size_t size = strlen(name->run) + strlen(name->worker) + sizeof span + 2;
    char *path = tp_arena_alloc(arena, size);
    snprintf(path, size, "%s%s%s%s", has_run ? name->run : "", has_run && has_worker ? "/" : "",
             has_worker ? name->worker : "", span);
    return path;
}

struct tp_output_name *tp_output_names_make(const struct tp_runs *runs, bool uses_one_folder_per_worker,
                                            struct tp_arena *arena)
{
    struct naming by_run, folders;
    struct tp_vec names = TP_VEC(arena, struct tp_output_name);
    init_naming(&by_run, arena);
    init_naming(&folders, arena);
    for (size_t i = 0; i < runs->count; i++) {
        const struct tp_run *run = &runs->items[i];
        struct naming workers;
        init_naming(&workers, arena);
        for (size_t k = 0; k < run->file_count; k++) {
            struct tp_output_name *name = tp_vec_push(&names);
            name->run = make_safe_name(&by_run, run->name);
            name->worker = make_safe_name(&workers, run->files[k].worker);
            name->folder = folder_path(arena, run, &run->files[k], name, runs->count > 1, uses_one_folder_per_worker);
            /* with uses_one_folder_per_worker, several captures of a worker share one folder, so its name stays the
             * same */
            if (*name->folder && !uses_one_folder_per_worker)
                name->folder = reserve_unused_name(&folders, name->folder);
        }
    }
    return names.data;
}
