/* tensor_program DIR SEED [statistics]: records random tensors of every type, with their values, or with only their
 * statistics. NumPy checks them (tests/oracle/check_tensors.py). The bits are random, so floats include NaNs,
 * infinities and all magnitudes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/tracepress.h"

enum { ROUNDS = 6, MOST = 20000 };

static uint64_t seed;

static uint64_t next(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed >> 24;
}

/* Fills the data with random bits or, if is_near is true, with numbers near 1 as in a real program. */
static void fill(unsigned char *data, size_t count, enum tracepress_dtype dtype, int is_near)
{
    for (size_t i = 0; i < count * 8; i++)
        data[i] = (unsigned char)next();
    for (size_t i = 0; i < count && is_near; i++) {
        double x = 1 + (double)(next() % 1000) / 1e5;
        float f = (float)x;
        if (dtype == TRACEPRESS_DOUBLE)
            memcpy(data + i * sizeof x, &x, sizeof x);
        else if (dtype == TRACEPRESS_FLOAT)
            memcpy(data + i * sizeof f, &f, sizeof f);
    }
    for (size_t i = 0; i < count && dtype == TRACEPRESS_BOOL; i++)
        data[i] &= 1;
}

int main(int argc, char **argv)
{
    static unsigned char data[MOST * 8];
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    if (argc < 3)
        return 2;
    seed = strtoull(argv[2], NULL, 10);
    options.directory = argv[1];
    options.worker = "w";
    options.no_gzip = 1;
    options.handler = tracepress_tensorboard_trace_handler;
    if (tracepress_start(&options) != 0)
        return 1;
    for (int round = 0; round < ROUNDS; round++) {
        for (int dtype = TRACEPRESS_FLOAT; dtype <= TRACEPRESS_BOOL; dtype++) {
            const int64_t dims[] = {(int64_t)(next() % 100), (int64_t)(next() % 200), 1};
            uint32_t rank = (uint32_t)(next() % 4);
            int64_t count = 1;
            char name[64];
            for (uint32_t i = 0; i < rank; i++)
                count *= dims[i];
            fill(data, (size_t)count, (enum tracepress_dtype)dtype, round % 2);
            snprintf(name, sizeof name, "layer/%d \"x\" caf\xc3\xa9.%d", dtype, round);
            tracepress_tensor(tracepress_intern(name), (enum tracepress_dtype)dtype, rank, dims, data,
                              argc > 3 ? TRACEPRESS_STATISTICS : TRACEPRESS_VALUES);
        }
        tracepress_step();
    }
    tracepress_stop();
    return 0;
}
