/* Finds traces in run folders: see rundir.h. Section 2 of docs/definitions.md defines their order and names. */
#include "webreport/trace/rundir.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "webreport/trace/file_head.h"
#include "webreport/trace/file_parts.h"
#include "webreport/trace/inputs/input_format.h"
#include "webreport/trace/worker_names.h"
#include "writer/base/limits.h"
#include "writer/base/path.h"
#include "writer/base/sort.h"
#include "writer/worker.h"

struct search {
    struct tp_arena *arena;
    struct tp_vec runs;        /* runs found so far; elements: struct tp_run */
    struct tp_vec named_files; /* files that the user named; elements: struct tp_run_file */
    size_t file_count;
    const char *suffix;  /* ending of the file names to find; NULL for the endings of traces */
    const char *include; /* pattern of the file names to find; NULL for all names */
    const char *process; /* number of the only part to read; NULL for all parts */
    bool skips_parts;    /* list each file once, whatever its parts are */
    struct tp_runs *found;
    struct tp_error *err;
};

bool tp_rundir_split_file_name(const char *base, struct tp_str *worker, struct tp_str *time)
{
    struct tp_str name = tp_str_of(base);
    if (tp_str_ends(name, ".gz"))
        name.len -= 3;
    if (!tp_str_ends(name, ".pt.trace.json") || memchr(base, '\n', strlen(base)))
        return false;
    name.len -= sizeof ".pt.trace.json" - 1;
    *worker = name;
    *time = (struct tp_str){NULL, 0};
    const char *end = name.ptr + name.len, *digits = end;
    while (digits > name.ptr && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    if (digits < end && digits > name.ptr && digits[-1] == '.') {
        *time = (struct tp_str){digits, (size_t)(end - digits)};
        worker->len = (size_t)(digits - 1 - name.ptr);
    }
    return true;
}

/* Compares two texts of digits by their value as numbers. */
static int compare_times(struct tp_str a, struct tp_str b)
{
    while (a.len > 1 && *a.ptr == '0')
        a.ptr++, a.len--;
    while (b.len > 1 && *b.ptr == '0')
        b.ptr++, b.len--;
    return a.len != b.len ? (a.len > b.len) - (a.len < b.len) : tp_str_compare(a, b);
}

static int compare_by_worker_time(const void *x, const void *y)
{
    const struct tp_run_file *a = x, *b = y;
    int order = tp_str_compare(a->worker, b->worker);
    if (order)
        return order;
    if (!a->time.ptr || !b->time.ptr)
        return (a->time.ptr != NULL) - (b->time.ptr != NULL);
    order = compare_times(a->time, b->time);
    return order ? order : strcmp(a->path, b->path);
}

static int compare_by_worker_span(const void *x, const void *y)
{
    const struct tp_run_file *a = x, *b = y;
    int order = tp_str_compare(a->worker, b->worker);
    if (order)
        return order;
    if (a->span != b->span)
        return a->span < b->span ? -1 : 1;
    return strcmp(a->path, b->path);
}

/* Marks the files that only add records to the file of another worker of the run. */
static void mark_additional_files(struct tp_run *run)
{
    for (size_t i = 0; i < run->file_count; i++) {
        struct tp_run_file *file = &run->files[i];
        struct tp_str worker = file->worker;
        if (!tp_str_ends(worker, TP_WORKER_SECOND))
            continue;
        worker.len -= sizeof TP_WORKER_SECOND - 1;
        /* the main worker's file comes first in the sorted list, so the loop runs backward */
        for (size_t k = i; k-- > 0 && !file->main_worker.len;)
            if (tp_str_equal(run->files[k].worker, worker)) {
                file->main_worker = worker;
                file->is_helper = true;
            } else if (tp_str_compare(run->files[k].worker, worker) < 0)
                break;
    }
}

/* Marks the files of helper processes. Marks none if the run has only such files, because its numbers would then use no
 * file. */
static void mark_helper_files(struct tp_run *run)
{
    size_t helper_count = 0;
    for (size_t i = 0; i < run->file_count; i++)
        helper_count += tp_run_file_has_helper_name(&run->files[i]);
    for (size_t i = 0; i < run->file_count && helper_count < run->file_count; i++)
        run->files[i].is_helper |= tp_run_file_has_helper_name(&run->files[i]);
}

/* Returns the position of a file in the order by detail; files with most detail come first. */
static int position_in_detail_order(const struct tp_run_file *file)
{
    return file->is_silent ? 2 : file->is_program;
}

static int compare_by_detail(const void *x, const void *y, const void *context)
{
    (void)context;
    return position_in_detail_order(x) - position_in_detail_order(y);
}

/* Marks the traces of `record --outside` if other files show the run's processes in more detail. Sorts marked files
 * behind the others. Without such other files, marks no trace of `record --outside`. */
static void mark_outside_traces(struct tp_arena *arena, struct tp_run *run)
{
    size_t program_count = 0, result_trace_count = 0;
    for (size_t i = 0; i < run->file_count && run->file_count > 1; i++) {
        struct tp_run_file *file = &run->files[i];
        file->is_program = tp_file_head_is_from_outside(file->path);
        program_count += file->is_program;
        result_trace_count += !file->is_program && !tp_run_file_has_helper_name(file);
    }
    for (size_t i = 0; i < run->file_count && program_count; i++) {
        run->files[i].is_program &= result_trace_count > 0;
        run->files[i].is_helper |= run->files[i].is_program;
        run->files[i].is_silent = tp_str_ends(run->files[i].worker, TP_WORKER_INSIDE);
    }
    if (program_count)
        tp_merge_sort(arena, run->files, run->file_count, sizeof *run->files, compare_by_detail, NULL);
}

/* Sets the span number of each file. Files of one worker with equal times have equal spans. */
static void set_span_numbers(struct search *s, struct tp_run *run)
{
    qsort(run->files, run->file_count, sizeof *run->files, compare_by_worker_time);
    if (!s->suffix) { /* only traces need ranks and spans; a suffix means that the files are summaries */
        tp_worker_names_add_ranks(run, s->arena);
        qsort(run->files, run->file_count, sizeof *run->files, compare_by_worker_time);
        tp_worker_names_separate(run, s->found, s->arena);
    }
    qsort(run->files, run->file_count, sizeof *run->files, compare_by_worker_time);
    uint64_t position = 0;
    for (size_t i = 0; i < run->file_count; i++) {
        struct tp_run_file *file = &run->files[i], *before = i ? file - 1 : NULL;
        if (!before || !tp_str_equal(before->worker, file->worker))
            position = 0;
        if (!file->time.ptr)
            continue;
        position++;
        bool is_same = before && before->time.ptr && tp_str_equal(before->worker, file->worker) &&
                       compare_times(before->time, file->time) == 0;
        file->span = is_same ? before->span : position;
    }
    qsort(run->files, run->file_count, sizeof *run->files, compare_by_worker_span);
    mark_additional_files(run);
    mark_helper_files(run);
}

static char *join_path(struct tp_arena *arena, const char *directory, const char *name)
{
    size_t a = strlen(directory), b = strlen(name);
    char *path = tp_arena_alloc(arena, a + b + 2);
    memcpy(path, directory, a);
    if (a && directory[a - 1] != '/')
        path[a++] = '/';
    memcpy(path + a, name, b);
    path[a + b] = '\0';
    return path;
}

static int compare_by_text(const void *x, const void *y)
{
    return strcmp(*(char *const *)x, *(char *const *)y);
}

/* Meaning of a file name: no trace, a trace by torch's form of name, or possibly a trace. */
enum name_meaning { NO_TRACE, TORCH_TRACE, POSSIBLE_TRACE };

static enum name_meaning meaning_of_file_name(const struct search *s, const char *name)
{
    struct tp_str worker, time, text = tp_str_of(name);
    if (s->suffix)
        return *name != '.' && tp_str_ends(text, s->suffix) ? TORCH_TRACE : NO_TRACE;
    if (s->include && fnmatch(s->include, name, FNM_PERIOD) != 0)
        return NO_TRACE;
    if (tp_rundir_split_file_name(name, &worker, &time))
        return TORCH_TRACE;
    bool is_possible =
        tp_str_ends(text, ".json") || tp_str_ends(text, ".json.gz") || tp_input_format_ending_bytes(name) || s->include;
    return *name != '.' && is_possible ? POSSIBLE_TRACE : NO_TRACE;
}

/* An open folder and the lists for the names of its entries. */
struct listing {
    struct search *search;
    DIR *dir;
    const char *path;
    struct tp_vec *folders, *files, *possible_traces;
};

/* Returns the type of a folder entry. For a link returns the type of its target, except that a link to a folder is not
 * followed, and has the type S_IFLNK. */
static mode_t type_of_folder_entry(const struct listing *l, const struct dirent *entry, const char *name)
{
    struct stat info;
    if (entry->d_type == DT_DIR)
        return S_IFDIR;
    if (entry->d_type == DT_REG)
        return S_IFREG;
    const char *path = join_path(l->search->arena, l->path, name);
    if (lstat(path, &info) != 0 || S_ISDIR(info.st_mode))
        return info.st_mode & S_IFMT;
    if (stat(path, &info) != 0)
        return 0;
    return S_ISDIR(info.st_mode) ? S_IFLNK : info.st_mode & S_IFMT;
}

static void store_special_file(struct listing *l, const char *name, mode_t type)
{
    struct tp_runs *found = l->search->found;
    if (!found)
        return;
    if (type == S_IFREG && !found->first_foreign_path && tp_input_format_has_ending(name))
        found->first_foreign_path = join_path(l->search->arena, l->path, name);
    if (type == S_IFREG || type == S_IFDIR || type == S_IFLNK || type == 0 ||
        meaning_of_file_name(l->search, name) == NO_TRACE)
        return;
    if (found->special_count++ == 0)
        found->first_special_path = join_path(l->search->arena, l->path, name);
}

static int read_folder_names(void *context, struct tp_error *err)
{
    struct listing *l = context;
    struct tp_arena *arena = l->search->arena;
    (void)err;
    for (struct dirent *entry; (entry = readdir(l->dir));) {
        /* skips raw records, which only `recover` makes into traces */
        bool is_raw = strcmp(entry->d_name, TP_WORKER_SPOOLS) == 0 || strcmp(entry->d_name, TP_WORKER_RANKS) == 0;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || is_raw)
            continue;
        char *name = tp_arena_copy(arena, entry->d_name, strlen(entry->d_name));
        mode_t type = type_of_folder_entry(l, entry, name);
        enum name_meaning name_meaning = type == S_IFREG ? meaning_of_file_name(l->search, name) : NO_TRACE;
        if (type == S_IFDIR)
            *(char **)tp_vec_push(l->folders) = name;
        else if (name_meaning != NO_TRACE)
            *(char **)tp_vec_push(name_meaning == TORCH_TRACE ? l->files : l->possible_traces) = name;
        else
            store_special_file(l, name, type);
    }
    return TP_OK;
}

