/* Names generated code: see jit_names.h. */
#include "collector/outside/code/jit_names.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/outside/code/jit_dump.h"
#include "collector/outside/processes/proc_files.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"

/* A process that generates code at run time. */
struct maker {
    uint32_t inner_pid; /* id of the process in its own namespace */
    uint32_t user;
    int folder;       /* descriptor of the process's /tmp; -1: its /tmp is that of the recorder */
    int dump;         /* descriptor of the process's dump; -1: none */
    int64_t since_ns; /* time at which the process first generated code, ns */
};

void tp_jit_names_init(struct tp_jit_names *names, struct tp_arena *arena, struct tp_code_places *places)
{
    *names = (struct tp_jit_names){.arena = arena,
                                   .places = places,
                                   .makers = TP_VEC(arena, struct maker),
                                   .left_bytes = TP_MAX_OUTSIDE_GENERATED_ALL_BYTES};
    tp_id_map_init(&names->ids, arena);
}

static void close_files_of_jit_process(struct tp_jit_names *names, struct maker *maker)
{
    int *const opened[] = {&maker->folder, &maker->dump};
    for (size_t i = 0; i < sizeof opened / sizeof *opened; i++) {
        if (*opened[i] < 0)
            continue;
        close(*opened[i]);
        *opened[i] = -1;
        names->open_count--;
    }
    maker->inner_pid = 0;
}

void tp_jit_names_release(struct tp_jit_names *names)
{
    for (size_t i = 0; i < names->makers.count; i++)
        close_files_of_jit_process(names, TP_AT(&names->makers, struct maker, i));
    *names = (struct tp_jit_names){0};
}

/* ---- processes ---- */

/* Returns a number from the line of /proc/PID/status that begins with `key`. is_last: true returns the last number,
 * which is the innermost process id after "NSpid:". false returns the second number, which is the effective user after
 * "Uid:". */
static uint32_t read_number_from_status(const char *status, const char *key, bool is_last)
{
    const char *at = strstr(status, key);
    uint32_t number = 0;
    at = at ? at + strlen(key) : "";
    for (int i = 0; *at == '\t' && (is_last || i < 2); i++) {
        char *end;
        number = (uint32_t)strtoul(at + 1, &end, 10);
        at = end;
    }
    return number;
}

/* Returns whether the process has the recorder's root directory. Otherwise it runs in a container. */
static bool has_recorder_root_folder(uint32_t pid)
{
    char path[64], space[64] = "", ours[64] = "";
    struct stat root, own;
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/ns/mnt", pid);
    bool is_known =
        readlink(path, space, sizeof space - 1) > 0 && readlink("/proc/self/ns/mnt", ours, sizeof ours - 1) > 0;
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/root", pid);
    return is_known && strcmp(space, ours) == 0 && stat(path, &root) == 0 && stat("/", &own) == 0 &&
           root.st_dev == own.st_dev && root.st_ino == own.st_ino;
}

static void read_ids_of_jit_process(struct maker *maker, struct tp_jit_names *names, const struct tp_perf_record *r,
                                    struct tp_buf *text)
{
    char path[64];
    uint32_t pid = r->pid;
    *maker = (struct maker){.folder = -1, .dump = -1, .since_ns = (int64_t)r->time_ns};
    if (!tp_proc_load_file(text, pid, "status"))
        return;
    maker->inner_pid = read_number_from_status(text->data, "\nNSpid:", true);
    maker->user = read_number_from_status(text->data, "\nUid:", false);
    if (has_recorder_root_folder(pid))
        return;
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/root/tmp", pid); /* a symbolic link would be followed from the
                                                                     * recorder's root, so O_NOFOLLOW rejects it */
    maker->folder = names->open_count < TP_MAX_OUTSIDE_GENERATED_OPEN
                        ? open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                        : -1;
    names->open_count += maker->folder >= 0;
    maker->inner_pid = maker->folder >= 0 ? maker->inner_pid : 0;
}

static struct maker *find_or_add_jit_process(struct tp_jit_names *names, const struct tp_perf_record *r,
                                             struct tp_buf *text)
{
    uint32_t *number = tp_id_map_find_or_add(&names->ids, r->pid);
    if (*number == TP_NO_ID) {
        *number = (uint32_t)names->makers.count;
        *(struct maker *)tp_vec_push(&names->makers) = (struct maker){.folder = -1, .dump = -1};
    }
    struct maker *maker = TP_AT(&names->makers, struct maker, *number);
    if (!maker->inner_pid) {
        close_files_of_jit_process(names, maker);
        read_ids_of_jit_process(maker, names, r, text);
    }
    return maker;
}

/* Opens the file of a mapping if it is the dump of its process. Does not follow links, because the path could have
 * become a link to another file since the mapping. */
