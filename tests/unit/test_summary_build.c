/* Tests summaries of small traces: rows, steps, names, limits, summaries for `check`, and memory that is never freed.
 * Expected numbers are counted by hand from the events of each test. */
#include "tests/unit/made_summary.h"

#include <math.h>

#include "writer/base/limits.h"

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

/* Two steps. In the first step, aten::mm [2, 3] launches a kernel of 10 us that ends in the second step. A copy without
 * a launch also runs in the first step. In the second step, aten::mm launches a kernel of 20 us. */
/* clang-format off */
static const char two_steps[] =
    EVENT("user_annotation", "ProfilerStep#3", 1, 0, 100, "")
    "," EVENT("user_annotation", "ProfilerStep#4", 1, 100, 100, "")
    "," EVENT("cpu_op", "aten::mm", 1, 10, 30, "\"Input Dims\":[[2,3],[3,2]],\"Input type\":[\"float\",\"float\"]")
    "," EVENT("cuda_runtime", "cudaLaunchKernel", 1, 20, 5, LAUNCH(1))
    "," EVENT("kernel", "gemm", 7, 95, 10, DEVICE(1))
    "," EVENT("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 7, 50, 2, "\"bytes\":64," DEVICE(9))
    "," EVENT("cpu_op", "aten::mm", 1, 110, 40, "\"Input Dims\":[[2,3],[3,2]],\"Input type\":[\"float\",\"float\"]")
    "," EVENT("cuda_runtime", "cudaLaunchKernel", 1, 120, 7, LAUNCH(2))
    "," EVENT("kernel", "gemm", 7, 140, 20, DEVICE(2))
    "," EVENT("cpu_op", "aten::mm", 1, 160, 1, "");
/* clang-format on */

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
    /* the kernel belongs to the first step, because its launch is in that step */
    assert_int_equal(gemm->by_step_ns[0], 10000);
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

static void summary_steps_equal_overview_steps(void **state)
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
    assert_int_equal(judged.summary.gain_count, 2);
    assert_int_not_equal(judged.summary.gains[0].low_ns, TP_NULL_INT);
    assert_int_equal(judged.summary.gains[1].low_ns, TP_NULL_INT);
    assert_non_null(strstr(judged.summary.gains[1].why, "unknown change"));
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
    assert_true(s->are_unfreed_blocks_known);
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
    assert_false(m.summary.signature.are_unfreed_blocks_known);
    release_made_trace(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_count_calls_per_step),
        cmocka_unit_test(summary_steps_equal_overview_steps),
        cmocka_unit_test(key_comes_from_the_trace_by_default),
        cmocka_unit_test(fingerprint_distinguishes_kernel_sequences),
        cmocka_unit_test(rows_beyond_the_limit_are_merged),
        cmocka_unit_test(truncated_names_stay_distinct),
        cmocka_unit_test(gate_summary_has_all_metrics),
        cmocka_unit_test(unfreed_memory_has_its_operator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
