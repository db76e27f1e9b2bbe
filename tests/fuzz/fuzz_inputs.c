/* Finds inputs in a folder of files with arbitrary names and first bytes. Names the outputs, and checks that no two
 * outputs get the same name.
 *
 * Input: a byte of options, then per file: kind, length of the name, number of bytes, name, bytes. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/fuzz/scratch_files.h"
#include "webreport/session/inputs.h"
#include "webreport/session/output_names.h"
#include "webreport/session/summary_inputs.h"
#include "webreport/trace/file_head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILES = 24, LONG_HEAD = 0xFF };
enum kind { REGULAR, FOLDER, PIPE, LINK, DANGLING, INTO, KINDS };

/* Reads a file name from the input, and drops characters that file names cannot contain. Returns false if the file must
 * be skipped. */
static bool read_name(char name[NAME_MAX + 1], struct taken *from, size_t wanted)
{
    size_t size = take_size_from_input(from, wanted < NAME_MAX ? wanted : NAME_MAX);
    memcpy(name, from->at, size);
    name[size] = '\0';
    from->at += size;
    for (size_t i = 0; i < size; i++)
        if (name[i] == '/' || name[i] == '\0')
            name[i] = '_';
    return size > 0 && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* Creates a file in the folder, or in its most recent subfolder. */
static void make_file_in_folder(char folder[PATH_MAX], const char *top, struct taken *from)
{
    enum kind kind = take_number_from_input(from, 1) % KINDS;
    size_t name_size = take_number_from_input(from, 1), head = take_number_from_input(from, 1);
    char name[NAME_MAX + 1], path[PATH_MAX + NAME_MAX + 2];
    bool is_good = read_name(name, from, name_size);
    head = take_size_from_input(from, head == LONG_HEAD ? take_number_from_input(from, 2) : head);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (is_good && kind == FOLDER && strlen(path) < 1024 && mkdir(path, 0700) == 0)
        strcpy(folder, path);
    if (kind == INTO)
        strcpy(folder, top);
    if (is_good && kind == PIPE)
        abort_unless(mkfifo(path, 0600) == 0 || errno == EEXIST || errno == ENAMETOOLONG);
    if (is_good && (kind == LINK || kind == DANGLING) && symlink(kind == LINK ? top : "not there", path) < 0)
        return;
    int fd = is_good && kind == REGULAR ? open(path, O_WRONLY | O_CREAT | O_EXCL, 0600) : -1;
    if (fd >= 0) {
        abort_unless(write(fd, from->at, head) == (ssize_t)head);
        close(fd);
    }
    from->at += head;
}

static bool is_safe_file_name(const char *part)
{
    return *part && *part != '.' && !strchr(part, '/') && strlen(part) <= NAME_MAX;
}

/* Checks that profiles with different names get different folders. */
static void check_names(const struct tp_runs *runs, size_t count, struct tp_arena *arena)
{
    for (int joins = 0; joins < 2; joins++) {
        const struct tp_output_name *names = tp_output_names_make(runs, joins, arena);
        for (size_t i = 0; i < count; i++) {
            abort_unless(is_safe_file_name(names[i].run) && is_safe_file_name(names[i].worker) &&
                         names[i].folder[0] != '/');
            for (size_t k = 0; k < i && !joins; k++)
                abort_unless(strcmp(names[i].folder, names[k].folder) != 0);
        }
    }
}

static void check_files(const struct tp_runs *runs)
{
    struct tp_str worker, time;
    for (size_t r = 0; r < runs->count; r++)
        for (size_t i = 0; i < runs->items[r].file_count; i++) {
            const struct tp_run_file *file = &runs->items[r].files[i];
            struct stat status;
            abort_unless(stat(file->path, &status) == 0 && S_ISREG(status.st_mode));
            abort_unless(tp_str_ends(tp_str_of(file->path), file->base) && file->worker.ptr);
            abort_unless(!file->is_found_by_content || tp_file_head_is_trace(file->path));
            (void)tp_file_head_describe(file->path);
            if (tp_rundir_split_file_name(file->base, &worker, &time))
                abort_unless(worker.len <= strlen(file->base));
            abort_unless(tp_inputs_name_without_endings(tp_str_of(file->base), 1).len > 0);
        }
}

static void find_inputs(const char *folder, const char *include, struct tp_arena *arena)
{
    const char *const paths[] = {folder};
    const struct tp_run_search search = {.paths = paths, .path_count = 1, .include = include};
    struct tp_console console = {.is_quiet = true};
    struct tp_summary_inputs summaries;
    struct tp_error err = {0};
    struct tp_runs runs;
    size_t count = 0;
    if (tp_inputs_find(&runs, &count, arena, &search, &console, &err) == 0) {
        check_files(&runs);
        check_names(&runs, count, arena);
    } else {
        abort_unless(err.text[0]);
    }
    (void)tp_summary_inputs_find(&summaries, arena, &search, TP_INPUTS_MUST_EXIST, NULL);
}

/* Names the inputs: the files of the folder as on a command line, or a list of names. */
static void name_inputs(const char *folder, struct tp_arena *arena)
{
    struct tp_vec paths = TP_VEC(arena, const char *), listed = TP_VEC(arena, const char *);
    struct tp_summary_inputs summaries;
    char list[SCRATCH_PATH], none[PATH_MAX];
    struct tp_buf text;
    if (tp_rundir_find_named(&paths, folder, "", NULL) < 0 || paths.count == 0)
        return;
    const char *const *names = paths.data;
    tp_buf_init(&text, 0);
    for (size_t i = 0; i < paths.count; i++) {
        abort_unless(*tp_inputs_last_path_part(arena, names[i]) && tp_inputs_are_same_file(names[i], names[i]));
        tp_buf_printf(&text, "%s\n\n", names[i]);
    }
    snprintf(none, sizeof none, "%s/none", folder);
    const char *const outputs[] = {NULL, none, "-"};
    const struct tp_named_files files = {outputs, names, 3, paths.count, {names[0], NULL}};
    const struct tp_named_files clashing = {names, names, 1, paths.count, {NULL, NULL}};
    (void)tp_inputs_find_conflict(&files);
    abort_unless(tp_inputs_find_conflict(&clashing) != NULL);
    int fd = make_scratch_file(text.data, text.size, list);
    abort_unless(tp_summary_inputs_read_list(&listed, list, NULL) == 0 && listed.count >= paths.count);
    close(fd);
    tp_buf_release(&text);
    const struct tp_run_search search = {.paths = names, .path_count = paths.count};
    (void)tp_summary_inputs_find(&summaries, arena, &search, TP_INPUTS_MAY_BE_MISSING, NULL);
}

static void check_folder(const char *folder, const char *include, struct tp_arena *arena)
{
    find_inputs(folder, include, arena);
    name_inputs(folder, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const includes[] = {NULL, "*", "*.json*", "[a-", "rank?*"};
    struct taken from = {data, data + size};
    struct tp_arena arena;
    char top[SCRATCH_PATH], folder[PATH_MAX];
    const char *include = includes[take_number_from_input(&from, 1) % 5];
    make_scratch_folder(top);
    strcpy(folder, top);
    for (int i = 0; i < FILES && from.at < from.end; i++)
        make_file_in_folder(folder, top, &from);
    tp_arena_init(&arena, 64u << 20);
    if (setjmp(arena.guard) == 0)
        check_folder(top, include, &arena);
    tp_arena_release(&arena);
    remove_scratch_folder(top);
    return 0;
}
