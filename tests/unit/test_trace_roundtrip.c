/* Tests random traces that writer/trace_json.h writes and the strict reader reads. Times must be equal to the
 * nanosecond, and texts to the byte. The message of a failure shows the seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "webreport/trace/trace.h"
#include "writer/base/utf8.h"
#include "writer/trace_json.h"

enum { RUNS = 300, MAX_EVENTS = 200, MAX_NAME = 40 };

/* A call of the writer, and the event that the reader must find. */
struct call {
    int64_t pid, tid, ts_ns, dur_ns, a, b, c;
    size_t name_size;
    /* category of the event; TP_OUT_CATEGORY_COUNT: memory, +1: flow, +2: counter, +3: instant */
    enum tp_trace_out_category category;
    bool has_dims, is_unfinished;
    char name[3 * MAX_NAME]; /* the name that the reader must find */
};

enum { MEMORY = TP_OUT_CATEGORY_COUNT, FLOW, COUNTER, INSTANT, CALL_KINDS };

static uint64_t state, seed;

static uint64_t random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545F4914F6CDD1Dull >> 16;
}

static int64_t random_int(void)
{
    int64_t value = (int64_t)(random_bits() >> (random_bits() % 48));
    return random_bits() % 4 ? value : -value;
}

/* Returns a random name with all kinds of bytes: letters, quotes, controls, NUL, ill-formed UTF-8. */
static size_t random_name(char *bytes)
{
    static const char *const odd[] = {
        "\"", "\\", "\n", "\x01", "\xC3\xA9", "\xE2\x82", "\xFF", "</script>", "\xF0\x9F\x98\x80", ";"};
    size_t size = 0, pieces = random_bits() % 6;
    for (size_t i = 0; i < pieces; i++) {
        uint64_t kind = random_bits() % 4;
        const char *text = odd[random_bits() % (sizeof odd / sizeof *odd)];
        if (kind == 0) {
            memcpy(bytes + size, text, strlen(text));
            size += strlen(text);
        } else if (kind == 1) {
            bytes[size++] = (char)random_bits();
        } else if (kind == 2) {
            memcpy(bytes + size, "aten::", 6);
            size += 6;
        }
    }
    return size;
}

/* Writes the name that the reader must find. Each ill-formed part becomes U+FFFD. Returns its size in bytes. */
static size_t expected_name(char *out, const char *bytes, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < size;) {
        int length = tp_utf8_length(bytes + i, size - i);
        const char *from = length > 0 ? bytes + i : "\xEF\xBF\xBD";
        size_t take = length > 0 ? (size_t)length : 3;
        memcpy(out + n, from, take);
        n += take;
        i += (size_t)(length > 0 ? length : -length);
    }
    return n;
}

static void write_slice(struct tp_trace_out *out, const struct call *call, struct tp_str name)
{
    static const int64_t shape[] = {2, 3};
    const struct tp_trace_out_ints dims[] = {{shape, 2}};
    struct tp_trace_out_arg args[8] = {tp_trace_out_int_arg(TP_OUT_EXTERNAL_ID, call->a),
                                       tp_trace_out_int_arg(TP_OUT_CORRELATION, call->b)};
    size_t count = 2;
    args[count++] = tp_trace_out_int_arg(TP_OUT_SEQUENCE_NUMBER, call->c);
    args[count++] = tp_trace_out_int_arg(TP_OUT_BYTES, call->c);
    args[count++] =
        (struct tp_trace_out_arg){.key = TP_OUT_NAMED, .type = TP_OUT_TEXT, .name = name, .value.text = name};
    if (call->has_dims)
        args[count++] = tp_trace_out_shapes_arg(TP_OUT_INPUT_DIMS, dims, 1);
    if (call->is_unfinished)
        args[count++] = tp_trace_out_bool_arg(TP_OUT_FINISHED, false);
    struct tp_trace_out_event event = {.category = call->category,
                                       .other_category = TP_STR("mine"),
                                       .name = name,
                                       .pid = call->pid,
                                       .tid = call->tid,
                                       .ts_ns = call->ts_ns,
                                       .dur_ns = call->dur_ns,
                                       .args = args,
                                       .arg_count = count};
    if ((int)call->category == INSTANT) {
        event.category = TP_OUT_OTHER;
        tp_trace_out_instant(out, &event);
    } else {
        tp_trace_out_complete(out, &event);
    }
}

