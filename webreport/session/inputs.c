/* Finds and checks the inputs of a command, and prints messages about them: see inputs.h. */
#include "webreport/session/inputs.h"

#include <sys/stat.h>

#include <string.h>
#include <unistd.h>

#include "webreport/document/words/capture_words.h"
#include "webreport/document/words/input_words.h"
#include "webreport/session/exit.h"
#include "webreport/session/leftover_files.h"
#include "webreport/trace/compile_log/compile_graphs.h"
#include "webreport/trace/file_parts.h"
#include "writer/base/buf.h"
#include "writer/base/path.h"

void tp_inputs_print_found(struct tp_console *console, const struct tp_runs *runs)
{
    enum { SHOWN = 3 };
    size_t count = 0;
    struct tp_buf names;
    tp_buf_init(&names, 0);
    for (size_t i = 0; i < runs->count; i++)
        for (size_t k = 0; k < runs->items[i].file_count; k++) {
            const struct tp_run_file *file = &runs->items[i].files[k];
            if (file->is_found_by_content && count++ < SHOWN)
                tp_buf_printf(&names, "%s%s", names.size ? ", " : "", file->base);
        }
    if (count && !names.failed)
        tp_console_notice(console, "taken for %s: %s%s (--include narrows)",
                          count == 1 ? "a trace by its content" : "traces by their content", names.data,
                          count > SHOWN ? ", ..." : "");
    tp_buf_release(&names);
    if (runs->ignored_count)
        tp_console_notice(console, "%zu other trace%s not read: %s%s; name %s to read %s", runs->ignored_count,
                          runs->ignored_count == 1 ? " is" : "s are", runs->first_ignored_path,
                          runs->ignored_count > 1 ? " and others" : "",
                          runs->ignored_count == 1 ? "the file" : "the files",
                          runs->ignored_count == 1 ? "it" : "them");
    if (runs->overlapping_count)
        tp_console_notice(console,
                          "%zu recording%s at the same time as another one of worker %.*s: counted as workers "
                          "of their own",
                          runs->overlapping_count, runs->overlapping_count == 1 ? " is" : "s are",
                          (int)runs->first_overlapping_worker.len, runs->first_overlapping_worker.ptr);
    if (runs->special_count)
        tp_console_notice(console, "%s%s: not a regular file, left out", runs->first_special_path,
                          runs->special_count > 1 ? " and others" : "");
}

/* Returns true if a leftover file is a recording that needs `recover` to become a trace, because neither the program
 * nor `record` still runs. */
static bool is_unfinished(const struct tp_leftover *leaving)
{
    char trace[4096];
    if (leaving->kind == TP_LEFTOVER_SPOOL && !leaving->is_live)
        return !tp_leftover_files_trace_path(trace, sizeof trace, leaving->path) || access(trace, F_OK) != 0;
    return leaving->kind == TP_LEFTOVER_RUN;
}

/* Counts the unfinished recordings in the folders of a search. *folder: first folder that has an unfinished recording,
 * or NULL. */
static size_t count_unfinished(const char **folder, const struct tp_run_search *search, struct tp_arena *arena)
{
    size_t count = 0;
    *folder = NULL;
    for (size_t i = 0; i < search->path_count; i++) {
        struct tp_leftover_files left;
        const char *path = search->paths[i];
        if (!tp_inputs_is_folder(path) || tp_leftover_files_find(&left, arena, path, NULL) < 0)
            continue;
        for (size_t k = 0; k < left.items.count; k++) {
            if (!is_unfinished(TP_AT(&left.items, struct tp_leftover, k)))
                continue;
            *folder = *folder ? *folder : path;
            count++;
        }
    }
    return count;
}

void tp_inputs_print_unfinished(struct tp_console *console, const struct tp_run_search *search, struct tp_arena *arena)
{
    const char *folder;
    size_t count = count_unfinished(&folder, search, arena);
    if (count)
        tp_console_notice(console, "run 'tracepress recover %s': %zu recording%s not finished and ha%s no trace",
                          folder, count, count == 1 ? " was" : "s were", count == 1 ? "s" : "ve");
}

