/* Tests the sentences of the digest for small traces. Each number must be in the right sentence, and sentences must not
 * claim more than the trace shows. Expected times are counted by hand. */
#include "webreport/document/report/sections.h"
#include "webreport/document/words/words.h"
#include "webreport/measure/result/views.h"
#include "webreport/print/print.h"
#include "writer/base/limits.h"

#include "small_findings.h"

static struct tp_views views;
static struct tp_profile profile;

/* Returns the digest without Markdown markup. The text belongs to the arena of the trace. */
static const char *make_digest_text(void)
{
    struct tp_document document;
    struct tp_page_limits limits;
    struct tp_section section;
    struct tp_digest said;
    if (setjmp(arena.guard))
        fail();
    tp_views_build(&views, &model, &arena);
    profile = (struct tp_profile){.run = TP_STR("run"),
                                  .worker = TP_STR("worker"),
                                  .span = TP_NULL_INT,
                                  .file = TP_STR("worker.pt.trace.json"),
                                  .trace = &trace,
                                  .order = &order,
                                  .model = &model,
                                  .views = &views,
                                  .advice = &advice};
    tp_page_limits_fill(&limits, 0, TP_MAX_MARKDOWN_BYTES, TP_TIMELINE_LONGEST);
    tp_section_init(&section, &arena, &profile, &(struct tp_section_options){0});
    section.limits = &limits;
    tp_fill_advice_texts(&advice, &model, &arena);
    tp_report_document(&document, &section);
    tp_digest_init(&said, 1);
    tp_digest_add(&said, &document);
    struct tp_str marked = tp_digest_finish(&said);
    char *plain = tp_arena_copy(&arena, marked.ptr, marked.len);
    size_t size = 0;
    for (size_t i = 0; i < marked.len; i++)
        if (marked.ptr[i] != '\\')
            plain[size++] = marked.ptr[i];
    plain[size] = '\0';
    tp_digest_release(&said);
    return plain;
}

static void assert_in_digest(const char *wanted)
{
    const char *all = make_digest_text();
    if (!strstr(all, wanted))
        fail_msg("not said: %s\n%s", wanted, all);
}

static void assert_not_in_digest(const char *unwanted)
{
    const char *all = make_digest_text();
    if (strstr(all, unwanted))
        fail_msg("said: %s\n%s", unwanted, all);
}

/* Writes `count` steps of 1 ms, each with a kernel of 400 us. The host launches the kernel 300 us after the start of
 * the step. */
static void write_waiting_steps(int count)
{
    for (int s = 0; s < count; s++) {
        double at = s * 1000;
        step(s, at, 1000), write_launch(at + 300, 5, s + 1), write_kernel("a", at + 305, 400, s + 1);
    }
    build_trace();
}

static void longest_gap_names_the_base_of_its_share(void **state)
{
    write_waiting_steps(4); /* the longest gap lasts from 705 us of a step to 305 us of the next step */
    assert_in_digest("The longest gap without recorded device work is 600 µs (15.0 % of the time of the 4 steps).");
    end_event_text(state), begin_trace_test(state);
    write_waiting_steps(1); /* the step has two gaps, at its start and at its end; the first one is longer */
    assert_in_digest("is 305 µs (30.5 % of the step time).");
    end_event_text(state), begin_trace_test(state);
    write_launch(0, 5, 1), write_kernel("a", 5, 600, 1), write_launch(1000, 5, 2), write_kernel("b", 1005, 600, 2);
    build_trace(); /* the device is idle from 605 to 1005 us; the trace is 1605 us long */
    assert_in_digest("The longest gap without recorded device work is 400 µs (24.9 % of the recorded time).");
    assert_not_in_digest("does not show the reason");
}

static void gap_after_its_launch_has_no_known_reason(void **state)
{
    (void)state;
    step(1, 0, 1000), write_launch(0, 5, 1), write_kernel("a", 5, 95, 1), write_launch(150, 5, 2),
        write_kernel("b", 900, 100, 2);
    build_trace(); /* The launch ends at 155 us, but the device is idle until 900 us. */
    assert_in_digest("is 800 µs (80.0 % of the step time). The trace does not show the reason for this gap.");
}

static void call_during_a_gap_is_named(void **state)
{
    (void)state;
    step(1, 0, 1000), write_launch(0, 5, 1), write_kernel("a", 5, 95, 1);
    write_host_event("user_annotation", "warm up", 100, 890), write_launch(150, 700, 2), write_kernel("b", 850, 150, 2);
    build_trace(); /* the device is idle from 100 to 850 us, and the launch takes 700 us of this time */
    assert_in_digest("is 750 µs (75.0 % of the step time). During this gap, the host mostly ran warm up. The call "
                     "cudaLaunchKernel takes 700 µs of the gap.");
    end_event_text(state), begin_trace_test(state);
    step(1, 0, 1000), write_launch(0, 5, 1), write_kernel("a", 5, 95, 1);
    write_host_event("user_annotation", "warm up", 100, 890), write_launch(150, 370, 2), write_kernel("b", 850, 150, 2);
    build_trace();
    assert_not_in_digest("The call cudaLaunchKernel takes");
}

