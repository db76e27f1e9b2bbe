/* Tests whose code a frame belongs to, which frames can be lines, and which files are scripts. */
#include "webreport/trace/code_origin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "event_text.h"

struct frame_case {
    const char *text, *line; /* line: NULL if the frame can be no line */
};

/* Checks that all frames have this origin, and their lines. */
static void check_frames(enum tp_code_origin origin, const struct frame_case *cases, size_t count)
{
    struct tp_arena own;
    struct tp_strings names;
    struct tp_frames frames;
    tp_arena_init(&own, 0);
    if (setjmp(own.guard))
        fail();
    tp_strings_init(&names, &own, 0);
    for (size_t i = 0; i < count; i++)
        tp_strings_add(&names, tp_str_of(cases[i].text));
    tp_frames_build(&frames, &names, &own);
    assert_int_equal(frames.name_count, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t line = tp_frames_line(&frames, i);
        struct tp_str found = line == TP_NO_ID ? TP_STR("none") : tp_frames_line_text(&frames, line);
        assert_true(line == TP_NO_ID || tp_frames_line_origin(&frames, line) == origin);
        if (tp_frames_origin(&frames, i) != origin ||
            !tp_str_equal(found, tp_str_of(cases[i].line ? cases[i].line : "none")))
            print_message("%s: origin %d, line %.*s\n", cases[i].text, (int)tp_frames_origin(&frames, i),
                          (int)found.len, found.ptr);
        assert_int_equal(tp_frames_origin(&frames, i), origin);
        assert_true(tp_str_equal(found, tp_str_of(cases[i].line ? cases[i].line : "none")));
    }
    tp_arena_release(&own);
}

#define CHECK(origin, ...)                                                                                             \
    do {                                                                                                               \
        static const struct frame_case cases[] = {__VA_ARGS__};                                                        \
        check_frames(origin, cases, sizeof cases / sizeof *cases);                                                     \
    } while (0)

#define SAME(text)                                                                                                     \
    {                                                                                                                  \
        text, text                                                                                                     \
    }
#define NO_LINE(text)                                                                                                  \
    {                                                                                                                  \
        text, NULL                                                                                                     \
    }

static void other_paths_are_users_code(void **state)
{
    (void)state;
    CHECK(TP_ORIGIN_USER, SAME("finetune.py(8): main"), SAME("torch_tricks.py(8): f"),
          SAME("nets/resnet.py(8): forward"), SAME("/home/u/run (1)/train.py(12): step"),
          SAME("../tools/prune.py(8): f"), SAME("utils/copy.py(12): clone"), SAME("src/train.c(42): forward_layer"),
          SAME("vllm.py(3): f"), SAME("torch.py(3): f"), SAME("/home/u/torch/train.py(7): step"),
          SAME("/home/u/vllm/train.py(7): step"), SAME("/usr/mylib/python3.10/x.py(3): f"),
          SAME("/usr/lib/python3.x/x.py(3): f"), SAME("xDiT/bench.py(3): f"), SAME("/home/u/ab/cab.py(3): f"),
          SAME("Copy.py(3): f"), SAME("..(3): f"), {"D:\\nets\\train.py(9): main", "D:/nets/train.py(9): main"},
          {"C:\\Python311\\Lib\\mine\\copy.py(1): f", "C:/Python311/Lib/mine/copy.py(1): f"});
}

static void notebooks_are_users_code(void **state)
{
    (void)state;
    CHECK(TP_ORIGIN_USER, SAME("/tmp/ipykernel_81/1234567.py(3): <module>"), SAME("<ipython-input-12-ab>(2): fit"),
          SAME("<stdin>(1): <module>"), SAME("<command-31>(4): f"), SAME("<cell line: 3>(3): f"),
          SAME("Cell In[4](2): f"), SAME("/tmp/xpython_7/9.py(2): f"),
          {"C:\\Temp\\ipykernel_81\\1234567.py(3): f", "C:/Temp/ipykernel_81/1234567.py(3): f"});
}

static void code_without_a_source_file_is_generated(void **state)
{
    (void)state;
    CHECK(TP_ORIGIN_GENERATED, NO_LINE("<string>(2): guard"), NO_LINE("<eval_with_key>.7(4): forward"),
          NO_LINE("<attrs generated init a.B>(3): __init__"), NO_LINE("<string>.py(3): f"),
          NO_LINE("/tmp/torchinductor_me/ab/x.py(5): call"), NO_LINE("/x/torchinductor/ab/x.py(5): call"),
          NO_LINE("cache/ab/cabcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrs.py(5): call"),
          NO_LINE("/root/.triton/cache/q3/kernel.py(3): launcher"),
          NO_LINE("/x/triton_cache/q3/kernel.py(3): launcher"), NO_LINE("torch_compile_debug/run_1/x.py(3): f"),
          NO_LINE("a/aot/subclass_codegen.py:codegen(forward)(1): f"),
          NO_LINE("C:\\Temp\\torchinductor_me\\ab\\x.py(5): call"));
}