static void open_dump(struct tp_jit_names *names, const struct tp_perf_record *r, struct maker *maker)
{
    struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
                           .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH};
    char path[64];
    struct stat info;
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/root", r->pid);
    int root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int dump = root >= 0 ? (int)syscall(SYS_openat2, root, r->text + 1, &how, sizeof how) : -1;
    if (root >= 0)
        close(root);
    if (dump >= 0 && (fstat(dump, &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != maker->user)) {
        close(dump);
        dump = -1;
    }
    maker->dump = dump;
    names->open_count += dump >= 0;
}

static void handle_mapping(struct tp_jit_names *names, const struct tp_perf_record *r, struct tp_buf *text)
{
    uint32_t dump_pid = tp_jit_dump_pid(r->text);
    if (!dump_pid && tp_code_file_number(names->places, tp_str_of(r->text)) != TP_CODE_JIT)
        return;
    struct maker *maker = find_or_add_jit_process(names, r, text);
    if (dump_pid && dump_pid == maker->inner_pid && maker->dump < 0 &&
        names->open_count < TP_MAX_OUTSIDE_GENERATED_OPEN)
        open_dump(names, r, maker);
}

void tp_jit_names_handle_record(struct tp_jit_names *names, const struct tp_perf_record *r, struct tp_buf *text)
{
    const uint32_t *number = r->type == PERF_RECORD_COMM && r->is_exec ? tp_id_map_find(&names->ids, r->pid) : NULL;
    struct maker *maker = number ? TP_AT(&names->makers, struct maker, *number) : NULL;
    /* ignores an exec from before the code was generated; its record can arrive later, because records of exec and of
     * mappings come from separate rings */
    if (maker && maker->since_ns < (int64_t)r->time_ns)
        close_files_of_jit_process(names, maker);
    if (r->type == PERF_RECORD_MMAP2)
        handle_mapping(names, r, text);
}

/* ---- names ---- */

static int compare_by_address(const void *x, const void *y, const void *context)
{
    const struct tp_jit_wanted *a = x, *b = y;
    (void)context;
    return a->address < b->address ? -1 : a->address > b->address;
}

static void store_found_names(struct tp_jit_names *names, const struct tp_jit_wanted *wanted, size_t count, int fd)
{
    char name[TP_JIT_NAME_BYTES], frame[TP_JIT_NAME_BYTES + 16];
    for (size_t i = 0; i < count; i++) {
        ssize_t size = wanted[i].name_bytes ? pread(fd, name, wanted[i].name_bytes, (off_t)wanted[i].name_at) : 0;
        if (size <= 0)
            continue;
        size_t length = tp_jit_write_frame(frame, sizeof frame, (struct tp_str){name, (size_t)size});
        TP_AT(&names->places->made, struct tp_jit_place, wanted[i].number)->name =
            tp_strings_add(&names->places->jit_texts, (struct tp_str){frame, length});
    }
}

/* Reads the names that the map file does not contain from the dump. */
static void read_dump_names(struct tp_jit_names *names, int dump, struct tp_jit_wanted *wanted, size_t count)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++)
        if (!wanted[i].name_bytes)
            wanted[left++] = wanted[i];
    tp_jit_dump_find_names(wanted, left, dump, &names->left_bytes);
    store_found_names(names, wanted, left, dump);
}

static void read_map_of_jit_process(struct tp_jit_names *names, const struct maker *maker, struct tp_jit_wanted *wanted,
                                    size_t count)
{
    char name[48];
    struct tp_input map;
    int folder = maker->folder >= 0 ? maker->folder : open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
    snprintf(name, sizeof name, "perf-%" PRIu32 ".map", maker->inner_pid);
    if (folder >= 0 && tp_input_open_in(&map, folder, name, maker->user, NULL) == TP_OK) {
        tp_jit_map_find_names(wanted, count, &map, &names->left_bytes);
        store_found_names(names, wanted, count, map.fd);
        close(map.fd);
    }
    if (folder >= 0 && folder != maker->folder)
        close(folder);
}

void tp_jit_names_read(struct tp_jit_names *names, uint32_t pid, uint32_t image)
{
    const uint32_t *number = tp_id_map_find(&names->ids, pid);
    struct maker *maker = number ? TP_AT(&names->makers, struct maker, *number) : NULL;
    struct tp_vec list = TP_VEC(names->arena, struct tp_jit_wanted);
    const struct tp_jit_place *made = names->places->made.data;
    if (!maker || !maker->inner_pid || !image)
        return;
    for (uint32_t i = 0; i < names->places->made.count; i++)
        if (made[i].image == image)
            *(struct tp_jit_wanted *)tp_vec_push(&list) =
                (struct tp_jit_wanted){.address = made[i].address, .number = i};
    if (list.count) {
        tp_merge_sort(names->arena, list.data, list.count, sizeof(struct tp_jit_wanted), compare_by_address, NULL);
        read_map_of_jit_process(names, maker, list.data, list.count);
        if (maker->dump >= 0)
            read_dump_names(names, maker->dump, list.data, list.count);
    }
    close_files_of_jit_process(names, maker);
}
