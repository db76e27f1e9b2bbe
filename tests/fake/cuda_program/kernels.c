/* cuda_program WHAT COUNT [RECORD_DIR]: an ordinary CUDA program that runs on the emulated CUDA of tests/fake/cuda.
 *
 * With RECORD_DIR the program records itself, with operators and scopes around its calls. Without RECORD_DIR it does
 * not use tracepress. At exit it prints a line per kind of GPU work with the number of calls, which the suite compares
 * with the trace. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/tracepress.h"
#include "tests/fake/cuda/fake.h"

enum { THREADS = 8, NODES = 10, BLOCK_BYTES = 1 << 20 };

static const struct fake_kernel gemm = {"_Z4gemmIfEvPKT_S2_PS0_iii", 4000, 64, 16384};
static const struct fake_kernel relu = {"_Z4reluPfi", 1000, 16, 0};
static const struct fake_kernel tiny = {"tiny", 200, 16, 0};
/* needs 64 KiB of shared memory, more than the default maximum */
static const struct fake_kernel wide = {"_Z4wideILi512EEvPKf", 2000, 32, 64 << 10};

static struct {
    _Atomic uint64_t kernels, copies, peer_copies, sets, allocations, waits;
} did;

static tracepress_name forward, gemm_op, relu_op;

static void launch(const struct fake_kernel *kernel, unsigned blocks, unsigned threads, cudaStream_t stream)
{
    cudaLaunchKernel(kernel, (struct fake_dim3){blocks, 1, 1}, (struct fake_dim3){threads, 1, 1}, NULL, 0, stream);
    did.kernels++;
}

static void copy(void *to, const void *from, int direction, cudaStream_t stream)
{
    cudaMemcpyAsync(to, from, BLOCK_BYTES, direction, stream);
    did.copies++;
}

/* Runs steps of a copy, a product and an activation, with the runtime calls that usually come between them. */
static void train(int count)
{
    void *device, *host;
    int number;
    cudaMalloc(&device, BLOCK_BYTES);
    cudaMallocHost(&host, BLOCK_BYTES);
    did.allocations += 2;
    for (int i = 0; i < count; i++) {
        tracepress_begin(forward);
        cudaGetDevice(&number); /* this call has no work for the GPU */
        copy(device, host, cudaMemcpyHostToDevice, NULL);
        tracepress_operator_begin(gemm_op, NULL);
        launch(&gemm, 1000, 256, NULL);
        tracepress_end();
        tracepress_operator_begin(relu_op, NULL);
        launch(&relu, 40, 512, NULL);
        tracepress_end();
        cudaMemsetAsync(device, 0, BLOCK_BYTES, NULL);
        did.sets++;
        tracepress_end();
        if (i % 10 == 9) {
            cudaDeviceSynchronize();
            did.waits++;
            usleep(2000); /* makes the GPU idle */
        }
        tracepress_step();
    }
    copy(host, device, cudaMemcpyDeviceToHost, NULL);
    cudaDeviceSynchronize();
    cudaFree(host);
    cudaFree(device);
    did.waits++;
    did.allocations += 2;
}

static void *launch_many(void *count)
{
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    for (intptr_t i = 0; i < (intptr_t)count; i++) {
        tracepress_operator_begin(relu_op, NULL);
        launch(&tiny, 8, 128, stream);
        cudaGetLastError();
        tracepress_end();
    }
    cudaStreamSynchronize(stream);
    did.waits++;
    return NULL;
}

static void many(int count)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, launch_many, (void *)(intptr_t)count);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void graph(int count)
{
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    for (int i = 0; i < count; i++) {
        tracepress_operator_begin(gemm_op, NULL);
        fake_graph_launch(&tiny, NODES, stream);
        tracepress_end();
        did.kernels += NODES;
    }
    cudaStreamSynchronize(stream);
    did.waits++;
}

/* Uses two devices, and two contexts of the first device whose streams have the same number. Also copies between the
 * devices. */
