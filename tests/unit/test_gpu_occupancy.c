/* Tests occupancy against values that were computed by hand from the device limits in NVIDIA's tables. */
#include "writer/spool/gpu_occupancy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct tp_gpu_limits v100 = {7, 0, 32, 80, 1024, 2048, 65536, 65536, 98304, 49152};
static const struct tp_gpu_limits a100 = {8, 0, 32, 108, 1024, 2048, 65536, 65536, 167936, 49152};

static int occupancy_percent(const struct tp_gpu_limits *gpu, int64_t blocks, int64_t threads, int64_t registers,
                             int64_t shared)
{
    struct tp_gpu_occupancy out;
    const struct tp_gpu_launch launch = {{blocks, 1, 1}, {threads, 1, 1}, registers, shared};
    return tp_gpu_occupancy(&out, gpu, &launch) ? out.percent : -1;
}

static void each_gpu_limit_reduces_occupancy(void **state)
{
    (void)state;
    assert_int_equal(occupancy_percent(&v100, 8000, 256, 16, 0), 100); /* 8 blocks of 8 warps are the maximum of 64
                                                                        * warps per SM */
    assert_int_equal(occupancy_percent(&v100, 8000, 32, 16, 0), 50); /* at most 32 blocks per SM are possible, here with
                                                                      * one warp each */
    /* registers allow 65536 / (64 * 256) = 4 blocks of 8 warps */
    assert_int_equal(occupancy_percent(&v100, 8000, 256, 64, 0), 50);
    /* shared memory allows 98304 / 32768 = 3 blocks, which is 37.5 % */
    assert_int_equal(occupancy_percent(&v100, 8000, 256, 16, 32768), 38);
    assert_int_equal(occupancy_percent(&v100, 8000, 1000, 16, 0), 98); /* 2 blocks of 1000 threads fit, which is 97.66 %
                                                                        * of 2048 */
    assert_int_equal(occupancy_percent(&v100, 160, 1024, 32, 0),
                     100); /* the grid has only 160 blocks, which are two per SM */
}

static void small_grid_fills_part_of_the_device(void **state)
{
    struct tp_gpu_occupancy out;
    const struct tp_gpu_launch launch = {{50, 1, 1}, {256, 1, 1}, 38, 0};
    (void)state;
    assert_true(tp_gpu_occupancy(&out, &v100, &launch));
    assert_float_equal(out.blocks_per_sm, 0.625, 0);
    assert_float_equal(out.warps_per_sm, 5.0, 0);
    assert_int_equal(out.percent, 8); /* 160 of 2048 threads are active, which is 7.8 % */
}

static void system_reserves_1_kib_per_block_since_8_0(void **state)
{
    (void)state;
    /* Shared memory allows 167936 / 13312 = 12 blocks. Without the reserved memory it would allow 13. */
    assert_int_equal(occupancy_percent(&a100, 10000, 128, 16, 12288), 75);
    assert_int_equal(occupancy_percent(&a100, 10000, 128, 16, 0), 100);
}

static void too_much_shared_memory_gives_zero(void **state)
{
    struct tp_gpu_limits optin = v100;
    (void)state;
    optin.shared_per_block_bytes = 98304;
    assert_int_equal(occupancy_percent(&v100, 8000, 512, 32, 65536), 0); /* no block fits, so the result is 0 %, as in
                                                                          * Kineto */
    assert_int_equal(occupancy_percent(&optin, 8000, 512, 32, 65536), 25);
    assert_int_equal(occupancy_percent(&v100, 8000, 256, 300, 0), 0); /* no kernel can use 300 registers per thread, so
                                                                       * the result is 0 % */
    assert_int_equal(occupancy_percent(&v100, 8000, 2048, 16, 0), 0);
}

static void impossible_numbers_give_no_occupancy(void **state)
{
    struct tp_gpu_limits unknown = v100;
    (void)state;
    assert_int_equal(occupancy_percent(&v100, 0, 256, 16, 0), -1);
    assert_int_equal(occupancy_percent(&v100, 8000, -1, 16, 0), -1);
    assert_int_equal(occupancy_percent(&v100, INT64_MAX, 256, 16, 0), -1);
    assert_int_equal(occupancy_percent(&v100, 8000, 256, -1, 0), -1);
    assert_int_equal(occupancy_percent(&v100, 8000, 256, INT64_MAX, 0), -1);
    assert_int_equal(occupancy_percent(&v100, 8000, 256, 16, INT64_MIN), -1);
    unknown.sm_count = -1;
    assert_int_equal(occupancy_percent(&unknown, 8000, 256, 16, 0), -1);
    unknown = v100;
    unknown.warp_size = 0;
    assert_int_equal(occupancy_percent(&unknown, 8000, 256, 16, 0), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_gpu_limit_reduces_occupancy),
        cmocka_unit_test(small_grid_fills_part_of_the_device),
        cmocka_unit_test(system_reserves_1_kib_per_block_since_8_0),
        cmocka_unit_test(too_much_shared_memory_gives_zero),
        cmocka_unit_test(impossible_numbers_give_no_occupancy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
