/* Tests the timeline: nesting, columns, merging within a size limit, device load. zlib must be able to unpack the
 * data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <zlib.h>

#include "webreport/document/charts/timeline_data.h"
#include "webreport/measure/charts/timeline.h"

/* A model made by hand. Threads 0 and 1 belong to the host; thread 2 is a stream of GPU 0. */
struct scene {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_step step;
    struct tp_gpu gpu;
    struct tp_thread threads[3];
    struct tp_device_detail detail;
    struct tp_device_setup setup;
    struct tp_vec events;
};

static void add_event(struct scene *s, enum tp_kind kind, uint32_t thread, const char *name, int64_t ts, int64_t dur)
{
    uint32_t ordinal = (uint32_t)s->events.count;
    struct tp_event *event = tp_vec_push(&s->events);
    *event = (struct tp_event){.ts_ns = ts, .dur_ns = dur, .thread = thread, .ordinal = ordinal};
    event->name = tp_strings_add(&s->trace.names, tp_str_of(name));
    event->kind = (uint8_t)kind;
    event->detail = kind == TP_KIND_KERNEL ? 0 : TP_NO_ID;
}

static void init_scene(struct scene *s)
{
    memset(s, 0, sizeof *s);
    tp_arena_init(&s->arena, 0);
    s->trace.arena = &s->arena;
    tp_strings_init(&s->trace.names, &s->arena, 0);
    s->events = TP_VEC(&s->arena, struct tp_event);
    s->threads[0].tid.number = 7;
    s->threads[1].name = TP_STR("worker");
    s->trace.threads = s->threads;
    s->trace.thread_count = 3;
    s->setup = (struct tp_device_setup){.stream = 20, .blocks_per_sm_e9 = 500000000};
    s->trace.setups = &s->setup;
    s->trace.devices = &s->detail;
    s->trace.device_count = 1;
}

/* Links each call of the runtime to one operation of the device, in order. */
static void link_calls_to_operations(struct scene *s)
{
    struct tp_model *m = &s->model;
    uint32_t count = 0;
    m->devices.launch = tp_arena_array(&s->arena, s->order.device_count, sizeof *m->devices.launch);
    m->launches.event = tp_arena_array(&s->arena, s->events.count, sizeof *m->launches.event);
    m->launches.op = tp_arena_array(&s->arena, s->events.count, sizeof *m->launches.op);
    for (uint32_t i = 0; i < s->order.device_count; i++)
        m->devices.launch[i] = TP_NO_ID;
    for (uint32_t i = 0; i < s->events.count; i++)
        m->launches.op[i] = TP_NO_ID;
    for (uint32_t i = 0; i < s->events.count && count < s->order.device_count; i++) {
        if (s->trace.events[i].kind != TP_KIND_RUNTIME)
            continue;
        m->launches.event[count] = i;
        m->devices.launch[count] = count;
        count++;
    }
}

static void build_timeline(struct scene *s, struct tp_timeline *timeline, size_t max_bytes)
{
    s->trace.events = s->events.data;
    s->trace.event_count = (uint32_t)s->events.count;
    tp_order_build(&s->order, &s->trace, &s->arena);
    struct tp_model *m = &s->model;
    *m = (struct tp_model){.trace = &s->trace, .order = &s->order, .arena = &s->arena, .event_count = s->events.count};
    m->first_ns = s->trace.event_count ? s->trace.events[0].ts_ns : 0;
    m->marks = tp_arena_array(&s->arena, s->trace.names.count, sizeof *m->marks);
    m->steps = &s->step;
    m->step_count = 1;
    m->devices.event = s->order.device;
    m->devices.count = s->order.device_count;
    link_calls_to_operations(s);
    s->gpu = (struct tp_gpu){.word = "GPU"};
    m->gpus = &s->gpu;
    m->gpu_count = s->order.device_count > 0;
    s->gpu.events = tp_arena_array(&s->arena, s->order.device_count, sizeof *s->gpu.events);
    s->gpu.busy.items = tp_arena_array(&s->arena, s->order.device_count, sizeof(struct tp_interval));
    for (uint32_t i = 0; i < s->order.device_count; i++) {
        const struct tp_event *event = &s->trace.events[s->order.device[i]];
        s->gpu.events[s->gpu.count++] = i;
        s->gpu.busy.items[s->gpu.busy.count++] = (struct tp_interval){event->ts_ns, tp_event_end(event)};
    }
    struct tp_timeline_options options = {.max_bytes = max_bytes, .shown_step = 0};
    tp_timeline_build(timeline, m, &options, &s->arena);
}

