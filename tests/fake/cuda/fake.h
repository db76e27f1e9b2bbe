/* Declares an emulated CUDA: libcuda.so.1, libcudart.so.13 and libcupti.so.13 with the functions that a recorded
 * program needs. Kernels compute nothing and take a given time.
 *
 * profiler.c follows CUPTI's buffer protocol: request and complete callbacks, a worker thread, forced and unforced
 * flushes, a buffer per launching thread since 13.0, and the record sizes of five releases. FAKE_CUPTI="name=value,.."
 * requests faults; see fault_setting() in profiler.c. */
#ifndef TP_TESTS_FAKE_CUDA_H
#define TP_TESTS_FAKE_CUDA_H

#include <stddef.h>
#include <stdint.h>

#include "collector/source/cupti_abi.h"

#define FAKE_EXPORT __attribute__((visibility("default")))

/* ---- runtime functions that programs call ---- */

/* Argument `func` of cudaLaunchKernel, which describes the kernel. */
struct fake_kernel {
    const char *name; /* mangled name */
    uint64_t ns;      /* duration of one run, ns */
    int registers, static_shared_bytes;
};

struct fake_dim3 {
    unsigned x, y, z;
};

typedef struct fake_stream *cudaStream_t;
typedef struct fake_event *cudaEvent_t;

enum { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };

int cudaSetDevice(int device);
int cudaGetDevice(int *device);
int cudaGetLastError(void);
int cudaMalloc(void **address, size_t bytes);
int cudaMallocHost(void **address, size_t bytes);
int cudaMallocAsync(void **address, size_t bytes, cudaStream_t stream);
int cudaFree(void *address);
int cudaStreamCreate(cudaStream_t *stream);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int direction, cudaStream_t stream);
int cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes, cudaStream_t stream);
int cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream);
int cudaLaunchKernel(const void *kernel, struct fake_dim3 grid, struct fake_dim3 block, void **args, size_t shared,
                     cudaStream_t stream);
int cudaEventCreate(cudaEvent_t *event);
int cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
int cudaEventSynchronize(cudaEvent_t event);
int cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
int cudaStreamSynchronize(cudaStream_t stream);
int cudaDeviceSynchronize(void);

/* Launches a graph with `count` launches of one kernel in one call. */
int fake_graph_launch(const struct fake_kernel *kernel, int count, cudaStream_t stream);

/* Creates a context on the device and makes it current in the calling thread. */
int fake_new_context(int device);

/* ---- the driver ---- */

int cuInit(unsigned flags);
int cuLaunchKernel(const struct fake_kernel *kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, cudaStream_t stream, void **args, void **extra);

/* ---- functions of CUPTI that the runtime calls, found by dlsym ---- */

/* fake_cupti_now returns the current time on CUPTI's clock. fake_cupti_length converts `ns` nanoseconds to units of
 * this clock. The clock is the client's clock if the client has set one, otherwise CUPTI's own. */
uint64_t fake_cupti_now(void);
uint64_t fake_cupti_length(uint64_t ns);

/* Records a call of the calling thread from `start` until now. Returns its correlation id. */
uint32_t fake_cupti_call(int is_driver, uint32_t function, uint64_t start);

/* Adds a record that is complete at the time `ready_ns`. */
void fake_cupti_record(const void *record, size_t size, uint64_t ready_ns);

static inline void ignore_unused(const void *unused)
{
    (void)unused;
}

#endif
