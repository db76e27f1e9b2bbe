/* Tests summaries of small traces. Expected numbers are counted by hand from the events of each test. */
#include "webreport/measure/summary/summary_build.h"

#include <math.h>
#include <stdio.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "webreport/session/trace_analysis.h"
#include "writer/base/limits.h"

/* ---- making a summary ---- */

struct made {
    struct tp_analysis analysis;
    struct tp_arena arena;
    struct tp_summary summary;
};

static void make_summary_of_extent(struct made *m, const char *text, size_t size, enum tp_summary_extent extent)
{
    struct tp_trace_options options = {.single_thread = true, .skips_hash = extent != TP_SUMMARY_WHOLE};
    tp_analysis_open(&m->analysis, NULL);
    tp_arena_init(&m->arena, 0);
    if (setjmp(m->analysis.arena.guard) || setjmp(m->arena.guard))
        fail();
    assert_int_equal(tp_trace_read_bytes(&m->analysis.trace, &m->analysis.arena, text, size, &options, NULL), 0);
    m->analysis.extent = extent == TP_SUMMARY_WHOLE ? TP_ANALYSIS_WHOLE : TP_ANALYSIS_METRICS;
    tp_analysis_build(&m->analysis, NULL, NULL);
    struct tp_summary_source source = {.key = {TP_STR("job"), TP_NULL_INT, TP_NULL_INT, TP_STR("worker0"), TP_NULL_INT},
                                       .file = TP_STR("a.json"),
                                       .sha256 = tp_str_of(m->analysis.trace.reading.file_sha256),
                                       .extent = extent,
                                       .trace = &m->analysis.trace,
                                       .order = &m->analysis.order,
                                       .model = &m->analysis.model,
                                       .views = &m->analysis.views,
                                       .advice = &m->analysis.advice};
    tp_summary_build(&m->summary, &source, &m->arena);
    tp_analysis_close(&m->analysis); /* the summary must not need the trace any more */
}

static void make_text(struct made *m, const char *text, size_t size)
{
    make_summary_of_extent(m, text, size, TP_SUMMARY_WHOLE);
}

static void make(struct made *m, const char *head, const char *events)
{
    static char text[1 << 16];
    int n = snprintf(text, sizeof text, "{%s\"traceEvents\":[%s]}", head, events);
    make_text(m, text, (size_t)n);
}

static void release_made_trace(struct made *m)
{
    tp_arena_release(&m->arena);
}

static const struct tp_summary_row *find_row(const struct made *m, enum tp_summary_kind kind, const char *name,
                                             const char *shape)
{
    for (uint32_t i = 0; i < m->summary.row_count; i++) {
        const struct tp_summary_row *row = &m->summary.rows[i];
        if (row->kind == kind && tp_str_equal(row->name, tp_str_of(name)) &&
            (!shape || tp_str_equal(row->shape, tp_str_of(shape))))
            return row;
    }
    fail_msg("no row %s", name);
    return NULL;
}

#define EVENT(cat, name, tid, ts, dur, args)                                                                           \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":1,\"tid\":" #tid ",\"ts\":" #ts ",\"dur\":" #dur  \
    ",\"args\":{" args "}}"
#define DEVICE(n) "\"device\":0,\"stream\":7,\"correlation\":" #n
#define LAUNCH(n) "\"correlation\":" #n

/* Two steps. In the first step, aten::mm [2, 3] launches a kernel of 10 us that ends in the second step. A copy without
 * a launch also runs in the first step. In the second step, aten::mm launches a kernel of 20 us. */
