/* driver_program KERNELS: runs real work on a real GPU with the driver alone. No CUDA is needed to build the program,
 * and no compiler to run it, because the kernel is PTX. Prints the counts of operations and the time of the kernels,
 * measured with CUDA events:
 *
 *     kernel N, gpu_memcpy N, gpu_memset N, event_us T
 *
 * Exits with 77 if there is no GPU. The suite `gpu` compares the output with the trace. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Functions of the CUDA driver that this program calls. Handles are pointers, and device memory is an integer. */
static struct {
    int (*init)(unsigned flags);
    int (*device)(int *device, int number);
    int (*retain)(void **context, int device);
    int (*set_context)(void *context);
    int (*load)(void **module, const void *image);
    int (*find)(void **function, void *module, const char *name);
    int (*allocate)(uint64_t *address, size_t bytes);
    int (*release)(uint64_t address);
    int (*set)(uint64_t address, unsigned char value, size_t bytes, void *stream);
    int (*copy_in)(uint64_t address, const void *from, size_t bytes, void *stream);
    int (*copy_out)(void *to, uint64_t address, size_t bytes, void *stream);
    int (*new_stream)(void **stream, unsigned flags);
    int (*wait_for_stream)(void *stream);
    int (*new_event)(void **event, unsigned flags);
    int (*record)(void *event, void *stream);
    int (*elapsed)(float *ms, void *start, void *end);
    int (*wait)(void);
    int (*launch)(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                  unsigned shared, void *stream, void **args, void **extra);
} cuda;

/* names of the functions, in the order of the members of `cuda` */
static const char *const names[] = {"cuInit",
                                    "cuDeviceGet",
                                    "cuDevicePrimaryCtxRetain",
                                    "cuCtxSetCurrent",
                                    "cuModuleLoadData",
                                    "cuModuleGetFunction",
                                    "cuMemAlloc_v2",
                                    "cuMemFree_v2",
                                    "cuMemsetD8Async",
                                    "cuMemcpyHtoDAsync_v2",
                                    "cuMemcpyDtoHAsync_v2",
                                    "cuStreamCreate",
                                    "cuStreamSynchronize",
                                    "cuEventCreate",
                                    "cuEventRecord",
                                    "cuEventElapsedTime",
                                    "cuCtxSynchronize",
                                    "cuLaunchKernel"};

_Static_assert(sizeof cuda == sizeof names, "a name for each function");

static int find_functions(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *functions[sizeof names / sizeof(void *)];
    for (size_t i = 0; i < sizeof functions / sizeof(void *); i++) {
        functions[i] = driver ? dlsym(driver, names[i]) : NULL;
        if (!functions[i])
            return 0;
    }
    memcpy(&cuda, functions, sizeof cuda);
    return 1;
}

static void require_success(int result, const char *what)
{
    if (result == 0)
        return;
    fprintf(stderr, "%s: error %d of the driver\n", what, result);
    exit(1);
}

static char host[BYTES];

static void launch(void *spin, uint64_t memory, void *stream)
{
    unsigned rounds = ROUNDS;
    void *args[] = {&memory, &rounds};
    require_success(cuda.launch(spin, 1, 1, 1, 32, 1, 1, 0, stream, args, NULL), "launch");
}

/* Runs a copy, a set, and a first kernel that loads the module. Then runs the other kernels between two events. Returns
 * the time between the events, us. */
static float run_kernels(void *spin, int kernels)
{
    void *stream, *start, *end;
    uint64_t memory;
    float ms;
    require_success(cuda.new_stream(&stream, 1), "stream");
    require_success(cuda.new_event(&start, 0), "event");
    require_success(cuda.new_event(&end, 0), "event");
    require_success(cuda.allocate(&memory, BYTES), "memory");
    require_success(cuda.copy_in(memory, host, BYTES, stream), "copy");
    require_success(cuda.set(memory, 1, BYTES, stream), "set");
    launch(spin, memory, stream);
    require_success(cuda.wait_for_stream(stream), "wait");
    require_success(cuda.record(start, stream), "record");
    for (int i = 1; i < kernels; i++)
        launch(spin, memory, stream);
    require_success(cuda.record(end, stream), "record");
    require_success(cuda.copy_out(host, memory, BYTES, stream), "copy");
    require_success(cuda.wait(), "wait");
    require_success(cuda.elapsed(&ms, start, end), "time");
    require_success(cuda.release(memory), "memory");
    return ms;
}

int main(int argc, char **argv)
{
    int kernels = argc > 1 ? atoi(argv[1]) : 100, device;
    void *context, *module, *spin;
    if (!find_functions() || cuda.init(0) != 0 || cuda.device(&device, 0) != 0)
        return NO_GPU;
    require_success(cuda.retain(&context, device), "context");
    require_success(cuda.set_context(context), "context");
    require_success(cuda.load(&module, ptx), "module");
    require_success(cuda.find(&spin, module, "spin"), "kernel");
    float ms = run_kernels(spin, kernels);
    printf("kernel %d\ngpu_memcpy 2\ngpu_memset 1\nevent_us %.0f\n", kernels, (double)ms * 1e3);
    return 0;
}
