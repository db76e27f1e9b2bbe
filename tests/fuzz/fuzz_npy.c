/* Reads arbitrary bytes as .npy or .npz. A file that can be opened must equal itself, and memory use must be
 * limited. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "webreport/compare/tensors/array_compare.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void compare_arrays(const char *path, const struct tp_zip_entry *entry)
{
    const struct tp_tolerance tolerance = {0, 0};
    struct tp_array_pair pair = {.base = {path, entry}, .new = {path, entry}, .base_is_bfloat16 = true, true};
    struct tp_difference difference;
    struct tp_npy heads[2];
    bool is_new;
    if (tp_compare(&difference, heads, &pair, &tolerance, &is_new, NULL) < 0)
        return;
    if (difference.mismatch_count || difference.max_abs > 0 || difference.count != heads[0].count)
        abort();
}

/* Reads small arrays in C order, whatever order the file has. */
static void read_in_order(const char *path)
{
    enum { PART = 256, MOST = 1 << 16 };
    const struct tp_array_place place = {path, NULL};
    struct tp_array *array = NULL;
    struct tp_npy npy;
    double values[PART];
    uint64_t wide[PART];
    int code = tp_array_open(&array, &npy, &place, NULL);
    if (code == TP_OK && npy.count <= MOST)
        code = tp_array_convert_to_c_order(array, NULL);
    for (uint64_t at = 0; code == TP_OK && npy.count <= MOST && at < npy.count; at += PART)
        code = tp_array_read(array, &npy, npy.count - at < PART ? npy.count - at : PART, values, wide, NULL);
    tp_array_close(array);
}

static void read_archive(const char *path, int fd, size_t size)
{
    struct tp_arena arena;
    tp_arena_init(&arena, 64u << 20);
    if (setjmp(arena.guard) == 0) {
        struct tp_zip *zip = tp_arena_alloc(&arena, sizeof *zip);
        if (tp_zip_read(zip, &arena, fd, size, 16u << 20, NULL) == TP_OK)
            for (uint32_t i = 0; i < zip->count && i < 16; i++)
                compare_arrays(path, &zip->entries[i]);
    }
    tp_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    compare_arrays(path, NULL);
    read_in_order(path);
    read_archive(path, fd, size);
    close(fd);
    return 0;
}