static const char two_steps[] =
    EVENT("user_annotation", "ProfilerStep#3", 1, 0, 100, "") "," EVENT("user_annotation", "ProfilerStep#4", 1, 100, 100, "") "," EVENT("cpu_op", "aten::mm", 1, 10, 30, "\"Input Dims\":[[2,3],[3,2]],\"Input type\":[\"float\",\"float\"]") "," EVENT(
        "cuda_runtime", "cudaLaunchKernel", 1, 20, 5,
        LAUNCH(
            1)) "," EVENT("kernel", "gemm", 7, 95, 10,
                          DEVICE(
                              1)) "," EVENT("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 7, 50, 2,
                                            "\"bytes\":64," DEVICE(
                                                9)) "," EVENT("cpu_op", "aten::mm", 1, 110, 40,
                                                              "\"Input Dims\":[[2,3],[3,2]],\"Input "
                                                              "type\":[\"float\",\"float\"]") "," EVENT("cuda_runtime",
                                                                                                        "cudaLaunchKern"
                                                                                                        "el",
                                                                                                        1, 120, 7,
                                                                                                        LAUNCH(
                                                                                                            2)) "," EVENT("kernel",
                                                                                                                          "gemm",
                                                                                                                          7,
                                                                                                                          140,
                                                                                                                          20,
                                                                                                                          DEVICE(
                                                                                                                              2)) "," EVENT("cpu_op",
                                                                                                                                            "aten::mm",
                                                                                                                                            1,
                                                                                                                                            160,
                                                                                                                                            1,
                                                                                                                                            "");

static void rows_count_calls_per_step(void **state)
{
    struct made m;
    (void)state;
    make(&m, "", two_steps);
    assert_int_equal(m.summary.step_count, 2);
    const struct tp_summary_row *mm = find_row(&m, TP_SUMMARY_OPERATOR_HOST, "aten::mm", "[[2, 3], [3, 2]]");
    assert_int_equal(mm->time.count, 2);
    assert_int_equal(mm->time.sum_ns, 58000); /* does not include the runtime calls inside of aten::mm */
    assert_true(tp_str_equal(mm->dtype, TP_STR("float, float")));
    assert_int_equal(mm->by_step_ns[0], 25000);
    assert_int_equal(mm->by_step_ns[1], 33000);
    assert_int_equal(find_row(&m, TP_SUMMARY_OPERATOR_HOST, "aten::mm", "")->time.sum_ns, 1000);
    const struct tp_summary_row *device = find_row(&m, TP_SUMMARY_OPERATOR_DEVICE, "aten::mm", NULL);
    assert_int_equal(device->time.count, 2);
    assert_int_equal(device->time.sum_ns, 30000);
    const struct tp_summary_row *gemm = find_row(&m, TP_SUMMARY_KERNEL, "gemm", NULL);
    assert_true(tp_str_equal(gemm->owner, TP_STR("aten::mm")));
    assert_true(tp_str_equal(gemm->shape, TP_STR("[[2, 3], [3, 2]]")));
    assert_int_equal(gemm->by_step_ns[0], 10000); /* the kernel counts for the first step, because its launch is in that
                                                   * step */
    assert_int_equal(gemm->by_step_count[0], 1);
    assert_int_equal(gemm->by_step_ns[1], 20000);
    assert_int_equal(gemm->time.min_ns, 10000);
    assert_int_equal(gemm->time.max_ns, 20000);
    const struct tp_summary_row *copy = find_row(&m, TP_SUMMARY_COPY, "Memcpy HtoD (Pageable -> Device)", NULL);
    assert_int_equal(copy->bytes, 64);
    assert_int_equal(copy->owner.len, 0);
    assert_int_equal(copy->by_step_count[0], 0); /* the copy is before the first step, which begins when the copy
                                                  * ends */
    assert_int_equal(gemm->bytes, TP_NULL_INT);
    assert_int_equal(find_row(&m, TP_SUMMARY_RUNTIME, "cudaLaunchKernel", NULL)->time.sum_ns, 12000);
    release_made_trace(&m);
}