/* Returns the unpacked data. Stores the start of section i in section[i]. */
static uint8_t *unpack_timeline_data(const struct tp_timeline *timeline, struct tp_arena *arena, const char **header)
{
    enum { ROOM = 1 << 22 };
    uint8_t *bytes = tp_arena_alloc(arena, ROOM);
    z_stream stream = {.next_in = (uint8_t *)(uintptr_t)timeline->data.ptr,
                       .avail_in = (unsigned)timeline->data.len,
                       .next_out = bytes,
                       .avail_out = ROOM};
    assert_int_equal(inflateInit2(&stream, 31), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    inflateEnd(&stream);
    uint32_t size;
    memcpy(&size, bytes, 4);
    *header = tp_arena_copy(arena, bytes + 4, size);
    return bytes + 4 + size;
}

/* Returns the start of a section of the unpacked data, and sets *size to its size in bytes. */
static const uint8_t *find_section(const uint8_t *bytes, const char *header, unsigned section, unsigned *size)
{
    const char *at = strstr(header, "\"sections\":[") + 11;
    for (unsigned i = 0;; i++) {
        *size = (unsigned)strtoul(at + 1, (char **)&at, 10);
        if (i == section)
            return bytes;
        bytes += *size;
    }
}

enum { NAME_CLASSES = 6, COVER = 7, LAUNCH = 12, FULL_SIZES = 16, FULL_BYTES = 17, LOAD = 18, LOAD_BUCKETS = 4096 };

static void slices_are_packed_in_order_with_their_depth(void **state)
{
    (void)state;
    struct scene s;
    init_scene(&s);
    assert_int_equal(setjmp(s.arena.guard), 0);
    add_event(&s, TP_KIND_OPERATOR, 0, "outer", 1000001000, 500000);
    add_event(&s, TP_KIND_OPERATOR, 0, "inner", 1000002000, 200000);
    add_event(&s, TP_KIND_OPERATOR, 0, "inner", 1000301000, 100000);
    add_event(&s, TP_KIND_OPERATOR, 0, "outer", 1000601000, 0);
    struct tp_timeline timeline;
    build_timeline(&s, &timeline, 1 << 20);
    const char *header;
    const uint8_t *bytes = unpack_timeline_data(&timeline, &s.arena, &header);
    assert_int_equal(timeline.shown_count, 4);
    assert_int_equal(timeline.lanes[0].row_count, 2);
    assert_true(tp_str_equal(timeline.lanes[0].title, TP_STR("Thread 7")));
    assert_non_null(strstr(header, "\"unit_ns\":1000"));
    /* expected bytes as LEB128: starts as deltas 0 1 299 300, durations 500 200 100 0, names 1 2 2 1, depths 0 1 1 0 */
    const uint8_t expected[] = {0, 1, 0xAB, 2, 0xAC, 2, 0xF4, 3, 0xC8, 1, 100, 0, 1, 2, 2, 1, 0, 1, 1, 0};
    assert_memory_equal(bytes, expected, sizeof expected);
    assert_memory_equal(bytes + sizeof expected + 3, "(other names)outerinner", 23);
    tp_arena_release(&s.arena);
}

static void device_slices_name_their_launch(void **state)
{
    (void)state;
    struct scene s;
    init_scene(&s);
    assert_int_equal(setjmp(s.arena.guard), 0);
    add_event(&s, TP_KIND_RUNTIME, 0, "launch", 1000000, 2000);
    /* the operation starts before this call, because the clocks differ */
    add_event(&s, TP_KIND_RUNTIME, 0, "launch", 1010000, 2000);
    add_event(&s, TP_KIND_KERNEL, 2, "kernel", 1005000, 1000);
    add_event(&s, TP_KIND_KERNEL, 2, "kernel", 1009000, 1000);
    add_event(&s, TP_KIND_KERNEL, 2, "kernel", 1020000, 1000); /* this kernel has no known launch */
    struct tp_timeline timeline;
    build_timeline(&s, &timeline, 1 << 20);
    const char *header;
    const uint8_t *bytes = unpack_timeline_data(&timeline, &s.arena, &header);
    unsigned size;
    const uint8_t *launches = find_section(bytes, header, LAUNCH, &size);
    /* the first operation is launched at 1,000,000 ns and starts at 1,005,000 ns; a bucket of the load has 2 ns */
    assert_int_equal(timeline.gpus[0].queue_depth, 1);
    unsigned load_size;
    const uint8_t *queue = find_section(bytes, header, LOAD, &load_size) + 2 * LOAD_BUCKETS;
    assert_int_equal(load_size, 3 * LOAD_BUCKETS);
    assert_int_equal(queue[0], 255);
    assert_int_equal(queue[2499], 255);
    assert_int_equal(queue[2500], 0);
    const uint8_t expected[] = {6, 0, 0};
    assert_int_equal(size, sizeof expected);
    assert_memory_equal(launches, expected, sizeof expected);
    tp_arena_release(&s.arena);
}

static void single_nanoseconds_are_kept(void **state)
{
    (void)state;
    struct scene s;
    init_scene(&s);
    assert_int_equal(setjmp(s.arena.guard), 0);
    add_event(&s, TP_KIND_OPERATOR, 0, "a", 5000, 3000);
    add_event(&s, TP_KIND_OPERATOR, 0, "b", 8001, 7);
    struct tp_timeline timeline;
    build_timeline(&s, &timeline, 1 << 20);
    const char *header;
    const uint8_t *bytes = unpack_timeline_data(&timeline, &s.arena, &header);
    const uint8_t expected[] = {0,    0xB9, 0x17, 0xB8,
                                0x17, 7}; /* expected bytes: starts as deltas 0 3001, durations
                                           * 3000 7 */
    assert_non_null(strstr(header, "\"unit_ns\":1,"));
    assert_memory_equal(bytes, expected, sizeof expected);
    tp_arena_release(&s.arena);
}

static void short_host_slices_are_folded_to_fit(void **state)
{
    (void)state;
    struct scene s;
    init_scene(&s);
    assert_int_equal(setjmp(s.arena.guard), 0);
    uint32_t random = 1;
    for (int i = 0; i < 20000; i++) {
        random = random * 1664525 + 1013904223;
        add_event(&s, TP_KIND_OPERATOR, (uint32_t)i % 2, "op", (int64_t)i * 100000 + random % 9999, 1 + random % 50000);
    }
    for (int i = 0; i < 500; i++)
        add_event(&s, TP_KIND_KERNEL, 2, "kernel", (int64_t)i * 4000000, 1000 + i);
    struct tp_timeline all, fitted;
    build_timeline(&s, &all, 1 << 20);
    build_timeline(&s, &fitted, 40000);
    assert_int_equal(all.folded_count, 0);
    assert_true((all.data.len + 2) / 3 * 4 > 40000);
    assert_true((fitted.data.len + 2) / 3 * 4 <= 40000);
    assert_int_equal(fitted.folded_count + fitted.shown_count, 20500);
    assert_true(fitted.shown_count > 2000);
    assert_int_equal(fitted.lanes[0].shown_count, 500); /* all slices of the device are shown */
    assert_true(fitted.folded_below_ns > 0 && !fitted.folds_devices);
    /* the coverage has three groups for each of the two threads */
    const char *header;
    unsigned size;
    const uint8_t *bytes = unpack_timeline_data(&fitted, &s.arena, &header);
    const uint8_t *cover = find_section(bytes, header, COVER, &size);
    assert_int_equal(size, 2 * TP_GROUP_COUNT * 2048);
    assert_int_equal(fitted.lanes[0].cover_count, 0);
    assert_int_equal(cover[0], 0);
    assert_true(cover[TP_GROUP_OPERATORS * 2048] > 0);
    uint64_t shorter = 0;
    for (int i = 0; i < 20000; i++)
        shorter += (uint64_t)s.trace.events[i].dur_ns < fitted.folded_below_ns;
    assert_int_equal(shorter, fitted.folded_count);
    build_timeline(&s, &all, 2000); /* the limit is too small even for the slices of devices */
    assert_true((all.data.len + 2) / 3 * 4 <= 2000);
    tp_arena_release(&s.arena);
}

static uint64_t read_number(const uint8_t **at)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return value;
    }
}