static void shares_without_steps_refer_to_the_recording(void **state)
{
    (void)state;
    write_launch(0, 5, 1), write_kernel("a", 5, 900, 1), write_launch(10, 5, 2), write_kernel("b", 905, 95, 2);
    build_trace();
    assert_in_digest("computes for 99.5 % of the recorded time.");
}

static void unrecorded_device_is_mentioned(void **state)
{
    (void)state;
    step(1, 0, 1000), write_host_event("cpu_op", "aten::mm", 100, 800);
    build_trace();
    assert_in_digest("No device was recorded.");
    assert_in_digest("- 1 step: Operators and ranges 800 µs (80.0 %), Other 200 µs (20.0 %)\n");
    assert_not_in_digest("no device is used");
}

/* Tests that the digest gives the step after the fixes of two findings. For one finding it gives no total. */
static void total_of_findings_needs_two_findings(void **state)
{
    for (int is_one = 0; is_one < 2; is_one++) { /* is_one: only copies; otherwise copies and waits */
        begin_trace_test(state);
        for (int s = 0; s < 2; s++) {
            double at = s * 1000;
            step(s, at, 1000);
            call("cudaMemcpyAsync", at, 1, 3 * s + 1);
            write_operation("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", at + 1, 99, 3 * s + 1, 0, 7,
                            ",\"bytes\":1000000");
            write_launch(at + 2, 1, 3 * s + 2), write_kernel("a", at + 100, 500, 3 * s + 2);
            write_launch(is_one ? at + 4 : at + 790, 10, 3 * s + 3),
                write_kernel("b", at + (is_one ? 600 : 800), is_one ? 400 : 200, 3 * s + 3);
        }
        build_trace();
        if (is_one) {
            assert_not_in_digest("by replay, all");
        } else {
            assert_in_digest("by replay, all take the step from 1.00 to 0.7");
            end_event_text(state);
        }
    }
}

static void overlap_of_copy_and_communication_counts_once(void **state)
{
    (void)state;
    step(1, 0, 1000), write_launch(0, 1, 1), call("cudaMemcpyAsync", 1, 1, 2), write_launch(2, 1, 3);
    write_operation("kernel", "ncclDevKernel_AllReduce", 1, 599, 1, 0, 9, "");
    write_operation("gpu_memcpy", "Memcpy DtoD (Device -> Device)", 100, 100, 2, 0, 7, ",\"bytes\":1000000");
    write_kernel("a", 600, 400, 3);
    /* The headline gives the communication without compute, 599 us. The breakdown also excludes the copy, so 499 us
     * remain. */
    build_trace();
    assert_in_digest("runs communication that no kernel hides for 59.9 % of the step time");
    assert_in_digest("Communication 499 µs (49.9 %)");
    assert_in_digest(
        "If parts overlap, the time counts once: first for kernels, then for copies, then for communication.");
}

/* Writes an operation that starts long after its launch, while the device does much other work. */
static void recorded_device_work_needs_no_request(void **state)
{
    (void)state;
    for (int s = 0; s < 2; s++) {
        double at = s * 10000;
        step(s, at, 10000), write_launch(at, 1, 2 * s + 1), write_kernel("a", at + 5, 4995, 2 * s + 1);
        write_launch(at + 10, 1, 2 * s + 2), write_kernel("b", at + 9000, 1000, 2 * s + 2);
    }
    build_trace();
    assert_in_digest(
        "For 40.0 % of the step time, a launched operation waits for an event, or for work missing among 4 recorded "
        "operations.");
    assert_not_in_digest("ProfilerActivity.CUDA");
}

static void unrecorded_work_may_hide_communication(void **state)
{
    (void)state;
    step(1, 0, 1000), write_host_event("cpu_op", "aten::mm", 10, 50),
        write_host_event("user_annotation", "gloo:all_reduce", 100, 800);
    build_trace();
    assert_in_digest("H8");
    assert_in_digest("Communication that no recorded operator hides takes 80.0 % of the step time");
    assert_in_digest("If parts overlap, the time counts once, for communication.");
    trace.evidence.event_count = 90;
    trace.evidence.lost[TP_LOST_NUMBERS] = 10; /* a loss of 10 % of the events is tolerated */
    tp_advice_build(&advice, &model, NULL, &arena);
    assert_non_null(find_finding_of_rule("H8"));
    trace.evidence.lost[TP_LOST_NUMBERS] = 11;
    tp_advice_build(&advice, &model, NULL, &arena);
    assert_null(find_finding_of_rule("H8"));
    assert_not_in_digest("Overlap communication");
    assert_in_digest("The trace has a defect: the event numbers show that 11 host events are missing");
}

