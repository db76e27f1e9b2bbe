/* Recovers arbitrary bytes as a spool. The result must be a trace in strict JSON, or the spool must be refused. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "webreport/trace/trace.h"
#include "writer/spool/spool_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Creates a file with these bytes, which is deleted when its descriptor is closed. */
static int make_temporary_file(const uint8_t *data, size_t size, char *path)
{
    int fd = memfd_create("spool", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

/* Reads the written trace with the strict reader, which refuses everything except JSON. */
static void read_written_trace(const char *path)
{
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_error err = {0};
    const struct tp_trace_options strict = {.is_strict = true, .single_thread = true};
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard) == 0 && tp_trace_read(&trace, &arena, path, &strict, &err) != TP_OK)
        abort();
    tp_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char spool[64], trace[] = "/tmp/tracepress-fuzz-XXXXXX";
    struct tp_error err = {0};
    int fd = make_temporary_file(data, size, spool), out = mkstemp(trace);
    if (out < 0)
        abort();
    if (tp_spool_trace(spool, trace, false, NULL, NULL, &err) == 0)
        read_written_trace(trace);
    unlink(trace);
    close(out);
    close(fd);
    return 0;
}