static void steps_are_those_of_the_overview(void **state)
{
    struct made m;
    (void)state;
    make(&m, "", two_steps);
    assert_true(tp_str_equal(m.summary.steps[0].name, TP_STR("3")));
    /* the step begins when the copy without a launch ends */
    assert_int_equal(m.summary.steps[0].start_ns, 52000);
    assert_int_equal(m.summary.steps[0].total_ns, 53000);
    assert_int_equal(m.summary.steps[0].part_ns[TP_PART_KERNEL], 10000);
    assert_int_equal(m.summary.steps[0].part_ns[TP_PART_MEMCPY], 0);
    assert_int_equal(m.summary.steps[1].start_ns, 105000);
    assert_int_equal(m.summary.steps[1].part_ns[TP_PART_KERNEL], 20000);
    /* The first step is idle from 52 to 95 us, because no device work comes before 95 us. The second step is idle from
     * 105 to 140 us and from 160 to 200 us. */
    int64_t idle[2] = {0, 0};
    for (int s = 0; s < 2; s++)
        for (int p = TP_PART_IDLE_HOST; p <= TP_PART_IDLE_OUTSIDE; p++)
            idle[s] += p == TP_PART_EXPOSED_COMMUNICATION ? 0 : m.summary.steps[s].part_ns[p];
    assert_int_equal(idle[0], 43000);
    assert_int_equal(idle[1], 75000);
    assert_int_equal(m.summary.steps[0].part_ns[TP_PART_EXPOSED_COMMUNICATION], TP_NULL_INT);
    for (int s = 0; s < 2; s++) { /* idle times must be the same for any number of kept rows */
        int64_t sums[2] = {0, 0};
        for (uint32_t r = 0; r < m.summary.row_count; r++) {
            const struct tp_summary_row *row = &m.summary.rows[r];
            if (row->kind == TP_SUMMARY_KERNEL || row->kind == TP_SUMMARY_COPY)
                sums[0] += row->by_step_ns ? row->by_step_ns[s] : 0;
            if (row->kind == TP_SUMMARY_OPERATOR_HOST)
                sums[1] += row->by_step_ns ? row->by_step_ns[s] : 0;
        }
        assert_true(sums[0] > 0);
        assert_true(m.summary.steps[s].part_ns[TP_PART_DEVICE_SUM] == sums[0]);
        assert_true(m.summary.steps[s].part_ns[TP_PART_HOST_SUM] == (sums[1] ? sums[1] : TP_NULL_INT));
    }
    release_made_trace(&m);
}

static void key_comes_from_the_trace_by_default(void **state)
{
    struct made m;
    (void)state;
    make(&m, "\"distributedInfo\":{\"rank\":5,\"world_size\":16},\"record_shapes\":1,", two_steps);
    assert_int_equal(m.summary.key.rank, 5);
    assert_int_equal(m.summary.key.world_size, 16);
    assert_true(tp_str_equal(m.summary.key.job, TP_STR("job")));
    assert_true(tp_str_equal(m.summary.key.worker, TP_STR("worker0")));
    assert_int_equal(m.summary.metrics[tp_metric_find("step.count", 10)].value, 2);
    bool has_shapes = false;
    for (uint32_t i = 0; i < m.summary.fact_count; i++)
        has_shapes |= tp_str_equal(m.summary.facts[i].name, TP_STR("record_shapes")) &&
                      tp_str_equal(m.summary.facts[i].value, TP_STR("1"));
    assert_true(has_shapes);
    release_made_trace(&m);
}

/* Two steps of a rank with two groups, tp and dp. In step 0 the loader takes 30 us and gemm 40 us. The all-reduce of tp
 * starts at 90 us and takes 20 us; 5 us of it overlap with gemm. After 40 us more of gemm, the all-reduce of dp starts
 * at 170 us and takes 25 us. The rest is pause. Step 1 is the same, 300 us later, with a dp call that takes 10 us more.
 * PyTorch has truncated the second list of ranks. */
#define SLOT_COMM(name, desc, ranks, size)                                                                             \
    DEVICE(0)                                                                                                          \
    ",\"Collective name\":\"allreduce\",\"Process Group Name\":\"" name "\",\"Process Group Description\":\"" desc     \
    "\",\"Process Group Ranks\":\"" ranks "\",\"Group size\":" size
