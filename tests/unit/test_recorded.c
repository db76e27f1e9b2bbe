/* Tests corrections for the cost of recording programs without a device: new pages, slower Python, memory records, and
 * the recorder's own work at the end of a step. Steps last 1,000 us. Expected values are counted by hand. */
#include "small_findings.h"

enum { STEPS = 4, PAGE = 4096 };

#define PLANE "[64,1024]"
#define FLOAT "\"float\""

static void write_allocation(double ts, long long address, long long bytes)
{
    add_event(
        "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"pid\":10,\"tid\":1,\"ts\":%.3f,\"s\":"
        "\"t\","
        "\"args\":{\"Device Type\":0,\"Device Id\":-1,\"Addr\":%lld,\"Bytes\":%lld}}",
        ts, address, bytes);
}

/* Writes steps with a product of 500 us and two copies of 64 pages, `copy_us` each. is_new: the copies of each step use
 * new pages. */
static void write_copies(double copy_us, bool is_new)
{
    is_recording_free = true; /* recording an event costs no time */
    for (int s = 0; s < STEPS; s++) {
        double at = 1000.0 * s;
        step(s, at, 1000);
        write_operator_with_shapes("aten::mm", at + 1, 500, "[512,512],[512,512]", FLOAT, 10 * s);
        for (int i = 0; i < 2; i++) {
            double start = at + 510 + 200 * i;
            write_operator_with_shapes("aten::copy_", start, copy_us, PLANE "," PLANE, FLOAT, 10 * s + i + 1);
            write_allocation(start + 1, (1LL << 40) + 64LL * PAGE * (is_new ? 2 * s + i : i), 64 * PAGE);
        }
    }
    build_trace();
    is_recording_free = false;
}

static void assert_copies_share(double percent)
{
    const struct tp_finding *copying = find_finding_of_rule("H7");
    assert_non_null(copying);
    if (fabs(copying->share_percent - percent) > 0.2)
        fail_msg("%f, not %f", copying->share_percent, percent);
}

static void cost_of_new_pages_is_subtracted(void **state)
{
    (void)state;
    /* A new page takes 2 us, of which only 0.3 us are for writing. So the rule ignores 108.8 us of each copy, and adds
     * a quarter to the rest. */
    write_copies(128, true);
    assert_copies_share(100 * 2 * (128 - 108.8 + 32) / (1000 - 2 * 108.8));
}

static void existing_pages_are_not_subtracted(void **state)
{
    (void)state;
    write_copies(128, false);
    assert_copies_share(100 * 2 * (128 + 32) / 1000.0);
}

static void fast_copy_is_not_corrected_for_pages(void **state)
{
    (void)state;
    write_copies(60, true); /* 0.94 us per page is too fast for new pages */
    assert_copies_share(100 * 2 * (60 + 15) / 1000.0);
}

/* Writes steps of 10 ms: a product of 5 ms, a copy of 64 new pages in `cheap_us`, and a copy of 128 new pages in
 * `dear_us`. If `usual_us` is not 0, three copies of 128 existing pages follow, `usual_us` each. */
static void write_copies_of_pages(double cheap_us, double dear_us, double usual_us)
{
    is_recording_free = true; /* recording an event costs no time */
    for (int s = 0; s < STEPS; s++) {
        double at = 10000.0 * s;
        step(s, at, 10000);
        write_operator_with_shapes("aten::mm", at + 1, 5000, "[512,512],[512,512]", FLOAT, 10 * s);
        write_operator_with_shapes("aten::copy_", at + 5100, cheap_us, PLANE "," PLANE, FLOAT, 10 * s + 1);
        write_allocation(at + 5101, (1LL << 40) + 192LL * PAGE * s, 64 * PAGE);
        write_operator_with_shapes("aten::copy_", at + 5400, dear_us, PLANE "," PLANE, FLOAT, 10 * s + 2);
        write_allocation(at + 5401, (1LL << 40) + (192LL * s + 64) * PAGE, 128 * PAGE);
        for (int i = 0; usual_us > 0 && s && i < 3; i++) {
            double start = at + 8500 + 200 * i;
            write_operator_with_shapes("aten::copy_", start, usual_us, PLANE "," PLANE, FLOAT, 10 * s + 3 + i);
            write_allocation(start + 1, (1LL << 40) + 64LL * PAGE, 128 * PAGE); /* reuses the pages of the first step */
        }
    }
    build_trace();
    is_recording_free = false;
}

static void assert_copies_duration(double step_us, double copies_us)
{
    double share = 100 * 1.25 * copies_us / step_us; /* the rule adds a quarter to the time of the copies */
    if (share < 10)
        assert_null(find_finding_of_rule("H7"));
    else
        assert_copies_share(share);
}