static void files_of_python_are_no_lines(void **state)
{
    (void)state;
    CHECK(TP_ORIGIN_STDLIB, NO_LINE("copy.py(128): deepcopy"), NO_LINE("json/decoder.py(3): f"),
          NO_LINE("profile.py(12): main"), NO_LINE("copy(12): f"), NO_LINE("./copy.py(1): f"),
          NO_LINE("<frozen runpy>(88): _run_code"), NO_LINE("/usr/lib/python3.10/json/decoder.py(3): f"),
          NO_LINE("/usr/lib/python3.13t/threading.py(3): run"), NO_LINE("/usr/lib64/python3/threading.py(3): run"),
          NO_LINE("lib/python3/json/decoder.py(3): f"), NO_LINE("/opt/python311.zip/json/decoder.py(3): f"),
          NO_LINE("C:\\Users\\me\\Python311\\Lib\\copy.py(12): f"),
          NO_LINE("C:/Users/me/Python311/lib/json/decoder.py(12): f"));
}

static void files_of_torch_are_no_lines(void **state)
{
    (void)state;
    CHECK(TP_ORIGIN_TORCH, NO_LINE("torch/nn/functional.py(9): relu"), NO_LINE("triton/runtime/jit.py(3): run"),
          NO_LINE("torchvision/models/vgg.py(3): f"), NO_LINE("./torch/nn/functional.py(9): relu"),
          NO_LINE("/x/site-packages/torch/nn/modules/module.py(15): _call_impl"),
          NO_LINE("/x/site-packages/torch.py(1): f"), NO_LINE("/src/pytorch/torch/nn/modules/module.py(7): _call_impl"),
          NO_LINE("/src/triton/python/triton/compiler.py(7): compile"));
}

static void files_of_packages_are_lines_of_a_library(void **state)
{
    (void)state;
    CHECK(TP_ORIGIN_LIBRARY, SAME("vllm/sequence.py(3): f"),
          {"/usr/lib/python3.10/site-packages/mine/a.py(3): f", "mine/a.py(3): f"},
          {"/x/site-packages/y/site-packages/mine/a.py(3): f", "mine/a.py(3): f"},
          {"/x/dist-packages/a.pyx(3): f", "a.pyx(3): f"},
          {"C:\\x\\site-packages\\mine\\a.py(3): f", "mine/a.py(3): f"},
          {"/srv/sglang/python/sglang/srt/server.py(3): f", "sglang/srt/server.py(3): f"},
          {"/srv/Megatron/megatron/core/x.py(3): f", "megatron/core/x.py(3): f"},
          {"/srv/xDiT/xfuser/x.py(3): f", "xfuser/x.py(3): f"}, {"repo/xfuser/x.py(3): f", "xfuser/x.py(3): f"},
          {"/srv/src/trl/x.py(3): f", "trl/x.py(3): f"});
}

static void packages_that_connect_code_are_no_lines(void **state)
{
    (void)state;
    CHECK(TP_ORIGIN_LIBRARY, NO_LINE("numpy/core/x.py(3): f"), NO_LINE("/x/site-packages/tqdm/std.py(3): __iter__"),
          NO_LINE("six.py(3): f"), NO_LINE("csrc/x.py(3): f"), NO_LINE("torch_guard.py(2): wrapper"),
          NO_LINE("/x/site-packages/flash_attn/x.py(3): f"), NO_LINE("colab_kernel_launcher.py(37): <module>"));
}

static void other_texts_have_no_file(void **state)
{
    (void)state;
    CHECK(TP_ORIGIN_BUILTIN, NO_LINE("<built-in function len>"), NO_LINE("<built-in method f of a.py(3): g>"),
          NO_LINE("aten::add"), NO_LINE("train.py(-1): f"), NO_LINE("train.py"), NO_LINE("nn.Module:Linear"));
    CHECK(TP_ORIGIN_MODULE, NO_LINE("nn.Module: Linear_0"), NO_LINE("nn.Module: a.py(3): f"));
}

/* ---- scripts ---- */

static struct tp_order order;
static struct tp_model model;

static void host_event(const char *category, const char *name, int ts, int dur, const char *args)
{
    add_event("{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":10,\"tid\":1,\"ts\":%d,\"dur\":%d,\"args\":{%s}}",
              category, name, ts, dur, args);
}

static void frame(const char *name, int ts, int dur)
{
    host_event("python_function", name, ts, dur, "");
}

static void build(void)
{
    make_model(&arena, &trace, &order, &model, "", text.data);
}

