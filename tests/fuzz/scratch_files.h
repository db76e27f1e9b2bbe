/* Provides temporary files, parsing of the input, and checks of results for several fuzz targets. */
#ifndef TP_TESTS_FUZZ_SCRATCH_FILES_H
#define TP_TESTS_FUZZ_SCRATCH_FILES_H

#include <ftw.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "webreport/trace/json/strict.h"
#include "writer/base/buf.h"

enum { SCRATCH_PATH = 64 };

static inline void abort_unless(bool good)
{
    if (!good)
        abort();
}

/* Creates a file with these bytes and stores its name in `path`. The file is deleted when the caller closes the
 * returned descriptor. */
static inline int make_scratch_file(const void *data, size_t size, char path[SCRATCH_PATH])
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    abort_unless(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, SCRATCH_PATH, "/proc/self/fd/%d", fd);
    return fd;
}

/* Creates a folder, in memory if the system has such a file system, because files are synced after writing. */
static inline void make_scratch_folder(char path[SCRATCH_PATH])
{
    snprintf(path, SCRATCH_PATH, "%s/tracepress-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    abort_unless(mkdtemp(path) != NULL);
}

static inline int remove_scratch_entry(const char *path, const struct stat *status, int flag, struct FTW *place)
{
    (void)status, (void)flag, (void)place;
    return remove(path);
}

static inline void remove_scratch_folder(const char *path)
{
    nftw(path, remove_scratch_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static inline bool is_strict_json(const void *text, size_t size)
{
    struct tp_strict strict;
    tp_strict_init(&strict);
    return tp_strict_feed(&strict, text, size, NULL) == 0 && tp_strict_end(&strict, NULL) == 0;
}

/* Rest of the fuzz input, from which a target takes numbers and texts. After the end, numbers are 0 and texts are
 * empty. */
struct taken {
    const uint8_t *at, *end;
};

static inline uint64_t take_number_from_input(struct taken *from, size_t bytes)
{
    uint64_t number = 0;
    for (size_t i = 0; i < bytes && from->at < from->end; i++)
        number |= (uint64_t)*from->at++ << (8 * i);
    return number;
}

static inline size_t take_size_from_input(const struct taken *from, size_t wanted)
{
    size_t left = (size_t)(from->end - from->at);
    return wanted < left ? wanted : left;
}

#endif