static void cost_of_new_pages_is_found_per_operator(void **state)
{
    (void)state;
    /* A new page takes 2 us in the first copy and 20 us in the second one. The rule includes only 0.3 us per page, 57.6
     * us in total, which is too little for a finding. */
    write_copies_of_pages(128, 2560, 0);
    assert_copies_duration(10000 - (128 - 19.2) - (2560 - 38.4), 19.2 + 38.4);
    end_event_text(state), begin_trace_test(state);
    write_copies_of_pages(1280, 160, 0); /* a new page takes 20 us in the first copy, 1.25 us in the second */
    assert_copies_duration(10000 - (1280 - 19.2) - (160 - 38.4), 19.2 + 38.4);
    end_event_text(state), begin_trace_test(state);
    write_copies_of_pages(128, 120, 0); /* a new page takes 2 us; 0.94 us are too fast for new pages */
    assert_copies_duration(10000 - (128 - 19.2), 19.2 + 120);
}

static void usual_cost_of_pages_is_not_subtracted(void **state)
{
    (void)state;
    write_copies_of_pages(512, 2560, 0.9 * 128); /* a new page takes 8 or 20 us, an existing page 0.9 us */
    double left = 4 * 0.9 * (64 + 128) + 9 * 0.9 * 128, gone = 4 * (512 + 2560 - 0.9 * (64 + 128));
    assert_copies_duration(40000 - gone, left);
}

/* Writes steps that spend half of their time in a loader function of the project. library: frame of Python's
 * library, which shows the version of Python. */
static void write_python_steps(const char *library)
{
    for (int s = 0; s < STEPS; s++) {
        double at = 1000.0 * s;
        step(s, at, 1000);
        write_operator_with_shapes("aten::mm", at + 1, 499, "[512,512],[512,512]", FLOAT, s);
        write_host_event("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at + 500,
                         500);
        frame("/x/torch/utils/data/_utils/fetch.py(49): fetch", at + 500, 500);
        frame("data.py(7): __getitem__", at + 500, 500);
        frame(library, at + 501, 498);
    }
    build_trace();
}

static void python_version_with_slow_tracing_is_corrected(void **state)
{
    static const char *const others[] = {"typing.py(378): inner", "mytyping.py(359): inner", "enum.py(783): __hash__"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        write_python_steps(others[i]);
        assert_finding("H1", "input.transform", 50);
        end_event_text(state), begin_trace_test(state);
    }
    write_python_steps("/usr/lib/typing.py(338): inner");
    assert_finding("H1", "input.transform", 100 * (500 / 1.65) / (500 + 500 / 1.65));
}

/* Writes steps with a copy and 400 allocations of `bytes` bytes. */
static void write_allocations(int bytes)
{
    for (int s = 0; s < STEPS; s++) {
        double at = 1000.0 * s;
        step(s, at, 1000);
        write_operator_with_shapes("aten::contiguous", at + 1, 200, "[8,32,64,64]", FLOAT, 10 * s);
        write_host_event("cpu_op", "aten::work", at + 300, 600);
        for (int i = 0; i < 400; i++) /* each record of a block costs 0.5 us */
            write_allocation(at + 310 + i, 0, bytes);
    }
    build_trace();
}

static void cost_of_memory_records_is_subtracted(void **state)
{
    write_allocations(65);
    assert_copies_share(100 * 250.0 / 800);
    end_event_text(state), begin_trace_test(state);
    write_allocations(64); /* each record of a small block costs 0.15 us */
    assert_copies_share(100 * 250.0 / 940);
}

/* In a slow interpreter, recording 100 calls of 1 us takes 0.15 us each. Only the rest of the frame's own time is too
 * long. */
static void cost_of_events_is_no_time_of_python(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++) {
        double at = 1000.0 * s;
        step(s, at, 1000);
        write_operator_with_shapes("aten::contiguous", at + 1, 200, "[8,32,64,64]", FLOAT, 10 * s);
        frame("/usr/lib/python3.11/work.py(3): work", at + 300, 500);
        for (int i = 0; i < 100; i++)
            write_host_event("python_function", "<built-in method append of list>", at + 300 + 5 * i, 0.05);
    }
    build_trace();
    double python = 500 - 100 * 0.05, costs = 0.15 + 100 * 0.1, borne = 100 * 0.05;
    assert_copies_share(100 * 250.0 / (1000 - borne - costs - (python - costs) * (1 - 1 / 1.65)));
}

static void profiler_work_at_step_end_is_subtracted(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++) {
        double at = 1000.0 * s;
        step(s, at, 1000);
        write_operator_with_shapes("aten::contiguous", at + 1, 200, "[8,32,64,64]", FLOAT, 10 * s);
        frame("/x/site-packages/torch/profiler/profiler.py(1150): step", at + 500, 500);
    }
    build_trace();
    assert_copies_share(50); /* copies take 250 us of a step of 500 us */
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, begin_trace_test, end_event_text)
    const struct CMUnitTest tests[] = {
        CASE(cost_of_new_pages_is_subtracted),         CASE(existing_pages_are_not_subtracted),
        CASE(fast_copy_is_not_corrected_for_pages),    CASE(cost_of_new_pages_is_found_per_operator),
        CASE(usual_cost_of_pages_is_not_subtracted),   CASE(python_version_with_slow_tracing_is_corrected),
        CASE(cost_of_memory_records_is_subtracted),    CASE(cost_of_events_is_no_time_of_python),
        CASE(profiler_work_at_step_end_is_subtracted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
