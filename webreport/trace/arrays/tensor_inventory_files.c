/* Finds arrays in files, archives and folders, and derives their names from the paths: see tensor_inventory.h. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "webreport/trace/arrays/tensor_inventory_parts.h"
#include "webreport/trace/json/value.h"
#include "writer/base/buf.h"
#include "writer/base/limits.h"
#include "writer/base/path.h"
#include "writer/base/table.h"

/* ---- list of the arrays below a folder ----
 *
 * Searches folders level by level, without recursion. fts(3) is not used, because it crashes if there is no memory
 * for its first entry. */

/* Appends the path "FOLDER/NAME" with a NUL to `paths`. */
static void add_path(struct tp_buf *paths, const char *folder, const char *name)
{
    size_t size = strlen(folder);
    tp_buf_add(paths, folder, size);
    if (size && folder[size - 1] != '/')
        tp_buf_putc(paths, '/');
    tp_buf_add(paths, name, strlen(name) + 1);
}

static bool is_folder(const char *folder, const struct dirent *entry)
{
    char path[PATH_MAX];
    struct stat info;
    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type == DT_DIR;
    int n = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    return n > 0 && (size_t)n < sizeof path && lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static int set_folder_error(struct tp_error *err, const char *path, int why)
{
    return tp_error_set(err, why == ENOMEM ? TP_ENOMEM : TP_EIO, 0, "%s: %s", path, strerror(why));
}

/* Appends the subfolders of a folder, and its .npy and .npz files, to the two lists. */
static int list_folders_and_arrays(struct tp_buf *folders, struct tp_buf *files, const char *path, struct tp_error *err)
{
    DIR *dir = opendir(path);
    if (!dir)
        return set_folder_error(err, path, errno);
    errno = 0;
    for (struct dirent *entry; (entry = readdir(dir)); errno = 0) {
        struct tp_str name = tp_str_of(entry->d_name);
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (is_folder(path, entry))
            add_path(folders, path, entry->d_name);
        else if (name.ptr[0] != '.' && (tp_str_ends(name, ".npy") || tp_str_ends(name, ".npz")))
            add_path(files, path, entry->d_name);
    }
    int why = errno; /* 0 at the end of the folder, otherwise the error of readdir */
    closedir(dir);
    return why ? set_folder_error(err, path, why) : TP_OK;
}

static int list_arrays(struct tp_buf *paths, const char *path, struct tp_error *err)
{
    struct tp_buf level, below;
    int code;
    tp_buf_init(&level, 0);
    tp_buf_init(&below, 0);
    code = list_folders_and_arrays(&below, paths, path, err);
    for (unsigned depth = 0; code == TP_OK && below.size && depth < TP_MAX_DIR_DEPTH && !below.failed; depth++) {
        struct tp_buf done = level;
        level = below;
        below = done;
        tp_buf_clear(&below);
        for (const char *at = level.data; code == TP_OK && at < level.data + level.size; at += strlen(at) + 1) {
            code = list_folders_and_arrays(&below, paths, at, err);
            code = code == TP_ENOMEM ? code : TP_OK;
        }
    }
    if (code == TP_OK && (below.failed || paths->failed))
        code = tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    tp_buf_release(&level);
    tp_buf_release(&below);
    return code;
}

/* ---- names of arrays ---- */

static struct tp_str without_suffix(struct tp_str text, const char *suffix)
{
    if (tp_str_ends(text, suffix))
        text.len -= strlen(suffix);
    return text;
}

static int hex_digit_value(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Returns the text with each code %XX replaced with its byte, as in file names of recorded tensors. Leaves %00
 * unchanged. */
static struct tp_str decode_percent_codes(struct tp_arena *arena, struct tp_str text)
{
    char *to = tp_arena_alloc(arena, text.len + 1), *at = to;
    for (size_t i = 0; i < text.len; i++) {
        bool is_code = text.ptr[i] == '%' && text.len - i > 2 && hex_digit_value(text.ptr[i + 1]) >= 0 &&
                       hex_digit_value(text.ptr[i + 2]) >= 0;
        int byte = is_code ? hex_digit_value(text.ptr[i + 1]) * 16 + hex_digit_value(text.ptr[i + 2]) : 0;
        *at++ = byte ? (char)byte : text.ptr[i];
        i += byte ? 2 : 0;
    }
    return (struct tp_str){to, (size_t)(at - to)};
}

/* Parses the step in a name such as "12", "step12", "step_12" or "step-12". Returns false for other names. */
static bool parse_step_of_name(struct tp_str part, int64_t *step)
{
    size_t at = tp_str_starts(part, "step") ? 4 : 0;
    at += at && at < part.len && (part.ptr[at] == '_' || part.ptr[at] == '-');
    int64_t value = 0;
    if (at == part.len)
        return false;
    for (size_t i = at; i < part.len; i++)
        if (!isdigit((unsigned char)part.ptr[i]) || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, part.ptr[i] - '0', &value))
            return false;
    *step = value;
    return true;
}

/* Name, worker and step of a tensor, according to the path of its file. */
struct path_parts {
    struct tp_str name;   /* parts of the path without step and worker, joined by '/' */
    struct tp_str worker; /* name of a folder *.tensors in the path; empty if none exists */
    int64_t step;
};

static struct path_parts split_path_into_parts(struct tp_arena *arena, struct tp_str relative)
{
    struct path_parts path_parts = {.step = TP_NULL_INT};
    char *name = tp_arena_alloc(arena, relative.len + 2);
    size_t size = 0, step_at = SIZE_MAX;
    for (size_t at = 0; at < relative.len;) { /* a step later in the path replaces an earlier one */
        const char *slash = memchr(relative.ptr + at, '/', relative.len - at);
        size_t end = slash ? (size_t)(slash - relative.ptr) : relative.len;
        if (parse_step_of_name((struct tp_str){relative.ptr + at, end - at}, &path_parts.step))
            step_at = at;
        at = end + 1;
    }
    for (size_t at = 0; at < relative.len;) {
        const char *slash = memchr(relative.ptr + at, '/', relative.len - at);
        size_t end = slash ? (size_t)(slash - relative.ptr) : relative.len;
        struct tp_str part = {relative.ptr + at, end - at};
        if (tp_str_ends(part, ".tensors") && slash) {
            path_parts.worker = part;
        } else if (at != step_at) {
            memcpy(name + size, part.ptr, part.len);
            size += part.len;
            name[size++] = '/';
        }
        at = end + 1;
    }
    path_parts.name = decode_percent_codes(arena, (struct tp_str){name, size ? size - 1 : 0});
    return path_parts;
}

/* ---- files and archives ---- */

static void add_array(struct tp_inventory_search *search, const char *path, struct path_parts path_parts)
{
    struct tp_tensor_item *item = tp_inventory_add(search);
    item->name = path_parts.name;
    item->step = path_parts.step;
    item->worker = search->worker;
    item->place.path = path;
    item->is_bfloat16 = search->options->is_bfloat16;
}

static struct tp_str join_names(struct tp_arena *arena, struct tp_str a, struct tp_str b)
{
    char *text = tp_arena_alloc(arena, a.len + b.len + 2);
    if (a.len == 0)
        return b;
    memcpy(text, a.ptr, a.len);
    text[a.len] = '/';
    memcpy(text + a.len + 1, b.ptr, b.len);
    return (struct tp_str){text, a.len + b.len + 1};
}

/* An archive that is open for reading, and the memory for its directory. */
struct archive {
    struct tp_zip *zip;
    struct tp_arena *arena;
    int fd;
    uint64_t size, most;
};

static int read_directory(void *context, struct tp_error *err)
{
    struct archive *a = context;
    return tp_zip_read(a->zip, a->arena, a->fd, a->size, a->most, err);
}

static int read_archive(struct tp_zip *zip, struct tp_inventory_search *search, const char *path, struct tp_error *err)
{
    struct archive archive = {.zip = zip, .arena = search->arena, .most = search->options->max_input_bytes};
    if (!archive.most)
        archive.most = TP_MAX_INPUT_BYTES;
    archive.fd = tp_array_open_file(path, &archive.size, err);
    if (archive.fd < 0)
        return archive.fd;
    int code = tp_arena_run(search->arena, read_directory, &archive, err);
    close(archive.fd);
    tp_arena_fail_with_stored_code(search->arena);
    return code;
}

static void add_arrays_of_archive(struct tp_inventory_search *search, const char *path, struct path_parts path_parts)
{
    struct tp_zip *zip = tp_arena_alloc(search->arena, sizeof *zip);
    struct tp_error why = {0};
    if (read_archive(zip, search, path, &why) < 0) {
        tp_inventory_report_failure(search, path, &why);
        return;
    }
    for (uint32_t i = 0; i < zip->count; i++) {
        struct tp_zip_entry *entry = &zip->entries[i];
        if (!tp_str_ends(entry->name, ".npy"))
            continue;
        struct path_parts inner = path_parts;
        inner.name = join_names(search->arena, path_parts.name, without_suffix(entry->name, ".npy"));
        add_array(search, path, inner);
        TP_AT(&search->items, struct tp_tensor_item, search->items.count - 1)->place.entry = entry;
    }
}

int tp_inventory_add_file(struct tp_inventory_search *search, const char *path, struct tp_error *err)
{
    struct tp_str base = tp_str_of(tp_path_base(path));
    char head[6] = "";
    uint64_t size;
    int fd = tp_array_open_file(path, &size, err);
    if (fd < 0)
        return tp_error_set(err, TP_ENOTFOUND, 0, "%s: cannot be read, or is not a file", path);
    ssize_t n = pread(fd, head, sizeof head, 0);
    close(fd);
    if (n >= 4 && memcmp(head, "PK", 2) == 0 && (head[2] == 3 || head[2] == 5))
        add_arrays_of_archive(search, path, (struct path_parts){.step = TP_NULL_INT});
    else if (n == sizeof head && memcmp(head, "\x93NUMPY", 6) == 0)
        add_array(search, path, (struct path_parts){.name = without_suffix(base, ".npy"), .step = TP_NULL_INT});
    else {
        tp_inventory_add_trace(search, path);
        search->is_of_trace = true;
    }
    return TP_OK;
}

/* ---- all files of a folder ---- */

/* Compares two paths folder by folder, and by name within a folder, because '/' sorts before all other bytes. */
static int compare_by_path(const void *x, const void *y)
{
    const char *a = *(const char *const *)x, *b = *(const char *const *)y;
    while (*a && *a == *b) {
        a++;
        b++;
    }
    int p = *a == '/' ? 1 : *a ? 2 + (unsigned char)*a : 0, q = *b == '/' ? 1 : *b ? 2 + (unsigned char)*b : 0;
    return (p > q) - (p < q);
}

/* Returns the paths of a list in sorted order. list: paths that each end with a NUL. Sets *count to their number. */
static const char **sort_paths(struct tp_arena *arena, struct tp_str list, size_t *count)
{
    struct tp_vec paths = TP_VEC(arena, const char *);
    for (const char *path = list.ptr; path < list.ptr + list.len; path += strlen(path) + 1)
        *(const char **)tp_vec_push(&paths) = path;
    if (paths.count)
        qsort(paths.data, paths.count, sizeof(const char *), compare_by_path);
    *count = paths.count;
    return paths.data;
}

static void add_files(struct tp_inventory_search *search, const char *root, struct tp_str list)
{
    size_t skipped = strlen(root), count;
    const char **paths = sort_paths(search->arena, list, &count);
    struct tp_strings workers;
    tp_strings_init(&workers, search->arena, 0);
    while (skipped && root[skipped - 1] == '/')
        skipped--;
    for (size_t i = 0; i < count; i++) {
        const char *path = paths[i];
        struct tp_str relative = tp_str_of(path + skipped);
        while (relative.len && relative.ptr[0] == '/')
            relative = (struct tp_str){relative.ptr + 1, relative.len - 1};
        bool is_archive = tp_str_ends(relative, ".npz");
        struct path_parts path_parts =
            split_path_into_parts(search->arena, without_suffix(relative, is_archive ? ".npz" : ".npy"));
        search->worker = path_parts.worker.len ? tp_strings_add(&workers, path_parts.worker) : 0;
        if (is_archive)
            add_arrays_of_archive(search, path, path_parts);
        else
            add_array(search, path, path_parts);
    }
}

int tp_inventory_add_folder(struct tp_inventory_search *search, const char *path, struct tp_error *err)
{
    struct tp_buf list;
    tp_buf_init(&list, 0);
    int code = list_arrays(&list, path, err);
    size_t size = list.size;
    if (code == TP_OK)
        add_files(search, path, (struct tp_str){tp_buf_move(&list, search->arena), size});
    tp_buf_release(&list);
    return code;
}
