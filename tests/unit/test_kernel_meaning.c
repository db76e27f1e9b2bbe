/* Tests names of kernels by their meaning: tests/data/kernel_names.tsv has one line "shown name, tab, full name" for
 * each kernel. The names are those of PyTorch, cuBLAS, cuDNN, CUTLASS, Triton, NCCL, ROCm and serving engines. */
#include "writer/text/kernel_meaning.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <stdint.h>

#include "webreport/document/name_text.h"
#include "webreport/document/section_table.h"
#include "writer/base/utf8.h"
#include "writer/text/kernel_text.h"

enum { LINE_BYTES = 1 << 12, FEWEST_NAMES = 250, SHORT_BYTES = 48 };

static struct tp_arena arena;

static int set_up(void **state)
{
    (void)state;
    tp_arena_init(&arena, 0);
    return setjmp(arena.guard);
}

static int tear_down(void **state)
{
    (void)state;
    tp_arena_release(&arena);
    return 0;
}

static const char *shown_name(const char *name)
{
    struct tp_str text = tp_kernel_short_name(&arena, tp_str_of(name));
    return tp_arena_copy(&arena, text.ptr, text.len);
}

/* Checks what all shown names have in common: valid text, not longer than the name unless short, the same each time. */
static void check_shown_name(struct tp_str name)
{
    size_t cut = 0;
    struct tp_str shown = tp_kernel_short_name(&arena, name), again = tp_kernel_short_name(&arena, name);
    struct tp_str plain = tp_kernel_plain_name(&arena, name);
    assert_true(tp_str_equal(shown, again));
    assert_true(shown.len <= plain.len || shown.len <= SHORT_BYTES);
    assert_true(shown.len <= TP_KERNEL_TEXT_BYTES);
    if (tp_utf8_is_valid(name.ptr, name.len, &cut) && cut == 0)
        assert_true(tp_utf8_is_valid(shown.ptr, shown.len, &cut) && cut == 0);
}

static void kernels_are_named_by_their_meaning(void **state)
{
    (void)state;
    static char line[LINE_BYTES];
    unsigned count = 0, wrong = 0;
    FILE *file = fopen("tests/data/kernel_names.tsv", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char *name = strchr(line, '\t');
        assert_non_null(name);
        *name++ = 0;
        name[strcspn(name, "\n")] = 0;
        count++;
        if (strcmp(shown_name(name), line) != 0) {
            print_error("expected %s, got %s for %s\n", line, shown_name(name), name);
            wrong++;
        }
        check_shown_name(tp_str_of(name));
    }
    fclose(file);
    assert_int_equal(wrong, 0);
    assert_true(count >= FEWEST_NAMES);
}

