/* Reads dumps of generated code: see jit_dump.h. */
#include "collector/outside/code/jit_dump.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "writer/base/limits.h"

enum { WINDOW_BYTES = 1 << 14, CODE_LOAD = 0, MAGIC = 0x4A695444 };

/* File header, record header, and the remaining fields of a "code load" record up to the name. */
struct file_head {
    uint32_t magic, version, total_size, machine, padding, pid;
    uint64_t time, flags;
};

struct record_head {
    uint32_t kind, total_size;
    uint64_t time;
};

struct code_load {
    uint32_t pid, tid;
    uint64_t virtual_address, address, size, index;
};

/* Part of the file that is loaded into memory. */
struct window {
    int fd;
    uint64_t place; /* file offset of bytes[0] */
    size_t size;
    uint64_t left_bytes; /* number of bytes that the read limit still allows to read from the file */
    char bytes[WINDOW_BYTES];
};

uint32_t tp_jit_dump_pid(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *end;
    if (path[0] != '/' || strncmp(slash, "/jit-", 5) != 0 || !tp_is_digit(slash[5]))
        return 0;
    unsigned long pid = strtoul(slash + 5, &end, 10);
    return pid <= INT32_MAX && strcmp(end, ".dump") == 0 ? (uint32_t)pid : 0;
}

/* Returns a pointer to the file's bytes at offset `place`, and sets *size to their number. The number is at least
 * `wanted`, except at the end of the file or of the read limit. */
static const char *read_window(struct window *w, uint64_t place, size_t wanted, size_t *size)
{
    if (place < w->place || place - w->place > w->size || w->size - (size_t)(place - w->place) < wanted) {
        size_t room = sizeof w->bytes < w->left_bytes ? sizeof w->bytes : (size_t)w->left_bytes;
        ssize_t got = place <= INT64_MAX ? pread(w->fd, w->bytes, room, (off_t)place) : -1;
        w->place = place;
        w->size = got > 0 ? (size_t)got : 0;
        w->left_bytes -= w->size;
    }
    size_t skip = (size_t)(place - w->place);
    *size = w->size - skip;
    return w->bytes + skip;
}

/* Copies `size` bytes at file offset `place` to `part`. Returns false if the file is shorter. */
static bool copy_from_window(void *part, struct window *w, uint64_t place, size_t size)
{
    size_t there;
    const char *at = read_window(w, place, size, &there);
    if (there >= size)
        memcpy(part, at, size);
    return there >= size;
}

/* Reads the name from a "code load" record whose fields begin at file offset `place`. Returns false if the record has
 * no name. */
static bool read_code_load_record(struct tp_jit_name *name, struct window *w, uint64_t place, uint64_t record_bytes)
{
    struct code_load load;
    size_t size;
    if (record_bytes < sizeof load || !copy_from_window(&load, w, place, sizeof load))
        return false;
    uint64_t most = record_bytes - sizeof load < TP_JIT_NAME_BYTES ? record_bytes - sizeof load : TP_JIT_NAME_BYTES;
    *name = (struct tp_jit_name){.start = load.address, .length = load.size, .at = place + sizeof load};
    const char *at = read_window(w, name->at, (size_t)most, &size);
    name->bytes = strnlen(at, size < most ? size : (size_t)most);
    return name->bytes > 0;
}

/* Returns the file offset of the first record, or 0 if the file is not a jitdump. */
static uint64_t first_record_offset(struct window *w)
{
    struct file_head file;
    bool is_dump = copy_from_window(&file, w, 0, sizeof file) && file.magic == MAGIC && file.total_size >= sizeof file;
    return is_dump ? file.total_size : 0;
}

void tp_jit_dump_find_names(struct tp_jit_wanted *wanted, size_t count, int dump, uint64_t *left_bytes)
{
    uint64_t most = *left_bytes < TP_MAX_OUTSIDE_GENERATED_BYTES ? *left_bytes : TP_MAX_OUTSIDE_GENERATED_BYTES;
    uint64_t hits_left = TP_MAX_OUTSIDE_GENERATED_HITS;
    struct window w = {.fd = dump, .left_bytes = most};
    struct record_head record;
    struct tp_jit_name name;
    uint64_t place = first_record_offset(&w);
    while (place && hits_left && copy_from_window(&record, &w, place, sizeof record) &&
           record.total_size >= sizeof record) {
        if (record.kind == CODE_LOAD &&
            read_code_load_record(&name, &w, place + sizeof record, record.total_size - sizeof record))
            tp_jit_name(wanted, count, name, &hits_left);
        place += record.total_size;
    }
    *left_bytes -= most - w.left_bytes;
}
