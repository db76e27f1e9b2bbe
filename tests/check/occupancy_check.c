/* occupancy_check < KERNELS: compares computed occupancy with the occupancy in traces.
 *
 * Each line of input is a kernel (tests/oracle/kernels_of_traces.py): ten limits of the device, grid, block, registers,
 * shared memory, and then the trace's blocks per SM, warps per SM and percentage. Prints the differences, then `N
 * kernels, N differences`. */
#include <math.h>
#include <stdio.h>

#include "writer/spool/gpu_occupancy.h"

static int are_numbers_different(double ours, double theirs)
{
    return fabs(ours - theirs) > 1e-6 * fmax(1, fabs(theirs));
}

int main(void)
{
    char line[512];
    unsigned long kernels = 0, differences = 0;
    while (fgets(line, sizeof line, stdin)) {
        struct tp_gpu_limits gpu;
        struct tp_gpu_launch launch;
        struct tp_gpu_occupancy out;
        double blocks, warps;
        long long v[18];
        int percent, used = 0, n = 0;
        for (const char *at = line; n < 18 && sscanf(at, "%lld%n", &v[n], &used) == 1; n++)
            at += used;
        const char *rest = line;
        for (int i = 0; i < n && sscanf(rest, "%*d%n", &used) != EOF; i++)
            rest += used;
        if (n != 18 || sscanf(rest, "%lf %lf %d", &blocks, &warps, &percent) != 3) {
            printf("not a kernel: %s", line);
            return 2;
        }
        gpu = (struct tp_gpu_limits){.compute_major = v[0],
                                     .compute_minor = v[1],
                                     .warp_size = v[2],
                                     .sm_count = v[3],
                                     .max_threads_per_block = v[4],
                                     .max_threads_per_sm = v[5],
                                     .registers_per_block = v[6],
                                     .registers_per_sm = v[7],
                                     .shared_per_sm_bytes = v[8],
                                     .shared_per_block_bytes = v[9]};
        launch = (struct tp_gpu_launch){{v[10], v[11], v[12]}, {v[13], v[14], v[15]}, v[16], v[17]};
        kernels++;
        if (!tp_gpu_occupancy(&out, &gpu, &launch) || are_numbers_different(out.blocks_per_sm, blocks) ||
            are_numbers_different(out.warps_per_sm, warps) || out.percent != percent) {
            if (differences++ < 20)
                printf("%f %f %d, not: %s", (double)out.blocks_per_sm, (double)out.warps_per_sm, out.percent, line);
        }
    }
    printf("%lu kernels, %lu differences\n", kernels, differences);
    return differences != 0;
}