#define SLOT_STEP(number, at, load, k1, c1, k2, c2, d2)                                                                \
    EVENT("user_annotation", "ProfilerStep#" number, 1, at, 200, "")                                                   \
    "," EVENT("user_annotation", "enumerate(DataLoader)#x.__next__", 1, load, 30, "") "," EVENT(                       \
        "kernel", "gemm", 7, k1, 45,                                                                                   \
        DEVICE(0)) "," EVENT("kernel", "ncclDevKernel_AllReduce", 8, c1, 20,                                           \
                             SLOT_COMM(                                                                                \
                                 "1", "tp", "[4, 5]",                                                                  \
                                 "2")) "," EVENT("kernel", "gemm", 7, k2, 40,                                          \
                                                 DEVICE(0)) "," EVENT("kernel", "ncclDevKernel_AllReduce", 8, c2, d2,  \
                                                                      SLOT_COMM("2", "dp", "[0, 4, ..., 124]", "32"))
static const char slot_steps[] =
    SLOT_STEP("0", 0, 10, 50, 90, 120, 170, 25) "," SLOT_STEP("1", 300, 310, 350, 390, 420, 470, 35);

static void assert_slot_time(const struct tp_step_slots *slots, uint32_t slot, uint32_t step, const int64_t *us)
{
    for (unsigned p = 0; p < TP_SLOT_PARTS; p++)
        assert_int_equal(slots->us[p][tp_slot_cell(slots, slot, step)], us[p]);
}

static void slot_has_the_work_before_each_collective(void **state)
{
    /* Values of each slot, us: kernel, pause, input, within, overlap. The gap of 100 us between the steps is a pause of
     * the second step. */
    static const int64_t cells[2][3][TP_SLOT_PARTS] = {{{40, 20, 30, 15, 5}, {45, 20, 0, 25, 0}, {0, 5, 0, 0, 0}},
                                                       {{40, 120, 30, 15, 5}, {45, 20, 0, 35, 0}, {0, 0, 0, 0, 0}}};
    struct made m;
    (void)state;
    make(&m, "\"hostname\":\"node7\",", slot_steps);
    const struct tp_step_slots *slots = &m.summary.slots;
    assert_true(tp_str_equal(slots->host, TP_STR("node7")));
    assert_int_equal(slots->group_count, 2);
    assert_true(tp_str_equal(slots->groups[0].description, TP_STR("tp")));
    assert_int_equal(slots->groups[0].runs[0].first, 4);
    assert_int_equal(slots->groups[0].runs[0].length, 2);
    assert_int_equal(slots->groups[1].run_count, 1);
    assert_int_equal(slots->groups[1].runs[0].stride, 4);
    assert_int_equal(slots->groups[1].runs[0].length, 32);
    assert_int_equal(slots->slot_count, 3);
    assert_int_equal(slots->slots[0].group, 0);
    assert_int_equal(slots->slots[1].group, 1);
    assert_int_equal(slots->slots[2].group, TP_NO_ID);
    assert_int_equal(slots->step_count, 2);
    for (uint32_t s = 0; s < 2; s++)
        for (uint32_t k = 0; k < 3; k++)
            assert_slot_time(slots, k, s, cells[s][k]);
    /* the rank does 5 of its next 65 us of work before the wait ends */
    assert_int_equal(slots->slots[0].waits, 1);
    assert_int_equal(slots->slots[0].before, 1000 * 5 / 65);
    assert_int_equal(slots->slots[1].waits, 1);
    assert_int_equal(slots->slots[1].before, 0);
    assert_true(slots->slots[0].is_seen && slots->slots[1].is_seen);
    release_made_trace(&m);
}

#define GLOO_STEP(name, at, work, call, last)                                                                          \
    EVENT("user_annotation", name, 1, at, 1000, "")                                                                    \
    "," EVENT("cpu_op", "f", 1, work, 100, "") "," EVENT("user_annotation", "gloo:all_reduce", 2, call, 805,           \
                                                         "") "," EVENT("cpu_op", "g", 1, last, 70, "")

/* Tests a call whose end another thread records 25 us late, when the rank already works again. */
static void wait_ends_when_work_continues(void **state)
{
    (void)state;
    struct made m;
    make(&m, "", GLOO_STEP("ProfilerStep#0", 0, 0, 100, 880) "," GLOO_STEP("ProfilerStep#1", 1000, 1000, 1100, 1880));
    static const int64_t first[TP_SLOT_PARTS] = {100, 0, 0, 780, 0};
    assert_slot_time(&m.summary.slots, 0, 0, first);
    release_made_trace(&m);
}

