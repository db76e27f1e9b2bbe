/* blas_program [PLUGIN]: computes products of several sizes with cblas_dgemm and sgemm_. With PLUGIN, a library opened
 * with RTLD_LOCAL computes them with its own BLAS, as extension modules of Python do. Prints calls and FLOPs of both
 * functions. Built with -DPLUGIN, this file is that library. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 96 };

void cblas_dgemm(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a, int lda,
                 const double *b, int ldb, double beta, double *c, int ldc);
void sgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k, const float *alpha,
            const float *a, const int *lda, const float *b, const int *ldb, const float *beta, float *c,
            const int *ldc);
int multiply(void);

#ifndef NO_MULTIPLY
static double a[MOST * MOST], b[MOST * MOST], c[MOST * MOST];
static float x[MOST * MOST], y[MOST * MOST], z[MOST * MOST];

/* Computes the products. Returns 0 if they are right. */
int multiply(void)
{
    long long calls = 0, flops = 0;
    const float one = 1, none = 0;
    for (int i = 0; i < MOST * MOST; i++) {
        a[i] = b[i] = 1;
        x[i] = y[i] = 1;
    }
    for (int n = 8; n <= MOST; n += 8) {
        int m = n, k = n / 2, half = n / 4;
        cblas_dgemm(101, 111, 111, m, half, k, 1.0, a, k, b, half, 0.0, c, half);
        sgemm_("N", "N", &m, &half, &k, &one, x, &m, y, &k, &none, z, &m);
        if (c[0] != k || c[m * half - 1] != k || z[0] != (float)k || z[m * half - 1] != (float)k)
            return 1;
        calls++;
        flops += 2LL * m * half * k;
    }
    printf("cblas_dgemm %lld %lld\nsgemm_ %lld %lld\n", calls, flops, calls, flops);
    fflush(stdout);
    return 0;
}
#endif

#ifndef PLUGIN
int main(int argc, char **argv)
{
    if (argc < 2)
#ifdef NO_MULTIPLY
        return 2;
#else
        return multiply();
#endif
    void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    int (*run)(void) = plugin ? (int (*)(void))dlsym(plugin, "multiply") : NULL;
    return run ? run() : 2;
}
#endif