/* Adds the files that begin like a trace, although their names do not have torch's form. Stores the first file that is
 * no trace but has the name of one. */
static void find_traces_by_content(struct search *s, const char *path, const struct tp_vec *possible_traces,
                                   struct tp_vec *files)
{
    for (size_t i = 0; i < possible_traces->count; i++) {
        char *name = *TP_AT(possible_traces, char *, i);
        const char *file = join_path(s->arena, path, name);
        if (tp_file_parts_is_trace(file, s->arena))
            *(char **)tp_vec_push(files) = name;
        else if (s->found && !s->found->first_foreign_path && tp_input_format_has_ending(name))
            s->found->first_foreign_path = file;
    }
}

/* Counts the traces that are ignored because their folder has other traces with names of torch's form. */
static void count_ignored_traces(struct search *s, const char *path, const struct tp_vec *possible_traces)
{
    struct tp_runs *found = s->found;
    for (size_t i = 0; found && i < possible_traces->count && i < TP_MAX_IGNORED_CHECKS; i++) {
        const char *file = join_path(s->arena, path, *TP_AT(possible_traces, char *, i));
        if (tp_file_parts_is_trace(file, s->arena) && found->ignored_count++ == 0)
            found->first_ignored_path = file;
    }
}

/* Lists the entries of a folder by name. Closes the folder before any file is opened. */
static int list_folder(struct search *s, const char *path, struct tp_vec *folders, struct tp_vec *files)
{
    struct tp_vec possible_traces = TP_VEC(s->arena, char *);
    DIR *dir = opendir(path);
    if (!dir)
        return tp_error_set(s->err, errno == ENOMEM ? TP_ENOMEM : TP_EIO, 0, "%s: cannot open folder: %s", path,
                            strerror(errno));
    tp_arena_run(s->arena, read_folder_names, &(struct listing){s, dir, path, folders, files, &possible_traces}, NULL);
    closedir(dir);
    tp_arena_fail_with_stored_code(s->arena);
    if (possible_traces.count)
        qsort(possible_traces.data, possible_traces.count, sizeof(char *), compare_by_text);
    if (files->count == 0 || s->include)
        find_traces_by_content(s, path, &possible_traces, files);
    else
        count_ignored_traces(s, path, &possible_traces);
    if (folders->count)
        qsort(folders->data, folders->count, sizeof(char *), compare_by_text);
    if (files->count)
        qsort(files->data, files->count, sizeof(char *), compare_by_text);
    return TP_OK;
}