/* Tests steps with 500 calls that alternate between three groups. Slots beyond the maximum are merged, and no time is
 * lost. */
static void slots_beyond_the_limit_are_merged(void **state)
{
    static char text[1 << 20];
    size_t size = 0;
    struct made m;
    (void)state;
    for (int s = 0; s < 12; s++) {
        size += (size_t)snprintf(text + size, sizeof text - size,
                                 "%s{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%d\",\"pid\":1,"
                                 "\"tid\":1,\"ts\":%d,\"dur\":10000}",
                                 s ? "," : "{\"traceEvents\":[", s, s * 10000);
        for (int c = 0; c < 500; c++)
            size +=
                (size_t)snprintf(text + size, sizeof text - size,
                                 ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce\",\"pid\":0,"
                                 "\"tid\":8,\"ts\":%d,\"dur\":7,\"args\":{\"device\":0,\"Process Group Name\":\"%d\"}}",
                                 s * 10000 + c * 20 + 10, c % 3);
    }
    size += (size_t)snprintf(text + size, sizeof text - size, "]}");
    make_text(&m, text, size);
    const struct tp_step_slots *slots = &m.summary.slots;
    int64_t total_us = 0, calls = 0;
    assert_in_range(slots->slot_count, 4, TP_MAX_SLOTS);
    assert_in_range(slots->slot_count * slots->step_count, 1, TP_MAX_SLOT_CELLS);
    assert_int_equal(slots->step_count, TP_MAX_SLOT_CELLS / slots->slot_count);
    for (uint32_t k = 0; k < slots->slot_count; k++) {
        calls += slots->slots[k].calls;
        for (unsigned p = 0; p < TP_SLOT_PARTS; p++)
            total_us += slots->us[p][tp_slot_cell(slots, k, 1)];
    }
    assert_int_equal(calls, 500);
    assert_int_equal(total_us, 10000);
    release_made_trace(&m);
}

/* A call of the host with metadata, and its kernel. The second call is the same without "Seq". */
#define COMM                                                                                                           \
    "\"Collective name\":\"allreduce\",\"dtype\":\"Float\",\"In msg nelems\":8,\"Out msg nelems\":8,"                  \
    "\"Group size\":4,\"Process Group Name\":\"dp\""
static void collectives_have_arrival_and_sequence(void **state)
{
    struct made m;
    (void)state;
    make(
        &m, "",
        EVENT("user_annotation", "ProfilerStep#0", 1, 0, 500, "") "," EVENT("user_annotation", "nccl:all_reduce", 1, 10, 20, "") "," EVENT(
            "cpu_op", "record_param_comms", 1, 8, 30,
            COMM
            ",\"Seq\":41") "," EVENT("cuda_runtime", "cudaLaunchKernel", 1, 12, 5,
                                     LAUNCH(
                                         1)) "," EVENT("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 7, 60, 30,
                                                       DEVICE(
                                                           1)) "," EVENT("user_annotation", "nccl:all_reduce", 1, 110,
                                                                         20,
                                                                         "") "," EVENT("cpu_op", "record_param_comms",
                                                                                       1, 108, 30,
                                                                                       COMM) "," EVENT("user_"
                                                                                                       "annotation",
                                                                                                       "nccl:all_"
                                                                                                       "reduce",
                                                                                                       1, 210, 20,
                                                                                                       "") "," EVENT("c"
                                                                                                                     "p"
                                                                                                                     "u"
                                                                                                                     "_"
                                                                                                                     "o"
                                                                                                                     "p",
                                                                                                                     "r"
                                                                                                                     "e"
                                                                                                                     "c"
                                                                                                                     "o"
                                                                                                                     "r"
                                                                                                                     "d"
                                                                                                                     "_"
                                                                                                                     "p"
                                                                                                                     "a"
                                                                                                                     "r"
                                                                                                                     "a"
                                                                                                                     "m"
                                                                                                                     "_"
                                                                                                                     "c"
                                                                                                                     "o"
                                                                                                                     "m"
                                                                                                                     "m"
                                                                                                                     "s",
                                                                                                                     1,
                                                                                                                     208,
                                                                                                                     30,
                                                                                                                     COMM));
    assert_int_equal(m.summary.collective_count, 3);
    const struct tp_summary_collective *c = m.summary.collectives;
    assert_int_equal(c[0].arrival_ns, 60000);
    assert_int_equal(c[0].duration_ns, 30000);
    assert_int_equal(c[0].sequence, 41);
    assert_int_equal(c[0].bytes, 32);
    assert_int_equal(c[0].group_size, 4);
    assert_int_equal(c[0].step, 0);
    assert_true(tp_str_equal(c[0].group, TP_STR("dp")));
    assert_true(tp_str_equal(c[0].dtype, TP_STR("Float")));
    assert_int_equal(c[1].arrival_ns, 110000); /* the call has no kernel, so its arrival is the start of the call */
    assert_int_equal(c[1].sequence, 0);        /* calls without kernels are numbered separately */
    assert_int_equal(c[2].sequence, 1);
    release_made_trace(&m);
}

