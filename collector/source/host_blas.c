/* Records BLAS matrix products as operators with the shapes of their inputs and their FLOPs. Intercepts the cblas and
 * Fortran names of any BLAS library.
 *
 * The source needs no BLAS header, because the standard defines the parameters. Only LP64 names are intercepted
 * (32-bit int); libraries with 64-bit integers append "64_" to the names. If one intercepted function calls another,
 * only the outer one is recorded. */
#include <stdint.h>

#include "collector/hook.h"
#include "collector/sources.h"

/* A product of an m x k and a k x n matrix. With n = 1, the second factor is a vector. */
struct product {
    int64_t m, n, k;
    enum tracepress_dtype dtype;
    int64_t flops_each; /* FLOPs of one multiply-add: 2 for real numbers, 8 for complex numbers */
};

static bool is_on;
static _Thread_local bool is_within __attribute__((tls_model("initial-exec")));

/* Begins a range for a product. Returns false if no range was begun. */
static bool begin_product(uint32_t name, const struct product *p)
{
    if (!tp_hook_is_on(&is_on) || is_within)
        return false;
    int64_t dims[2][2] = {{p->m, p->k}, {p->k, p->n}}, flops = 0;
    struct tracepress_input inputs[2] = {{.dtype = p->dtype, .rank = 2, .dims = dims[0]},
                                         {.dtype = p->dtype, .rank = p->n == 1 ? 1u : 2u, .dims = dims[1]}};
    if (p->m < 0 || p->n < 0 || p->k < 0 || __builtin_mul_overflow(p->m, p->n, &flops) ||
        __builtin_mul_overflow(flops, p->k, &flops) || __builtin_mul_overflow(flops, p->flops_each, &flops))
        flops = 0; /* 0 means unknown, for sizes that the library rejects too, or whose FLOPs do not fit into 64 bits */
    struct tracepress_operator call = TRACEPRESS_OPERATOR;
    call.inputs = inputs;
    call.input_count = 2;
    call.flops = (uint64_t)flops;
    int why = tp_hook_enter_recorder();
    tp_record_library_call(name, &call);
    tp_hook_leave_recorder(why);
    is_within = true;
    return true;
}

static void end_product(bool is_begun)
{
    if (!is_begun)
        return;
    int why = tp_hook_enter_recorder();
    tracepress_record_end_();
    tp_hook_leave_recorder(why);
    is_within = false;
}

/* Table of products: function name, scalar type in cblas, torch's element type, FLOPs of one multiply-add. */
#define CBLAS_PRODUCTS(X)                                                                                              \
    X(cblas_sgemm, float, TRACEPRESS_FLOAT, 2)                                                                         \
    X(cblas_dgemm, double, TRACEPRESS_DOUBLE, 2)                                                                       \
    X(cblas_cgemm, const void *, TRACEPRESS_UNKNOWN, 8)                                                                \
    X(cblas_zgemm, const void *, TRACEPRESS_UNKNOWN, 8)
#define CBLAS_VECTORS(X)                                                                                               \
    X(cblas_sgemv, float, TRACEPRESS_FLOAT, 2)                                                                         \
    X(cblas_dgemv, double, TRACEPRESS_DOUBLE, 2)
#define FORTRAN_PRODUCTS(X)                                                                                            \
    X(sgemm_, TRACEPRESS_FLOAT, 2)                                                                                     \
    X(dgemm_, TRACEPRESS_DOUBLE, 2)                                                                                    \
    X(cgemm_, TRACEPRESS_UNKNOWN, 8)                                                                                   \
    X(zgemm_, TRACEPRESS_UNKNOWN, 8)
#define FORTRAN_VECTORS(X)                                                                                             \
    X(sgemv_, TRACEPRESS_FLOAT, 2)                                                                                     \
    X(dgemv_, TRACEPRESS_DOUBLE, 2)
#define ALL(X) CBLAS_PRODUCTS(X) CBLAS_VECTORS(X) FORTRAN_PRODUCTS(X) FORTRAN_VECTORS(X)

// NOLINTBEGIN(bugprone-macro-parentheses,readability-function-size): a function's name cannot have parentheses,
// and the standard defines the parameters of the functions

enum hook {
#define NUMBER(name, ...) HOOK_##name,
    ALL(NUMBER) HOOK_COUNT
#undef NUMBER
};

static struct tp_hook hooks[HOOK_COUNT] = {
#define ROW(name, ...) {#name, NULL, NULL},
    ALL(ROW)
#undef ROW
};
static uint32_t numbers[HOOK_COUNT]; /* number of the function's name, indexed by enum hook */

__attribute__((constructor)) static void find_originals(void)
{
    tp_hooks_find_originals(hooks, HOOK_COUNT);
}