/* Adds 3,000 operators with random times. period_ns: mean distance of two starts, ns */
static void add_random_operators(struct scene *s, int64_t period_ns)
{
    uint32_t random = 1;
    for (int i = 0; i < 3000; i++) {
        random = random * 1664525 + 1013904223;
        add_event(s, TP_KIND_OPERATOR, 0, "op", i * period_ns + random % 999, 1 + random / 7 % 7000);
    }
}

static void times_are_rounded_before_slices_are_folded(void **state)
{
    (void)state;
    struct scene s;
    init_scene(&s);
    assert_int_equal(setjmp(s.arena.guard), 0);
    add_random_operators(&s, 100000);
    struct tp_timeline exact, rounded;
    build_timeline(&s, &exact, 1 << 20);
    assert_false(exact.rounds);
    build_timeline(&s, &rounded, (exact.data.len + 2) / 3 * 3);
    assert_true(rounded.rounds && rounded.shown_count == 3000 && rounded.folded_count == 0);
    const char *header;
    const uint8_t *starts = unpack_timeline_data(&rounded, &s.arena, &header);
    unsigned size;
    const uint8_t *durations = find_section(starts, header, 1, &size);
    assert_non_null(strstr(header, "\"unit_ns\":1000"));
    uint64_t at = 0, first = (uint64_t)s.trace.events[0].ts_ns;
    for (int i = 0; i < 3000; i++) {
        const struct tp_event *event = &s.trace.events[i];
        at += read_number(&starts);
        assert_int_equal(at, ((uint64_t)event->ts_ns - first) / 1000);
        assert_int_equal(at + read_number(&durations), ((uint64_t)tp_event_end(event) - first) / 1000);
    }
    tp_arena_release(&s.arena);
}

