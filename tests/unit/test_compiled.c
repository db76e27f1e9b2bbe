/* Tests the source lines of compiled code: the calls of a region, the graph that fits, and the line of a call (section
 * 36 of docs/definitions.md). The expected lines follow from the events and artifacts of each test. */
#include "webreport/measure/views/compiled_view.h"
#include "webreport/model/build.h"
#include "webreport/model/compiled_lookup.h"
#include "webreport/model/stages.h"
#include "webreport/trace/compile_log/compile_log.h"

#include "event_text.h"

static struct tp_order order;
static struct tp_model model;
static struct tp_compile_log compile_log;
static struct tp_buf log_text;

static int begin(void **state)
{
    tp_buf_init(&log_text, 0);
    return begin_event_text(state);
}

static int end(void **state)
{
    tp_buf_release(&log_text);
    return end_event_text(state);
}

/* ---- the trace and its artifacts ---- */

static void event(const char *category, const char *name, int ts, int dur, const char *args)
{
    add_event("{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d,\"args\":{%s}}",
              category, name, ts, dur, args);
}

static void op(const char *name, int ts, int dur)
{
    event("cpu_op", name, ts, dur, "");
}

/* Adds a region with the calls `names`, each of 10 us. */
static void region(const char *hash, int ts, const char *const *names)
{
    char name[64];
    int count = 0;
    snprintf(name, sizeof name, "## Call CompiledFxGraph %s ##", hash);
    for (; names[count]; count++)
        op(names[count], ts + 1 + 10 * count, 9);
    event("user_annotation", name, ts, 10 * count + 10, "");
}
#define REGION(hash, ts, ...) region(hash, ts, (const char *const[]){__VA_ARGS__, NULL})

static void frame(const char *name, int ts, int dur)
{
    event("python_function", name, ts, dur, "");
}

/* Starts an artifact: the next lines of the log are its JSON. */
static void artifact(const char *name, const char *json)
{
    tp_buf_printf(&log_text, "V1128 04:45:22.36 31689 torch/x.py:16] {\"artifact\": {\"name\": \"%s\"}}\n\t%s\n", name,
                  json);
}
#define STACKS "inductor_provenance_tracking_kernel_stack_traces"
#define FRAME_AT(path, line, function) "  File \\\"" path "\\\", line " line ", in " function "\\n    code\\n"

static void build(void)
{
    make_model(&arena, &trace, &order, &model, "", text.data ? text.data : "");
    if (!log_text.size)
        return;
    tp_compile_log_read_bytes(&compile_log, "x.torch_trace", (struct tp_str){log_text.data, log_text.size}, &arena);
    trace.compile_log = &compile_log;
    tp_model_find_compiled_calls(&model);
}

/* Returns a text for each call, joined with "; ": its key (or "-"), its line, and " backward" if it is. */
static const char *calls_text(void)
{
    struct tp_vec out = TP_VEC(&arena, char);
    for (uint32_t i = 0; i < model.compiled.count; i++) {
        const struct tp_compiled_call *call = &model.compiled.calls[i];
        tp_vec_add_text(&out, tp_str_of(i ? "; " : ""));
        tp_vec_add_text(&out, call->source ? call->source->key : TP_STR("-"));
        tp_vec_add_text(&out, TP_STR(" "));
        tp_vec_add_text(&out, call->line.ptr ? call->line : TP_STR("none"));
        tp_vec_add_text(&out, tp_str_of(call->is_backward ? " backward" : ""));
    }
    tp_vec_add_text(&out, (struct tp_str){"", 1});
    return out.data;
}

/* ---- regions and graphs ---- */