static enum tp_code_origin origin_of(const char *name)
{
    uint32_t id = tp_strings_find(&trace.names, tp_str_of(name));
    assert_int_not_equal(id, TP_NO_ID);
    return tp_frames_origin(&trace.frames, id);
}

static void outermost_module_of_a_thread_is_a_script(void **state)
{
    (void)state;
    frame("trace.py(3): <module>", 0, 100);
    frame("trace.py(9): main", 10, 50);
    frame("code.py(1): <module>", 12, 5);  /* imported */
    frame("test.py(1): <module>", 100, 5); /* starts when the first script has ended */
    frame("<string>(1): <module>", 110, 5);
    frame("importlib/y.py(1): <module>", 120, 5);
    frame("copy.py(1): copy", 130, 5);
    frame("nn.Module: Net_0", 140, 10);
    frame("pdb.py(1): <module>", 150, 5);
    host_event("python_function", "nn.Module: Net_1", 160, 10, "\"Python module id\": 1");
    frame("queue.py(1): <module>", 162, 5); /* modules are no frames */
    build();
    assert_int_equal(origin_of("trace.py(3): <module>"), TP_ORIGIN_USER);
    assert_int_equal(origin_of("trace.py(9): main"), TP_ORIGIN_USER);
    assert_int_equal(origin_of("code.py(1): <module>"), TP_ORIGIN_STDLIB);
    assert_int_equal(origin_of("test.py(1): <module>"), TP_ORIGIN_USER);
    assert_int_equal(origin_of("<string>(1): <module>"), TP_ORIGIN_GENERATED);
    assert_int_equal(origin_of("importlib/y.py(1): <module>"), TP_ORIGIN_STDLIB);
    assert_int_equal(origin_of("copy.py(1): copy"), TP_ORIGIN_STDLIB);
    assert_int_equal(origin_of("queue.py(1): <module>"), TP_ORIGIN_USER);
}

static void order_of_equal_starts_decides_about_scripts(void **state)
{
    (void)state;
    frame("code.py(1): <module>", 0, 50);
    frame("cmd.py(1): <module>", 0, 100); /* longer, so it encloses the first frame */
    frame("pdb.py(1): <module>", 200, 50);
    frame("bdb.py(1): <module>", 200, 50); /* later in the file, so the other frame encloses it */
    build();
    assert_int_equal(origin_of("cmd.py(1): <module>"), TP_ORIGIN_USER);
    assert_int_equal(origin_of("code.py(1): <module>"), TP_ORIGIN_STDLIB);
    assert_int_equal(origin_of("pdb.py(1): <module>"), TP_ORIGIN_USER);
    assert_int_equal(origin_of("bdb.py(1): <module>"), TP_ORIGIN_STDLIB);
}

static struct tp_str line_of_call(int64_t at)
{
    return tp_event_line(&model, tp_innermost_event(&model, 0, at * 1000));
}

static void users_line_comes_before_lines_of_libraries(void **state)
{
    (void)state;
    frame("trace.py(3): <module>", 0, 100);
    frame("vllm/sequence.py(3): f", 10, 50);
    frame("flashinfer/decode.py(3): g", 20, 10);
    frame("vllm/sequence.py(3): f", 200, 50);
    frame("vllm/engine.py(4): g", 210, 30);
    frame("flashinfer/decode.py(3): g", 220, 10);
    frame("flashinfer/decode.py(3): g", 300, 10);
    host_event("cpu_op", "aten::add", 25, 1, "");
    host_event("cpu_op", "aten::add", 225, 1, "");
    host_event("cpu_op", "aten::add", 305, 1, "");
    build();
    assert_true(tp_str_equal(line_of_call(25), TP_STR("trace.py(3): <module>")));
    assert_true(tp_str_equal(line_of_call(225), TP_STR("vllm/engine.py(4): g")));
    assert_true(tp_str_equal(line_of_call(305), TP_STR("")));
}

#define IN_TRACE(test) cmocka_unit_test_setup_teardown(test, begin_event_text, end_event_text)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_paths_are_users_code),
        cmocka_unit_test(notebooks_are_users_code),
        cmocka_unit_test(code_without_a_source_file_is_generated),
        cmocka_unit_test(files_of_python_are_no_lines),
        cmocka_unit_test(files_of_torch_are_no_lines),
        cmocka_unit_test(files_of_packages_are_lines_of_a_library),
        cmocka_unit_test(packages_that_connect_code_are_no_lines),
        cmocka_unit_test(other_texts_have_no_file),
        IN_TRACE(outermost_module_of_a_thread_is_a_script),
        IN_TRACE(order_of_equal_starts_decides_about_scripts),
        IN_TRACE(users_line_comes_before_lines_of_libraries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