static void times_of_a_short_timeline_are_exact(void **state)
{
    (void)state;
    struct scene s;
    init_scene(&s);
    assert_int_equal(setjmp(s.arena.guard), 0);
    add_random_operators(&s, 20000);
    struct tp_timeline all, fitted;
    build_timeline(&s, &all, 1 << 20);
    build_timeline(&s, &fitted, (all.data.len + 2) / 3 * 3);
    assert_true(!fitted.rounds && fitted.folded_count > 0);
    tp_arena_release(&s.arena);
}

static void device_load_counts_time_and_blocks(void **state)
{
    (void)state;
    struct scene s;
    init_scene(&s);
    assert_int_equal(setjmp(s.arena.guard), 0);
    add_event(&s, TP_KIND_OPERATOR, 0, "op", 0, 512 * 1024);
    add_event(&s, TP_KIND_KERNEL, 2, "kernel", 0, 256 * 1024);
    s.step = (struct tp_step){.end_ns = 512 * 1024 - 1};
    struct tp_timeline timeline;
    build_timeline(&s, &timeline, 1 << 20);
    assert_int_equal(timeline.gpu_count, 1);
    assert_true(timeline.gpus[0].has_sm_efficiency);
    const char *header;
    unsigned size;
    const uint8_t *bytes = unpack_timeline_data(&timeline, &s.arena, &header);
    const uint8_t *load = find_section(bytes, header, LOAD, &size);
    assert_int_equal(size, 2 * LOAD_BUCKETS);
    assert_int_equal(timeline.gpus[0].queue_depth, 0);
    assert_int_equal(load[0], 255);
    assert_int_equal(load[LOAD_BUCKETS / 2 - 1], 255);
    assert_int_equal(load[LOAD_BUCKETS / 2], 0);
    assert_int_equal(load[LOAD_BUCKETS + 800], 127); /* half a block per SM is stored as 127 of 255 */
    assert_true(tp_str_equal(timeline.lanes[0].title, TP_STR("GPU 0 · stream 20")));
    tp_arena_release(&s.arena);
}