#define EXPORT __attribute__((visibility("default")))
#define NEXT(name) ((__typeof__(&name))tp_hook_original(&hooks[HOOK_##name], __builtin_return_address(0)))

/* Body of a hook: calls the original inside a range. If there is no original, the program cannot have called the
 * hook. */
#define PASS_ON(name, product, ...)                                                                                    \
    {                                                                                                                  \
        __typeof__(&name) next = NEXT(name);                                                                           \
        bool is_begun = begin_product(numbers[HOOK_##name], product);                                                  \
        if (next)                                                                                                      \
            next(__VA_ARGS__);                                                                                         \
        end_product(is_begun);                                                                                         \
    }

#define CBLAS_PRODUCT(name, scalar, dtype, flops)                                                                      \
    EXPORT void name(int order, int ta, int tb, int m, int n, int k, scalar alpha, const void *a, int lda,             \
                     const void *b, int ldb, scalar beta, void *c, int ldc);                                           \
    void name(int order, int ta, int tb, int m, int n, int k, scalar alpha, const void *a, int lda, const void *b,     \
              int ldb, scalar beta, void *c, int ldc) PASS_ON(name, (&(struct product){m, n, k, dtype, flops}), order, \
                                                              ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
CBLAS_PRODUCTS(CBLAS_PRODUCT)

#define CBLAS_VECTOR(name, scalar, dtype, flops)                                                                       \
    EXPORT void name(int order, int ta, int m, int n, scalar alpha, const void *a, int lda, const void *x, int dx,     \
                     scalar beta, void *y, int dy);                                                                    \
    void name(int order, int ta, int m, int n, scalar alpha, const void *a, int lda, const void *x, int dx,            \
              scalar beta, void *y, int dy)                                                                            \
        PASS_ON(name, (&(struct product){ta == TRANSPOSED ? n : m, 1, ta == TRANSPOSED ? m : n, dtype, flops}), order, \
                ta, m, n, alpha, a, lda, x, dx, beta, y, dy)
enum { TRANSPOSED = 112 }; /* value of CblasTrans */
CBLAS_VECTORS(CBLAS_VECTOR)

/* Fortran compilers pass the lengths of text arguments after the last parameter. */
#define FORTRAN_PRODUCT(name, dtype, flops)                                                                            \
    EXPORT void name(const char *ta, const char *tb, const int *m, const int *n, const int *k, const void *alpha,      \
                     const void *a, const int *lda, const void *b, const int *ldb, const void *beta, void *c,          \
                     const int *ldc, size_t ta_len, size_t tb_len);                                                    \
    void name(const char *ta, const char *tb, const int *m, const int *n, const int *k, const void *alpha,             \
              const void *a, const int *lda, const void *b, const int *ldb, const void *beta, void *c, const int *ldc, \
              size_t ta_len, size_t tb_len) PASS_ON(name, (&(struct product){*m, *n, *k, dtype, flops}), ta, tb, m, n, \
                                                    k, alpha, a, lda, b, ldb, beta, c, ldc, ta_len, tb_len)
FORTRAN_PRODUCTS(FORTRAN_PRODUCT)

#define FORTRAN_VECTOR(name, dtype, flops)                                                                             \
    EXPORT void name(const char *ta, const int *m, const int *n, const void *alpha, const void *a, const int *lda,     \
                     const void *x, const int *dx, const void *beta, void *y, const int *dy, size_t ta_len);           \
    void name(const char *ta, const int *m, const int *n, const void *alpha, const void *a, const int *lda,            \
              const void *x, const int *dx, const void *beta, void *y, const int *dy, size_t ta_len)                   \
        PASS_ON(name,                                                                                                  \
                (&(struct product){(*ta | 0x20) == 'n' ? *m : *n, 1, (*ta | 0x20) == 'n' ? *n : *m, dtype, flops}),    \
                ta, m, n, alpha, a, lda, x, dx, beta, y, dy, ta_len)
FORTRAN_VECTORS(FORTRAN_VECTOR)

// NOLINTEND(bugprone-macro-parentheses,readability-function-size)

/* ---- the source ---- */

static const char *probe(const struct tp_source_host *host)
{
    (void)host;
    return NULL;
}

static bool start_source(const struct tp_source_host *host, const char *setting)
{
    (void)host, (void)setting;
    for (int i = 0; i < HOOK_COUNT; i++)
        numbers[i] = tracepress_intern(hooks[i].name);
    __atomic_store_n(&is_on, true, __ATOMIC_RELEASE);
    return true;
}

const struct tp_source tp_source_blas = {
    .name = "blas",
    .what = "matrix products of cblas and Fortran BLAS, with shapes and FLOPs",
    .is_default = true,
    .probe = probe,
    .start = start_source,
};