static void contexts(int count)
{
    void *from, *to;
    cudaMalloc(&from, BLOCK_BYTES);
    cudaSetDevice(1);
    cudaMalloc(&to, 2 * BLOCK_BYTES);
    did.allocations += 2;
    for (int i = 0; i < count; i++) {
        cudaSetDevice(i % 2);
        launch(&wide, 216, 512, NULL);
        launch(&tiny, 8, 128, NULL);
    }
    fake_new_context(0);
    for (int i = 0; i < count; i++)
        launch(&relu, 40, 512, NULL);
    cudaDeviceSynchronize();
    cudaSetDevice(0);
    cudaMemcpyPeerAsync(to, 1, from, 0, BLOCK_BYTES, NULL);
    did.peer_copies++;
    cuLaunchKernel(&tiny, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, NULL);
    did.kernels++;
    cudaDeviceSynchronize();
    cudaFree(from);
    cudaFree(to);
    did.allocations += 2;
    did.waits += 2;
}

/* Allocates blocks of all kinds, frees most of them, and makes one stream wait for an event of another stream. */
static void memory(int count)
{
    static void *kept[64] __attribute__((used)); /* blocks that are never freed */
    static cudaEvent_t event;
    cudaStream_t first, second;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaEventCreate(&event);
    for (int i = 0; i < count; i++) {
        void *block = NULL;
        if (i % 3 == 0)
            cudaMalloc(&block, BLOCK_BYTES);
        else if (i % 3 == 1)
            cudaMallocAsync(&block, BLOCK_BYTES, first);
        else
            cudaMallocHost(&block, BLOCK_BYTES);
        did.allocations++;
        if (i % 10) {
            cudaFree(block);
            did.allocations++;
        } else {
            kept[i / 10 % 64] = block;
        }
    }
    launch(&gemm, 1000, 256, first);
    cudaEventRecord(event, first);
    cudaStreamWaitEvent(second, event, 0);
    launch(&relu, 40, 512, second);
    cudaEventSynchronize(event);
    cudaStreamSynchronize(second);
    did.waits += 3;
}

/* Forks a child that exits normally. It must not use its parent's CUPTI. */
static void fork_child(int count)
{
    int status;
    train(count);
    pid_t child = fork();
    if (child == 0) {
        tracepress_begin(forward);
        tracepress_end();
        tracepress_stop();
        exit(7);
    }
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 7)
        printf("the child ended with status %d\n", status);
    train(count);
}

/* Starts work and exits without waiting for the work and without stopping the recording. */
static void leave(int count)
{
    for (int i = 0; i < count; i++)
        launch(&tiny, 8, 128, NULL);
    exit(0);
}

static void kill_itself(int count)
{
    for (int i = 0; i < count; i++)
        launch(&tiny, 8, 128, NULL);
    cudaDeviceSynchronize();
    sleep(1); /* waits, so that CUPTI delivers buffers in the meantime */
    abort();
}

static const struct {
    const char *name;
    void (*run)(int count);
} programs[] = {{"train", train},   {"many", many},       {"graph", graph}, {"contexts", contexts},
                {"memory", memory}, {"fork", fork_child}, {"leave", leave}, {"abort", kill_itself}};

static void record(const char *directory, int is_scheduled)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    options.directory = directory;
    options.worker = "worker";
    options.no_gzip = 1;
    options.handler = tracepress_tensorboard_trace_handler;
    if (is_scheduled)
        options.schedule = (struct tracepress_schedule){.wait = 2, .active = 3, .repeat = 2};
    tracepress_start(&options);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    forward = tracepress_intern("forward");
    gemm_op = tracepress_intern("gemm");
    relu_op = tracepress_intern("relu");
    if (argc > 3)
        record(argv[3], argc > 4);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (strcmp(argv[1], programs[i].name) == 0)
            programs[i].run(atoi(argv[2]));
    tracepress_stop();
    printf("kernel %llu\ngpu_memcpy %llu\ngpu_memset %llu\ncuda_sync %llu\nmemory %llu\n",
           (unsigned long long)did.kernels, (unsigned long long)(did.copies + did.peer_copies),
           (unsigned long long)did.sets, (unsigned long long)did.waits, (unsigned long long)did.allocations);
    return 0;
}
