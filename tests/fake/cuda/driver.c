/* Implements libcuda.so.1 without a GPU, with two devices: a V100 and an A100. See fake.h. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/fake/cuda/fake.h"

/* prototypes are in CUDA's headers, which are not part of this repository */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

enum { DEVICES = 2 };

static void load_injection(void)
{
    const char *path = getenv("CUDA_INJECTION64_PATH");
    void *library = path && *path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
    int (*initialize)(void) = NULL;
    if (library)
        *(void **)&initialize = dlsym(library, "InitializeInjection");
    if (path && *path && (!initialize || initialize() != 1))
        fprintf(stderr, "libcuda: %s cannot be injected\n", path);
}

FAKE_EXPORT int cuInit(unsigned flags)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)flags;
    pthread_once(&once, load_injection);
    return 0;
}

FAKE_EXPORT int cuDriverGetVersion(int *version)
{
    *version = 13000;
    return 0;
}

FAKE_EXPORT int cuDeviceGetCount(int *count)
{
    *count = DEVICES;
    return 0;
}

FAKE_EXPORT int cuDeviceGetName(char *name, int size, int device)
{
    snprintf(name, (size_t)size, "Fake %s", device ? "A100" : "V100");
    return device >= 0 && device < DEVICES ? 0 : 101;
}

FAKE_EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    *bytes = (device ? 40ull : 16ull) << 30;
    return 0;
}

FAKE_EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    static const int table[][1 + DEVICES] = {{TP_CUDA_MAX_THREADS_PER_BLOCK, 1024, 1024},
                                             {TP_CUDA_SHARED_PER_BLOCK, 49152, 49152},
                                             {TP_CUDA_WARP_SIZE, 32, 32},
                                             {TP_CUDA_REGISTERS_PER_BLOCK, 65536, 65536},
                                             {TP_CUDA_SM_COUNT, 80, 108},
                                             {TP_CUDA_MAX_THREADS_PER_SM, 2048, 2048},
                                             {TP_CUDA_COMPUTE_MAJOR, 7, 8},
                                             {TP_CUDA_COMPUTE_MINOR, 0, 0},
                                             {TP_CUDA_SHARED_PER_SM, 98304, 167936},
                                             {TP_CUDA_REGISTERS_PER_SM, 65536, 65536},
                                             {TP_CUDA_SHARED_PER_BLOCK_OPTIN, 98304, 166912},
                                             {TP_CUDA_MAX_BLOCKS_PER_SM, 32, 32}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i][0] == attribute) {
            *value = table[i][1 + device];
            return 0;
        }
    return 1;
}
