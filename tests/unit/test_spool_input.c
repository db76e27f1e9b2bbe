/* Tests that reading a spool directly gives the same columns as the trace that `recover` makes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <dirent.h>

#include "webreport/trace/trace.h"
#include "writer/spool/spool_trace.h"

struct reading {
    struct tp_arena arena;
    struct tp_trace trace;
    const char *path;
    struct tp_error err;
};

static int read_trace(void *context, struct tp_error *err)
{
    struct reading *reading = context;
    const struct tp_trace_options options = {
        .reads_spools = true, .keeps_frame_stacks = true, .wants_tensors = true, .wants_arguments = true};
    (void)err;
    return tp_trace_read(&reading->trace, &reading->arena, reading->path, &options, &reading->err);
}

static int read_path(struct reading *reading, const char *path)
{
    reading->path = path;
    tp_arena_init(&reading->arena, 0);
    return tp_arena_run(&reading->arena, read_trace, reading, NULL);
}

static void assert_equal_strings(const struct tp_strings *a, const struct tp_strings *b)
{
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++)
        assert_true(tp_str_equal(tp_strings_get(a, i), tp_strings_get(b, i)));
}

/* Compares two names by their texts, because their ids differ. The JSON decoder also interns the names of records that
 * it only counts, and it interns values in the order of the text. */
static void assert_equal_names(const struct tp_trace *a, uint32_t in_a, const struct tp_trace *b, uint32_t in_b)
{
    assert_true(tp_str_equal(tp_strings_get(&a->names, in_a), tp_strings_get(&b->names, in_b)));
}

static void assert_equal_events(const struct tp_trace *a, const struct tp_trace *b)
{
    assert_int_equal(a->event_count, b->event_count);
    for (uint32_t i = 0; i < a->event_count; i++) {
        struct tp_event x = a->events[i], y = b->events[i];
        assert_equal_names(a, x.name, b, y.name);
        x.name = y.name = 0;
        assert_memory_equal(&x, &y, sizeof x);
    }
    assert_int_equal(a->other_count, b->other_count);
    for (uint32_t i = 0; i < a->other_count; i++) {
        assert_true(
            tp_str_equal(tp_strings_get(&a->cats, a->others[i].cat), tp_strings_get(&b->cats, b->others[i].cat)));
        assert_int_equal(a->others[i].external_id, b->others[i].external_id);
    }
    assert_int_equal(a->counter_count, b->counter_count);
    for (uint32_t i = 0; i < a->counter_count; i++) {
        assert_equal_names(a, a->counters[i].name, b, b->counters[i].name);
        assert_int_equal(a->counters[i].ts_ns, b->counters[i].ts_ns);
        assert_memory_equal(&a->counters[i].value, &b->counters[i].value, sizeof(double));
    }
    assert_int_equal(a->moment_count, b->moment_count);
    for (uint32_t i = 0; i < a->moment_count; i++) {
        assert_equal_names(a, a->moments[i].name, b, b->moments[i].name);
        assert_int_equal(a->moments[i].ts_ns, b->moments[i].ts_ns);
        assert_int_equal(a->moments[i].thread, b->moments[i].thread);
        assert_memory_equal(&a->moments[i].text, &b->moments[i].text, sizeof a->moments[i].text);
    }
}

#define ASSERT_EQUAL_COLUMN(x, y, column, count)                                                                       \
    do {                                                                                                               \
        assert_int_equal((x)->count, (y)->count);                                                                      \
        if ((x)->count)                                                                                                \
            assert_memory_equal((x)->column, (y)->column, (x)->count * sizeof *(x)->column);                           \
    } while (0)

/* Compares two values by their texts, then makes their ids equal. */
static void assert_equal_value(const struct tp_trace *a, uint32_t *in_a, const struct tp_trace *b, uint32_t *in_b)
{
    assert_int_equal(*in_a == TP_NO_ID, *in_b == TP_NO_ID);
    if (*in_a != TP_NO_ID)
        assert_true(tp_str_equal(tp_strings_get(&a->values, *in_a), tp_strings_get(&b->values, *in_b)));
    *in_b = *in_a;
}

static void assert_equal_setup(const struct tp_trace *a, struct tp_device_setup x, const struct tp_trace *b,
                               struct tp_device_setup y)
{
    assert_equal_value(a, &x.stream_value, b, &y.stream_value);
    assert_equal_value(a, &x.grid, b, &y.grid);
    assert_equal_value(a, &x.block, b, &y.block);
    assert_equal_value(a, &x.registers, b, &y.registers);
    assert_equal_value(a, &x.shared_memory, b, &y.shared_memory);
    assert_memory_equal(&x, &y, sizeof x);
}