struct folder {
    const char *path, *run_name;
    unsigned depth;
};

/* Finds worker and time in the file name. Without torch's form of name, returns false and sets the worker to the
 * name without its ending. */
static bool set_worker_from_name(struct tp_run_file *file)
{
    if (tp_rundir_split_file_name(file->base, &file->worker, &file->time))
        return true;
    file->time = (struct tp_str){NULL, 0};
    file->worker = tp_str_of(file->base);
    if (tp_str_ends(file->worker, ".json.gz"))
        file->worker.len -= 8;
    else if (tp_str_ends(file->worker, ".json"))
        file->worker.len -= 5;
    else
        file->worker.len -= tp_input_format_ending_bytes(file->base);
    return false;
}

/* Returns true if the user wants this part: no part was chosen, or the one with this number. */
static bool is_wanted_part(const struct search *s, const struct tp_input_part *part)
{
    char number[24];
    snprintf(number, sizeof number, "%lld", (long long)part->number);
    return !s->process || strcmp(s->process, number) == 0;
}

/* Returns the text "NAME (PART)" in the arena. */
static struct tp_str add_part_name(struct tp_arena *arena, struct tp_str name, const struct tp_input_part *part)
{
    size_t room = name.len + part->name.len + sizeof " ()";
    char *text = tp_arena_alloc(arena, room);
    int size = snprintf(text, room, "%.*s (%.*s)", (int)name.len, name.ptr, (int)part->name.len, part->name.ptr);
    return (struct tp_str){text, (size_t)size};
}

