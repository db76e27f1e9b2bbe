/* Lists files that may be inputs: see file_list.h. */
#include "webreport/ask/file_list.h"

#include <stdio.h>
#include <unistd.h>

#include "webreport/trace/file_head.h"
#include "webreport/trace/rundir.h"
#include "writer/base/input.h"
#include "writer/base/limits.h"
#include "writer/base/sha256.h"
#include "writer/base/sort.h"

enum { HEAD_BYTES = 1 << 16, TAIL_BYTES = 1 << 12, ID_DIGITS = 12 };

static int compare_paths(const void *x, const void *y, const void *context)
{
    (void)context;
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static bool has_known_ending(const char *path)
{
    static const char *const endings[] = {".json",   ".json.gz", ".tps",  ".pftrace", ".perfetto-trace",
                                          ".sqlite", ".db",      ".nsys", ".pickle",  ".pkl"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (tp_str_ends(tp_str_of(path), endings[i]))
            return true;
    return false;
}

void tp_file_list_find(struct tp_vec *paths, const char *folder)
{
    size_t before = paths->count, kept = before;
    tp_rundir_find_named(paths, folder, "", NULL);
    const char **items = paths->data;
    for (size_t i = before; i < paths->count; i++)
        if (has_known_ending(items[i]))
            items[kept++] = items[i];
    paths->count = kept;
    if (kept > before)
        tp_merge_sort(paths->arena, items + before, kept - before, sizeof *items, compare_paths, NULL);
    if (paths->count > TP_MAX_ASK_FILES)
        paths->count = TP_MAX_ASK_FILES;
}

static bool add_part(struct tp_sha256 *sha, const struct tp_input *input, uint64_t from, size_t size)
{
    char part[HEAD_BYTES];
    size_t got = 0;
    bool is_read = lseek(input->fd, (off_t)from, SEEK_SET) >= 0 && tp_input_read(&got, input, part, size, 0, NULL) == 0;
    if (is_read)
        tp_sha256_add(sha, part, got);
    return is_read;
}

static void write_id(char id[13], struct tp_sha256 *sha)
{
    uint8_t digest[32];
    char hex[65];
    tp_sha256_end(sha, digest);
    tp_sha256_hex(digest, hex);
    memcpy(id, hex, ID_DIGITS);
    id[ID_DIGITS] = '\0';
}

static bool identify_file(char id[13], const char *path)
{
    struct tp_sha256 sha;
    struct tp_input input;
    char size[24];
    if (tp_input_open(&input, path, TP_INPUT_FILE, NULL) < 0)
        return false;
    tp_sha256_init(&sha);
    uint64_t tail = input.size > TAIL_BYTES ? input.size - TAIL_BYTES : 0;
    bool is_read = add_part(&sha, &input, 0, HEAD_BYTES) && add_part(&sha, &input, tail, TAIL_BYTES);
    close(input.fd);
    tp_sha256_add(&sha, size, (size_t)snprintf(size, sizeof size, "%llu", (unsigned long long)input.size));
    write_id(id, &sha);
    return is_read;
}

bool tp_file_list_id(char id[13], const char *path, bool is_folder, struct tp_arena *arena)
{
    struct tp_vec paths = TP_VEC(arena, const char *);
    struct tp_sha256 sha;
    size_t length = strlen(path);
    if (!is_folder)
        return identify_file(id, path);
    tp_file_list_find(&paths, path);
    tp_sha256_init(&sha);
    for (size_t i = 0; i < paths.count; i++) {
        const char *file = *TP_AT(&paths, const char *, i);
        char own[13] = "";
        identify_file(own, file);
        tp_sha256_add(&sha, file + length, strlen(file + length) + 1);
        tp_sha256_add(&sha, own, sizeof own);
    }
    write_id(id, &sha);
    return true;
}

void tp_file_list_identify(struct tp_file_identity *identity, const char *folder, struct tp_arena *arena)
{
    struct tp_vec paths = TP_VEC(arena, const char *);
    uint64_t hash = 0;
    identity->size = 0;
    tp_file_list_find(&paths, folder);
    for (size_t i = 0; i < paths.count; i++) {
        struct stat info;
        const char *file = *TP_AT(&paths, const char *, i);
        hash = tp_hash_mix(hash ^ tp_hash_bytes(file, strlen(file)), 0x9E3779B97F4A7C15ull);
        if (stat(file, &info) != 0)
            continue;
        identity->size += (uint64_t)info.st_size;
        hash = tp_hash_mix(hash ^ (uint64_t)tp_input_modified_ns(&info), (uint64_t)info.st_ino | 1);
    }
    identity->modified_ns = (int64_t)hash;
}

const char *tp_file_list_kind(const char *path)
{
    bool is_summary = tp_str_ends(tp_str_of(path), ".tps");
    return is_summary                       ? "summary"
           : tp_file_head_is_snapshot(path) ? "snapshot"
           : tp_file_head_is_trace(path)    ? "trace"
           : tp_file_head_format(path)      ? "trace"
                                            : "other";
}
