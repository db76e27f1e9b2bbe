/* Tests the names of CUDA calls in traces, and of kernels whose name is stored at a reused address. */
#include "collector/source/cupti_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "collector/tracepress.h"

static const char *clean_name(const char *name, bool is_driver)
{
    static char out[64];
    return tp_cupti_copy_call_name(out, sizeof out, name, is_driver) ? out : NULL;
}

static void version_suffixes_are_removed(void **state)
{
    (void)state;
    assert_string_equal(clean_name("cudaLaunchKernel_v7000", false), "cudaLaunchKernel");
    assert_string_equal(clean_name("cudaLaunchKernelExC_v11060", false), "cudaLaunchKernelExC");
    assert_string_equal(clean_name("cuMemcpyHtoDAsync_v2", true), "cuMemcpyHtoDAsync");
    assert_string_equal(clean_name("cuLaunchKernel", true), "cuLaunchKernel");
    assert_string_equal(clean_name("_v1", false), "_v1");
    assert_string_equal(clean_name("", false), "");
    assert_string_equal(clean_name("cudaGL_v", false), "cudaGL_v");
}

static void frequent_calls_without_work_are_dropped(void **state)
{
    (void)state;
    assert_null(clean_name("cudaGetDevice_v3020", false));
    assert_null(clean_name("cudaEventCreateWithFlags_v3020", false));
    assert_string_equal(clean_name("cudaGetDeviceCount_v3020", false), "cudaGetDeviceCount");
    assert_null(clean_name("cuCtxGetCurrent", true));
    assert_null(clean_name("cuMemGetInfo_v2", true));
    assert_string_equal(clean_name("cuMemAlloc_v2", true), "cuMemAlloc");
}

static int looked_up;

static int fake_callback_name(uint32_t domain, uint32_t function, const char **name)
{
    looked_up++;
    *name = domain == TP_CUPTI_DOMAIN_DRIVER ? "cuLaunchKernel" : "cudaGetDevice_v3020";
    return function == 9 ? 1 : 0;
}

static void calls_are_looked_up_once(void **state)
{
    const struct tp_cupti cupti = {.callback_name = fake_callback_name}, none = {0};
    (void)state;
    uint32_t launch = tp_cupti_call_name(&cupti, true, 307);
    assert_int_equal(launch, tracepress_intern("cuLaunchKernel"));
    assert_int_equal(tp_cupti_call_name(&cupti, true, 307), launch);
    assert_int_equal(tp_cupti_call_name(&cupti, false, 17), 0);
    assert_int_equal(tp_cupti_call_name(&cupti, false, 17), 0);
    assert_int_equal(looked_up, 2);
    assert_int_equal(tp_cupti_call_name(&cupti, true, 9), tracepress_intern("driver call 9"));
    assert_int_equal(tp_cupti_call_name(&none, false, 4000000000u), tracepress_intern("runtime call 4000000000"));
}

static void kernel_name_follows_its_text(void **state)
{
    char text[16] = "first";
    (void)state;
    uint32_t first = tp_cupti_kernel_name(text);
    assert_int_equal(first, tracepress_intern("first"));
    assert_int_equal(tp_cupti_kernel_name(text), first);
    strcpy(text, "second"); /* another name at the same address, as after a module was unloaded and another one was
                             * loaded */
    assert_int_equal(tp_cupti_kernel_name(text), tracepress_intern("second"));
    assert_int_equal(tp_cupti_kernel_name(NULL), tracepress_intern("unknown"));
}

static void kernels_beyond_the_table_have_names(void **state)
{
    static char names[20000][20];
    (void)state;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 20000; i++) {
            snprintf(names[i], sizeof names[i], "kernel%d", i);
            assert_int_equal(tp_cupti_kernel_name(names[i]), tracepress_intern(names[i]));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_suffixes_are_removed),
        cmocka_unit_test(frequent_calls_without_work_are_dropped),
        cmocka_unit_test(calls_are_looked_up_once),
        cmocka_unit_test(kernel_name_follows_its_text),
        cmocka_unit_test(kernels_beyond_the_table_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