static void negligible_gap_is_not_mentioned(void **state)
{
    (void)state;
    write_launch(0, 1, 1), write_kernel("a", 5, 4995, 1), write_launch(2, 1, 2), write_kernel("b", 5002, 4998, 2);
    build_trace();
    assert_not_in_digest("The longest gap without");
}

/* Writes steps of 60 short kernels with a wait in the middle. */
static void obstacles_to_graph_capture_are_counted(void **state)
{
    (void)state;
    for (int s = 0; s < 2; s++) {
        double at = s * 1000;
        step(s, at, 1000);
        for (int i = 0; i < 60; i++)
            write_launch(at + i * 15, 2, 60 * s + i + 1), write_kernel("a", at + i * 15 + 3, 4, 60 * s + i + 1);
        call("cudaStreamSynchronize", at + 900, 5, 1000 + s);
    }
    build_trace();
    assert_in_digest(
        "A captured graph could replay the 60 launches that repeat in every step. Before the capture, remove 2 waits, "
        "allocations or pageable copies in 2 steps.");
}

static void first_use_is_distinguished_from_long_gaps(void **state)
{
    (void)state;
    write_launch(0, 1, 1), write_kernel("a", 5, 100, 1), call("cudaMalloc", 110, 300000, 3);
    write_launch(450000, 1, 2), write_kernel("b", 450005, 100000, 2);
    build_trace();
    assert_in_digest(
        "The device is idle for 300.0 ms during the set-up of its first use, and other findings refer to the "
        "remaining 100.1 ms.");
}

static void share_without_gain_is_marked(void **state)
{
    (void)state;
    write_operator_with_shapes("aten::mm", 0, 10, "[8,9],[9,8]", "\"c10::Half\"", 1);
    write_launch(1, 2, 1), write_kernel("cutlass_tensorop_h16816", 5, 20, 1), write_launch(20, 2, 2),
        write_kernel("a", 25, 80, 2);
    build_trace_with_header("\"record_shapes\":1,");
    assert_in_digest(
        "| low | C3 | Pad the weights once, to a multiple of 8 | – | 19.0 % of the step time is affected |");
}

static void function_in_evidence_is_named_once(void **state)
{
    (void)state;
    write_kernel("a", 0, 10, 1), write_launch(0, 1, 1), write_kernel("b", 401, 99, 2), write_launch(400, 1, 2);
    frame("data.py(9): decode", 5, 390);
    build_trace();
    assert_in_digest("- A13 at 5 µs, data.py(9): decode\n");
}

#define SAYS(name) cmocka_unit_test_setup_teardown(name, begin_trace_test, end_event_text)

static void partial_shares_name_their_base(void **state)
{
    (void)state;
    for (int s = 0; s < 4; s++) {
        step(s, 1000.0 * s, 1000);
        write_operator_with_shapes("aten::contiguous", 1000.0 * s + 1, 200, "[8,32,64,64]", "\"float\"", 10 * s);
        frame("/x/site-packages/torch/profiler/profiler.py(1150): step", 1000.0 * s + 500, 500);
    }
    build_trace();
    assert_in_digest("The profiler itself takes about 500.5 µs of each 1.00 ms step. The estimates are shares of the "
                     "remaining 499.6 µs.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SAYS(longest_gap_names_the_base_of_its_share),
        SAYS(gap_after_its_launch_has_no_known_reason),
        SAYS(call_during_a_gap_is_named),
        SAYS(shares_without_steps_refer_to_the_recording),
        SAYS(unrecorded_device_is_mentioned),
        SAYS(partial_shares_name_their_base),
        SAYS(total_of_findings_needs_two_findings),
        SAYS(overlap_of_copy_and_communication_counts_once),
        SAYS(unrecorded_work_may_hide_communication),
        SAYS(negligible_gap_is_not_mentioned),
        SAYS(obstacles_to_graph_capture_are_counted),
        SAYS(first_use_is_distinguished_from_long_gaps),
        SAYS(share_without_gain_is_marked),
        SAYS(function_in_evidence_is_named_once),
        SAYS(recorded_device_work_needs_no_request),
    };
    return cmocka_run_group_tests_name("first screen", tests, NULL, NULL);
}