static void assert_equal_details(const struct tp_trace *a, const struct tp_trace *b)
{
    assert_int_equal(a->host_count, b->host_count);
    for (uint32_t i = 0; i < a->host_count; i++) {
        struct tp_host_detail x = a->hosts[i], y = b->hosts[i];
        assert_equal_value(a, &x.dims, b, &y.dims);
        assert_equal_value(a, &x.types, b, &y.types);
        assert_memory_equal(&x, &y, sizeof x);
    }
    for (uint32_t i = 0; i < a->device_count; i++)
        assert_equal_setup(a, a->setups[a->devices[i].setup], b, b->setups[b->devices[i].setup]);
    assert_int_equal(a->comm_count, b->comm_count);
    for (uint32_t i = 0; i < a->comm_count; i++) {
        assert_equal_value(a, &a->comms[i].collective, b, &b->comms[i].collective);
        assert_equal_value(a, &a->comms[i].dtype, b, &b->comms[i].dtype);
        assert_equal_value(a, &a->comms[i].group_name, b, &b->comms[i].group_name);
        assert_equal_value(a, &a->comms[i].group_size, b, &b->comms[i].group_size);
        assert_int_equal(a->comms[i].in_count, b->comms[i].in_count);
        assert_int_equal(a->comms[i].peer, b->comms[i].peer);
    }
    assert_int_equal(a->concrete_count, b->concrete_count);
    for (uint32_t i = 0; i < a->concrete_count; i++) {
        assert_int_equal(a->concretes[i].host, b->concretes[i].host);
        assert_equal_value(a, &a->concretes[i].value, b, &b->concretes[i].value);
    }
}

static void assert_equal_columns(const struct tp_trace *a, const struct tp_trace *b)
{
    assert_equal_events(a, b);
    assert_equal_details(a, b);
    ASSERT_EQUAL_COLUMN(a, b, launches, launch_count);
    ASSERT_EQUAL_COLUMN(a, b, devices, device_count);
    assert_int_equal(a->module_count, b->module_count);
    /* compares field by field, because the padding of the struct can differ */
    for (uint32_t i = 0; i < a->module_count; i++) {
        assert_int_equal(a->modules[i].module_id, b->modules[i].module_id);
        assert_int_equal(a->modules[i].stack, b->modules[i].stack);
    }
    ASSERT_EQUAL_COLUMN(a, b, memory, memory_count);
    ASSERT_EQUAL_COLUMN(a, b, memory_places, memory_place_count);
    assert_int_equal(a->flow_count, b->flow_count);
    for (uint32_t i = 0; i < a->flow_count; i++) {
        assert_int_equal(a->flows[i].ts_ns, b->flows[i].ts_ns);
        assert_int_equal(a->flows[i].id, b->flows[i].id);
        assert_int_equal(a->flows[i].thread, b->flows[i].thread);
        assert_int_equal(a->flows[i].is_start, b->flows[i].is_start);
    }
    ASSERT_EQUAL_COLUMN(a, b, samples, sample_count);
    ASSERT_EQUAL_COLUMN(a, b, arguments, argument_count);
    assert_int_equal(a->task_end_count, b->task_end_count);
    for (uint32_t i = 0; i < a->task_end_count; i++) {
        assert_int_equal(a->task_ends[i].ts_ns, b->task_ends[i].ts_ns);
        assert_int_equal(a->task_ends[i].id, b->task_ends[i].id);
        assert_int_equal(a->task_ends[i].is_begin, b->task_ends[i].is_begin);
    }
    assert_int_equal(a->tensor_count, b->tensor_count);
    for (uint32_t i = 0; i < a->tensor_count; i++) {
        assert_equal_value(a, &a->tensors[i].shape, b, &b->tensors[i].shape);
        assert_int_equal(a->tensors[i].has_stats, b->tensors[i].has_stats);
        assert_int_equal(a->tensors[i].stats.count, b->tensors[i].stats.count);
        assert_memory_equal(&a->tensors[i].stats.mean, &b->tensors[i].stats.mean, sizeof(double));
    }
}

