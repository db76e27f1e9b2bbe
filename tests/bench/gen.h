/* The modules of gen_trace: gen_record.c records slices with simulated clocks, gen_program.c simulates the program, and
 * gen_trace.c writes the text. */
#ifndef TP_TESTS_BENCH_GEN_H
#define TP_TESTS_BENCH_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

enum row { MAIN, AUTOGRAD, COMPUTE, COLLECTIVES, COPIES, ROWS };
enum cat { OPERATOR, ANNOTATION, PYTHON, RUNTIME, KERNEL, MEMCPY, SYNC, GPU_ANNOTATION, CATS };

struct options {
    int64_t events;
    uint64_t seed;
    int era, rank, ranks, layers;
    bool graphs, hostile;
    const char *out;
};

/* A slice, an instant or a flow end of the current step. Records are in the order of the file. */
struct record {
    int64_t ts, end;
    uint64_t flow;
    size_t name, args; /* offsets in the member `text` of struct gen, bytes */
    char ph;           /* phase of the event: X, i, s or f */
    uint8_t row, cat;
};

struct gen {
    struct options opt;
    gzFile file;
    uint64_t random, written, ids, correlations, flows, sequence, python_ids;
    /* current time of each row, ns: the clock of a host thread, or the time from which a stream is free */
    int64_t now[ROWS];
    struct record *records;
    size_t count, capacity;
    char *text;
    size_t text_size, text_capacity;
    int64_t allocated, reserved;
    int64_t blocks[64];
    unsigned block_count;
    uint64_t layer_flow[256], layer_sequence[256];
};

struct kernel {
    const char *name;
    int64_t length;
    int grid, block, registers, shared, occupancy;
};

extern const int gen_stream_of[ROWS];

_Noreturn void gen_exit_with_error(const char *why);
/* Returns a random number from `low` to `high`, which depends only on the seed and the previous calls. */
int64_t gen_random_between(struct gen *g, int64_t low, int64_t high);
int gen_pid(const struct gen *g, int row);
/* Adds a text that is valid until the step is written. Returns the offset in g->text, bytes. */
size_t gen_add_text(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Starts a slice at the current time of the row. Returns the index of its record. Records are in the order of their
 * starts. */
size_t gen_begin_slice(struct gen *g, int row, int cat, const char *name);
void gen_end_slice(struct gen *g, size_t record);
void gen_add_flow(struct gen *g, char ph, int row, int64_t ts, uint64_t id, int cat);
/* Adds an operator with its ids and shapes. In traces of era 2026 (gen_trace.c) it also has a call stack. Returns the
 * index of its record. */
size_t gen_add_operator(struct gen *g, int row, const char *name, const char *dims, const char *types,
                        uint64_t sequence);
size_t gen_add_annotation(struct gen *g, int row, const char *name);
/* Adds a Python frame (`module` < 0) or the call of a module. Returns SIZE_MAX if traces of that era have no frames. */
size_t gen_add_frame(struct gen *g, const char *name, int module);
void gen_end_frame(struct gen *g, size_t record);
/* Adds a runtime call of `length` ns. Returns its correlation id. */
uint64_t gen_add_runtime_call(struct gen *g, int row, const char *name, int64_t length);
size_t gen_add_kernel(struct gen *g, int stream, const struct kernel *k, uint64_t correlation, int64_t launched,
                      const char *more);
void gen_add_launch(struct gen *g, int row, int stream, const struct kernel *k, const char *more);
/* Adds a cudaMemcpyAsync. With `wait`, also adds a cudaStreamSynchronize that lasts until the stream is idle. */
void gen_add_copy(struct gen *g, int row, const char *direction, int64_t bytes, bool wait);
/* Allocates a block (`bytes` > 0), or frees the newest block of the caching allocator (`bytes` < 0). */
void gen_allocate(struct gen *g, int row, int64_t bytes);
/* Records one training step. */
void gen_train_step(struct gen *g, int step);

#endif
