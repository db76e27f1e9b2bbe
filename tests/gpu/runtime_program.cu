// runtime_program KERNELS: does the same work as driver_program.c, but with the CUDA runtime (nvcc). Also uses a graph.
#include <cstdio>
#include <cstdlib>

template <typename T> __global__ void spin(T *place, int rounds)
{
    T value = 1;
    for (int i = 0; i < rounds; i++)
        value = value * 1664525 + i;
    *place = value;
}

#define MUST(call)                                                                                                     \
    do {                                                                                                               \
        cudaError_t result = call;                                                                                     \
        if (result != cudaSuccess) {                                                                                   \
            fprintf(stderr, #call ": %s\n", cudaGetErrorString(result));                                               \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

int main(int argc, char **argv)
{
    const int kernels = argc > 1 ? atoi(argv[1]) : 100, nodes = 5, rounds = 200000, bytes = 1 << 20;
    static char host[1 << 20];
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0)
        return 77;
    unsigned *memory;
    cudaStream_t stream;
    cudaEvent_t start, end;
    float ms;
    MUST(cudaStreamCreate(&stream));
    MUST(cudaEventCreate(&start));
    MUST(cudaEventCreate(&end));
    MUST(cudaMalloc(&memory, bytes));
    MUST(cudaMemcpyAsync(memory, host, bytes, cudaMemcpyHostToDevice, stream));
    MUST(cudaMemsetAsync(memory, 1, bytes, stream));
    spin<<<1, 32, 0, stream>>>(memory, rounds);
    MUST(cudaStreamSynchronize(stream));
    MUST(cudaEventRecord(start, stream));
    for (int i = 1; i < kernels; i++)
        spin<<<1, 32, 0, stream>>>(memory, rounds);
    MUST(cudaEventRecord(end, stream));
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < nodes; i++)
        spin<<<1, 32, 0, stream>>>(memory, rounds);
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphInstantiate(&executable, graph, 0));
    MUST(cudaGraphLaunch(executable, stream));
    MUST(cudaMemcpyAsync(host, memory, bytes, cudaMemcpyDeviceToHost, stream));
    MUST(cudaDeviceSynchronize());
    MUST(cudaEventElapsedTime(&ms, start, end));
    MUST(cudaFree(memory));
    printf("kernel %d\ngpu_memcpy 2\ngpu_memset 1\nevent_us %.0f\n", kernels + nodes, (double)ms * 1e3);
    return 0;
}
