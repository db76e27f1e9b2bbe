/* Records the slices, instants and flow ends of one step. Each thread and each stream has its own clock. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/gen.h"

const int gen_stream_of[ROWS] = {0, 0, 7, 20, 22};

_Noreturn void gen_exit_with_error(const char *why)
{
    fprintf(stderr, "gen_trace: %s\n", why);
    exit(2);
}

int64_t gen_random_between(struct gen *g, int64_t low, int64_t high) /* returns ns */
{
    g->random ^= g->random << 13;
    g->random ^= g->random >> 7;
    g->random ^= g->random << 17;
    return low + (int64_t)(g->random % (uint64_t)(high - low + 1));
}

int gen_pid(const struct gen *g, int row)
{
    return row >= COMPUTE ? g->opt.rank % 8 : 4000 + g->opt.rank;
}

static size_t add_text(struct gen *g, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    if (n < 0)
        gen_exit_with_error("text");
    if (g->text_size + (size_t)n + 1 > g->text_capacity) {
        g->text_capacity = g->text_capacity * 2 + (size_t)n + 4096;
        g->text = realloc(g->text, g->text_capacity);
        if (!g->text)
            gen_exit_with_error("no memory");
    }
    size_t at = g->text_size;
    vsnprintf(g->text + at, (size_t)n + 1, format, again);
    va_end(again);
    g->text_size += (size_t)n + 1;
    return at;
}

size_t gen_add_text(struct gen *g, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t at = add_text(g, format, args);
    va_end(args);
    return at;
}

static size_t add_record(struct gen *g, char ph, int row, int cat, int64_t ts)
{
    if (g->count == g->capacity) {
        g->capacity = g->capacity * 2 + 1024;
        g->records = realloc(g->records, g->capacity * sizeof *g->records);
        if (!g->records)
            gen_exit_with_error("no memory");
    }
    g->records[g->count] = (struct record){.ts = ts, .end = ts, .ph = ph, .row = (uint8_t)row, .cat = (uint8_t)cat};
    return g->count++;
}

/* Returns the name. With --hostile, replaces one of ten names by a hostile text that is already escaped for JSON:
 * markup, quotes, control characters, formulas, bidirectional marks or surrogates. */
static const char *name_or_hostile_text(struct gen *g, const char *name)
{
    static const char *const payloads[] = {"<script>alert(1)</script>",
                                           "\\\"'><img src=x onerror=alert(1)>",
                                           "=HYPERLINK(\\\"x\\\")",
                                           "\\u001b[31mred\\u001b[0m",
                                           "\\u202Eabc",
                                           "a\\u0000b",
                                           "{{{x}}}</title>",
                                           "\\u3042\\ud83d\\ude00",
                                           "|`*_#[x](y)"};
    if (!g->opt.hostile || strncmp(name, "ProfilerStep", 12) == 0 || gen_random_between(g, 0, 9))
        return name;
    return payloads[gen_random_between(g, 0, 8)];
}

size_t gen_begin_slice(struct gen *g, int row, int cat, const char *name)
{
    size_t at = add_record(g, 'X', row, cat, g->now[row]);
    g->records[at].name = gen_add_text(g, "%s", name_or_hostile_text(g, name));
    g->records[at].args = gen_add_text(g, "%s", "");
    g->now[row] += gen_random_between(g, 900, 2600);
    return at;
}

void gen_end_slice(struct gen *g, size_t record)
{
    int row = g->records[record].row;
    g->now[row] += gen_random_between(g, 400, 1500);
    g->records[record].end = g->now[row];
}

void gen_add_flow(struct gen *g, char ph, int row, int64_t ts, uint64_t id, int cat)
{
    size_t at = add_record(g, ph, row, cat, ts);
    g->records[at].flow = id;
}

/* Adds an operator with its ids and shapes. In traces of era 2026 (gen_trace.c) it also has a call stack. Returns the
 * index of its record. */
