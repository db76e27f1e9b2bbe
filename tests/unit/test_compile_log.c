/* Tests the reader of artifacts of torch.compile, with artifacts in the formats of PyTorch 2.6 to 2.13. */
#include "webreport/trace/compile_log/compile_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "one_arena.h"
#include "webreport/trace/compile_log/artifact_files.h"
#include "webreport/trace/compile_log/compile_names.h"

/* ---- results as text ---- */

/* Returns the calls of all graphs: "NAME#HANDLE[FRAME<FRAME|FRAME]{NODE,NODE} ..", a graph per line. Frames of a
 * traceback are joined with "<", tracebacks with "|". */
static const char *text_of(const struct tp_compile_log *log)
{
    struct tp_vec text = TP_VEC(&arena, char);
    for (size_t g = 0; g < log->graphs.count; g++) {
        const struct tp_compile_graph *graph = tp_compile_graph_at(log, g);
        tp_vec_add_text(&text, tp_str_of(g ? "\n" : ""));
        for (uint32_t k = 0; k < graph->call_count; k++) {
            const struct tp_compile_call *call = &graph->calls[k];
            char number[32];
            tp_vec_add_text(&text, tp_str_of(k ? " " : ""));
            tp_vec_add_text(&text, call->name);
            snprintf(number, sizeof number, "#%llu[", (unsigned long long)call->handle);
            tp_vec_add_text(&text, tp_str_of(number));
            for (uint32_t s = 0; s < call->stack_count; s++) {
                struct tp_compile_stack stack = tp_compile_stack_at(log, call->first_stack + s);
                tp_vec_add_text(&text, tp_str_of(s ? "|" : ""));
                for (uint32_t f = 0; f < stack.count; f++) {
                    tp_vec_add_text(&text, tp_str_of(f ? "<" : ""));
                    tp_vec_add_text(&text, tp_compile_frame_at(log, stack.first + f));
                }
            }
            tp_vec_add_text(&text, tp_str_of("]{"));
            for (uint32_t n = 0; n < call->node_count; n++) {
                tp_vec_add_text(&text, tp_str_of(n ? "," : ""));
                tp_vec_add_text(&text, tp_compile_node_at(log, call->first_node + n));
            }
            tp_vec_add_text(&text, tp_str_of("}"));
        }
    }
    tp_vec_add_text(&text, (struct tp_str){"", 1});
    return text.data;
}

static const char *read_bytes(const char *name, const char *bytes, uint32_t dropped)
{
    struct tp_compile_log log;
    tp_compile_log_read_bytes(&log, name, tp_str_of(bytes), &arena);
    assert_int_equal(log.dropped_count, dropped);
    return text_of(&log);
}

/* ---- files in a folder ---- */

static char folder[] = "/tmp/test_compile_log_XXXXXX";

