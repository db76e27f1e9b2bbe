/* Tests estimated gains on random traces. A finding must not gain more than its own time, and all findings together
 * must not gain more than the analysed time. The seed is fixed, so each test run is equal. */
#include "small_trace.h"

#include <math.h>

static uint64_t seed;

/* Returns a random number from 0 to `below` - 1. */
static unsigned random_below(unsigned below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed % below);
}

static const char *choose_name(const char *const *names, unsigned count)
{
    return names[random_below(count)];
}
#define ONE_OF(names) choose_name(names, sizeof(names) / sizeof *(names))

static const char *const operators[] = {"aten::mm",      "aten::addmm",  "aten::item",        "aten::_to_copy",
                                        "aten::copy_",   "aten::select", "aten::zero_",       "aten::softmax",
                                        "aten::nonzero", "aten::add_",   "aten::convolution", "AddmmBackward0",
                                        "aten::clone",   "aten::isnan"};
static const char *const ranges[] = {"Optimizer.step#Adam.step",
                                     "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                                     "Optimizer.zero_grad#SGD.zero_grad",
                                     "DistributedDataParallel.forward",
                                     "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
                                     "forward"};
static const char *const calls[] = {"cudaLaunchKernel", "cudaMemcpyAsync", "cudaStreamSynchronize",
                                    "cudaMalloc",       "cudaFree",        "cudaDeviceSynchronize"};
static const char *const kernels[] = {"sgemm_128",
                                      "volta_fp16_s884gemm_align1",
                                      "ncclDevKernel_AllReduce",
                                      "softmax_warp",
                                      "elementwise_kernel",
                                      "nchwToNhwcKernel",
                                      "cudnn_conv",
                                      "dgemm_sm80"};
static const char *const copies[] = {"Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD (Pinned -> Device)",
                                     "Memcpy DtoH (Device -> Pageable)", "Memcpy DtoD (Device -> Device)"};
static const char *const frames[] = {"train.py(3): main", "data.py(9): decode", "<built-in function collect>",
                                     "torch/serialization.py(900): save", "<built-in method tolist of Tensor object>"};
static const char *const types[] = {"", "\"Input type\":[\"double\",\"double\"],\"Input Dims\":[[64,64],[64,64]]",
                                    "\"Input type\":[\"float\",\"float\"],\"Input Dims\":[[64,63],[63,64]]"};

/* Writes nested host events between two times, us. depth: levels of nesting. */
static void write_host(double from, double until, int depth)
{
    double at = from;
    while (at < until) {
        double left = until - at, length = fmin(left, 1 + random_below(random_below(3) ? 60 : 6000));
        unsigned what = random_below(8);
        if (what < 4)
            write_host_event_with_args("cpu_op", ONE_OF(operators), at, length, ONE_OF(types));
        else if (what < 5)
            write_host_event("user_annotation", ONE_OF(ranges), at, length);
        else if (what < 7)
            write_host_event("python_function", ONE_OF(frames), at, length);
        if (depth && what < 7 && length > 4)
            write_host(at + 1, at + length - 1, depth - 1);
        at += length + random_below(30);
    }
}

/* Writes launches of the host, and their kernels on one of several devices. */
static void write_device(double from, double until, int *correlation, int devices)
{
    double at = from, device_at = from;
    while (at < until) {
        double length = 1 + random_below(random_below(4) ? 8 : 3000);
        int device = (int)random_below((unsigned)devices);
        ++*correlation;
        call(ONE_OF(calls), at, length, *correlation);
        device_at = fmax(device_at + (random_below(2) ? random_below(3) : random_below(random_below(4) ? 50 : 9000)),
                         at + random_below((unsigned)length + 1));
        double work = 1 + random_below(random_below(3) ? 40 : 4000);
        if (random_below(4))
            write_operation("kernel", ONE_OF(kernels), device_at, work, *correlation, device, 7 + (int)random_below(2),
                            ",\"grid\":[4,1,1],\"block\":[32,1,1]");
        else
            write_operation("gpu_memcpy", ONE_OF(copies), device_at, work, *correlation, device, 7,
                            ",\"bytes\":100000");
        device_at += work;
        at += length + random_below(random_below(3) ? 20 : 2000);
    }
}