/* Returns true for a regular file. A pipe must not be opened here, because a pipe can be read only once. */
static bool is_regular_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Appends a file to a run: once, or once for each of its parts that the user wants, with names after the parts. Returns
 * TP_ENOTFOUND if the file has parts but not the one that the user wants. */
static int add_file_or_parts(struct search *s, struct tp_vec *files, const struct tp_run_file *file)
{
    struct tp_vec parts = TP_VEC(s->arena, struct tp_input_part);
    size_t count = 0;
    if (!s->suffix && !s->skips_parts && is_regular_file(file->path))
        tp_file_parts_find(&parts, file->path);
    for (size_t i = 0; i < parts.count; i++) {
        const struct tp_input_part *part = TP_AT(&parts, struct tp_input_part, i);
        if (!is_wanted_part(s, part))
            continue;
        struct tp_run_file *added = tp_vec_push(files);
        *added = *file;
        added->part = part;
        added->is_found_by_content &= count++ == 0;
        if (parts.count == 1)
            continue;
        added->worker = add_part_name(s->arena, file->worker, part);
        added->base = add_part_name(s->arena, tp_str_of(file->base), part).ptr;
    }
    if (parts.count)
        return count ? TP_OK
                     : tp_error_set(s->err, TP_ENOTFOUND, 0, "%s: --process: no process %.24s in this file", file->path,
                                    s->process);
    *(struct tp_run_file *)tp_vec_push(files) = *file;
    return TP_OK;
}