static const char *path_of(const char *name)
{
    size_t room = sizeof folder + strlen(name) + 1;
    char *path = tp_arena_alloc(&arena, room);
    snprintf(path, room, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static int begin_folder(void **state)
{
    strcpy(folder, "/tmp/test_compile_log_XXXXXX");
    return mkdtemp(folder) ? begin(state) : -1;
}

static int end_folder(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) || end(state);
}

/* ---- names ---- */

static void calls_have_the_names_of_operators(void **state)
{
    static const char *const cases[][2] = {
        {"extern_kernels.addmm", "aten::addmm"},
        {"extern_kernels._mm_plus_mm", "aten::_mm_plus_mm"},
        {"extern_kernels.a.b", "extern_kernels::a"},
        {"torch.ops.aten.convolution_backward.default", "aten::convolution_backward"},
        {"torch.ops.mine.scale", "mine::scale"},
        {"aten.mm.default", "aten::mm"},
        {"aten::mm", "aten::mm"},
        {"triton_poi_fused_add_0", "triton_poi_fused_add_0"},
        {"graph_12_cpp_fused_gelu_1", "cpp_fused_gelu_1"},
        {"graph__cpp", "graph__cpp"},
        {"", ""},
    };
    GUARD;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(tp_str_equal(tp_compile_operator_name(&arena, tp_str_of(cases[i][0])), tp_str_of(cases[i][1])));
}

static void families_have_no_numbers(void **state)
{
    static const char *const cases[][2] = {
        {"triton_poi_fused_add_mul_12", "triton_poi_fused_add_mul"},
        {"graph_0_cpp_fused_gelu_1", "cpp_fused_gelu"},
        {"triton_red_fused_native_layer_norm_0", "triton_red_fused_native_layer_norm"},
        {"triton_tem_fused_mm_3", "triton_tem_fused_mm"},
        {"triton_poi_fused_0", "triton_poi_fused"},
        {"triton_poi_fused_add", "triton_poi_fused_add"},
        {"triton_0", "triton_0"},
        {"cpp_7", "cpp"},
        {"ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nn"},
        {"graph_0_other_3", "graph_0_other_3"},
        {"aten::mm", "aten::mm"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(tp_str_equal(tp_compile_kernel_family(tp_str_of(cases[i][0])), tp_str_of(cases[i][1])));
}

/* ---- artifacts in JSON ---- */

#define TRACEBACK(number) "  File \\\"/u/t.py\\\", line " number ", in f\\n    x = y\\n        ^\\n"

static void tracebacks_give_frames(void **state)
{
    GUARD;
    assert_string_equal(read_bytes("inductor_provenance_tracking_kernel_stack_traces_3.json",
                                   "{\"b:2\": [\"" TRACEBACK("7")
                                       TRACEBACK("8") "\", \"" TRACEBACK("9") "\"],\n \"a:1\": \"" TRACEBACK("5") "\"}",
                                   0),
                        "a#1[/u/t.py(5): f]{} b#2[/u/t.py(7): f</u/t.py(8): f|/u/t.py(9): f]{}");
}

static void lines_that_are_no_frames_are_ignored(void **state)
{
    GUARD;
    assert_string_equal(
        read_bytes("kernel_stack_traces.json",
                   "{\"a:1\": [\"File \\\"\\\", line 1, in f\\nFile \\\"x\\\", line , in f\\n"
                   "File \\\"x\\\", line 3, in \\nFile \\\"x\\\" line 3, in f\\nFile \\\"x\", 7, null]}",
                   0),
        "a#1[]{}");
}

static void every_kind_of_artifact_is_read(void **state)
{
    GUARD;
    assert_string_equal(read_bytes("kernel_information.json",
                                   "{\"triton_poi_fused_add_0:1\": {\"stack_traces\": [\"" TRACEBACK(
                                       "5") "\"], \"post_grad_nodes\": [\"add\"], \"pre_grad_nodes\": []}}",
                                   0),
                        "triton_poi_fused_add_0#1[/u/t.py(5): f]{add}");
    assert_string_equal(
        read_bytes("inductor_provenance_tracking_node_mappings.json",
                   "{\"preToPost\": {\"x\": []}, \"cppCodeToPost\": {\"extern_kernels.mm:3\": [\"mm\"]}}", 0),
        "aten::mm#3[]{mm}");
    assert_string_equal(read_bytes("inductor_provenance_tracking_node_mappings.json", "{\"version\": 2.0}", 0), "");
    assert_string_equal(
        read_bytes("inductor_triton_kernel_to_post_grad_nodes.json", "{\"triton_poi_fused_add_0\": [\"add\"]}", 0),
        "triton_poi_fused_add_0#0[]{add}");
    assert_string_equal(read_bytes("kernel_to_post_grad.json", "{\"a\": [", 1), "");
    assert_string_equal(read_bytes("kernel_to_post_grad.json", "[1]", 0), "");
}

/* ---- logs ---- */

#define HEAD(name)                                                                                                     \
    "V1128 04:45:22.360000 31689 torch/x.py:16] {\"artifact\": {\"name\": \"" name "\"}, \"frame_id\": 0}\n"

static void artifacts_of_a_log_are_joined(void **state)
{
    GUARD;
    assert_string_equal(
        read_bytes(
            "dedicated_log_torch_trace_x.log",
            "noise\n\tnoise\n" HEAD("other") "\t{\"z:1\": []}\n" HEAD(
                "inductor_provenance_tracking_node_mappings") "\t{\"cppCodeToPost\": {\n\t\"a:1\": [\"n\"]}}\n"
                                                              "V1128 no head\n" HEAD(
                                                                  "inductor_provenance_"
                                                                  "tracking_kernel_stack_"
                                                                  "traces") "\t{\"a:1\": "
                                                                            "[\"" TRACEBACK("5") "\"]}\n" HEAD(
                                                                                "inductor_"
                                                                                "provenance_"
                                                                                "tracking_"
                                                                                "kernel_"
                                                                                "stack_"
                                                                                "traces") "\t"
                                                                                          "{"
                                                                                          "\""
                                                                                          "a:"
                                                                                          "1"
                                                                                          "\""
                                                                                          ": "
                                                                                          "["
                                                                                          "\"" TRACEBACK("6") "\"]}\n",
            0),
        "a#1[/u/t.py(5): f]{n}\na#1[/u/t.py(6): f]{}");
}

/* A function that is compiled again for another shape has the same calls and tracebacks. */
static void equal_graphs_are_one_graph(void **state)
{
    GUARD;
    assert_string_equal(read_bytes("x.torch_trace",
                                   HEAD("inductor_provenance_tracking_kernel_stack_traces") "\t{\"a:1\": [\"" TRACEBACK(
                                       "5") "\"], \"b:2\": []}\n" HEAD("inductor_provenance_tracking_kernel_stack_"
                                                                       "traces") "\t{\"b:2\": [], "
                                                                                 "\"a:1\": [\"" TRACEBACK("5") "\"]}\n",
                                   0),
                        "a#1[/u/t.py(5): f]{} b#2[]{}");
}

#define FX_TEXT(in)                                                                                                    \
    in "class GraphModule(torch.nn.Module):\n" in "        # File: /u/m.py:11 in forward, code: x = y[1:2] in z\n" in  \
       "        pow_1: \"f32[8]\" = torch.ops.aten.pow(x);  x = None\n" in                                             \
       "        mean = torch.ops.aten.mean(pow_1)\n" in "\n" in "        add: \"f32[8]\" = torch.ops.aten.add(x)\n" in \
       "        # File: /u/m.py:12 in g\n" in "        pow_1: \"f32[8]\" = 1\n" in "        mul = 2\n"

static void lines_of_nodes_come_from_the_fx_graph_of_a_log(void **state)
{
    GUARD;
    assert_string_equal(read_bytes("dedicated_log_torch_trace.log",
                                   HEAD("inductor_post_grad_graph") FX_TEXT("\t") HEAD(
                                       "inductor_provenance_tracking_node_mappings") "\t{\"cppCodeToPost\": {\"a\": "
                                                                                     "[\"pow_1\", \"mul\", \"add\"]}}",
                                   0),
                        "a#0[/u/m.py(11): forward|/u/m.py(12): g]{pow_1,mul,add}");
}

/* ---- generated code ---- */

static const char CODE[] = "cpp_fused_gelu_0 = async_compile.cpp_pybinding([])\n"
                           "    cpp_fused_unused_9(x)\n"
                           "def call(args):\n"
                           "    primals_1, = args\n"
                           "        # Topologically Sorted Source Nodes: [h, h_1], Original ATen: [aten.gelu]\n"
                           "        # [Provenance debug handles] cpp_fused_gelu_0:1\n"
                           "        cpp_fused_gelu_0(primals_1, buf0)\n"
                           "        # Topologically Sorted Source Nodes: [], Original ATen: []\n"
                           "        buf1 = extern_kernels.addmm(a, b)\n"
                           "        # cpp_fused_gelu_0(commented)\n"
                           "        triton_poi_fused_add_0.run(arg0, stream=stream0)\n"
                           "        buf2 = torch.ops.aten.sort.stable(buf1)\n"
                           "        assert_size_stride(buf2, (1,))\n";

static void generated_code_gives_calls_and_source_nodes(void **state)
{
    GUARD;
    assert_string_equal(read_bytes("output_code.py", CODE, 0),
                        "cpp_fused_gelu_0#1[]{h,h_1} aten::addmm#2[]{} triton_poi_fused_add_0#3[]{} aten::sort#4[]{}");
}

/* ---- files and folders ---- */

static const char *read_paths(const char *const *paths, size_t count, uint32_t files)
{
    struct tp_compile_log log;
    struct tp_error err;
    assert_int_equal(tp_compile_log_read(&log, paths, count, &arena, &err), TP_OK);
    assert_int_equal(log.file_count, files);
    return text_of(&log);
}

static void a_debug_folder_gives_lines_of_nodes(void **state)
{
    const char *paths[] = {folder};
    GUARD;
    write_file("fx_graph_transformed.py", FX_TEXT(""));
    write_file("inductor_generated_kernel_to_post_grad_nodes.json", "{\"cpp_fused_gelu_0:1\": [\"mean\", \"gone\"]}");
    write_file("output_code.py", CODE);
    write_file("notes.json", "{\"a\": [\"mean\"]}");
    assert_string_equal(read_paths(paths, 1, 2),
                        "cpp_fused_gelu_0#1[/u/m.py(11): forward]{mean,gone}\n"
                        "cpp_fused_gelu_0#1[]{h,h_1} aten::addmm#2[]{} triton_poi_fused_add_0#3[]{} aten::sort#4[]{}");
}

/* A log that the user names may have any name, and its last line may have no line feed. */
static void a_named_log_may_have_any_name(void **state)
{
    GUARD;
    const char *paths[] = {path_of("my log")};
    write_file("my log", HEAD("inductor_provenance_tracking_kernel_stack_traces") "\t{\"a:1\": []}");
    assert_string_equal(read_paths(paths, 1, 1), "a#1[]{}");
}

static void a_missing_path_is_an_error(void **state)
{
    struct tp_compile_log log;
    struct tp_error err;
    GUARD;
    const char *paths[] = {path_of("none")};
    assert_int_equal(tp_compile_log_read(&log, paths, 1, &arena, &err), TP_ENOTFOUND);
    assert_non_null(strstr(err.text, "--compile-log"));
}

static void artifacts_next_to_a_trace_are_found(void **state)
{
    struct tp_vec paths = TP_VEC(&arena, const char *);
    GUARD;
    mkdir(path_of("torch_compile_debug"), 0700);
    mkdir(path_of("logs"), 0700);
    mkdir(path_of("other"), 0700);
    write_file("logs/dedicated_log_torch_trace_a.log", "");
    write_file("other/dedicated.log", "");
    write_file("kernel_information.json", "");
    write_file("inductor_generated_kernel_to_post_grad_nodes.json", "");
    write_file("my_kernel_information.json", "");
    tp_compile_files_near(&paths, path_of("trace.json"));
    assert_int_equal(paths.count, 4);
    for (size_t i = 0; i < paths.count; i++) {
        static const char *const found[] = {"inductor_generated_kernel_to_post_grad_nodes.json",
                                            "kernel_information.json", "logs", "torch_compile_debug"};
        assert_string_equal(*TP_AT(&paths, const char *, i), path_of(found[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(calls_have_the_names_of_operators, begin, end),
        cmocka_unit_test(families_have_no_numbers),
        cmocka_unit_test_setup_teardown(tracebacks_give_frames, begin, end),
        cmocka_unit_test_setup_teardown(lines_that_are_no_frames_are_ignored, begin, end),
        cmocka_unit_test_setup_teardown(every_kind_of_artifact_is_read, begin, end),
        cmocka_unit_test_setup_teardown(artifacts_of_a_log_are_joined, begin, end),
        cmocka_unit_test_setup_teardown(equal_graphs_are_one_graph, begin, end),
        cmocka_unit_test_setup_teardown(lines_of_nodes_come_from_the_fx_graph_of_a_log, begin, end),
        cmocka_unit_test_setup_teardown(generated_code_gives_calls_and_source_nodes, begin, end),
        cmocka_unit_test_setup_teardown(a_debug_folder_gives_lines_of_nodes, begin_folder, end_folder),
        cmocka_unit_test_setup_teardown(a_named_log_may_have_any_name, begin_folder, end_folder),
        cmocka_unit_test_setup_teardown(a_missing_path_is_an_error, begin_folder, end_folder),
        cmocka_unit_test_setup_teardown(artifacts_next_to_a_trace_are_found, begin_folder, end_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