static void calls_take_the_lines_of_their_graph_in_order(void **state)
{
    (void)state;
    REGION("h1", 100, "graph_0_cpp_fused_gelu_1", "aten::addmm", "graph_0_cpp_fused_gelu_1");
    op("aten::resize_", 112, 2); /* part of aten::addmm, so it is no call of the region */
    op("aten::mul", 500, 10);    /* outside of the region */
    artifact(STACKS,
             "{\"cpp_fused_gelu_1:3\": [\"" FRAME_AT("m.py", "9", "f") "\"], \"cpp_fused_gelu_1:1\": [\"" FRAME_AT(
                 "m.py", "7", "f") "\"], \"extern_kernels.addmm:2\": [\"" FRAME_AT("m.py", "8", "f") "\"]}");
    build();
    assert_string_equal(calls_text(), "cpp_fused_gelu_1:1 m.py(7): f; extern_kernels.addmm:2 m.py(8): f; "
                                      "cpp_fused_gelu_1:3 m.py(9): f");
}

static void the_graph_with_most_pairs_fits(void **state)
{
    (void)state;
    REGION("h1", 100, "triton_a_0", "triton_b_1", "triton_c_2");
    artifact(STACKS, "{\"triton_a_0:1\": [\"" FRAME_AT("one.py", "1", "f") "\"]}");
    artifact(STACKS, "{\"triton_b_1:1\": [\"" FRAME_AT("two.py", "1", "f") "\"], \"triton_c_2:2\": [\"" FRAME_AT(
                         "two.py", "2", "f") "\"], \"triton_x_3:3\": []}");
    artifact(STACKS,
             "{\"triton_b_1:1\": [\"" FRAME_AT(
                 "three.py", "1", "f") "\"], \"triton_c_2:2\": [], \"triton_y_3:3\": [], \"triton_y_4:4\": []}");
    build();
    assert_string_equal(calls_text(), "- none; triton_b_1:1 two.py(1): f; triton_c_2:2 two.py(2): f");
}

/* The only call of a backward graph is often in the forward graph too, which is read first. */
static void the_shorter_of_two_graphs_fits(void **state)
{
    (void)state;
    REGION("h1", 100, "aten::mm");
    artifact(STACKS, "{\"triton_a_0:1\": [], \"extern_kernels.mm:2\": [\"" FRAME_AT("one.py", "1", "f") "\"]}");
    artifact(STACKS, "{\"extern_kernels.mm:1\": [\"" FRAME_AT("two.py", "1", "f") "\"]}");
    artifact(STACKS, "{\"extern_kernels.mm:1\": [\"" FRAME_AT("three.py", "1", "f") "\"]}");
    build();
    assert_string_equal(calls_text(), "extern_kernels.mm:1 two.py(1): f");
}

/* Before PyTorch 2.9, a kernel has one entry, whatever the number of its calls. */
static void artifacts_without_order_are_joined_by_name(void **state)
{
    (void)state;
    REGION("h1", 100, "triton_b_1", "triton_a_0", "triton_b_1", "triton_z_9");
    artifact("inductor_post_grad_graph",
             "        # File: /u/m.py:3 in f, code: x\n\t        n = y\n\t        m: \\\"x\\\" = 1");
    artifact("inductor_triton_kernel_to_post_grad_nodes", "{\"triton_a_0\": [], \"triton_b_1\": [\"n\"]}");
    build();
    assert_string_equal(calls_text(), "triton_b_1 /u/m.py(3): f; - none; triton_b_1 /u/m.py(3): f; - none");
}

static void generated_functions_are_regions(void **state)
{
    (void)state;
    frame("model.py(12): forward", 90, 100);
    frame("/tmp/torchinductor_me/ab/cabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz234567.py(5): partition_0",
          100, 50);
    op("triton_a_0", 110, 10);
    op("aten::mm", 121, 10);
    frame("other.py(5): call", 200, 50);
    op("triton_a_0", 210, 10);
    build();
    assert_string_equal(calls_text(), "- model.py(12): forward; - model.py(12): forward");
}

static void backward_calls_have_the_line_of_the_forward_operator(void **state)
{
    (void)state;
    frame("train.py(9): loss", 80, 70);
    event("cpu_op", "CompiledFunction", 90, 50, "\"Sequence number\":7,\"Fwd thread id\":0");
    REGION("h1", 100, "triton_a_0");
    event("cpu_op", "CompiledFunctionBackward", 490, 50, "\"Sequence number\":7,\"Fwd thread id\":1");
    REGION("h2", 500, "triton_b_0");
    build();
    assert_string_equal(calls_text(), "- train.py(9): loss; - train.py(9): loss backward");
}

