/* language_model FORM STEPS: computes the products of a small language model as llm.c does, with an OpenMP region for
 * each product. The outermost loop has few rows, so that some threads have no work.
 *
 * FORM "written": as described. "passive": waiting threads sleep, by OMP_WAIT_POLICY. "collapsed": the loop is over all
 * elements, so that all threads have work. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH = 5, TIME = 16, WIDTH = 96, LAYERS = 6 };

static int is_collapsed;

static void multiply(float *out, const float *x, const float *weights)
{
    if (is_collapsed) {
#pragma omp parallel for collapse(3)
        for (int b = 0; b < BATCH; b++)
            for (int t = 0; t < TIME; t++)
                for (int o = 0; o < WIDTH; o++) {
                    float sum = 0;
                    for (int i = 0; i < WIDTH; i++)
                        sum += x[(b * TIME + t) * WIDTH + i] * weights[o * WIDTH + i];
                    out[(b * TIME + t) * WIDTH + o] = sum;
                }
        return;
    }
#pragma omp parallel for
    for (int b = 0; b < BATCH; b++)
        for (int t = 0; t < TIME; t++)
            for (int o = 0; o < WIDTH; o++) {
                float sum = 0;
                for (int i = 0; i < WIDTH; i++)
                    sum += x[(b * TIME + t) * WIDTH + i] * weights[o * WIDTH + i];
                out[(b * TIME + t) * WIDTH + o] = sum;
            }
}

/* Updates the weights on one thread while the others wait. */
static void update(float *weights, const float *out)
{
    for (int i = 0; i < WIDTH * WIDTH; i++)
        weights[i] = 0.999f * weights[i] + 1e-6f * out[i % (BATCH * TIME * WIDTH)];
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "passive") == 0 && !getenv("OMP_WAIT_POLICY")) {
        setenv("OMP_WAIT_POLICY", "passive", 1);
        execv("/proc/self/exe", argv);
    }
    is_collapsed = argc > 1 && strcmp(argv[1], "collapsed") == 0;
    size_t values = (size_t)BATCH * TIME * WIDTH;
    float *x = calloc(values, sizeof *x), *out = calloc(values, sizeof *out),
          *weights = calloc((size_t)LAYERS * WIDTH * WIDTH, sizeof *weights);
    for (size_t i = 0; i < values; i++)
        x[i] = (float)(i % 5) - 2;
    for (int step = argc > 2 ? atoi(argv[2]) : 100; step > 0; step--)
        for (int layer = 0; layer < LAYERS; layer++) {
            multiply(out, x, weights + (size_t)layer * WIDTH * WIDTH);
            for (int again = 0; again < 8; again++)
                update(weights + (size_t)layer * WIDTH * WIDTH, out);
        }
    printf("%g\n", (double)out[0]);
    return 0;
}