static void fingerprint_distinguishes_kernel_sequences(void **state)
{
    struct made m[4];
    static const char *const kernels[4][2] = {{"a", "b"}, {"a", "b"}, {"b", "a"}, {"a", "c"}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        char events[1024];
        /* In the second trace, the kernels run in reverse order. The calls keep the order of their launches. */
        snprintf(
            events, sizeof events,
            EVENT("user_annotation", "ProfilerStep#0", 1, 0, 500, "") "," EVENT(
                "cuda_runtime", "cudaLaunchKernel", 1, 12, 5,
                LAUNCH(1)) "," EVENT("cuda_runtime", "cudaLaunchKernel", 1, 22, 5,
                                     LAUNCH(2)) "," EVENT("kernel", "%s", 7, 60, 30,
                                                          DEVICE(1)) ","
                                                                     "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\","
                                                                     "\"pid\":1,\"tid\":8,\"ts\":%d,\"dur\":30,"
                                                                     "\"args\":{" DEVICE(2) "}}",
            kernels[i][0], kernels[i][1], i == 1 ? 50 : 100);
        make(&m[i], "", events);
    }
    assert_true(m[0].summary.kernel_fingerprint != 0);
    assert_true(m[0].summary.kernel_fingerprint == m[1].summary.kernel_fingerprint);
    assert_true(m[0].summary.kernel_fingerprint != m[2].summary.kernel_fingerprint);
    assert_true(m[0].summary.kernel_fingerprint != m[3].summary.kernel_fingerprint);
    for (int i = 0; i < 4; i++)
        release_made_trace(&m[i]);
}

/* Tests a trace with more operators than rows. The remaining operators become one row, and no time is lost. */
static void rows_beyond_the_limit_are_merged(void **state)
{
    enum { COUNT = 700 };
    struct made m;
    struct tp_buf text;
    int64_t sum = 0, count = 0;
    (void)state;
    tp_buf_init(&text, 0);
    tp_buf_puts(&text, "{\"traceEvents\":[");
    for (int i = 0; i < COUNT; i++)
        tp_buf_printf(&text,
                      "%s{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d}",
                      i ? "," : "", i, i * 1000, i + 1);
    tp_buf_puts(&text, "]}");
    make_text(&m, text.data, text.size);
    tp_buf_release(&text);
    assert_int_equal(m.summary.row_count, TP_MAX_SUMMARY_ROWS);
    for (uint32_t i = 0; i < m.summary.row_count; i++) {
        assert_true(i == 0 || m.summary.rows[i].time.sum_ns <= m.summary.rows[i - 1].time.sum_ns);
        sum += m.summary.rows[i].time.sum_ns;
        count += m.summary.rows[i].time.count;
    }
    assert_int_equal(sum, 1000ll * COUNT * (COUNT + 1) / 2);
    assert_int_equal(count, COUNT);
    assert_int_equal(find_row(&m, TP_SUMMARY_OPERATOR_HOST, "(rest)", NULL)->time.count,
                     COUNT - TP_MAX_SUMMARY_ROWS + 1);
    release_made_trace(&m);
}