int tp_inputs_find(struct tp_runs *runs, size_t *file_count, struct tp_arena *arena, const struct tp_run_search *search,
                   struct tp_console *console, struct tp_error *err)
{
    struct tp_error local;
    struct tp_error *why = err ? err : &local;
    int code = tp_rundir_find(runs, arena, search, why);
    *file_count = 0;
    for (size_t i = 0; code == TP_OK && i < runs->count; i++)
        *file_count += runs->items[i].file_count;
    if (code == TP_EIO) /* for the user, a folder that cannot be opened is a missing input */
        return why->code = TP_ENOTFOUND;
    if (code < 0)
        return code;
    tp_inputs_print_found(console, runs);
    if (!*file_count)
        return tp_inputs_set_not_found_error(runs, search, "traces", arena, why);
    tp_inputs_print_unfinished(console, search, arena);
    return TP_OK;
}

int tp_inputs_set_not_found_error(const struct tp_runs *runs, const struct tp_run_search *search, const char *wanted,
                                  struct tp_arena *arena, struct tp_error *err)
{
    const char *folder;
    size_t count = count_unfinished(&folder, search, arena);
    if (count)
        return tp_error_set(err, TP_ENOTFOUND, 0,
                            "no %s found, but %zu recording%s not finished; run 'tracepress recover %.200s'", wanted,
                            count, count == 1 ? " that was" : "s that were", folder);
    const char *what = runs->first_foreign_path ? tp_file_parts_refusal(runs->first_foreign_path, arena) : NULL;
    if (what)
        return tp_error_set(err, TP_ENOTFOUND, 0, "no %s found; %.80s%s%s", wanted, runs->first_foreign_path,
                            tp_console_joint(what), what);
    if (search->include)
        return tp_error_set(err, TP_ENOTFOUND, 0, "no %s found whose names --include '%.80s' takes", wanted,
                            search->include);
    return tp_error_set(err, TP_ENOTFOUND, 0,
                        "no %s found: no *.pt.trace.json[.gz] and no *.json[.gz] that begins like a trace; name the "
                        "file itself if it has another name",
                        wanted);
}

/* Prints a notice if the artifacts of torch.compile have no calls, or if some artifacts cannot be used. */
static void print_notice_of_compile_log(struct tp_console *console, const char *path, const struct tp_trace *trace)
{
    const struct tp_compile_log *log = trace->compile_log;
    if (log && log->dropped_count)
        tp_console_notice(console, "%s: %u artifacts of torch.compile are damaged or too large", path,
                          log->dropped_count);
    else if (log && !log->graphs.count)
        tp_console_notice(console,
                          "%s: --compile-log names no files with source lines of compiled code; set "
                          "INDUCTOR_PROVENANCE=1 and TORCH_TRACE=FOLDER for the recording",
                          path);
}

void tp_inputs_print_notices(struct tp_console *console, const char *path, const struct tp_trace *trace)
{
    const struct tp_reading *reading = &trace->reading;
    const char *line = tp_input_line(&trace->input, trace->arena);
    if (*line)
        tp_console_notice(console, "%s: %s", path, line);
    print_notice_of_compile_log(console, path, trace);
    const char *categories = tp_input_unknown_categories_text(trace, NULL, NULL, trace->arena);
    if (*categories)
        tp_console_notice(console, "%s: %s", path, categories);
    for (enum tp_notice i = 0; i < TP_NOTICE_COUNT; i++)
        if (reading->notices[i])
            tp_console_notice(console, tp_notice_is_damage(i) ? "%s: %s (%llu, first at byte %llu)" : "%s: %s (%llu)",
                              path, tp_notice_text(i), (unsigned long long)reading->notices[i],
                              (unsigned long long)reading->notice_offset[i]);
}

const char *tp_inputs_last_path_part(struct tp_arena *arena, const char *path)
{
    size_t size = strlen(path), from;
    while (size > 1 && path[size - 1] == '/')
        size--;
    for (from = size; from > 0 && path[from - 1] != '/'; from--)
        ;
    return tp_arena_copy(arena, path + from, size - from);
}

