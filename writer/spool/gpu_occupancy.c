/* Estimates the achieved occupancy of kernels: see gpu_occupancy.h. */
#include "writer/spool/gpu_occupancy.h"

static const int64_t NO_LIMIT = INT64_MAX, MAX_COUNT = 1ll << 31;

static int64_t smaller_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t round_up(int64_t value, int64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* Returns the largest number of blocks that an SM can run at the same time, from Kineto's table. Compute capabilities
 * that Kineto does not know get its default, 24. */
static int64_t max_blocks_per_sm(int64_t major, int64_t minor)
{
    static const struct {
        int16_t major, minor; /* compute capability; minor -1: any other minor version */
        int16_t slots;
    } table[] = {{3, -1, 16}, {5, -1, 32}, {6, -1, 32}, {7, 5, 16},  {7, -1, 32},  {8, 0, 32},  {8, 7, 32},
                 {8, 9, 24},  {8, -1, 16}, {9, -1, 32}, {10, 1, 24}, {10, -1, 32}, {11, 0, 24}, {11, -1, 32}};
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].major == major && (table[i].minor == minor || table[i].minor < 0))
            return table[i].slots;
    return 24;
}

static int64_t block_limit_by_warps(const struct tp_gpu_limits *gpu, int64_t threads, int64_t warps)
{
    return threads <= gpu->max_threads_per_block ? gpu->max_threads_per_sm / gpu->warp_size / warps : 0;
}

/* Returns the number of blocks for which an SM has enough registers. Registers are allocated per warp in each partition
 * of an SM. */
static int64_t block_limit_by_registers(const struct tp_gpu_limits *gpu, int64_t registers, int64_t warps)
{
    int64_t partitions = gpu->compute_major == 6 && gpu->compute_minor == 0 ? 2 : 4;
    int64_t most = gpu->compute_major < 7 ? 255 : 256, of_warp = round_up(registers * gpu->warp_size, 256);
    if (of_warp * round_up(warps, partitions) > gpu->registers_per_block || registers > most)
        return 0;
    return of_warp ? gpu->registers_per_sm / partitions / of_warp * partitions / warps : NO_LIMIT;
}

static int64_t block_limit_by_shared_memory(const struct tp_gpu_limits *gpu, int64_t shared_bytes)
{
    /* shared memory that the system reserves in each block, bytes */
    int64_t reserved = gpu->compute_major >= 8 ? 1024 : 0;
    int64_t bytes = round_up(shared_bytes + reserved, gpu->compute_major < 8 ? 256 : 128);
    if (bytes > gpu->shared_per_block_bytes + reserved)
        return 0;
    return bytes ? gpu->shared_per_sm_bytes / bytes : NO_LIMIT;
}

/* Returns the product of three dimensions, or 0 if a dimension is impossible. */
static int64_t multiply_dims(const int64_t *dims)
{
    for (int i = 0; i < 3; i++)
        if (dims[i] <= 0 || dims[i] >= MAX_COUNT)
            return 0;
    double all = (double)dims[0] * (double)dims[1] * (double)dims[2];
    return all < 9e18 ? dims[0] * dims[1] * dims[2] : 0;
}

static bool is_launch_possible(const struct tp_gpu_limits *gpu, const struct tp_gpu_launch *launch)
{
    const int64_t positive[] = {gpu->compute_major,      gpu->warp_size,           gpu->sm_count,
                                gpu->max_threads_per_sm, gpu->registers_per_block, gpu->registers_per_sm,
                                gpu->shared_per_sm_bytes};
    for (unsigned i = 0; i < sizeof positive / sizeof *positive; i++)
        if (positive[i] <= 0 || positive[i] >= MAX_COUNT)
            return false;
    return launch->registers >= 0 && launch->registers < MAX_COUNT && launch->shared_bytes >= 0 &&
           launch->shared_bytes < MAX_COUNT && gpu->shared_per_block_bytes >= 0 &&
           gpu->shared_per_block_bytes < MAX_COUNT;
}

bool tp_gpu_occupancy(struct tp_gpu_occupancy *out, const struct tp_gpu_limits *gpu, const struct tp_gpu_launch *launch)
{
    int64_t threads = multiply_dims(launch->block), blocks = multiply_dims(launch->grid);
    *out = (struct tp_gpu_occupancy){0};
    if (!is_launch_possible(gpu, launch) || !threads || threads >= MAX_COUNT || !blocks)
        return false;
    int64_t warps = (threads + gpu->warp_size - 1) / gpu->warp_size;
    int64_t held = smaller_of(
        smaller_of(block_limit_by_warps(gpu, threads, warps), block_limit_by_registers(gpu, launch->registers, warps)),
        smaller_of(block_limit_by_shared_memory(gpu, launch->shared_bytes),
                   max_blocks_per_sm(gpu->compute_major, gpu->compute_minor)));
    out->blocks_per_sm = (float)((double)blocks / (double)gpu->sm_count);
    out->warps_per_sm = out->blocks_per_sm * (float)threads / (float)gpu->warp_size;
    float active = (float)held < out->blocks_per_sm ? (float)held : out->blocks_per_sm;
    float share = active * (float)threads / (float)gpu->max_threads_per_sm;
    out->percent = (int)((double)share * 100 + 0.5);
    return true;
}
