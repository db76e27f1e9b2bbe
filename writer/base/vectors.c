/* Implements vectors.h. */
#include "writer/base/vectors.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <stdbool.h>

/* Returns whether the processor has AVX and the system has enabled it. */
static bool has_avx(void)
{
    enum { SSE_AND_AVX_STATE = 6 };
    unsigned a, b, c = 0, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_AVX))
        return false;
    __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    return (a & SSE_AND_AVX_STATE) == SSE_AND_AVX_STATE;
}

void tp_clear_upper_halves(void)
{
    enum { UNKNOWN, NO, YES };
    static int answer; /* stored result, because CPUID is slow in virtual machines; all threads write the same value */
    if (__atomic_load_n(&answer, __ATOMIC_RELAXED) == UNKNOWN)
        __atomic_store_n(&answer, has_avx() ? YES : NO, __ATOMIC_RELAXED);
    if (__atomic_load_n(&answer, __ATOMIC_RELAXED) == YES)
        __asm__ volatile("vzeroupper" ::
                             : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
                               "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}
#else
void tp_clear_upper_halves(void)
{
}
#endif
