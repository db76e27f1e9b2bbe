/* Reads arbitrary bytes as a trace of several ranks: lists the ranks of a file, and reads the first ones. Only events
 * of the whole file may be in a rank. Also finds the time of the file. */
#include <stdlib.h>

#include "tests/fuzz/scratch_files.h"
#include "webreport/trace/file_head.h"
#include "webreport/trace/file_parts.h"
#include "webreport/trace/trace.h"
#include "writer/base/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_part(const char *path, const struct tp_input_part *part)
{
    struct tp_trace_options options = {.single_thread = true, .skips_hash = true, .part = part};
    struct tp_arena arena;
    struct tp_trace trace;
    tp_arena_init(&arena, 256u << 20);
    if (setjmp(arena.guard) == 0 && tp_trace_read(&trace, &arena, path, &options, NULL) == TP_OK)
        for (uint32_t i = 0; i < trace.event_count; i++)
            abort_unless(trace.events[i].thread < trace.thread_count && trace.events[i].name < trace.names.count &&
                         (i == 0 || trace.events[i - 1].ordinal < trace.events[i].ordinal));
    tp_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { READ_PARTS = 3 };
    char path[SCRATCH_PATH];
    struct tp_file_times times;
    struct tp_arena arena;
    int fd = make_scratch_file(data, size, path);
    tp_arena_init(&arena, 256u << 20);
    if (setjmp(arena.guard) == 0) {
        struct tp_vec parts = TP_VEC(&arena, struct tp_input_part);
        tp_file_parts_find(&parts, path);
        abort_unless(parts.count <= TP_MAX_INPUT_PARTS);
        for (size_t i = 0; i < parts.count && i < READ_PARTS; i++)
            read_part(path, TP_AT(&parts, struct tp_input_part, i));
    }
    tp_arena_release(&arena);
    if (tp_file_head_times(&times, path))
        abort_unless(times.start_ns <= times.end_ns);
    close(fd);
    return 0;
}