static int add_run_of_folder(struct search *s, const struct folder *folder, const struct tp_vec *names)
{
    struct tp_run *run = tp_vec_push(&s->runs);
    struct tp_vec files = TP_VEC(s->arena, struct tp_run_file);
    run->name = tp_str_of(folder->run_name);
    s->file_count += names->count;
    if (s->file_count > TP_MAX_TRACE_FILES)
        return tp_error_set(s->err, TP_ELIMIT, 0, "more than %u trace files", TP_MAX_TRACE_FILES);
    for (size_t i = 0; i < names->count; i++) {
        struct tp_run_file file = {.path = join_path(s->arena, folder->path, *TP_AT(names, char *, i))};
        file.base = tp_path_base(file.path);
        file.is_found_by_content = !set_worker_from_name(&file) && !s->suffix;
        if (!file.is_found_by_content)
            *(struct tp_run_file *)tp_vec_push(&files) = file;
        else if (add_file_or_parts(s, &files, &file) < 0)
            return TP_ENOTFOUND;
    }
    run->files = files.data;
    run->file_count = files.count;
    set_span_numbers(s, run);
    if (!s->suffix)
        mark_outside_traces(s->arena, run);
    return TP_OK;
}

/* Searches a folder and its subfolders top-down in the order of names, like os.walk. Uses an explicit stack, not
 * recursion. */
static int search_folder(struct search *s, const char *top, const char *top_name)
{
    struct tp_vec stack = TP_VEC(s->arena, struct folder);
    *(struct folder *)tp_vec_push(&stack) = (struct folder){top, top_name, 0};
    while (stack.count) {
        struct folder folder = *TP_AT(&stack, struct folder, --stack.count);
        struct tp_vec folders = TP_VEC(s->arena, char *), files = TP_VEC(s->arena, char *);
        int code = list_folder(s, folder.path, &folders, &files);
        if (code < 0 && folder.depth == 0)
            return code;
        if (code == TP_OK && files.count)
            code = add_run_of_folder(s, &folder, &files);
        if (code == TP_ELIMIT || (code < 0 && s->process))
            return code;
        for (size_t i = folders.count; i > 0 && folder.depth < TP_MAX_DIR_DEPTH; i--) {
            const char *name = *TP_AT(&folders, char *, i - 1);
            const char *run_name = folder.depth ? join_path(s->arena, folder.run_name, name) : name;
            *(struct folder *)tp_vec_push(&stack) =
                (struct folder){join_path(s->arena, folder.path, name), run_name, folder.depth + 1};
        }
    }
    return TP_OK;
}

/* Returns the last part of a folder's absolute path. */
static const char *folder_name(struct tp_arena *arena, const char *path)
{
    char real[PATH_MAX];
    const char *base = tp_path_base(realpath(path, real) ? real : path);
    return tp_arena_copy(arena, base, strlen(base));
}

/* Returns true if a file, or the file of a part, has this worker name. */
static bool has_worker_name(const struct tp_run_file *file, struct tp_str worker)
{
    struct tp_str name = file->worker;
    if (file->part && name.len > worker.len && tp_str_starts((struct tp_str){name.ptr + worker.len, 2}, " ("))
        name.len = worker.len;
    return tp_str_equal(name, worker);
}

