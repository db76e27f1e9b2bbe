/* Tests the conversion of CUPTI's buffers to records of the spool: every kind of record, and malformed buffers. */
#include "collector/source/cupti_records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/session.h"
#include "writer/spool/spool_format_gpu.h"
#include "writer/spool/spool_read.h"

enum { RECORD = 224 }; /* size of each record in this test, bytes */

static char folder[64];
static unsigned counts[TP_SPOOL_KINDS];
static struct tp_spool_gpu_lost lost;
static struct tp_spool_gpu_kernel kernel;
static struct tp_spool_gpu_copy copy;

static void count(const struct tracepress_trace *trace, void *context)
{
    struct tp_arena arena;
    struct tp_spool_file file;
    struct tp_spool_walk walk;
    struct tp_spool_record record;
    const char *payload;
    struct tp_error err = {0};
    (void)context;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    assert_int_equal(tp_spool_open(&file, trace->spool, &arena, &err), 0);
    memset(counts, 0, sizeof counts);
    for (uint32_t t = 0; t < file.thread_count; t++) {
        tp_spool_walk(&walk, &file, &file.threads[t]);
        while (tp_spool_next_record(&walk, &record, &payload)) {
            counts[record.kind]++;
            if (record.kind == TP_SPOOL_GPU_LOST)
                memcpy(&lost, payload, sizeof lost);
            if (record.kind == TP_SPOOL_GPU_KERNEL)
                memcpy(&kernel, payload, sizeof kernel);
            if (record.kind == TP_SPOOL_GPU_COPY)
                memcpy(&copy, payload, sizeof copy);
        }
    }
    tp_spool_release(&file);
    tp_arena_release(&arena);
}

static int begin_recording(void **state)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    (void)state;
    strcpy(folder, "/tmp/tracepress-cupti-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    memset(&lost, 0, sizeof lost);
    options.directory = folder;
    options.handler = count;
    return tracepress_start(&options);
}

static int remove_recording(void **state)
{
    char command[96];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static int next_record_in_buffer(uint8_t *buffer, size_t valid, void **record)
{
    uint8_t *at = *record ? (uint8_t *)*record + RECORD : buffer;
    if (at >= buffer + valid)
        return TP_CUPTI_MAX_LIMIT;
    *record = at;
    return TP_CUPTI_OK;
}

static int read_first_record_again(uint8_t *buffer, size_t valid, void **record)
{
    (void)valid;
    *record = buffer;
    return TP_CUPTI_OK;
}

static int return_record_outside(uint8_t *buffer, size_t valid, void **record)
{
    *record = buffer + valid - 2;
    return TP_CUPTI_OK;
}

static int fail_to_read(uint8_t *buffer, size_t valid, void **record)
{
    int result = next_record_in_buffer(buffer, valid, record);
    return result == TP_CUPTI_OK && *record != buffer ? TP_CUPTI_INVALID_KIND : result;
}

static _Alignas(8) uint8_t buffer[TP_CUPTI_KINDS * RECORD];

/* Fills the buffer with one record of each possible kind. All other bytes are zero. */
static void fill_buffer(void)
{
    memset(buffer, 0, sizeof buffer);
    for (uint32_t kind = 0; kind < TP_CUPTI_KINDS; kind++)
        memcpy(buffer + (size_t)kind * RECORD, &kind, sizeof kind);
}

static void record(int (*walk)(uint8_t *, size_t, void **), size_t valid)
{
    const struct tp_cupti cupti = {.next_record = walk};
    tp_cupti_convert_buffer(&cupti, buffer, valid);
    tracepress_stop();
}

static void each_record_kind_is_converted_or_counted(void **state)
{
    static const struct {
        int kind;
        unsigned count;
    } wanted[] = {{TP_SPOOL_GPU_KERNEL, 1},   {TP_SPOOL_GPU_COPY, 2},       {TP_SPOOL_GPU_SET, 1},
                  {TP_SPOOL_GPU_CALL, 2},     {TP_SPOOL_GPU_SYNC, 1},       {TP_SPOOL_GPU_EVENT, 1},
                  {TP_SPOOL_GPU_OVERHEAD, 1}, {TP_SPOOL_GPU_MEMORY, 1},     {TP_SPOOL_GPU_POOL, 1},
                  {TP_SPOOL_GPU_GRAPH, 1},    {TP_SPOOL_GPU_ENVIRONMENT, 1}};
    unsigned kept = 0;
    (void)state;
    fill_buffer();
    record(next_record_in_buffer, sizeof buffer);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        assert_int_equal(counts[wanted[i].kind], wanted[i].count);
        kept += wanted[i].count;
    }
    assert_int_equal(lost.unknown_count, TP_CUPTI_KINDS - kept);
    assert_int_equal(lost.broken_count, 0);
}