static void write_event_of_call(struct tp_trace_out *out, const struct call *call, struct tp_str name)
{
    struct tp_trace_out_memory memory = {call->pid, call->tid, call->ts_ns, false,   call->a,  call->b,
                                         1,         0,         call->c,     call->a, {NULL, 0}};
    struct tp_trace_out_flow flow = {TP_OUT_FLOW_BACKWARD, call->has_dims, call->a, call->pid, call->tid, call->ts_ns};
    struct tp_trace_out_value value = {name, (double)call->a};
    if ((int)call->category == MEMORY)
        tp_trace_out_memory(out, &memory);
    else if ((int)call->category == FLOW)
        tp_trace_out_flow(out, &flow);
    else if ((int)call->category == COUNTER)
        tp_trace_out_counter(out, name, call->pid, call->ts_ns, &value, 1);
    else
        write_slice(out, call, name);
}

static size_t write_random_trace(struct call *calls, const char *path, bool is_gzip)
{
    struct tp_trace_out_options options = TP_TRACE_OUT_OPTIONS;
    struct tp_trace_out *out;
    size_t count = random_bits() % MAX_EVENTS;
    options.is_gzip = is_gzip;
    options.single_thread = random_bits() % 2;
    options.base_time_ns = 1790857026000000000;
    assert_int_equal(tp_trace_out_open(&out, path, &options, NULL), 0);
    for (size_t i = 0; i < count; i++) {
        char bytes[MAX_NAME * 2];
        struct call *call = &calls[i];
        struct tp_str name = {bytes, random_name(bytes)};
        *call = (struct call){.category = (enum tp_trace_out_category)(random_bits() % CALL_KINDS),
                              .pid = (int64_t)(random_bits() % 3),
                              .tid = (int64_t)(random_bits() % 4) + 1,
                              .ts_ns = random_int(),
                              .dur_ns = (int64_t)(random_bits() >> (random_bits() % 48)),
                              .a = random_int(),
                              .b = random_int(),
                              .c = random_int(),
                              .has_dims = random_bits() % 2,
                              .is_unfinished = random_bits() % 2};
        call->name_size = expected_name(call->name, bytes, name.len);
        write_event_of_call(out, call, name);
    }
    assert_int_equal(tp_trace_out_close(&out, TP_NULL_INT, NULL), 0);
    return count;
}

static void compare_details(const struct tp_trace *trace, const struct tp_event *event, const struct call *call)
{
    if (event->kind == TP_KIND_OPERATOR || event->kind == TP_KIND_ANNOTATION) {
        const struct tp_host_detail *host = &trace->hosts[event->detail];
        assert_int_equal(host->external_id, call->a);
        assert_int_equal(tp_host_rare(trace, host).sequence, call->c);
        assert_int_equal((event->flags & TP_EVENT_HAS_INPUT_DIMS) != 0, call->has_dims);
        assert_int_equal((event->flags & TP_EVENT_UNFINISHED) != 0, call->is_unfinished);
    } else if (event->kind == TP_KIND_RUNTIME) {
        assert_int_equal(trace->launches[event->detail].correlation, call->b);
    } else if (event->kind == TP_KIND_KERNEL || event->kind == TP_KIND_MEMCPY || event->kind == TP_KIND_MEMSET) {
        const struct tp_device_detail *device = &trace->devices[event->detail];
        assert_int_equal(device->correlation, call->b);
        assert_int_equal(device->external_id, call->a);
        assert_int_equal(tp_device_setup(trace, event->detail)->bytes, call->c);
    }
}

