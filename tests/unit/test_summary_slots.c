/* Tests the slots of a summary: the work of a rank between its collectives, and the arrival of each collective.
 * Expected numbers are counted by hand from the events of each test. */
#include "tests/unit/made_summary.h"

#include "writer/base/limits.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slot_has_the_work_before_each_collective),
        cmocka_unit_test(wait_ends_when_work_continues),
        cmocka_unit_test(slots_beyond_the_limit_are_merged),
        cmocka_unit_test(collectives_have_arrival_and_sequence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
