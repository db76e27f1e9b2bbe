/* Defines macros for ranges that end with their block. tracepress.h includes this file; programs include
 * tracepress.h. */
#ifndef TRACEPRESS_SCOPE_H
#define TRACEPRESS_SCOPE_H

#include "tracepress.h"

/* ---- a range until the end of the block ---------------------------------------------------------------------------
 *
 *     TRACEPRESS_SCOPE("forward");
 *     TRACEPRESS_SCOPE_KIND("decode", TRACEPRESS_INPUT);
 *
 * The text must be the same on every pass, because its number is looked up only once. The block must not contain
 * co_await or co_yield; coroutines use tracepress_task.h instead. */

#define TRACEPRESS_JOIN_(a, b) a##b
#define TRACEPRESS_JOIN(a, b) TRACEPRESS_JOIN_(a, b)

/* Begins a range that ends with the block. __COUNTER__ gives each range its own variable, because a macro of the
 * program may place two ranges on one line. */
#define TRACEPRESS_SCOPE(text) TRACEPRESS_SCOPE_(text, TRACEPRESS_NONE, __COUNTER__)
#define TRACEPRESS_SCOPE_KIND(text, kind) TRACEPRESS_SCOPE_(text, kind, __COUNTER__)

#if defined(__cplusplus)
struct tracepress_scope_guard {
    explicit tracepress_scope_guard(tracepress_name name, enum tracepress_kind kind = TRACEPRESS_NONE)
    {
        if (kind == TRACEPRESS_NONE)
            tracepress_begin(name);
        else
            tracepress_begin_kind(name, kind);
    }
    ~tracepress_scope_guard()
    {
        tracepress_end();
    }
    tracepress_scope_guard(const tracepress_scope_guard &) = delete;
    tracepress_scope_guard &operator=(const tracepress_scope_guard &) = delete;
};
#define TRACEPRESS_SCOPE_(text, kind, number)                                                                          \
    static const tracepress_name TRACEPRESS_JOIN(tracepress_name_, number) = tracepress_intern(text);                  \
    tracepress_scope_guard TRACEPRESS_JOIN(tracepress_scope_, number)(TRACEPRESS_JOIN(tracepress_name_, number), kind)
#else
static inline void tracepress_end_scope_(const int *unused)
{
    (void)unused;
    tracepress_end();
}
/* Begins the range, and gets the number of the text only once. Two threads that do so at the same time get the
 * same number. */
#define TRACEPRESS_SCOPE_(text, kind, number)                                                                          \
    static tracepress_name TRACEPRESS_JOIN(tracepress_name_, number);                                                  \
    __attribute__((cleanup(tracepress_end_scope_), unused)) const int TRACEPRESS_JOIN(tracepress_scope_, number) =     \
        (tracepress_begin_once_(&TRACEPRESS_JOIN(tracepress_name_, number), (text), (kind)), 0)
static inline void tracepress_begin_once_(tracepress_name *name, const char *text, enum tracepress_kind kind)
{
    tracepress_name number = __atomic_load_n(name, __ATOMIC_RELAXED);
    if (number == 0) {
        number = tracepress_intern(text);
        __atomic_store_n(name, number, __ATOMIC_RELAXED);
    }
    if (kind == TRACEPRESS_NONE)
        tracepress_begin(number);
    else
        tracepress_begin_kind(number, kind);
}
#endif

#endif
