/* functions_program STEPS: trains a small network; built with -finstrument-functions. Each function counts its own
 * calls, and matmul also measures its time. One function exits through longjmp, one is recursive, one runs on a second
 * thread. Prints a line per function with its name and calls, then "time" and the nanoseconds in matmul. */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PLAIN __attribute__((no_instrument_function))

enum { WIDTH = 48, LAYERS = 3 };

static long matmul_calls, layer_calls, softmax_calls, descend_calls, leave_calls, worker_calls, step_calls;
static long long matmul_ns;
static float input[WIDTH * WIDTH], weight[LAYERS][WIDTH * WIDTH], output[WIDTH * WIDTH];
static jmp_buf out;

PLAIN static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

void matmul(float *c, const float *a, const float *b)
{
    long long start = now();
    matmul_calls++;
    for (int i = 0; i < WIDTH; i++)
        for (int j = 0; j < WIDTH; j++) {
            float sum = 0;
            for (int k = 0; k < WIDTH; k++)
                sum += a[i * WIDTH + k] * b[k * WIDTH + j];
            c[i * WIDTH + j] = sum;
        }
    matmul_ns += now() - start;
}

static __attribute__((noinline)) void softmax(float *x)
{
    float sum = 1;
    softmax_calls++;
    for (int i = 0; i < WIDTH; i++)
        sum += x[i] * x[i];
    for (int i = 0; i < WIDTH; i++)
        x[i] /= sum;
}

static __attribute__((noinline)) void layer(int number)
{
    layer_calls++;
    matmul(output, input, weight[number]);
    softmax(output);
}

static __attribute__((noinline)) int descend(int depth)
{
    descend_calls++;
    return depth ? 1 + descend(depth - 1) : 0;
}

static __attribute__((noinline)) void leave(void)
{
    leave_calls++;
    longjmp(out, 1);
}

static __attribute__((noinline)) void step(void)
{
    step_calls++;
    for (int i = 0; i < LAYERS; i++)
        layer(i);
    if (setjmp(out) == 0)
        leave();
    if (descend(5) != 5)
        exit(1);
}

static void *worker(void *unused)
{
    worker_calls++;
    for (int i = 0; i < 1000; i++)
        descend(0);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    for (int i = 0, steps = argc > 1 ? atoi(argv[1]) : 10; i < steps; i++)
        step();
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    printf("matmul %ld\nlayer %ld\nsoftmax %ld\ndescend %ld\nleave %ld\nworker %ld\nstep %ld\nmain 1\ntime %lld\n",
           matmul_calls, layer_calls, softmax_calls, descend_calls, leave_calls, worker_calls, step_calls, matmul_ns);
    return 0;
}
