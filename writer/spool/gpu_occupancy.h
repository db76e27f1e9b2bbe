/* Estimates the achieved occupancy of a kernel, with the same result as torch's profiler.
 *
 * The formula is Kineto's (CuptiActivity.cpp and its occupancy calculator). It is computed in float, as in Kineto,
 * because in double about one kernel in a hundred would be one percent higher. The function depends only on the launch
 * parameters and the device. */
#ifndef TP_WRITER_SPOOL_GPU_OCCUPANCY_H
#define TP_WRITER_SPOOL_GPU_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

/* Limits of a device; the members correspond to those of cudaDeviceProp. */
struct tp_gpu_limits {
    int64_t compute_major, compute_minor, warp_size, sm_count, max_threads_per_block, max_threads_per_sm,
        registers_per_block, registers_per_sm, shared_per_sm_bytes;
    /* largest shared memory of one block, bytes. Kineto uses the default limit (48 KiB), and therefore reports 0 % for
     * kernels that request more. With the opt-in limit, such kernels get their true occupancy. */
    int64_t shared_per_block_bytes;
};

struct tp_gpu_launch {
    int64_t grid[3], block[3];
    int64_t registers;    /* registers per thread */
    int64_t shared_bytes; /* static and dynamic shared memory per block, bytes */
};

struct tp_gpu_occupancy {
    /* blocks and warps of the whole grid divided by the number of SMs; may be more than an SM can run at the same
     * time */
    float blocks_per_sm, warps_per_sm;
    int percent; /* achieved occupancy, percent, 0 to 100 */
};

/* Fills *out. Returns false and zeroes *out if the limits or the launch are impossible. */
bool tp_gpu_occupancy(struct tp_gpu_occupancy *out, const struct tp_gpu_limits *gpu,
                      const struct tp_gpu_launch *launch);

#endif
