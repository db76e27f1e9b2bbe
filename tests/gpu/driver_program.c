/* driver_program KERNELS: real work on a real GPU, by the driver alone: no CUDA is needed to build it, no compiler to
 * run it (the kernel is PTX). Says what it gave to the GPU, and what CUDA events measured around the kernels:
 *
 *     kernel N, gpu_memcpy N, gpu_memset N, event_us T
 *
 * Ends with 77 where there is no GPU. The suite `gpu` compares that with the trace. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { NO_GPU = 77, BYTES = 1 << 20, ROUNDS = 200000 };

static const char ptx[] = ".version 6.0\n"
                          ".target sm_50\n"
                          ".address_size 64\n"
                          ".visible .entry spin(.param .u64 place, .param .u32 rounds)\n"
                          "{\n"
                          "    .reg .pred %p<2>;\n"
                          "    .reg .b32 %r<4>;\n"
                          "    .reg .b64 %rd<3>;\n"
                          "    ld.param.u64 %rd1, [place];\n"
                          "    ld.param.u32 %r1, [rounds];\n"
                          "    cvta.to.global.u64 %rd2, %rd1;\n"
                          "    mov.u32 %r2, 1;\n"
                          "    mov.u32 %r3, 0;\n"
                          "again:\n"
                          "    mad.lo.s32 %r2, %r2, 1664525, %r3;\n"
                          "    add.s32 %r3, %r3, 1;\n"
                          "    setp.lt.u32 %p1, %r3, %r1;\n"
                          "    @%p1 bra again;\n"
                          "    st.global.u32 [%rd2], %r2;\n"
                          "    ret;\n"
                          "}\n";

/* The functions of the driver that are used; handles are pointers, device memory is a number. */
#define FUNCTIONS(F)                                                                                                   \
    F(cuInit, (unsigned flags))                                                                                        \
    F(cuDeviceGet, (int *device, int number))                                                                          \
    F(cuDevicePrimaryCtxRetain, (void **context, int device))                                                          \
    F(cuCtxSetCurrent, (void *context))                                                                                \
    F(cuModuleLoadData, (void **module, const void *image))                                                            \
    F(cuModuleGetFunction, (void **function, void *module, const char *name))                                          \
    F(cuMemAlloc_v2, (uint64_t * address, size_t bytes))                                                               \
    F(cuMemFree_v2, (uint64_t address))                                                                                \
    F(cuMemsetD8Async, (uint64_t address, unsigned char value, size_t bytes, void *stream))                            \
    F(cuMemcpyHtoDAsync_v2, (uint64_t address, const void *from, size_t bytes, void *stream))                          \
    F(cuMemcpyDtoHAsync_v2, (void *to, uint64_t address, size_t bytes, void *stream))                                  \
    F(cuStreamCreate, (void **stream, unsigned flags))                                                                 \
    F(cuStreamSynchronize, (void *stream))                                                                             \
    F(cuEventCreate, (void **event, unsigned flags))                                                                   \
    F(cuEventRecord, (void *event, void *stream))                                                                      \
    F(cuEventElapsedTime, (float *ms, void *start, void *end))                                                         \
    F(cuCtxSynchronize, (void))                                                                                        \
    F(cuLaunchKernel, (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,   \
                       unsigned shared, void *stream, void **args, void **extra))

#define DECLARE(name, parameters) static int(*name) parameters;
FUNCTIONS(DECLARE)

static int find_functions(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver)
        return 0;
#define FIND(name, parameters)                                                                                         \
    *(void **)&name = dlsym(driver, #name);                                                                            \
    if (!name)                                                                                                         \
        return 0;
    FUNCTIONS(FIND)
    return 1;
}

#define MUST(call)                                                                                                     \
    do {                                                                                                               \
        int result = call;                                                                                             \
        if (result != 0) {                                                                                             \
            fprintf(stderr, #call ": %d\n", result);                                                                   \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static char host[BYTES];

int main(int argc, char **argv)
{
    int kernels = argc > 1 ? atoi(argv[1]) : 100, device;
    void *context, *module, *spin, *stream, *start, *end;
    unsigned rounds = ROUNDS;
    uint64_t memory;
    float ms;
    if (!find_functions() || cuInit(0) != 0 || cuDeviceGet(&device, 0) != 0)
        return NO_GPU;
    MUST(cuDevicePrimaryCtxRetain(&context, device));
    MUST(cuCtxSetCurrent(context));
    MUST(cuModuleLoadData(&module, ptx));
    MUST(cuModuleGetFunction(&spin, module, "spin"));
    MUST(cuStreamCreate(&stream, 1));
    MUST(cuEventCreate(&start, 0));
    MUST(cuEventCreate(&end, 0));
    MUST(cuMemAlloc_v2(&memory, BYTES));
    MUST(cuMemcpyHtoDAsync_v2(memory, host, BYTES, stream));
    MUST(cuMemsetD8Async(memory, 1, BYTES, stream));
    void *args[] = {&memory, &rounds};
    MUST(cuLaunchKernel(spin, 1, 1, 1, 32, 1, 1, 0, stream, args, NULL)); /* the first one is loaded */
    MUST(cuStreamSynchronize(stream));
    MUST(cuEventRecord(start, stream));
    for (int i = 1; i < kernels; i++)
        MUST(cuLaunchKernel(spin, 1, 1, 1, 32, 1, 1, 0, stream, args, NULL));
    MUST(cuEventRecord(end, stream));
    MUST(cuMemcpyDtoHAsync_v2(host, memory, BYTES, stream));
    MUST(cuCtxSynchronize());
    MUST(cuEventElapsedTime(&ms, start, end));
    MUST(cuMemFree_v2(memory));
    printf("kernel %d\ngpu_memcpy 2\ngpu_memset 1\nevent_us %.0f\n", kernels, (double)ms * 1e3);
    return 0;
}