size_t gen_add_operator(struct gen *g, int row, const char *name, const char *dims, const char *types,
                        uint64_t sequence)
{
    size_t at = gen_begin_slice(g, row, OPERATOR, name);
    const char *dims_key = g->opt.era == 2021 ? "Input dims" : "Input Dims";
    const char *stack = "";
    char extra[96] = "";
    if (sequence)
        snprintf(extra, sizeof extra, ", \"Sequence number\": %" PRIu64 ", \"Fwd thread id\": %d", sequence,
                 row == AUTOGRAD);
    if (g->opt.era == 2026 && row == MAIN)
        stack = ", \"Call stack\": \"torch/nn/modules/module.py(1782): _call_impl;train.py(31): forward;train.py(88): "
                "step;\"";
    g->records[at].args = gen_add_text(g, "\"External id\": %" PRIu64 "%s%s, \"%s\": %s, \"Input type\": %s", ++g->ids,
                                       extra, stack, dims_key, dims, types);
    return at;
}

size_t gen_add_annotation(struct gen *g, int row, const char *name)
{
    size_t at = gen_begin_slice(g, row, ANNOTATION, name);
    g->records[at].args = gen_add_text(g, "\"External id\": %" PRIu64, ++g->ids);
    return at;
}

/* Adds a Python frame. Traces have frames since 2022. */
size_t gen_add_frame(struct gen *g, const char *name, int module)
{
    if (g->opt.era == 2021)
        return SIZE_MAX;
    size_t at = gen_begin_slice(g, MAIN, PYTHON, name);
    uint64_t id = ++g->python_ids;
    g->records[at].args =
        module >= 0
            ? gen_add_text(g, "\"Python id\": %" PRIu64 ", \"Python parent id\": null, \"Python module id\": %d", id,
                           module)
            : gen_add_text(g, "\"Python id\": %" PRIu64 ", \"Python parent id\": null", id);
    return at;
}

void gen_end_frame(struct gen *g, size_t record)
{
    if (record != SIZE_MAX)
        gen_end_slice(g, record);
}

/* Adds a runtime call of `length` ns. Returns its correlation id. */
uint64_t gen_add_runtime_call(struct gen *g, int row, const char *name, int64_t length)
{
    size_t at = gen_begin_slice(g, row, RUNTIME, name);
    uint64_t correlation = ++g->correlations;
    g->records[at].args = gen_add_text(g, "\"%s\": %" PRIu64 ", \"cbid\": 211, \"correlation\": %" PRIu64,
                                       g->opt.era == 2021 ? "external id" : "External id", g->ids, correlation);
    g->now[row] = g->records[at].ts + length;
    g->records[at].end = g->now[row];
    return correlation;
}

/* Adds a device operation, which starts when it is launched and its stream is free. Returns the index of its record. */
static size_t add_device_operation(struct gen *g, int stream, int cat, const struct kernel *work, uint64_t correlation,
                                   int64_t launched)
{
    int64_t start = launched + gen_random_between(g, 1500, 4000);
    start = start > g->now[stream] ? start : g->now[stream] + gen_random_between(g, 0, 900);
    gen_add_flow(g, 's', MAIN, launched, correlation, RUNTIME);
    size_t at = add_record(g, 'X', stream, cat, start);
    g->records[at].name = gen_add_text(g, "%s", name_or_hostile_text(g, work->name));
    g->records[at].end = g->now[stream] = start + work->length;
    gen_add_flow(g, 'f', stream, start, correlation, cat);
    return at;
}

