/* Finds capture traces in the folder of a trace: see map_search.h. */
#include "webreport/session/map_search.h"

#include <dirent.h>
#include <string.h>

#include "webreport/session/inputs.h"
#include "webreport/trace/feed.h"
#include "writer/base/limits.h"
#include "writer/base/path.h"
#include "writer/base/sort.h"
#include "writer/base/str.h"
#include "writer/text/format.h"

static bool is_trace_name(const char *name)
{
    struct tp_str text = tp_str_of(name);
    return (tp_str_ends(text, ".json") || tp_str_ends(text, ".json.gz")) && strcmp(name, "execution_details.json") != 0;
}

bool tp_map_search_is_named(const char *path)
{
    const char *base = tp_path_base(path);
    struct tp_str folder = {path, (size_t)(base - path)};
    return tp_str_find_ignore_case(tp_str_of(base), "capture") >= 0 || tp_str_ends(folder, TP_CAPTURE_FOLDER "/");
}

/* Returns true if the text of a file contains a call that begins the capture of a graph. */
static bool has_capture_call(const char *path)
{
    static const char *const calls[] = {"cudaStreamBeginCapture", "hipStreamBeginCapture", "cuStreamBeginCapture"};
    enum { LONGEST = 32 };
    struct tp_feed_options options = {.max_input_bytes = TP_MAX_INPUT_BYTES, .skips_hash = true};
    struct tp_feed *feed = NULL;
    const char *at = NULL, *end = NULL;
    bool is_found = false;
    if (tp_feed_open(&feed, path, &options, NULL) < 0)
        return false;
    while (!is_found && tp_feed_next_window(feed, &at, &end, NULL) > 0) {
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
            is_found |= memmem(at, (size_t)(end - at), calls[i], strlen(calls[i])) != NULL;
        if (end - at > LONGEST)
            at = end - LONGEST; /* a name may continue in the next window */
    }
    tp_feed_close(feed);
    return is_found;
}

static int compare_paths(const void *x, const void *y, const void *context)
{
    (void)context;
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* Returns the paths of the traces in a folder, sorted. prefix: the folder with a slash at its end, or "". */
static struct tp_vec list_traces(struct tp_arena *arena, const char *prefix)
{
    struct tp_vec names = TP_VEC(arena, const char *);
    DIR *folder = opendir(*prefix ? prefix : ".");
    for (struct dirent *entry; folder && names.count < TP_MAX_TRACE_FILES && (entry = readdir(folder));)
        if (is_trace_name(entry->d_name))
            *(const char **)tp_vec_push(&names) = tp_text_printf(arena, "%s%s", prefix, entry->d_name);
    if (folder)
        closedir(folder);
    tp_merge_sort(arena, names.data, names.count, sizeof(const char *), compare_paths, NULL);
    return names;
}

void tp_map_search_folder(struct tp_vec *paths, const char *path)
{
    struct tp_arena *arena = paths->arena;
    const char *prefix = tp_text_printf(arena, "%.*s", (int)(tp_path_base(path) - path), path);
    struct tp_vec siblings = list_traces(arena, prefix);
    struct tp_vec below = list_traces(arena, tp_text_printf(arena, "%s" TP_CAPTURE_FOLDER "/", prefix));
    unsigned searched = 0;
    for (size_t i = 0; i < siblings.count; i++) {
        const char *name = *TP_AT(&siblings, const char *, i);
        if (tp_inputs_are_same_file(name, path))
            continue;
        if (tp_map_search_is_named(name) || (searched++ < TP_MAX_CAPTURE_SEARCHES && has_capture_call(name)))
            *(const char **)tp_vec_push(paths) = name;
    }
    for (size_t i = 0; i < below.count && paths->count < TP_MAX_CAPTURE_FILES; i++)
        *(const char **)tp_vec_push(paths) = *TP_AT(&below, const char *, i);
}