/* ---- the line of a call ---- */

#define MAIN(path, line) FRAME_AT(path, line, "loss")
#define DEEP(line) "\"" MAIN("t.py", "10") FRAME_AT("m.py", "39", "forward") FRAME_AT("m.py", line, "forward") "\""

static void one_line_is_chosen_for_several_tracebacks(void **state)
{
    static const struct {
        const char *tracebacks, *line;
    } cases[] = {
        {DEEP("11"), "m.py(11): forward"},
        {DEEP("11") "," DEEP("11"), "m.py(11): forward"},
        {DEEP("13") "," DEEP("11") "," DEEP("12"), "m.py(11-13): forward"},
        /* the tracebacks differ at the outermost frame */
        {DEEP("11") ", \"" MAIN("t.py", "11") "\"", "t.py(10-11): loss"},
        /* they differ in the function that t.py(10) calls */
        {DEEP("11") ", \"" MAIN("t.py", "10") FRAME_AT("n.py", "3", "g") "\"", "t.py(10): loss"},
        /* one traceback ends where the other one continues */
        {DEEP("11") ", \"" MAIN("t.py", "10") "\"", "t.py(10): loss"},
        /* nothing in common */
        {DEEP("11") ", \"" MAIN("u.py", "3") "\"", "m.py(11): forward"},
        /* code of packages is used only without user code */
        {"\"" MAIN("t.py", "10") FRAME_AT("/lib/python3/site-packages/vllm/a.py", "3", "g") "\"", "t.py(10): loss"},
        {"\"" FRAME_AT("/x/site-packages/torch/nn/f.py", "1", "h")
             FRAME_AT("/x/site-packages/vllm/a.py", "3", "g") "\"",
         "/x/site-packages/vllm/a.py(3): g"},
        {"\"" FRAME_AT("/x/site-packages/torch/nn/f.py", "1", "h") "\"", "none"},
        {"", "none"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char json[2048];
        begin(state);
        REGION("h1", 100, "triton_a_0");
        snprintf(json, sizeof json, "{\"triton_a_0:1\": [%s]}", cases[i].tracebacks);
        artifact(STACKS, json);
        build();
        assert_int_equal(model.compiled.count, 1);
        struct tp_str line = model.compiled.calls[0].line;
        if (!tp_str_equal(line.ptr ? line : TP_STR("none"), tp_str_of(cases[i].line)))
            fail_msg("case %zu is %.*s", i, (int)line.len, line.ptr);
        end(state);
    }
    begin(state);
}

/* torch cuts the folder of a script from the paths in the trace, but not from those in the artifacts. */
static void the_folder_of_the_script_is_cut(void **state)
{
    (void)state;
    frame("train.py(1): <module>", 0, 1000);
    frame("lib/train.py(1): <module>", 50, 700); /* not the outermost frame, so it is no script */
    REGION("h1", 100, "triton_a_0", "triton_b_1");
    artifact(STACKS, "{\"triton_a_0:1\": [\"" FRAME_AT("/u/train.py", "5", "main") FRAME_AT(
                         "/u/lib/m.py", "7", "f") "\"], \"triton_b_1:2\": [\"" FRAME_AT("/u2/m.py", "8", "f") "\"]}");
    build();
    assert_string_equal(calls_text(), "triton_a_0:1 lib/m.py(7): f; triton_b_1:2 /u2/m.py(8): f");
}

/* ---- kernels outside of regions ---- */

static void kernels_outside_of_regions_take_the_calls_of_their_name_in_turn(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        char args[64];
        snprintf(args, sizeof args, "\"correlation\":%d,\"device\":0,\"stream\":7", i + 1);
        event("cuda_runtime", "cudaLaunchKernel", 10 + 10 * i, 5, args);
        event("kernel", "triton_a_0", 100 + 10 * i, 5, args);
    }
    artifact(STACKS, "{\"triton_a_0:1\": [\"" FRAME_AT("m.py", "7", "f") "\"], \"triton_a_0:2\": [\"" FRAME_AT(
                         "m.py", "8", "f") "\"]}");
    build();
    assert_int_equal(model.compiled.count, 0);
    assert_true(tp_str_equal(tp_compiled_line_of_device(&model, 0), TP_STR("m.py(7): f")));
    assert_true(tp_str_equal(tp_compiled_line_of_device(&model, 1), TP_STR("m.py(8): f")));
    assert_true(tp_str_equal(tp_compiled_line_of_device(&model, 2), TP_STR("m.py(7): f")));
}