/* Tests names that look like known ones. A wrong word is worse than a long name, so these keep their names. */
static void uncertain_names_are_kept(void **state)
{
    (void)state;
    static const char *const names[] = {
        "my_softmax_like_thing",
        "add_one_kernel",
        "gemm_a",
        "gemm_head",
        "attn",
        "sm90_kernel",
        "ampere_something",
        "Cijk_SB_GA",
        "Cijk_BBS_BH_GA",
        "nvjet_tst",
        "igemm_xyz_other",
        "triton_poi_fused_0",
        "triton_",
        "triton__0d1d2d",
        "ncclOther",
        "Memcpy",
        "Memory_kernel",
        "fprop",
        "xmma",
        "copy",
        "aten::add",
        "cudaLaunchKernel",
        "nn.Module: Add",
        "conv",
        "k",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(shown_name(names[i]), names[i]);
}

/* Tests that the type of the data is shown, not the type of the accumulator. */
static void accumulators_are_not_types_of_data(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"void dot_kernel<float, 128, 0, cublasDotParams<cublasGemvTensorStridedBatched<__nv_bfloat16 const>, "
         "cublasGemvTensorStridedBatched<float> > >(int)",
         "Dot product bf16"},
        {"void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<c10::Half, c10::Half, c10::Half, "
         "at::native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul> >(int)",
         "Multiply fp16"},
        {"void ck::kernel_gemm_xdl_cshuffle_v3<ck::GridwiseGemm_xdl_cshuffle_v3<ck::f8_other, ck::f8_other, float> "
         ">(int)",
         "GEMM"},
        {"void at::native::unrolled_elementwise_kernel<at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>, 4, "
         "TrivialOffsetCalculator<2, unsigned int>, at::native::memory::LoadWithCast<2>, "
         "at::native::memory::StoreWithCast<1> >(int)",
         "Add, mixed types"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_string_equal(shown_name(pairs[i][0]), pairs[i][1]);
}

/* Cuts and changes real names at random places: no name may be read outside of its bytes or give invalid text. */
static void damaged_names_are_safe(void **state)
{
    (void)state;
    static char line[LINE_BYTES];
    uint32_t random = 1;
    FILE *file = fopen("tests/data/kernel_names.tsv", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        const char *name = strchr(line, '\t') + 1;
        size_t size = strcspn(name, "\n");
        for (unsigned i = 0; i < 24; i++) {
            random = random * 1664525u + 1013904223u;
            size_t kept = 1 + (random >> 8) % size;
            /* an allocation of the exact size, so that a memory checker finds reads behind the end */
            char *copy = malloc(kept);
            assert_non_null(copy);
            memcpy(copy, name + (i % 3 == 0 ? size - kept : 0), kept);
            if (i % 2)
                copy[(random >> 16) % kept] = "<>(),:_ \xff\x80x\0&*~"[(random >> 4) % 16];
            check_shown_name((struct tp_str){copy, kept});
            free(copy);
        }
    }
    fclose(file);
}

/* Tests groups of kernels with the same meaning. Each pair is a full name and the name in a table with all of them. */
static void equal_meanings_differ_by_readable_details(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"ampere_sgemm_64x64_nt", "GEMM fp32 64\xc3\x97"
                                  "64 (nt)"},
        {"ampere_sgemm_64x64_nn", "GEMM fp32 64\xc3\x97"
                                  "64 (nn)"},
        {"ampere_sgemm_128x64_nn", "GEMM fp32 128\xc3\x97"
                                   "64"},
        {"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_64x64_32x4_nt_align4>(int)", "GEMM tf32 64\xc3\x97"
                                                                                          "64\xc3\x97"
                                                                                          "32 (4 stages, align 4)"},
        {"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_64x64_32x4_nt_align1>(int)", "GEMM tf32 64\xc3\x97"
                                                                                          "64\xc3\x97"
                                                                                          "32 (4 stages, align 1)"},
        {"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_64x64_32x6_nt_align1>(int)", "GEMM tf32 64\xc3\x97"
                                                                                          "64\xc3\x97"
                                                                                          "32 (6 stages, align 1)"},
        {"triton_poi_fused_add_relu_3", "Triton: add, ReLU (number 3)"},
        {"triton_poi_fused_add_relu_12", "Triton: add, ReLU (number 12)"},
        {"void implicit_convolve_sgemm<float, float, 1024, 6, 7>(int)", "Convolution forward fp32 (1024)"},
        {"void implicit_convolve_sgemm<float, float, 128, 6, 7>(int)", "Convolution forward fp32 (128)"},
        {"void ns::f<g<1, 2, 3> >(int)", "ns::f (3)"},
        {"void ns::f<g<1, 2, 4> >(int)", "ns::f (4)"},
        {"void ns::f<g<1, 2, 4> >(int)", "ns::f (4)"},
        {"void ns::h<1>(int)", "ns::h\xe2\x80\xa6"
                               "s::h<1>(int)"},
        {"void ns::h<1>(float)", "ns::h\xe2\x80\xa6"
                                 "s::h<1>(float)"},
    };
    enum { COUNT = sizeof pairs / sizeof *pairs };
    struct tp_naming naming = {.arena = &arena, .kernels = tp_shown_kernels_new(&arena)};
    struct tp_str names[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        names[i] = tp_str_of(pairs[i][0]);
    tp_shown_kernels_distinguish(&naming, names, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        struct tp_str shown = tp_shown_kernel_name(&naming, names[i]);
        assert_string_equal(tp_arena_copy(&arena, shown.ptr, shown.len), pairs[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(kernels_are_named_by_their_meaning, set_up, tear_down),
        cmocka_unit_test_setup_teardown(uncertain_names_are_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(accumulators_are_not_types_of_data, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged_names_are_safe, set_up, tear_down),
        cmocka_unit_test_setup_teardown(equal_meanings_differ_by_readable_details, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