size_t gen_add_kernel(struct gen *g, int stream, const struct kernel *k, uint64_t correlation, int64_t launched,
                      const char *more)
{
    double blocks = (double)k->grid / 108.0;
    struct kernel work = {.name = k->name, .length = k->length + gen_random_between(g, 0, k->length / 8 + 1)};
    size_t at = add_device_operation(g, stream, KERNEL, &work, correlation, launched);
    g->records[at].args = gen_add_text(
        g,
        "\"%s\": %" PRIu64 ", \"queued\": 0, \"device\": %d, \"context\": 1, \"stream\": %d, \"correlation\": %" PRIu64
        ", \"registers per thread\": %d, \"shared memory\": %d, \"blocks per SM\": %.6f, \"warps per SM\": %.6f, "
        "\"grid\": [%d, 1, 1], \"block\": [%d, 1, 1], \"est. achieved occupancy %%\": %d%s",
        g->opt.era == 2021 ? "external id" : "External id", g->ids, gen_pid(g, stream), gen_stream_of[stream],
        correlation, k->registers, k->shared, blocks, blocks * k->block / 32, k->grid, k->block, k->occupancy, more);
    return at;
}

void gen_add_launch(struct gen *g, int row, int stream, const struct kernel *k, const char *more)
{
    int64_t start = g->now[row];
    uint64_t correlation = gen_add_runtime_call(g, row, "cudaLaunchKernel", gen_random_between(g, 3500, 8000));
    gen_add_kernel(g, stream, k, correlation, start, more);
}

void gen_add_copy(struct gen *g, int row, const char *direction, int64_t bytes, bool wait)
{
    char name[64];
    int64_t start = g->now[row];
    uint64_t correlation = gen_add_runtime_call(g, row, "cudaMemcpyAsync", gen_random_between(g, 6000, 9000));
    snprintf(name, sizeof name, "Memcpy %s", direction);
    struct kernel work = {.name = name, .length = 1500 + bytes / 12};
    size_t at = add_device_operation(g, COMPUTE, MEMCPY, &work, correlation, start);
    g->records[at].args = gen_add_text(g,
                                       "\"device\": %d, \"context\": 1, \"stream\": 7, \"correlation\": %" PRIu64
                                       ", \"bytes\": %" PRId64 ", \"memory bandwidth (GB/s)\": 11.97",
                                       gen_pid(g, COMPUTE), correlation, bytes);
    if (!wait)
        return;
    int64_t until = g->now[COMPUTE] + 2000, call = g->now[row];
    gen_add_runtime_call(g, row, "cudaStreamSynchronize", until > call ? until - call : 2000);
    if (g->opt.era == 2021)
        return;
    at = add_record(g, 'X', COMPUTE, SYNC, call);
    g->records[at].name = gen_add_text(g, "Stream Sync");
    g->records[at].args = gen_add_text(g, "\"stream\": 7, \"correlation\": %" PRIu64 ", \"device\": %d",
                                       g->correlations, gen_pid(g, COMPUTE));
    g->records[at].end = until > call ? until : call + 2000;
}

/* Allocates a block (`bytes` > 0), or frees the newest of up to 64 blocks of the caching allocator (`bytes` < 0). */
void gen_allocate(struct gen *g, int row, int64_t bytes)
{
    int64_t change = bytes;
    unsigned slot = g->block_count % 64;
    uint64_t address = 0x7f0000000000u + slot * 0x4000000ull;
    if (bytes < 0) {
        if (!g->block_count)
            return;
        slot = --g->block_count % 64;
        address = 0x7f0000000000u + slot * 0x4000000ull;
        change = -g->blocks[slot];
    } else if (g->block_count == 64) {
        return;
    } else {
        g->blocks[slot] = bytes;
        g->block_count++;
    }
    g->allocated += change;
    while (g->reserved < g->allocated)
        g->reserved += 20 << 20;
    size_t at = add_record(g, 'i', row, OPERATOR, g->now[row]);
    g->records[at].name = gen_add_text(g, "[memory]");
    g->records[at].args =
        gen_add_text(g,
                     "\"Device Type\": 1, \"Device Id\": %d, \"Addr\": %" PRIu64 ", \"Bytes\": %" PRId64
                     ", \"Total Allocated\": %" PRId64 ", \"Total Reserved\": %" PRId64,
                     gen_pid(g, COMPUTE), address, change, g->allocated, g->reserved);
    g->now[row] += gen_random_between(g, 100, 300);
}