/* ---- the view ---- */

static void the_view_groups_calls_by_kernel_key_and_region(void **state)
{
    struct tp_compiled_view view;
    (void)state;
    REGION("h1", 100, "graph_0_triton_a_0", "aten::mm");
    REGION("h1", 200, "graph_0_triton_a_0", "aten::mm");
    REGION("h2", 300, "graph_0_triton_a_0");
    event("cuda_runtime", "cudaLaunchKernel", 112, 2, "\"correlation\":1");
    event("kernel", "gemm", 150, 40, "\"correlation\":1,\"device\":0,\"stream\":7");
    artifact(STACKS, "{\"triton_a_0:1\": [\"" FRAME_AT("m.py", "7", "f") "\"], \"extern_kernels.mm:2\": [" DEEP(
                         "13") "," DEEP("11") "]}");
    build();
    tp_compiled_view_build(&view, &model, &arena);
    assert_true(view.is_present);
    assert_int_equal(view.calls.row_count, 3);
    assert_int_equal(view.call_count, 5);
    assert_int_equal(view.line_count, 5);
    assert_true(tp_str_equal(tp_table_text(&view.calls, TP_COMPILED_KERNEL)[0], TP_STR("aten::mm")));
    assert_int_equal(tp_table_int(&view.calls, TP_COMPILED_DEVICE)[0], 40000);
    assert_true(tp_str_equal(tp_table_text(&view.calls, TP_COMPILED_LINES)[0],
                             TP_STR("[\"m.py(11): forward\",\"m.py(13): forward\"]")));
    assert_true(tp_str_equal(tp_table_text(&view.calls, TP_COMPILED_REGION)[1], TP_STR("h1")));
    assert_int_equal(tp_table_int(&view.calls, TP_COMPILED_CALLS)[1], 2);
    assert_int_equal(tp_table_int(&view.calls, TP_COMPILED_HOST)[1], 18000);
    assert_true(tp_str_equal(tp_table_text(&view.calls, TP_COMPILED_FAMILY)[2], TP_STR("triton_a")));
    assert_true(tp_str_equal(tp_table_text(&view.calls, TP_COMPILED_REGION)[2], TP_STR("h2")));
}

static void a_trace_without_compiled_code_has_no_view(void **state)
{
    struct tp_compiled_view view;
    (void)state;
    op("aten::mm", 100, 10);
    build();
    tp_compiled_view_build(&view, &model, &arena);
    assert_false(view.is_present);
    assert_null(tp_compiled_call_of_operator(&model, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(calls_take_the_lines_of_their_graph_in_order, begin, end),
        cmocka_unit_test_setup_teardown(the_graph_with_most_pairs_fits, begin, end),
        cmocka_unit_test_setup_teardown(the_shorter_of_two_graphs_fits, begin, end),
        cmocka_unit_test_setup_teardown(artifacts_without_order_are_joined_by_name, begin, end),
        cmocka_unit_test_setup_teardown(generated_functions_are_regions, begin, end),
        cmocka_unit_test_setup_teardown(backward_calls_have_the_line_of_the_forward_operator, begin, end),
        cmocka_unit_test_setup_teardown(one_line_is_chosen_for_several_tracebacks, begin, end),
        cmocka_unit_test_setup_teardown(the_folder_of_the_script_is_cut, begin, end),
        cmocka_unit_test_setup_teardown(kernels_outside_of_regions_take_the_calls_of_their_name_in_turn, begin, end),
        cmocka_unit_test_setup_teardown(the_view_groups_calls_by_kernel_key_and_region, begin, end),
        cmocka_unit_test_setup_teardown(a_trace_without_compiled_code_has_no_view, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
