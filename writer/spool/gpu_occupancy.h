/* Estimated achieved occupancy of a kernel: the number that torch's profiler writes, computed in the same way.
 *
 * The formula is Kineto's (CuptiActivity.cpp and the occupancy calculator that it includes), in float as there: in
 * double, about one kernel in a hundred comes out one percent higher. A pure function of what the launch says. */
#ifndef TP_WRITER_SPOOL_GPU_OCCUPANCY_H
#define TP_WRITER_SPOOL_GPU_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

/* What a device allows, as cudaDeviceProp has it. */
struct tp_gpu_limits {
    int64_t compute_major, compute_minor, warp_size, sm_count, max_threads_per_block, max_threads_per_sm,
        registers_per_block, registers_per_sm, shared_per_sm_bytes;
    /* Of one block. Kineto takes the default (48 KiB), and so says 0 % of kernels that opt in to more; with the opt-in
     * limit they get their number. */
    int64_t shared_per_block_bytes;
};

struct tp_gpu_launch {
    int64_t grid[3], block[3];
    int64_t registers;    /* of a thread */
    int64_t shared_bytes; /* of a block, static and dynamic */
};

struct tp_gpu_occupancy {
    float blocks_per_sm, warps_per_sm; /* of the whole grid; more than one wave counts */
    int percent;                       /* 0 to 100 */
};

/* False when the limits, or the launch, cannot be: *out is then zero. */
bool tp_gpu_occupancy(struct tp_gpu_occupancy *out, const struct tp_gpu_limits *gpu,
                      const struct tp_gpu_launch *launch);

#endif
