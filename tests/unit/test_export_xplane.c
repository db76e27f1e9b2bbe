/* Tests the XPlane export of small traces. The expected content of planes is counted by hand from the events of each
 * test. */
#include "webreport/export/export_formats.h"
#include "webreport/model/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/made_trace.h"
#include "webreport/export/xplane/xplane_parts.h"
#include "writer/proto/xplane.pb-c.h"

static const char session[] = "plugins/profile/run.5";
static char folder[64];

static int enter_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/tracepress-export-XXXXXX");
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    (void)state;
    unlink("plugins/profile/run.5/w.xplane.pb");
    rmdir(session);
    rmdir("plugins/profile");
    rmdir("plugins");
    return chdir("/") == 0 ? rmdir(folder) : -1;
}

/* Exports the trace and reads the resulting file. header: members before the events, or "". The caller frees the
 * result. */
static Tp__XSpace *export_trace(const char *header, const char *events)
{
    static uint8_t bytes[1 << 20];
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    make_model(&arena, &trace, &order, &model, header, events);
    struct tp_profile profile = {.run = TP_STR("run"),
                                 .worker = TP_STR("w"),
                                 .span = 1,
                                 .file = TP_STR("w.5.pt.trace.json"),
                                 .trace = &trace,
                                 .order = &order,
                                 .model = &model};
    struct tp_export export = {
        .profile = &profile, .out = ".", .folder = ".", .run = "run", .worker = "w", .arena = &arena};
    assert_int_equal(tp_export_xplane(&export, NULL), 0);
    tp_arena_release(&arena);
    FILE *file = fopen("plugins/profile/run.5/w.xplane.pb", "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    Tp__XSpace *space = tp__xspace__unpack(NULL, size, bytes);
    assert_non_null(space);
    return space;
}

static Tp__XSpace *export_events(const char *events)
{
    return export_trace("", events);
}

static bool is_equal_text(ProtobufCBinaryData bytes, const char *want)
{
    return bytes.len == strlen(want) && memcmp(bytes.data, want, bytes.len) == 0;
}

static const Tp__XPlane *find_plane(const Tp__XSpace *space, const char *name)
{
    for (size_t i = 0; i < space->n_planes; i++)
        if (is_equal_text(space->planes[i]->name, name))
            return space->planes[i];
    fail_msg("no plane %s", name);
    return NULL;
}

static bool has_name(const Tp__XPlane *plane, const Tp__XEvent *event, const char *name)
{
    return is_equal_text(plane->event_metadata[event->metadata_id - 1]->value->name, name);
}

/* Returns the event number `nth` (from 0) of all events with this name in the plane. */
static const Tp__XEvent *find_event(const Tp__XPlane *plane, const char *name, int nth)
{
    for (size_t l = 0; l < plane->n_lines; l++)
        for (size_t i = 0; i < plane->lines[l]->n_events; i++)
            if (has_name(plane, plane->lines[l]->events[i], name) && nth-- == 0)
                return plane->lines[l]->events[i];
    fail_msg("no event %s", name);
    return NULL;
}

static const Tp__XStat *find_stat(const Tp__XPlane *plane, const Tp__XEvent *event, const char *name)
{
    for (size_t i = 0; i < event->n_stats; i++)
        if (is_equal_text(plane->stat_metadata[event->stats[i]->metadata_id - 1]->value->name, name))
            return event->stats[i];
    fail_msg("no stat %s", name);
    return NULL;
}

static void assert_stat_text(const Tp__XPlane *plane, const Tp__XEvent *event, const char *name, const char *want)
{
    const Tp__XStat *stat = find_stat(plane, event, name);
    assert_true(is_equal_text(plane->stat_metadata[stat->ref_value - 1]->value->name, want));
}

#define EVENT(cat, name, tid, ts, dur, args)                                                                           \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":1,\"tid\":" #tid ",\"ts\":" #ts ",\"dur\":" #dur  \
    ",\"args\":{" args "}}"
#define STEP EVENT("user_annotation", "ProfilerStep#7", 1, 100, 50, "")
#define KERNEL(name, ts, dur, correlation)                                                                             \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":" #ts ",\"dur\":" #dur          \
    ",\"args\":{\"device\":0,\"stream\":7,\"correlation\":" #correlation                                               \
    ",\"grid\":[2,3,1],\"block\":[64,1,1],\"registers per thread\":9,\"shared memory\":4,"                             \
    "\"est. achieved occupancy %\":12.5}}"

static void xplane_kernel_has_its_operator_and_exact_time(void **state)
{
    (void)state;
    Tp__XSpace *space = export_events(STEP "," EVENT("cpu_op", "aten::linear", 1, 110, 30, "") "," EVENT(
        "cpu_op", "aten::addmm", 1, 111, 20, "") "," EVENT("cuda_runtime", "cudaLaunchKernel", 1, 112, 5,
                                                           "\"correlation\":3") "," KERNEL("gemm", 120.125, 7, 3));
    const Tp__XPlane *gpu = find_plane(space, "/device:GPU:0"), *host = find_plane(space, "/host:CPU");
    const Tp__XEvent *kernel = find_event(gpu, "gemm", 0);
    assert_int_equal(kernel->offset_ps, 20125000);
    assert_int_equal(kernel->duration_ps, 7000000);
    assert_stat_text(gpu, kernel, "tf_op", "main/aten.linear/aten.addmm:addmm");
    assert_stat_text(gpu, kernel, "kernel_details",
                     "regs:9\nstatic_shared:4\ndynamic_shared:0\ngrid:2,3,1\nblock:64,1,1\nocc_pct:12.5");
    assert_int_equal(find_stat(gpu, kernel, "correlation_id")->int64_value, 3);
    const Tp__XEvent *launch = find_event(host, "cudaLaunchKernel", 0);
    assert_int_equal(find_stat(host, launch, "correlation_id")->int64_value, 3);
    assert_int_equal(find_stat(host, launch, "device_id")->int64_value, 0);
    assert_int_equal(find_event(host, "main/aten.linear:linear", 0)->duration_ps, 30000000);
    tp__xspace__free_unpacked(space, NULL);
}

static void xplane_step_is_marked_on_every_thread_and_device(void **state)
{
    (void)state;
    Tp__XSpace *space = export_events(STEP "," EVENT("cpu_op", "aten::mm", 1, 100, 10, "") "," EVENT(
        "cpu_op", "autograd::engine::evaluate_function: MmBackward0", 2, 120, 10,
        "") "," EVENT("cpu_op", "aten::mm", 2, 140, 5, "") "," EVENT("cpu_op", "aten::mm", 2, 200, 5,
                                                                     "") "," KERNEL("k", 120, 7, 3));
    const Tp__XPlane *gpu = find_plane(space, "/device:GPU:0"), *host = find_plane(space, "/host:CPU");
    const Tp__XEvent *step = find_event(host, "train", 0), *part = find_event(host, "tracepress::step_part", 0);
    assert_int_equal(find_stat(host, step, "_r")->int64_value, 1);
    assert_int_equal(find_stat(host, step, "step_num")->int64_value, 7);
    assert_int_equal(step->duration_ps, 50000000);
    /* The event from 120 to 145 us is part of the step that begins at 100 us. The event at 200 us is in no step. */
    assert_int_equal(part->offset_ps, 20000000);
    assert_int_equal(part->duration_ps, 25000000);
    assert_int_equal(find_stat(host, part, "_c")->uint64_value, find_stat(host, step, "_p")->uint64_value);
    assert_int_equal(find_stat(gpu, find_event(gpu, "step_begin", 0), "correlation_id")->int64_value,
                     find_stat(host, find_event(host, "tracepress::step_begin", 0), "correlation_id")->int64_value);
    find_event(host, "backward/autograd.engine.evaluate_function__MmBackward0:evaluate_function", 0);
    find_event(host, "thread/aten.mm:mm", 1);
    for (size_t i = 0; i < host->n_event_metadata; i++)
        assert_false(is_equal_text(host->event_metadata[i]->value->name, "ProfilerStep#7"));
    tp__xspace__free_unpacked(space, NULL);
}

static void xplane_crossing_events_are_cut_to_nest(void **state)
{
    (void)state;
    Tp__XSpace *space = export_events(EVENT("cpu_op", "a", 1, 100, 50, "") "," EVENT("cpu_op", "b", 1, 120, 60, ""));
    const Tp__XPlane *host = find_plane(space, "/host:CPU");
    assert_int_equal(find_event(host, "main/a:a", 0)->duration_ps, 50000000);
    assert_int_equal(find_event(host, "main/a/b:b", 0)->duration_ps, 30000000);
    tp__xspace__free_unpacked(space, NULL);
}

static void xplane_memory_peak_is_the_highest_total(void **state)
{
    (void)state;
#define MEMORY(ts, bytes)                                                                                              \
    "{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":" #ts ",\"args\":{\"Device Type\":0,"              \
    "\"Device Id\":-1,\"Bytes\":" #bytes ",\"Addr\":64}}"
    Tp__XSpace *space = export_events(
        EVENT("cpu_op", "aten::empty", 1, 100, 50, "") "," MEMORY(101, 64) "," MEMORY(102, 36) "," MEMORY(103, -64));
    const Tp__XPlane *host = find_plane(space, "/host:CPU");
    const Tp__XEvent *e = find_event(host, "MemoryDeallocation", 0);
    assert_int_equal(find_stat(host, e, "bytes_allocated")->int64_value, 36);
    assert_int_equal(find_stat(host, e, "peak_bytes_in_use")->int64_value, 100);
    assert_int_equal(find_stat(host, e, "allocation_bytes")->int64_value, 64);
    assert_stat_text(host, e, "allocator_name", "CPU");
    assert_stat_text(host, find_event(host, "MemoryAllocation", 1), "tf_op", "main/aten.empty:empty");
    tp__xspace__free_unpacked(space, NULL);
}

/* Checks the memory capacity of each kind of device that has properties in the trace. The memory view shows this
 * capacity. */
static void xplane_memory_has_the_capacity_of_its_device(void **state)
{
    (void)state;
#define OF_DEVICE(ts, type)                                                                                            \
    "{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":" #ts ",\"args\":{\"Device Type\":" #type          \
    ",\"Device Id\":0,\"Bytes\":64,\"Addr\":64}}"
    Tp__XSpace *space = export_trace("\"deviceProperties\":[{\"id\":0,\"totalGlobalMem\":1000}],",
                                     EVENT("cpu_op", "a", 1, 100, 50, "") "," OF_DEVICE(101, 1) "," OF_DEVICE(
                                         102, 6) "," OF_DEVICE(103, 12) "," OF_DEVICE(104, 0));
    const Tp__XPlane *host = find_plane(space, "/host:CPU");
    for (int i = 0; i < 3; i++)
        assert_int_equal(find_stat(host, find_event(host, "MemoryAllocation", i), "bytes_available")->int64_value, 936);
    assert_int_equal(find_stat(host, find_event(host, "MemoryAllocation", 3), "bytes_available")->int64_value, 0);
    tp__xspace__free_unpacked(space, NULL);
}

static void xplane_distant_times_are_omitted_and_reported(void **state)
{
    (void)state;
    Tp__XSpace *space = export_events(EVENT("cpu_op", "early", 1, 0, 1, "") "," EVENT(
        "cpu_op", "a", 1, 1700000000000000, 5, "") "," EVENT("cpu_op", "b", 1, 1700000000000010, 5, ""));
    const Tp__XPlane *host = find_plane(space, "/host:CPU");
    assert_int_equal(find_event(host, "main/a:a", 0)->offset_ps, 0);
    assert_int_equal(find_event(host, "main/b:b", 0)->offset_ps, 10000000);
    assert_int_equal(space->n_warnings, 1);
    tp__xspace__free_unpacked(space, NULL);
}

static void xplane_stale_caches_are_removed(void **state)
{
    (void)state;
    static const char *const stale[] = {"ALL_HOSTS.op_stats.pb", "w.SSTABLE", ".cached_tools.json",
                                        "cache_version.txt"};
    tp__xspace__free_unpacked(export_events(STEP), NULL);
    assert_int_equal(chdir(session), 0);
    for (int i = 0; i < 4; i++)
        fclose(fopen(stale[i], "w"));
    fclose(fopen("notes.txt", "w"));
    fclose(fopen("other.SSTABLE", "w")); /* the export does not write this file, so it must remain */
    assert_int_equal(chdir(folder), 0);
    tp__xspace__free_unpacked(export_events(STEP), NULL);
    assert_int_equal(chdir(session), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(access(stale[i], F_OK), -1);
    assert_int_equal(unlink("notes.txt") || unlink("other.SSTABLE"), 0);
    assert_int_equal(chdir(folder), 0);
}

static void xplane_scopes_match_the_parser_of_xprof(void **state)
{
    struct tp_arena arena;
    struct tp_xscopes scopes;
    char name[200];
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    tp_xscopes_init(&scopes, &arena);
    uint32_t a = tp_xscopes_add(&scopes, TP_NO_ID, TP_XROOT_OPTIMIZER, 1, TP_STR("Optimizer.step#SGD.step"));
    uint32_t b = tp_xscopes_add(&scopes, a, TP_XROOT_MAIN, 2, TP_STR("3 <b>\xc3\xa9:\n"));
    assert_true(
        tp_str_equal(tp_xscopes_get(&scopes, a)->text, TP_STR("optimizer/Optimizer.step_SGD.step:optimizer_step")));
    assert_true(tp_str_equal(tp_xscopes_get(&scopes, b)->text,
                             TP_STR("optimizer/Optimizer.step_SGD.step/3__b_____:op_3__b___")));
    assert_int_equal(tp_xscopes_add(&scopes, a, TP_XROOT_MAIN, 2, TP_STR("3 <b>\xc3\xa9:\n")), b);
    uint32_t empty = tp_xscopes_add(&scopes, TP_NO_ID, TP_XROOT_MAIN, 3, TP_STR(""));
    assert_true(tp_str_equal(tp_xscopes_get(&scopes, empty)->text, TP_STR("main/_:op_")));
    memset(name, 'x', sizeof name);
    for (int i = 0; i < 100; i++) /* makes a deep path, of which the name keeps only the first and the last parts */
        b = tp_xscopes_add(&scopes, b, TP_XROOT_MAIN, 4, (struct tp_str){name, sizeof name});
    struct tp_str deep = tp_xscopes_get(&scopes, b)->text;
    assert_true(deep.len < 800);
    assert_true(tp_str_starts(deep, "optimizer/.../xxx"));
    tp_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(xplane_kernel_has_its_operator_and_exact_time, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(xplane_step_is_marked_on_every_thread_and_device, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(xplane_crossing_events_are_cut_to_nest, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(xplane_memory_peak_is_the_highest_total, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(xplane_memory_has_the_capacity_of_its_device, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(xplane_distant_times_are_omitted_and_reported, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(xplane_stale_caches_are_removed, enter_folder, leave_folder),
        cmocka_unit_test(xplane_scopes_match_the_parser_of_xprof),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