static struct tp_str short_name(const void *context, struct tp_str name)
{
    (void)context;
    return (struct tp_str){name.ptr, name.len < 6 ? name.len : 6};
}

static struct tp_str same_name(const void *context, struct tp_str name)
{
    (void)context;
    return name;
}

static void full_names_are_kept_with_short_names(void **state)
{
    (void)state;
    struct scene s;
    init_scene(&s);
    assert_int_equal(setjmp(s.arena.guard), 0);
    add_event(&s, TP_KIND_OPERATOR, 0, "aten::mm", 1000, 500);
    add_event(&s, TP_KIND_KERNEL, 2, "kernel<float>", 1100, 100);
    struct tp_timeline timeline;
    build_timeline(&s, &timeline, 1 << 20);
    struct tp_timeline_options options = {
        .max_bytes = 1 << 20, .show = same_name, .show_kernel = short_name, .show_full = same_name};
    tp_timeline_build(&timeline, &s.model, &options, &s.arena);
    const char *header;
    unsigned size;
    const uint8_t *bytes = unpack_timeline_data(&timeline, &s.arena, &header);
    const uint8_t sizes[] = {0, 13, 0};
    assert_memory_equal(find_section(bytes, header, FULL_SIZES, &size), sizes, sizeof sizes);
    assert_memory_equal(find_section(bytes, header, FULL_BYTES, &size), "kernel<float>", 13);
    assert_int_equal(size, 13);
    tp_arena_release(&s.arena);
}

static void calls_that_wait_have_their_own_class(void **state)
{
    (void)state;
    struct scene s;
    init_scene(&s);
    assert_int_equal(setjmp(s.arena.guard), 0);
    add_event(&s, TP_KIND_RUNTIME, 0, "cudaMemcpyAsync", 1000, 500);
    add_event(&s, TP_KIND_RUNTIME, 0, "cudaMemcpyAsync", 3000, 500);
    struct tp_timeline timeline;
    build_timeline(&s, &timeline, 1 << 20);
    s.model.waits = &(struct tp_wait){.event = 1};
    s.model.wait_count = 1;
    struct tp_timeline_options options = {.max_bytes = 1 << 20};
    tp_timeline_build(&timeline, &s.model, &options, &s.arena);
    const char *header;
    unsigned size;
    const uint8_t *bytes = unpack_timeline_data(&timeline, &s.arena, &header);
    const uint8_t classes[] = {TP_SLICE_CPU, TP_SLICE_RUNTIME, TP_SLICE_WAIT};
    assert_memory_equal(find_section(bytes, header, NAME_CLASSES, &size), classes, sizeof classes);
    assert_int_equal(size, sizeof classes);
    tp_arena_release(&s.arena);
}