static int add_named_file(struct search *s, const char *path)
{
    struct tp_run_file file = {.path = path, .base = strcmp(path, "-") == 0 ? "stdin" : tp_path_base(path)};
    set_worker_from_name(&file);
    file.time = (struct tp_str){NULL, 0}; /* no time, because files that the user named have no spans */
    for (size_t i = 0; i < s->named_files.count; i++) {
        if (!has_worker_name(TP_AT(&s->named_files, struct tp_run_file, i), file.worker))
            continue;
        char number[32]; /* suffix that makes a repeated worker name unique */
        int n = snprintf(number, sizeof number, "#%zu", s->named_files.count);
        char *name = tp_arena_alloc(s->arena, file.worker.len + (size_t)n + 1);
        memcpy(name, file.worker.ptr, file.worker.len);
        memcpy(name + file.worker.len, number, (size_t)n);
        file.worker = (struct tp_str){name, file.worker.len + (size_t)n};
        break;
    }
    return add_file_or_parts(s, &s->named_files, &file);
}

/* Makes one run of all files that the user named. The run has the name of the folder of the first file. */
static struct tp_run make_run_of_named_files(struct search *s)
{
    struct tp_run run = {.files = s->named_files.data, .file_count = s->named_files.count};
    const char *first = run.files[0].path, *slash = strrchr(first, '/');
    char *folder = slash ? tp_arena_copy(s->arena, first, (size_t)(slash - first) + 1) : (char *)".";
    run.name = tp_str_of(folder_name(s->arena, folder));
    set_span_numbers(s, &run);
    mark_outside_traces(s->arena, &run);
    return run;
}

int tp_rundir_find(struct tp_runs *runs, struct tp_arena *arena, const struct tp_run_search *search,
                   struct tp_error *err)
{
    struct search s = {.arena = arena,
                       .runs = TP_VEC(arena, struct tp_run),
                       .named_files = TP_VEC(arena, struct tp_run_file),
                       .include = search->include,
                       .process = search->process,
                       .skips_parts = search->skips_parts,
                       .found = runs,
                       .err = err};
    *runs = (struct tp_runs){0};
    for (size_t i = 0; i < search->path_count; i++) {
        const char *path = search->paths[i];
        struct stat info;
        bool is_stdin = strcmp(path, "-") == 0;
        if (!is_stdin && stat(path, &info) < 0)
            return tp_error_set(err, TP_ENOTFOUND, 0, "%s: %s", path, strerror(errno));
        int code = !is_stdin && S_ISDIR(info.st_mode) ? search_folder(&s, path, folder_name(arena, path))
                                                      : add_named_file(&s, path);
        if (code < 0)
            return code;
    }
    size_t first = s.named_files.count > 0;
    runs->count = s.runs.count + first;
    runs->items = tp_arena_array(arena, runs->count, sizeof *runs->items);
    if (first)
        runs->items[0] = make_run_of_named_files(&s);
    for (size_t i = 0; i < s.runs.count; i++)
        runs->items[first + i] = *TP_AT(&s.runs, struct tp_run, i);
    return TP_OK;
}

int tp_rundir_find_named(struct tp_vec *paths, const char *folder, const char *suffix, struct tp_error *err)
{
    struct tp_arena *arena = paths->arena;
    struct search s = {.arena = arena, .runs = TP_VEC(arena, struct tp_run), .suffix = suffix, .err = err};
    int code = search_folder(&s, folder, "");
    for (size_t i = 0; code == TP_OK && i < s.runs.count; i++) {
        const struct tp_run *run = TP_AT(&s.runs, struct tp_run, i);
        for (size_t k = 0; k < run->file_count; k++)
            *(const char **)tp_vec_push(paths) = run->files[k].path;
    }
    return code;
}
