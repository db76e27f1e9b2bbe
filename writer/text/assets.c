/* Finds the files of templates/ that are built into the program (see templates/embed.sh), and their replacements on
 * disk. */
#include "writer/text/assets.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "writer/base/input.h"
#include "writer/base/limits.h"

struct asset {
    const char *name; /* path from the root of the repository: templates/... */
    const char *bytes;
    uint64_t size;
};

extern const struct asset tp_assets_embedded[] __attribute__((visibility("hidden"))); /* table of the files; the last
                                                                                       * entry has a NULL name */

enum { PREFIX = sizeof "templates/" - 1 };

void tp_assets_init(struct tp_assets *assets, struct tp_arena *arena, const char *folder)
{
    *assets = (struct tp_assets){.arena = arena, .folder = folder};
}

/* Returns whether a template name is safe as a path. A safe name has only letters, digits and - _ . /, and no part
 * begins with a dot. */
static bool is_safe_asset_name(struct tp_str name)
{
    bool starts_part = true;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool is_word =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
        if (!is_word && (starts_part || (c != '.' && c != '/')))
            return false;
        starts_part = c == '/';
    }
    return name.len > 0 && name.len < 128 && !starts_part;
}

static int report_io_error(struct tp_error *err, const char *path)
{
    return tp_error_set(err, TP_EIO, 0, "%s: %s", path, strerror(errno));
}

/* Reads a whole file of known size. Allocates nothing while the file is open, because an allocation may jump to the
 * arena's guard. */
static int read_file(const char *path, char *to, size_t size, struct tp_error *err)
{
    struct tp_input input;
    struct tp_error why = {0};
    size_t have = 0;
    int code = tp_input_open(&input, path, TP_INPUT_FILE, &why);
    if (code == TP_OK) {
        code = tp_input_read(&have, &input, to, size, 0, &why);
        close(input.fd);
    }
    if (code < 0)
        return tp_error_set(err, TP_EIO, 0, "%s: %s", path, why.text);
    if (have < size)
        return tp_error_set(err, TP_EIO, 0, "%s: became shorter while it was read", path);
    return code;
}

static int get_from_folder(const struct tp_assets *assets, struct tp_str name, struct tp_str *text,
                           struct tp_error *err)
{
    char path[4096];
    struct stat info;
    int length = snprintf(path, sizeof path, "%s/%.*s", assets->folder, (int)name.len, name.ptr);
    if (length < 0 || (size_t)length >= sizeof path)
        return tp_error_set(err, TP_EIO, 0, "%s: path is too long", assets->folder);
    if (stat(path, &info))
        return errno == ENOENT || errno == ENOTDIR ? TP_ENOTFOUND : report_io_error(err, path);
    if (!S_ISREG(info.st_mode))
        return tp_error_set(err, TP_EIO, 0, "%s: is no regular file", path);
    if (info.st_size > TP_MAX_TEMPLATE_BYTES)
        return tp_error_set(err, TP_ELIMIT, 0, "%s: longer than 1 MiB", path);
    size_t size = (size_t)info.st_size;
    char *bytes = tp_arena_alloc(assets->arena, size + 1);
    int code = read_file(path, bytes, size, err);
    *text = (struct tp_str){bytes, size};
    return code;
}

struct tp_str tp_assets_name(size_t index)
{
    const char *name = tp_assets_embedded[index].name;
    return name ? tp_str_of(name + PREFIX) : (struct tp_str){0};
}

int tp_assets_get(const struct tp_assets *assets, struct tp_str name, struct tp_str *text, struct tp_error *err)
{
    int shown = name.len > 100 ? 100 : (int)name.len;
    int code = TP_ENOTFOUND;
    if (assets->folder && is_safe_asset_name(name))
        code = get_from_folder(assets, name, text, err);
    for (size_t i = 0; code == TP_ENOTFOUND && tp_assets_embedded[i].name; i++) {
        if (!tp_str_equal(tp_assets_name(i), name))
            continue;
        *text = (struct tp_str){tp_assets_embedded[i].bytes, tp_assets_embedded[i].size};
        code = 0;
    }
    if (code == TP_ENOTFOUND)
        tp_error_set(err, code, 0, "no template file %.*s", shown, name.ptr);
    return code;
}

/* Removes the spaces at the beginning of lines, which only make the template readable. Spaces that belong to the
 * output come from values. */
static struct tp_str remove_indentation(struct tp_arena *arena, struct tp_str text)
{
    char *to = tp_arena_alloc(arena, text.len + 1);
    size_t size = 0;
    bool is_begin = true;
    for (size_t i = 0; i < text.len; i++) {
        bool is_blank = text.ptr[i] == ' ' || text.ptr[i] == '\t';
        if (is_begin && is_blank)
            continue;
        is_begin = text.ptr[i] == '\n';
        to[size++] = text.ptr[i];
    }
    return (struct tp_str){to, size};
}

int tp_assets_load(void *assets, struct tp_str name, struct tp_str *text, struct tp_error *err)
{
    char file[160];
    if (name.len > 120)
        return TP_ENOTFOUND;
    memcpy(file, name.ptr, name.len);
    memcpy(file + name.len, ".html", sizeof ".html");
    int code = tp_assets_get(assets, (struct tp_str){file, name.len + 5}, text, err);
    if (code)
        return code;
    *text = remove_indentation(((const struct tp_assets *)assets)->arena, *text);
    return TP_OK;
}
