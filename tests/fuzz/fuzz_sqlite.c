/* Reads arbitrary bytes as a database of Nsight Systems, rocprofv3 or rocmProfileData. The trace of a readable database
 * must be usable, and a second read must give the same events. */
#include <stdlib.h>

#include "tests/fuzz/scratch_files.h"
#include "webreport/trace/inputs/sqlite/range_text.h"
#include "webreport/trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads the database. Returns the number of events; -1 if it is refused. */
static int64_t read_database(const uint8_t *data, size_t size, struct tp_arena *arena)
{
    const struct tp_trace_options options = {.single_thread = true, .skips_hash = true, .wants_arguments = true};
    struct tp_error err = {0};
    volatile int64_t count = -1;
    tp_arena_init(arena, 256u << 20);
    if (setjmp(arena->guard) == 0) {
        struct tp_trace *trace = tp_arena_alloc(arena, sizeof *trace);
        if (tp_trace_read_bytes(trace, arena, data, size, &options, &err) == TP_OK)
            count = trace->event_count;
        else
            abort_unless(err.text[0]);
        for (int64_t i = 0; i < count; i++)
            abort_unless(trace->events[i].dur_ns >= 0 && trace->events[i].thread < trace->thread_count &&
                         trace->events[i].name < trace->names.count);
    }
    return count;
}

/* Decodes the bytes as the text of a range. All results are parts of the text. */
static void decode_text(const uint8_t *data, size_t size)
{
    struct tp_range_text text = tp_range_text_decode((struct tp_str){(const char *)data, size});
    int64_t number;
    abort_unless(text.name.len <= size);
    abort_unless(tp_range_text_split(text.name, &number).len <= size + 1);
    tp_range_text_is_step_word(text.name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char magic[] = "SQLite format 3";
    struct tp_arena arena;
    if (size < sizeof magic || memcmp(data, magic, sizeof magic) != 0) {
        decode_text(data, size);
        return 0;
    }
    setenv("TMPDIR", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", 1);
    int64_t first = read_database(data, size, &arena);
    tp_arena_release(&arena);
    int64_t second = read_database(data, size, &arena);
    tp_arena_release(&arena);
    abort_unless(first == second);
    return 0;
}