/* The close-up is the sixteenth of the step in which the most kernels start. */
static void the_close_up_shows_the_busiest_part(void **state)
{
    (void)state;
    struct scene s;
    init_scene(&s);
    assert_int_equal(setjmp(s.arena.guard), 0);
    add_event(&s, TP_KIND_FRAME, 0, "train.py(1): main", 0, 1600000);
    add_event(&s, TP_KIND_FRAME, 0, "train.py(2): step", 801000, 50000);
    add_event(&s, TP_KIND_FRAME, 0, "module.py(3): _call_impl", 801100, 49000);
    add_event(&s, TP_KIND_OPERATOR, 0, "aten::mm", 802000, 30000);
    add_event(&s, TP_KIND_OPERATOR, 0, "aten::inner", 803000, 20000);
    add_event(&s, TP_KIND_RUNTIME, 0, "launch", 804000, 5000);
    add_event(&s, TP_KIND_KERNEL, 2, "first", 100000, 50000);
    for (int i = 0; i < 3; i++) /* three short kernels in a row make one box */
        add_event(&s, TP_KIND_KERNEL, 2, "tiny", 810000 + i * 100, 100);
    add_event(&s, TP_KIND_KERNEL, 2, "long", 830000, 200000);
    s.step = (struct tp_step){.start_ns = 0, .end_ns = 1599984};
    struct tp_timeline timeline;
    build_timeline(&s, &timeline, 1 << 20);
    const struct tp_timeline_close *close = &timeline.close;
    assert_int_equal(close->step, 0);
    assert_int_equal(close->start_ns, 800000);
    assert_int_equal(close->dur_ns, 100000);
    assert_int_equal(close->rows[TP_CLOSE_DEVICE].count, 2);
    const struct tp_close_box *boxes = close->rows[TP_CLOSE_DEVICE].boxes;
    assert_true(boxes[0].is_many && boxes[0].start_ns == 10000 && boxes[0].end_ns == 10300);
    assert_true(!boxes[1].is_many && boxes[1].end_ns == close->dur_ns && boxes[1].class == TP_SLICE_KERNEL);
    const enum tp_close_row rows[] = {TP_CLOSE_CALLS, TP_CLOSE_OPERATORS, TP_CLOSE_INNER_OPERATORS, TP_CLOSE_FRAMES};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(close->rows[rows[i]].count, 1);
    /* the frame that lasts for the whole part has no row, and neither has the one that only passes on */
    assert_int_equal(close->rows[TP_CLOSE_INNER_FRAMES].count, 0);
    assert_true(tp_str_equal(tp_strings_get(&s.trace.names, close->rows[TP_CLOSE_FRAMES].boxes[0].name),
                             TP_STR("train.py(2): step")));
    tp_arena_release(&s.arena);
}

static void hostile_times_and_depths_do_not_crash(void **state)
{
    (void)state;
    struct scene s;
    init_scene(&s);
    assert_int_equal(setjmp(s.arena.guard), 0);
    for (int i = 0; i < 3000; i++)
        add_event(&s, TP_KIND_OPERATOR, 0, "deep", -(1ll << 62), (1ll << 62) - i);
    add_event(&s, TP_KIND_OPERATOR, 1, "far", (1ll << 62) - 1, 1ll << 62);
    add_event(&s, TP_KIND_KERNEL, 2, "k", -(1ll << 62), 1ll << 62);
    struct tp_timeline timeline;
    build_timeline(&s, &timeline, 1 << 20);
    assert_int_equal(timeline.omitted_deep_slice_count, 3000 - TP_TIMELINE_MAX_ROWS);
    assert_int_equal(timeline.lanes[1].row_count, TP_TIMELINE_MAX_ROWS);
    assert_true(tp_timeline_data(&timeline, &(struct tp_naming){.arena = &s.arena}, NULL).kind == TP_DATA_OBJECT);
    build_timeline(&s, &timeline, 300);
    tp_arena_release(&s.arena);
}

static void no_slices_give_no_timeline(void **state)
{
    (void)state;
    struct scene s;
    init_scene(&s);
    assert_int_equal(setjmp(s.arena.guard), 0);
    struct tp_timeline timeline;
    build_timeline(&s, &timeline, 1 << 20);
    assert_int_equal(timeline.lane_count, 0);
    assert_true(tp_timeline_data(&timeline, &(struct tp_naming){.arena = &s.arena}, NULL).kind == TP_DATA_NONE);
    tp_arena_release(&s.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_are_packed_in_order_with_their_depth),
        cmocka_unit_test(device_slices_name_their_launch),
        cmocka_unit_test(single_nanoseconds_are_kept),
        cmocka_unit_test(short_host_slices_are_folded_to_fit),
        cmocka_unit_test(times_are_rounded_before_slices_are_folded),
        cmocka_unit_test(times_of_a_short_timeline_are_exact),
        cmocka_unit_test(device_load_counts_time_and_blocks),
        cmocka_unit_test(full_names_are_kept_with_short_names),
        cmocka_unit_test(calls_that_wait_have_their_own_class),
        cmocka_unit_test(the_close_up_shows_the_busiest_part),
        cmocka_unit_test(hostile_times_and_depths_do_not_crash),
        cmocka_unit_test(no_slices_give_no_timeline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