static void write_trace(void)
{
    int devices = (int)random_below(3), steps = (int)random_below(5), correlation = 0;
    double at = 0;
    bool is_marked = random_below(4);
    for (int i = 0; i < 1 + steps; i++) {
        double length = 200 + random_below(20000);
        if (is_marked)
            step(i, at, length);
        write_host(at + 1, at + length - 1, 3);
        if (devices)
            write_device(at + 1, at + length - 1, &correlation, devices);
        at += length + random_below(3) * random_below(2000);
    }
}

static void check_estimates(uint64_t start)
{
    const struct tp_recommendations *r = &advice.recommendations;
    const double all = 100 + 1e-6, step = r->step_us * (1 + 1e-9) + 1e-6;
    double sum = 0, sum_us = 0;
    for (uint32_t i = 0; i < r->finding_count; i++) {
        const struct tp_finding *f = &r->findings[i];
        if (isnan(f->ceiling_us_per_step)) {
            assert_true(isnan(f->high_percent) && !(f->share_percent > all));
            continue;
        }
        /* the gain of a finding about waits, or by replay, can include time of other findings */
        bool is_wait = f->most_percent > 0 || f->is_priced;
        double largest_excess_us = tp_finding_max_gain_us(f), counted = f->counted_percent;
        bool is_bound = 0 <= f->low_percent && f->low_percent <= f->high_percent && f->high_percent <= all &&
                        counted <= fmin(f->high_percent, f->is_priced ? 100 : f->share_percent) + 1e-9 &&
                        f->share_percent <= all && f->ceiling_us_per_step <= step &&
                        largest_excess_us <= (is_wait ? step : f->ceiling_us_per_step) &&
                        (is_wait || f->high_percent == counted);
        if (!is_bound)
            fail_msg("trace %llu: %s gains %f to %f of %f %%", (unsigned long long)start, f->rule->id, f->low_percent,
                     f->high_percent, f->share_percent);
        sum += counted;
        sum_us += f->high_percent > 0 ? largest_excess_us * counted / f->high_percent : 0;
    }
    if (sum > all || sum_us > step || r->total_ceiling_percent > all || r->total_ceiling_us_per_step > step ||
        (!r->priced_count && r->total_gain_percent > r->total_ceiling_percent) ||
        r->total_low_percent > r->total_gain_percent + 1e-6)
        fail_msg("trace %llu: %f %% in all, %f us of a step of %f us, total %f %%", (unsigned long long)start, sum,
                 sum_us, r->step_us, r->total_ceiling_percent);
}

static void gain_never_exceeds_its_time(void **state)
{
    enum { TRACES = 600 };
    unsigned with_findings = 0;
    for (uint64_t i = 1; i <= TRACES; i++) {
        seed = i * 0x9E3779B97F4A7C15u;
        begin_trace_test(state);
        write_trace();
        build_trace();
        check_estimates(i);
        with_findings += advice.recommendations.finding_count > 1;
        end_event_text(state);
    }
    begin_trace_test(state);
    assert_true(with_findings > TRACES / 2); /* without findings, the checks above would be useless */
}

/* Tests a device that waits for an optimizer that launches one kernel per tensor. Rules A1 and C6 would both report
 * this time. */
static void shared_time_belongs_to_the_first_finding(void **state)
{
    (void)state;
    step(1, 0, 2400);
    write_host_event("user_annotation", "Optimizer.step#Adam.step", 1, 2300);
    for (int i = 0; i < 110; i++) {
        write_host_event("cpu_op", "aten::add_", 2 + 20 * i, 18);
        write_launch(3 + 20 * i, 10, i + 1);
        write_kernel("adam", 14 + 20 * i, 3, i + 1);
    }
    build_trace();
    double sum = 0;
    for (uint32_t i = 0; i < advice.recommendations.finding_count; i++)
        sum += advice.recommendations.findings[i].counted_percent > 0
                   ? advice.recommendations.findings[i].counted_percent
                   : 0;
    assert_true(advice.recommendations.finding_count > 1);
    assert_true(sum <= 100);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin_trace_test, end_event_text)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        CASE(gain_never_exceeds_its_time),
        CASE(shared_time_belongs_to_the_first_finding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