static void truncated_names_stay_distinct(void **state)
{
    static char text[32768], name[3][6000];
    struct made m;
    (void)state;
    for (int i = 0; i < 3; i++) {
        memset(name[i], 'x', sizeof name[i] - 1);
        name[i][5000] = (char)('a' + i);
    }
    int n = snprintf(
        text, sizeof text,
        "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":5},"
        "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":10,\"dur\":6},"
        "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":20,\"dur\":7}]}",
        name[0], name[1], name[2]);
    make_text(&m, text, (size_t)n);
    assert_int_equal(m.summary.row_count, 3);
    for (int i = 0; i < 3; i++) {
        assert_true(m.summary.rows[i].name.len <= TP_MAX_SUMMARY_TEXT_BYTES);
        assert_false(tp_str_equal(m.summary.rows[i].name, m.summary.rows[(i + 1) % 3].name));
    }
    release_made_trace(&m);
}

/* ---- summaries with only the data that `diff` or `check` needs ---- */

static void assert_same_metrics(const struct tp_summary *a, const struct tp_summary *b)
{
    for (int i = 0; i < TP_METRIC_COUNT; i++) {
        assert_true(isnan(a->metrics[i].value) == isnan(b->metrics[i].value));
        assert_true(isnan(a->metrics[i].value) || a->metrics[i].value == b->metrics[i].value);
    }
}

static uint32_t count_rows(const struct tp_summary *summary, enum tp_summary_kind kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < summary->row_count; i++)
        count += summary->rows[i].kind == kind;
    return count;
}

static void gate_summary_has_all_metrics(void **state)
{
    static char text[1 << 16];
    struct made whole, compared, judged;
    (void)state;
    size_t size = (size_t)snprintf(text, sizeof text, "{\"record_shapes\":1,\"traceEvents\":[%s,%s]}", two_steps,
                                   EVENT("cuda_runtime", "cudaStreamSynchronize", 1, 130, 20, ""));
    make_summary_of_extent(&whole, text, size, TP_SUMMARY_WHOLE);
    make_summary_of_extent(&compared, text, size, TP_SUMMARY_COMPARED);
    make_summary_of_extent(&judged, text, size, TP_SUMMARY_JUDGED);
    assert_same_metrics(&whole.summary, &compared.summary);
    assert_same_metrics(&whole.summary, &judged.summary);
    for (unsigned part = 0; part < TP_PART_COUNT; part++)
        assert_true(whole.summary.steps[1].part_ns[part] == compared.summary.steps[1].part_ns[part]);
    assert_int_equal(whole.summary.sha256.len, 64);
    assert_int_equal(compared.summary.sha256.len, 0);
    assert_int_equal(count_rows(&whole.summary, TP_SUMMARY_KERNEL), 1);
    assert_int_equal(count_rows(&compared.summary, TP_SUMMARY_KERNEL), 0);
    assert_int_equal(count_rows(&judged.summary, TP_SUMMARY_SYNC), 1);
    assert_int_equal(judged.summary.row_count, 1);
    assert_int_equal(count_rows(&compared.summary, TP_SUMMARY_OPERATOR_DEVICE),
                     count_rows(&whole.summary, TP_SUMMARY_OPERATOR_DEVICE));
    const struct tp_summary_row *a = find_row(&whole, TP_SUMMARY_OPERATOR_HOST, "aten::mm", "[[2, 3], [3, 2]]");
    const struct tp_summary_row *b = find_row(&compared, TP_SUMMARY_OPERATOR_HOST, "aten::mm", "[[2, 3], [3, 2]]");
    assert_int_equal(a->time.sum_ns, b->time.sum_ns);
    assert_int_equal(compared.summary.fact_count, whole.summary.fact_count);
    /* includes the fact that says where the steps come from */
    assert_int_equal(judged.summary.fact_count, whole.summary.fact_count);
    release_made_trace(&whole);
    release_made_trace(&compared);
    release_made_trace(&judged);
}