bool tp_inputs_is_folder(const char *path)
{
    struct stat info;
    return tp_str_ends(tp_str_of(path), "/") || (stat(path, &info) == 0 && S_ISDIR(info.st_mode));
}

struct counting {
    const char *folder, *include;
    struct tp_arena arena;
    size_t count;
};

static int count_traces(void *context, struct tp_error *err)
{
    struct counting *counting = context;
    const struct tp_run_search search = {.paths = &counting->folder, .path_count = 1, .include = counting->include};
    struct tp_runs runs;
    int code = tp_rundir_find(&runs, &counting->arena, &search, err);
    for (size_t i = 0; code == TP_OK && i < runs.count; i++)
        counting->count += runs.items[i].file_count;
    return code;
}

size_t tp_inputs_count_traces(const char *folder, const char *include)
{
    struct counting counting = {.folder = folder, .include = include};
    tp_arena_init(&counting.arena, 0);
    tp_arena_run(&counting.arena, count_traces, &counting, NULL);
    tp_arena_release(&counting.arena);
    return counting.count;
}

struct tp_str tp_inputs_name_without_endings(struct tp_str name, size_t least)
{
    static const char *const endings[] = {".gz", ".json", ".trace", ".pt", ".tps"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (tp_str_ends(name, endings[i]) && name.len >= strlen(endings[i]) + least)
            name.len -= strlen(endings[i]);
    return name;
}

bool tp_inputs_are_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Returns input number i, or NULL if the user did not name it. Inputs of options follow the operands. */
static const char *input_with_number(const struct tp_named_files *named, size_t i)
{
    return i < named->input_count ? named->inputs[i] : named->more[i - named->input_count];
}

const char *tp_inputs_find_conflict(const struct tp_named_files *named)
{
    size_t inputs = named->input_count + sizeof named->more / sizeof *named->more;
    unsigned stdin_count = 0;
    for (size_t k = 0; k < inputs; k++)
        stdin_count += input_with_number(named, k) && strcmp(input_with_number(named, k), "-") == 0;
    if (stdin_count > 1)
        return "standard input can be read only once";
    for (size_t i = 0; i < named->output_count; i++) {
        const char *output = named->outputs[i];
        if (!output)
            continue;
        if (!*output)
            return "the name of an output is empty";
        for (size_t k = 0; k < inputs; k++)
            if (input_with_number(named, k) && tp_inputs_are_same_file(output, input_with_number(named, k)))
                return "an output would overwrite an input";
        for (size_t k = 0; k < i; k++)
            if (named->outputs[k] && strcmp(output, "/dev/null") != 0 &&
                (strcmp(output, named->outputs[k]) == 0 || tp_inputs_are_same_file(output, named->outputs[k])))
                return "two outputs have the same name";
    }
    return NULL;
}

int tp_inputs_exit_code(int status)
{
    switch (status) {
    case TP_OK:
        return TP_EXIT_DONE;
    case TP_EIO:
        return TP_EXIT_NO_OUTPUT;
    case TP_ENOMEM:
    case TP_ELIMIT:
        return TP_EXIT_LIMIT;
    case TP_ENOTFOUND:
        return TP_EXIT_NO_INPUT;
    default: /* other codes, for example for an invalid template or an invalid address */
        return TP_EXIT_USAGE;
    }
}

void tp_inputs_print_map(struct tp_console *console, const char *path, const struct tp_captures *captures,
                         struct tp_arena *arena)
{
    tp_console_notice(console, "%s: %s", tp_path_base(path), tp_capture_map_text(captures, arena));
}

void tp_inputs_print_joined(struct tp_console *console, const char *path, const struct tp_model *model,
                            struct tp_arena *arena)
{
    const char *text = tp_joined_text(model->joined, arena);
    if (text)
        tp_console_notice(console, "%s: graphs: %s", tp_path_base(path), text);
}
