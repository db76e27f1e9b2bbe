/* Contains the bodies of the inline functions that tracepress.h documents. tracepress.h includes this file; programs
 * include tracepress.h. */
#ifndef TRACEPRESS_CALLS_H
#define TRACEPRESS_CALLS_H

#include "tracepress.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- functions that tracepress.h documents; without a recording, a call costs one load and one branch ---- */

extern TRACEPRESS_API uint32_t tracepress_recording_; /* number of the current recording; 0: nothing is recorded */

/* 1: the live event file needs the values of counters and memory; 0: no live event file */
extern TRACEPRESS_API uint32_t tracepress_live_;

TRACEPRESS_API void tracepress_record_begin_(tracepress_name name);
TRACEPRESS_API void tracepress_record_text_(const char *name);
TRACEPRESS_API void tracepress_record_kind_(tracepress_name name, uint32_t kind);
TRACEPRESS_API void tracepress_record_i64_(tracepress_name name, int64_t value);
TRACEPRESS_API void tracepress_record_f64_(tracepress_name name, double value);
TRACEPRESS_API void tracepress_record_arg_text_(tracepress_name name, const char *value);
TRACEPRESS_API void tracepress_record_color_(uint32_t rgb);
TRACEPRESS_API void tracepress_record_end_(void);
TRACEPRESS_API void tracepress_record_call_(tracepress_name name, const struct tracepress_operator *call);
TRACEPRESS_API void tracepress_record_module_(tracepress_name name);
TRACEPRESS_API void tracepress_record_async_(tracepress_name name, uint64_t id, int is_end);
TRACEPRESS_API void tracepress_record_instant_(tracepress_name name);
TRACEPRESS_API void tracepress_record_instant_text_(tracepress_name name, const char *text);
TRACEPRESS_API void tracepress_record_work_(tracepress_lane_id lane, tracepress_name name, int64_t begin_ns,
                                            int64_t end_ns, const struct tracepress_work *work);
TRACEPRESS_API void tracepress_record_counter_(tracepress_name name, double value);
TRACEPRESS_API void tracepress_record_note_(const struct tracepress_memory *note);
TRACEPRESS_API void tracepress_record_tensor_(tracepress_name name, const struct tracepress_input *shape,
                                              const void *data, enum tracepress_tensor_mode mode);

#ifdef TRACEPRESS_DISABLED
#define TRACEPRESS_IS_ON_ 0
#define TRACEPRESS_IS_COUNTING_ 0
#else
#define TRACEPRESS_IS_ON_ __builtin_expect(__atomic_load_n(&tracepress_recording_, __ATOMIC_RELAXED) != 0, 0)
#define TRACEPRESS_IS_COUNTING_                                                                                        \
    __builtin_expect((__atomic_load_n(&tracepress_recording_, __ATOMIC_RELAXED) |                                      \
                      __atomic_load_n(&tracepress_live_, __ATOMIC_RELAXED)) != 0,                                      \
                     0)
#endif
#define TRACEPRESS_WHEN_ON_(call)                                                                                      \
    do {                                                                                                               \
        if (TRACEPRESS_IS_ON_)                                                                                         \
            call;                                                                                                      \
    } while (0)

static inline void tracepress_begin(tracepress_name name)
{
    TRACEPRESS_WHEN_ON_(tracepress_record_begin_(name));
}
static inline void tracepress_begin_text(const char *name)
{
    TRACEPRESS_WHEN_ON_(tracepress_record_text_(name));
}
static inline void tracepress_begin_kind(tracepress_name name, enum tracepress_kind kind)
{
    TRACEPRESS_WHEN_ON_(tracepress_record_kind_(name, (uint32_t)kind));
}
static inline void tracepress_end(void)
{
    TRACEPRESS_WHEN_ON_(tracepress_record_end_());
}
static inline void tracepress_arg_i64(tracepress_name name, int64_t value)
{
    TRACEPRESS_WHEN_ON_(tracepress_record_i64_(name, value));
}
static inline void tracepress_arg_f64(tracepress_name name, double value)
{
    TRACEPRESS_WHEN_ON_(tracepress_record_f64_(name, value));
}
static inline void tracepress_arg_text(tracepress_name name, const char *value)
{
    TRACEPRESS_WHEN_ON_(tracepress_record_arg_text_(name, value));
}
static inline void tracepress_color(uint32_t rgb)
{
    TRACEPRESS_WHEN_ON_(tracepress_record_color_(rgb));
}
static inline void tracepress_operator_begin(tracepress_name name, const struct tracepress_operator *call)
{
    TRACEPRESS_WHEN_ON_(tracepress_record_call_(name, call));
}
static inline void tracepress_module_begin(tracepress_name name)
{
    TRACEPRESS_WHEN_ON_(tracepress_record_module_(name));
}
static inline void tracepress_async_begin(tracepress_name name, uint64_t id)
{
    TRACEPRESS_WHEN_ON_(tracepress_record_async_(name, id, 0));
}
static inline void tracepress_async_end(tracepress_name name, uint64_t id)
{
    TRACEPRESS_WHEN_ON_(tracepress_record_async_(name, id, 1));
}
static inline void tracepress_instant(tracepress_name name)
{
    TRACEPRESS_WHEN_ON_(tracepress_record_instant_(name));
}
static inline void tracepress_instant_text(tracepress_name name, const char *text)
{
    TRACEPRESS_WHEN_ON_(tracepress_record_instant_text_(name, text));
}
static inline void tracepress_complete(tracepress_lane_id lane, tracepress_name name, int64_t begin_ns, int64_t end_ns,
                                       const struct tracepress_work *work)
{
    TRACEPRESS_WHEN_ON_(tracepress_record_work_(lane, name, begin_ns, end_ns, work));
}
static inline void tracepress_counter(tracepress_name name, double value)
{
    if (TRACEPRESS_IS_COUNTING_)
        tracepress_record_counter_(name, value);
}
static inline void tracepress_memory_note(const struct tracepress_memory *note)
{
    if (TRACEPRESS_IS_COUNTING_)
        tracepress_record_note_(note);
}
static inline void tracepress_tensor(tracepress_name name, enum tracepress_dtype dtype, uint32_t rank,
                                     const int64_t *dims, const void *data, enum tracepress_tensor_mode mode)
{
    if (TRACEPRESS_IS_ON_) {
        const struct tracepress_input shape = {dtype, rank, dims};
        tracepress_record_tensor_(name, &shape, data, mode);
    }
}

#ifdef __cplusplus
}
#endif

#endif