static void compare_event(const struct tp_trace *trace, const struct tp_event *event, const struct call *call)
{
    struct tp_str name = tp_trace_event_name(trace, event);
    const struct tp_thread *thread = &trace->threads[event->thread];
    assert_int_equal(event->ts_ns, call->ts_ns);
    assert_int_equal(event->dur_ns, call->dur_ns);
    assert_int_equal(thread->pid.number, call->pid);
    assert_int_equal(thread->tid.number, call->tid);
    assert_true(tp_str_equal(name, (struct tp_str){call->name, call->name_size}));
    compare_details(trace, event, call);
}

static void compare_memory(const struct tp_trace *trace, const struct tp_memory *memory, const struct call *call)
{
    assert_int_equal(memory->ts_ns, call->ts_ns);
    assert_int_equal(tp_memory_rare(trace, memory)->address, call->a);
    assert_int_equal(memory->bytes, call->b);
    assert_int_equal(tp_memory_rare(trace, memory)->total_allocated, call->c);
    assert_int_equal(tp_memory_rare(trace, memory)->total_reserved, call->a);
    assert_int_equal(tp_memory_place(trace, memory)->type, 1);
}

static void compare_trace_with_calls(const struct tp_trace *trace, const struct call *calls, size_t count)
{
    enum { ROWS = 3, MARKS = 6 };
    uint32_t event = 0, memory = 0, flow = 0;
    assert_int_equal(trace->reading.element_count, count + ROWS + MARKS);
    assert_int_equal(trace->base_time_ns, 1790857026000000000);
    for (size_t i = 0; i < count; i++) {
        if ((int)calls[i].category == MEMORY) {
            compare_memory(trace, &trace->memory[memory++], &calls[i]);
        } else if ((int)calls[i].category == FLOW) {
            assert_int_equal(trace->flows[flow].is_start, calls[i].has_dims);
            assert_int_equal(trace->flows[flow++].ts_ns, calls[i].ts_ns);
        } else if (event < trace->event_count && trace->events[event].ordinal == i + ROWS) {
            compare_event(trace, &trace->events[event++], &calls[i]);
        } else {
            assert_true((int)calls[i].category >= TP_OUT_CUDA_SYNC); /* the reader does not keep events of this kind */
        }
    }
    assert_int_equal(memory, trace->memory_count);
    assert_int_equal(flow, trace->flow_count);
    /* the trace has one more event, which shows the time of the profiler */
    assert_int_equal(event + 1, trace->event_count);
}

static void random_traces_come_back_equal(void **unused)
{
    char path[] = "/tmp/tracepress-roundtrip-XXXXXX";
    static struct call calls[MAX_EVENTS];
    int fd = mkstemp(path);
    (void)unused;
    assert_true(fd >= 0);
    close(fd);
    for (seed = 1; seed <= RUNS; seed++) {
        struct tp_trace_options strict = {.is_strict = true, .keeps_ends = true};
        struct tp_arena arena;
        struct tp_trace trace;
        struct tp_error err = {0};
        state = seed * 0x9E3779B97F4A7C15ull;
        size_t count = write_random_trace(calls, path, seed % 2);
        tp_arena_init(&arena, 0);
        if (setjmp(arena.guard))
            fail_msg("left through the guard");
        if (tp_trace_read(&trace, &arena, path, &strict, &err) < 0)
            fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
        compare_trace_with_calls(&trace, calls, count);
        for (int i = 0; i < TP_NOTICE_TIME_OUTLIER; i++)
            assert_int_equal(trace.reading.notices[i], 0);
        tp_arena_release(&arena);
    }
    unlink(path);
}

static int print_seed(void **unused)
{
    (void)unused;
    if (seed <= RUNS)
        print_error("seed %llu\n", (unsigned long long)seed);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(random_traces_come_back_equal, print_seed),
    };
    return cmocka_run_group_tests_name("trace_roundtrip", tests, NULL, NULL);
}