static void assert_equal_rows(const struct tp_trace *a, const struct tp_trace *b)
{
    assert_int_equal(a->thread_count, b->thread_count);
    for (uint32_t i = 0; i < a->thread_count; i++) {
        assert_int_equal(a->threads[i].pid.number, b->threads[i].pid.number);
        assert_int_equal(a->threads[i].tid.number, b->threads[i].tid.number);
        assert_true(tp_str_equal(a->threads[i].name, b->threads[i].name));
    }
    assert_int_equal(a->process_count, b->process_count);
    for (uint32_t i = 0; i < a->process_count; i++) {
        assert_true(tp_str_equal(a->processes[i].name, b->processes[i].name));
        assert_true(tp_str_equal(a->processes[i].labels, b->processes[i].labels));
        assert_int_equal(a->processes[i].sort_index, b->processes[i].sort_index);
    }
    /* only the header of the trace file has a traceName */
    assert_int_equal(a->header_count + 1, b->header_count);
    for (uint32_t i = 0; i < a->header_count; i++)
        assert_true(tp_str_equal(a->header[i].value, tp_trace_header(b, a->header[i].key.ptr)));
}

/* Compares counts, except for those that depend on the bytes of the file. */
static void assert_equal_counts(struct tp_reading a, struct tp_reading b)
{
    a.text_bytes = b.text_bytes = a.file_bytes = b.file_bytes = 0;
    memset(a.file_sha256, 0, sizeof a.file_sha256);
    memset(b.file_sha256, 0, sizeof b.file_sha256);
    assert_int_equal(a.element_count, b.element_count);
    assert_memory_equal(a.read, b.read, sizeof a.read);
    assert_memory_equal(a.skipped, b.skipped, sizeof a.skipped);
    assert_memory_equal(a.skipped_by_phase, b.skipped_by_phase, sizeof a.skipped_by_phase);
    assert_memory_equal(a.notices, b.notices, sizeof a.notices);
    assert_memory_equal(&a.link_sums, &b.link_sums, sizeof a.link_sums);
    assert_int_equal(a.numbered_events, b.numbered_events);
    assert_int_equal(a.recorder_number_sum, b.recorder_number_sum);
    assert_int_equal(a.highest_recorder_number, b.highest_recorder_number);
    assert_int_equal(a.unnumbered, b.unnumbered);
    assert_int_equal(a.with_decimals, b.with_decimals);
    assert_int_equal(a.nameless, b.nameless);
    assert_int_equal(a.correlated_events, b.correlated_events);
    assert_int_equal(a.declared_kind_bits, b.declared_kind_bits);
    assert_int_equal(a.has_window_end, b.has_window_end);
    assert_int_equal(a.window_end_ns, b.window_end_ns);
}

static void compare_with_converted_trace(const char *spool, unsigned *compared)
{
    char trace[] = "/tmp/spool_input_XXXXXX";
    static struct reading direct, by_file;
    int fd = mkstemp(trace);
    assert_true(fd >= 0);
    close(fd);
    if (tp_spool_trace(spool, trace, false, NULL, NULL, NULL) == 0) {
        int direct_code = read_path(&direct, spool), file_code = read_path(&by_file, trace);
        assert_int_equal(direct_code, file_code);
        if (direct_code == 0) {
            const struct tp_trace *a = &direct.trace, *b = &by_file.trace;
            assert_int_equal(a->values.count, b->values.count);
            assert_equal_strings(&a->stack_texts, &b->stack_texts);
            assert_equal_strings(&a->texts, &b->texts);
            assert_equal_strings(&a->argument_texts, &b->argument_texts);
            assert_equal_columns(a, b);
            assert_equal_rows(a, b);
            assert_equal_counts(a->reading, b->reading);
            ++*compared;
        }
        tp_arena_release(&direct.arena);
        tp_arena_release(&by_file.arena);
    }
    unlink(trace);
}

static void spool_gives_the_columns_of_its_trace(void **state)
{
    static const char *const folders[] = {"tests/data/spools", "tests/fuzz/corpus/spool"};
    unsigned compared = 0;
    (void)state;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        DIR *dir = opendir(folders[i]);
        assert_non_null(dir);
        for (struct dirent *entry; (entry = readdir(dir));) {
            char path[512];
            if (*entry->d_name == '.')
                continue;
            snprintf(path, sizeof path, "%s/%s", folders[i], entry->d_name);
            compare_with_converted_trace(path, &compared);
        }
        closedir(dir);
    }
    assert_true(compared >= 2);
}

static void spool_is_refused_unless_requested(void **state)
{
    static struct reading reading;
    const struct tp_trace_options options = {0};
    (void)state;
    tp_arena_init(&reading.arena, 0);
    assert_int_equal(
        tp_trace_read(&reading.trace, &reading.arena, "tests/data/spools/every_call.tpspool", &options, &reading.err),
        TP_EFORMAT);
    assert_non_null(strstr(reading.err.text, "tracepress recover"));
    tp_arena_release(&reading.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spool_gives_the_columns_of_its_trace),
        cmocka_unit_test(spool_is_refused_unless_requested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