/* ---- memory that is never freed ---- */

static size_t format_memory_event(char *to, size_t size, int step, int at, int address, int bytes)
{
    return (size_t)snprintf(
        to, size,
        ",{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":%d,"
        "\"args\":{\"Device Type\":0,\"Device Id\":-1,\"Addr\":%d,\"Bytes\":%d}}",
        100 * step + at, address, bytes);
}

/* Makes six steps of a function that keeps the output of relu. The block of aten::clone is freed in the next step, that
 * of aten::add three steps later. late: the first block of aten::relu is freed in the fourth step. */
static void make_leak(struct made *m, bool late)
{
    static char text[1 << 15];
    size_t n = 0;
#define PUT(...) n += (size_t)snprintf(text + n, sizeof text - n, __VA_ARGS__)
    for (int s = 0; s < 6; s++) {
        PUT("%s{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%d\",\"pid\":1,\"tid\":1,\"ts\":%d,"
            "\"dur\":100,\"args\":{}}",
            s ? "," : "", s, 100 * s);
        PUT(",{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"net.py(30): "
            "forward\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":80,\"args\":{\"Python id\":%d}}",
            100 * s + 5, s + 1);
        const char *const names[] = {"aten::relu", "aten::clone", "aten::add"};
        for (int i = 0; i < 3; i++) {
            PUT(",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":8,\"args\":{}"
                "}",
                names[i], 100 * s + 10 + 20 * i);
            n += format_memory_event(text + n, sizeof text - n, s, 12 + 20 * i, 4096 * (1 + 3 * s + i), 1024 * (i + 1));
        }
        if (s >= 1)
            n += format_memory_event(text + n, sizeof text - n, s, 90, 4096 * (1 + 3 * (s - 1) + 1), -2048);
        if (s >= 3)
            n += format_memory_event(text + n, sizeof text - n, s, 91, 4096 * (1 + 3 * (s - 3) + 2), -3072);
        if (s == 3 && late)
            n += format_memory_event(text + n, sizeof text - n, s, 92, 4096, -1024);
    }
    make(m, "", text);
}

static void unfreed_memory_has_its_operator(void **state)
{
    struct made m;
    (void)state;
    make_leak(&m, false);
    const struct tp_signature *s = &m.summary.signature;
    assert_true(s->knows_kept);
    assert_int_equal(s->kept_count, 2);
    /* the blocks of aten::add were freed late, so their number is not exact */
    assert_true(tp_str_equal(s->kept[0].operator, TP_STR("aten::add")));
    assert_false(s->kept[0].is_exact);
    assert_true(tp_str_equal(s->kept[1].operator, TP_STR("aten::relu")));
    assert_true(tp_str_equal(s->kept[1].place, TP_STR("net.py(30): forward")));
    assert_true(s->kept[1].is_exact);
    assert_int_equal(s->kept[1].blocks, 1);
    assert_int_equal(s->kept[1].bytes, 1024);
    release_made_trace(&m);
    make_leak(&m, true);
    assert_int_equal(m.summary.signature.kept_count, 2);
    assert_false(m.summary.signature.kept[1].is_exact);
    release_made_trace(&m);
    make(&m, "", two_steps); /* a trace without memory records */
    assert_false(m.summary.signature.knows_kept);
    release_made_trace(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_count_calls_per_step),
        cmocka_unit_test(steps_are_those_of_the_overview),
        cmocka_unit_test(key_comes_from_the_trace_by_default),
        cmocka_unit_test(slot_has_the_work_before_each_collective),
        cmocka_unit_test(wait_ends_when_work_continues),
        cmocka_unit_test(slots_beyond_the_limit_are_merged),
        cmocka_unit_test(collectives_have_arrival_and_sequence),
        cmocka_unit_test(fingerprint_distinguishes_kernel_sequences),
        cmocka_unit_test(rows_beyond_the_limit_are_merged),
        cmocka_unit_test(truncated_names_stay_distinct),
        cmocka_unit_test(gate_summary_has_all_metrics),
        cmocka_unit_test(unfreed_memory_has_its_operator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