static void fields_are_converted_correctly(void **state)
{
    const struct tp_cupti_kernel from = {.kind = TP_CUPTI_KERNEL,
                                         .registers = 65000,
                                         .start = 1ull << 60,
                                         .end = (1ull << 60) + 5,
                                         .device = 3,
                                         .context = 4,
                                         .stream = 5,
                                         .grid = {6, 7, 8},
                                         .block = {9, 10, 11},
                                         .static_shared_bytes = 12,
                                         .dynamic_shared_bytes = 13,
                                         .correlation = 14,
                                         .graph_node = 1ull << 40,
                                         .graph = 15};
    const struct tp_cupti_memcpy_peer peer = {.kind = TP_CUPTI_MEMCPY_PEER,
                                              .direction = 10,
                                              .bytes = 1ull << 33,
                                              .from_device = 1,
                                              .from_context = 2,
                                              .to_device = 3,
                                              .to_context = 4,
                                              .correlation = 5};
    (void)state;
    memset(buffer, 0, sizeof buffer);
    memcpy(buffer, &from, sizeof from);
    memcpy(buffer + RECORD, &peer, sizeof peer);
    record(next_record_in_buffer, 2 * RECORD);
    assert_true(kernel.work.start == from.start && kernel.work.end == from.end);
    assert_true(kernel.work.device == 3 && kernel.work.context == 4 && kernel.work.stream == 5);
    assert_memory_equal(kernel.grid, from.grid, sizeof kernel.grid);
    assert_memory_equal(kernel.block, from.block, sizeof kernel.block);
    assert_true(kernel.static_shared_bytes == 12 && kernel.dynamic_shared_bytes == 13 && kernel.registers == 65000);
    assert_true(kernel.work.correlation == 14 && kernel.work.graph == 15 && kernel.work.graph_node == 1ull << 40);
    assert_true(copy.is_peer && copy.direction == 10 && copy.bytes == 1ull << 33 && copy.work.correlation == 5);
    assert_true(copy.from_device == 1 && copy.from_context == 2 && copy.to_device == 3 && copy.to_context == 4);
}

static void truncated_record_is_not_read_beyond_its_end(void **state)
{
    const uint32_t kind = TP_CUPTI_KERNEL;
    (void)state;
    memset(buffer, 0, sizeof buffer);
    memcpy(buffer, &kind, sizeof kind);
    record(next_record_in_buffer, sizeof(struct tp_cupti_kernel) - 1);
    assert_int_equal(counts[TP_SPOOL_GPU_KERNEL], 0);
    assert_int_equal(lost.broken_count, 1);
}

static void malformed_buffer_ends_the_walk(void **state)
{
    int (*const walks[])(uint8_t *, size_t, void **) = {read_first_record_again, return_record_outside, fail_to_read};
    for (size_t i = 0; i < sizeof walks / sizeof *walks; i++) {
        fill_buffer();
        if (i)
            assert_int_equal(begin_recording(state), 0);
        record(walks[i], sizeof buffer);
        assert_int_equal(lost.broken_count, 1);
        if (i)
            assert_int_equal(remove_recording(state), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_record_kind_is_converted_or_counted, begin_recording, remove_recording),
        cmocka_unit_test_setup_teardown(fields_are_converted_correctly, begin_recording, remove_recording),
        cmocka_unit_test_setup_teardown(truncated_record_is_not_read_beyond_its_end, begin_recording, remove_recording),
        cmocka_unit_test_setup_teardown(malformed_buffer_ends_the_walk, begin_recording, remove_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
